"""What an editor with a meter for its chat sends in two hours, replayed as fast as the server answers."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from tests.bench.chats import record, words
from tests.servers.wire_client import WireClient, framed

TWO_HOURS, TICK = 7200, 2  # seconds of the editor's time
BOUT, BUSY = 600, 480  # the meter is visible for eight of each ten minutes
GREETING = {
    "clientInfo": {"name": "Visual Studio Code", "version": "1.105.0"},
    "capabilities": {
        "workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}},
        "window": {"workDoneProgress": True},
    },
    "initializationOptions": {"compactChat": {"capabilities": {"notes": [{"file": "NOTES.md"}]}}},
}
SETTINGS: tuple[dict[str, Any], ...] = ({"minKeep": 6}, {"windows": {"claude-sonnet-4-5": 400_000}}, {})


class Editor:
    """A client whose chat grows by `turns` in two hours, to a size in bytes: in a file, and as messages."""

    def __init__(self, client: WireClient, path: Path, turns: int, size: int) -> None:
        self.client, self._path = client, path
        self._file = json.dumps({"uri": path.as_uri()})
        self._every = TWO_HOURS // turns  # seconds
        self._words = max(1, (size // turns - 250) // 8)
        self._draw, self._numbers = random.Random(1), count()
        self._messages: list[str] = []
        self._stories: tuple[tuple[int, Callable[[], None]], ...] = (  # periodic actions, with their periods in seconds
            (180, self._previews),
            (240, self._changes_its_mind),
            (300, self._changes_settings),
            (600, self._summarizes),
        )
        path.touch()
        client.replies = {"workspace/configuration": [{}], "client/registerCapability": None}
        client.replies["window/workDoneProgress/create"] = None
        client.initialize(**GREETING)

    def live(self, seconds: int) -> Iterator[int]:
        """Run for so long, and yield the second after each tick."""
        for second in range(0, seconds, TICK):
            if second % self._every < TICK:
                self._grow()
            if second % BOUT < BUSY:
                self._ask("countTokens", self._file)
                self._ask("countTokens", self._array)
            for every, story in self._stories:
                if second % every == every // 2 // TICK * TICK:
                    story()
            self.client.take_answers()
            yield second + TICK

    def _grow(self) -> None:
        """Add a turn to the file and to the messages."""
        line: dict[str, Any] = record(len(self._messages), words(self._draw, self._words))
        self._messages.append(json.dumps(line["message"]))
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    @property
    def _array(self) -> str:
        return f'{{"messages": [{", ".join(self._messages)}]}}'

    def _start(self, name: str, chat: str = "null", **params: Any) -> str:
        """Send an operation; the chat is already JSON, which would take long to write each time."""
        number = f"e{next(self._numbers)}"
        members = f'"chat": {chat}, {json.dumps(params)[1:-1]}'.rstrip(", ")
        body = f'{{"jsonrpc": "2.0", "id": "{number}", "method": "compactChat/{name}", "params": {{{members}}}}}'
        self.client.raw(framed(body.encode()))
        return number

    def _ask(self, name: str, chat: str = "null", **params: Any) -> Any:
        """Run an operation, whatever its outcome."""
        answer = self.client.answer(self._start(name, chat, **params), seconds=60)
        assert answer.get("error", {}).get("code") not in (-32603, -32700, -32600), answer
        return answer.get("result")

    def _previews(self) -> None:
        self._ask("preview", self._file)
        self._ask("preview", self._array, options={"minKeep": 2 + len(self._messages) % 5})

    def _summarizes(self) -> None:
        tokens = {"workDoneToken": f"w{next(self._numbers)}", "partialResultToken": f"p{next(self._numbers)}"}
        self._ask("summarize", self._file, include=["messages", "prompt", "raw"], **tokens)
        self._ask("summarize", self._array, messagesAs="openai-chat", include=["messages"])
        reported = self._ask("format", text=f"<summary>3. Files and Code:\n{words(self._draw, 900)}</summary>")
        self._ask("continuation", summary=reported["summary"], messages=json.loads(self._array)["messages"][-9:])
        self._ask("preview", '{"uri": "file:///absent.jsonl"}')
        self._ask("summarize", planId="p" * 32)

    def _changes_its_mind(self) -> None:
        for name, chat in (("summarize", self._file), ("preview", self._array)):
            token = f"w{next(self._numbers)}"
            number = self._start(name, chat, workDoneToken=token)
            self.client.notify("$/cancelRequest", {"id": number})
            self.client.notify("window/workDoneProgress/cancel", {"token": token})
            self.client.answer(number, seconds=60)

    def _changes_settings(self) -> None:
        settings = self._draw.choice(SETTINGS)
        self.client.replies["workspace/configuration"] = [settings]
        self.client.notify("workspace/didChangeConfiguration", {"settings": None})
        self._ask("countTokens", self._file)
        self.client.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": settings}})
