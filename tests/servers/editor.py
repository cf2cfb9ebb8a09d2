"""What an editor with a meter for its chat sends in two hours, and nothing else: as fast as the server answers."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tests.servers.wire_client import WireClient, framed

TWO_HOURS, TICK = 7200, 2  # seconds of the editor's time
BOUT, BUSY = 600, 480  # of each ten minutes the meter is in sight for eight
OVERHEAD = 250  # bytes of a turn in a file, beside its text
WORDS = [f"{word}{n}" for word in ("shelf", "tray", "order", "price", "test", "value") for n in range(60)]
GREETING = {
    "clientInfo": {"name": "Visual Studio Code", "version": "1.105.0"},
    "capabilities": {
        "workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}},
        "window": {"workDoneProgress": True},
    },
    "initializationOptions": {"compactChat": {"capabilities": {"notes": [{"file": "NOTES.md"}]}}},
}
SETTINGS: list[dict[str, Any]] = [
    {"minKeep": 6},
    {"windows": {"claude-sonnet-4-5": 400_000}},
    {"keepRecent": "many"},
    {},
]


class Story(NamedTuple):
    """Something that is done every so many seconds."""

    every: int
    tell: Callable[[], None]


class Editor:
    """A client whose chat grows by `turns` in two hours, to a size in bytes: in a file, and as messages."""

    def __init__(self, client: WireClient, path: Path, turns: int, size: int) -> None:
        self.client, self._path, self._uri = client, path, path.as_uri()
        self._every = TWO_HOURS // turns  # seconds
        self._words = max(1, (size // turns - OVERHEAD) // 8)
        self._draw, self._turns, self._numbers = random.Random(1), count(), count()
        self._messages: list[str] = []
        self.sent: Counter[str] = Counter()
        self._stories = (
            Story(TICK, self._types),
            Story(60, self._saves),
            Story(180, self._previews),
            Story(240, self._changes_its_mind),
            Story(300, self._changes_settings),
            Story(360, self._tidies_up),
            Story(420, self._errs),
            Story(600, self._summarizes),
            Story(900, self._asks_a_model_of_its_own),
        )
        path.touch()
        client.replies = {"workspace/configuration": [{}], "client/registerCapability": None}
        client.replies["window/workDoneProgress/create"] = None
        client.initialize(**GREETING)

    def grow(self, turns: int) -> None:
        """Let the chat grow without a word to the server."""
        for _ in range(turns):
            self._grow()

    def live(self, seconds: int = TWO_HOURS, grows: bool = True) -> Iterator[int]:
        """Live for so long, and tell the second after each tick."""
        for second in range(0, seconds, TICK):
            if grows and second % self._every < TICK:
                self._grow()
            if second % BOUT < BUSY:
                self._reads_the_meter()
            for story in self._stories:
                if second % story.every == story.every // 2 // TICK * TICK:
                    story.tell()
            self.client.take_answers()
            yield second + TICK

    def _reads_the_meter(self) -> None:
        self._ask("countTokens", chat=self._file)
        self._ask("countTokens", chat=self._array)

    def _grow(self) -> None:
        """Add a turn to the file and to the messages."""
        message = json.dumps(self._turn(next(self._turns)))
        self._messages.append(message)
        n, role = len(self._messages), json.loads(message)["role"]
        ids = {"uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n > 1 else None, "sessionId": "s", "isSidechain": False}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f'{{"type": "{role}", {json.dumps(ids)[1:-1]}, "message": {message}}}\n')

    def _turn(self, number: int) -> dict[str, Any]:
        text = " ".join(self._draw.choices(WORDS, k=self._words))
        call = {
            "type": "tool_use",
            "id": f"c{number}",
            "name": "Edit",
            "input": {"file_path": "a.py", "new_string": text},
        }
        result = {"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": text}
        usage = {"input_tokens": 900 + number, "output_tokens": 90}
        says = {"role": "assistant", "model": "claude-sonnet-4-5", "id": f"m{number}", "usage": usage}
        return (
            {"role": "user", "content": text},
            {**says, "content": [call]},
            {"role": "user", "content": [result]},
            {**says, "content": [{"type": "text", "text": text}]},
        )[number % 4]

    @property
    def _file(self) -> str:
        return json.dumps({"uri": self._uri})

    @property
    def _array(self) -> str:
        return f'{{"messages": [{", ".join(self._messages)}]}}'

    def _start(self, name: str, chat: str = "null", **params: Any) -> str:
        """Send an operation; the chat is JSON already, which would take long to write each time."""
        number = f"e{next(self._numbers)}"
        members = f'"chat": {chat}, {json.dumps(params)[1:-1]}'.rstrip(", ")
        body = f'{{"jsonrpc": "2.0", "id": "{number}", "method": "compactChat/{name}", "params": {{{members}}}}}'
        self.client.raw(framed(body.encode()))
        self.sent[name] += 1
        return number

    def _ask(self, name: str, chat: str = "null", **params: Any) -> Any:
        """Have an operation done, whatever comes of it."""
        answer = self.client.answer(self._start(name, chat, **params), seconds=60)
        assert answer.get("error", {}).get("code") not in (-32603, -32700, -32600), answer
        return answer.get("result")

    def _tell(self, method: str, params: Any) -> None:
        self.client.notify(method, params)
        self.sent[method] += 1

    def _types(self) -> None:
        """The person types elsewhere in the editor."""
        document = {"uri": "file:///shop/checkout.py", "version": next(self._numbers)}
        self._tell("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": WORDS[1] * 200}]})

    def _saves(self) -> None:
        document = {"uri": f"file:///shop/{next(self._numbers)}.py"}
        self._tell(
            "textDocument/didOpen", {"textDocument": {**document, "text": WORDS[0] * 500, "languageId": "python"}}
        )
        self._tell("textDocument/didSave", {"textDocument": document})
        self._tell("$/setTrace", {"value": "off"})

    def _previews(self) -> None:
        self._ask("preview", chat=self._file)
        self._ask("preview", chat=self._array, options={"minKeep": 2 + len(self._messages) % 5})

    def _summarizes(self) -> None:
        tokens = {"workDoneToken": f"w{next(self._numbers)}", "partialResultToken": f"p{next(self._numbers)}"}
        self._ask("summarize", chat=self._file, include=["messages", "prompt", "raw"], **tokens)
        self._ask("summarize", chat=self._array, messagesAs="openai-chat", include=["messages"])

    def _asks_a_model_of_its_own(self) -> None:
        asked = self._ask("prompt", chat=self._array)
        if asked:
            reply = f"<summary>1. Primary Request and Intent:\n{asked['messages'][0]['content'][-3000:]}</summary>"
            self._ask("summarize", planId=asked["planId"], reply=reply)

    def _changes_its_mind(self) -> None:
        for name, chat in (("summarize", self._file), ("preview", self._array)):
            token = f"w{next(self._numbers)}"
            number = self._start(name, chat, workDoneToken=token)
            self._tell("$/cancelRequest", {"id": number})
            self._tell("window/workDoneProgress/cancel", {"token": token})
            self.client.answer(number, seconds=60)

    def _changes_settings(self) -> None:
        settings = self._draw.choice(SETTINGS)
        self.client.replies["workspace/configuration"] = [settings]
        self._tell("workspace/didChangeConfiguration", {"settings": None})
        self._ask("countTokens", chat=self._file)
        self._tell("workspace/didChangeConfiguration", {"settings": {"compactChat": settings}})

    def _tidies_up(self) -> None:
        told = self._ask(
            "format", text=f"<summary>3. Files and Code:\n{' '.join(self._draw.choices(WORDS, k=900))}</summary>"
        )
        self._ask(
            "continuation", summary=told["summary"], kind="regular", messages=json.loads(self._array)["messages"][-9:]
        )

    def _errs(self) -> None:
        """Whatever goes wrong in an editor: other chats, old plans, wrong words."""
        self._ask("preview", chat='{"uri": "file:///absent.jsonl"}')
        self._ask("preview", chat=self._file, options={"minKeep": "two"})
        self._ask("preview", chat=self._array, options={"pin": ["nobody"]})
        self._ask("summarize", planId="p" * 32)
        self.client.error("workspace/executeCommand", {"command": "compactChat.nonsense"})
        self.client.error("textDocument/hover", {"position": {"line": 1, "character": 2}})
        self.client.reply_to(b'{"jsonrpc": "2.0", "id": 5, "method": ')
