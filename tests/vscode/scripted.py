"""The scripted model as a test sees it: what it was asked, as texts, tokens and chats, and how to make it wait."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compact_chat.measure import Counter
from tests.servers.processes import within

PATIENCE = 60  # seconds


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


OURS = "Write a hand-over of the chat between a user and a coding assistant"
USER_REQUEST = re.compile(r"<userRequest>\n(.*)\n</userRequest>", re.DOTALL)
SURROUNDINGS = 2  # messages: the system prompt, and what the workspace looks like
SHORT = 20  # characters of a line that may stand anywhere by chance


def is_ours(request: dict[str, Any]) -> bool:
    """Whether our server made this request, for a summary."""
    return OURS in words(request)


def said(request: dict[str, Any]) -> str:
    """The user's newest message, as the user wrote it."""
    texts = (_text(message) for message in reversed(request["messages"]))
    found = USER_REQUEST.search(next(text for text in texts if "<userRequest>" in text))
    assert found is not None
    return found[1].strip()


def old_lines(request: dict[str, Any], *, kept: int) -> set[str]:
    """The lines of all messages behind the one about the surroundings, but for those that are kept at the end."""
    lines = words({"messages": request["messages"][SURROUNDINGS:-kept]}).split("\n")
    return {line.strip() for line in lines if len(line.strip()) > SHORT}


def newest(request: dict[str, Any], count: int) -> str:
    """All text of the newest messages."""
    return words({"messages": request["messages"][-count:]})


def conversation_tokens(request: dict[str, Any]) -> int:
    """The tokens of all messages but the system prompt."""
    return sum(_tokens(message) for message in request["messages"] if message["role"] != "system")


def whole_tokens(request: dict[str, Any]) -> int:
    """The tokens of all messages and tools."""
    return sum(map(_tokens, request["messages"])) + Counter().count(json.dumps(request["tools"]))


def as_chat(request: dict[str, Any], answer: str) -> dict[str, Any]:
    """A request and its answer as a chat that the server reads."""
    reported = [message for message in request["messages"] if message["role"] != "system"]
    messages = [{"role": one["role"], "content": [_block(part) for part in one["content"]]} for one in reported]
    system = "".join(_text(message) for message in request["messages"] if message["role"] == "system")
    tools = [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool.get("inputSchema", {})}
        for tool in request["tools"]
    ]
    return {"system": system, "tools": tools, "messages": [*messages, {"role": "assistant", "content": answer}]}


def _tokens(message: dict[str, Any]) -> int:
    return Counter().count(words({"messages": [message]}))


def _text(message: dict[str, Any]) -> str:
    return "".join(part["text"] for part in message["content"] if part["kind"] == "text")


def _block(part: dict[str, Any]) -> dict[str, Any]:
    match part["kind"]:
        case "call":
            return {"type": "tool_use", "id": part["id"], "name": part["name"], "input": part["input"]}
        case "result":
            content = [_block(one) for one in part["content"]]
            return {"type": "tool_result", "tool_use_id": part["id"], "content": content}
    return {"type": "text", "text": part["text"]}
