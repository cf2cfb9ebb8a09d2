"""The scripted model as a test sees it: what it was asked, and how to make it wait or refuse."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.servers.processes import within

PATIENCE = 30  # seconds


class ScriptedModel:
    """The folder that the model writes its requests to, and looks into while it answers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def requests(self) -> list[dict[str, Any]]:
        """All that it was asked, in order: messages with all their parts, tools, options."""
        return [line for line in self._lines() if "asked" in line]

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The requests that offered tools: those of the agent."""
        return [request for request in self.requests if request["tools"]]

    def outcome(self, request: dict[str, Any]) -> dict[str, Any]:
        """What became of a request, waited for: `outcome` is ended, cancelled or refused."""
        within(PATIENCE, lambda: self._outcome(request) is not None)
        found = self._outcome(request)
        assert found is not None
        return found

    @contextlib.contextmanager
    def held(self, words: int = 0) -> Iterator[None]:
        """Let answers stand still behind so many words meanwhile, or their first ones, until somebody cancels them."""
        yield from self._while_there("hold", str(words))

    def give(self, words: int) -> None:
        """Let held answers go on for so many words in all."""
        (self._folder / "hold").write_text(str(words))

    @contextlib.contextmanager
    def refusing(self, reason: str) -> Iterator[None]:
        """Refuse all requests meanwhile: NoPermissions, Blocked, NotFound, or words of an error of its own."""
        yield from self._while_there("refuse", reason)

    def _while_there(self, name: str, text: str) -> Iterator[None]:
        file = self._folder / name
        file.write_text(text)
        try:
            yield
        finally:
            file.unlink()

    def _outcome(self, request: dict[str, Any]) -> dict[str, Any] | None:
        return next((line for line in self._lines() if line.get("answered") == request["asked"]), None)

    def _lines(self) -> list[dict[str, Any]]:
        log = self._folder / "requests.jsonl"
        whole = log.read_text().split("\n")[:-1] if log.exists() else []
        return [json.loads(line) for line in whole]


def words(request: dict[str, Any]) -> str:
    """All text of a request, that of tool results included."""
    return "\n".join(_words(part) for message in request["messages"] for part in message["content"])


def unjoined(text: str) -> str:
    """A text without the signs that take no room, by which a name behind `#` is no reference to a tool."""
    return text.replace("\u2060", "")


def _words(part: dict[str, Any]) -> str:
    match part["kind"]:
        case "text":
            return str(part["text"])
        case "call":
            return json.dumps(part["input"], ensure_ascii=False)
        case "result":
            return "\n".join(map(_words, part["content"]))
    return ""
