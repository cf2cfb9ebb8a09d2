"""Storms on one server: large operations cancelled at any moment, and a client that stops reading."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.chats import WORDS
from tests.servers.processes import cpu_seconds, resident, seconds_until_quiet
from tests.servers.wire_client import SERVE, WireClient

Way = tuple[str, Any]
PARAGRAPHS = [" ".join(random.Random(n).choices(WORDS, k=230)) for n in range(200)]  # about 1,300 characters each
SHAPES = ("uri", "text", "messages")
OF_CHATS = ("countTokens", "preview", "prompt", "summarize")
KINDS = [*((name, shape) for name in OF_CHATS for shape in SHAPES), ("format", "text"), ("continuation", "summary")]
MILLION = 3800  # messages that hold about a million tokens
CANCELLED = (-32800, {"kind": "cancelled"})
SECONDS, PATIENCE = 60.0, 300.0  # within which anything large is answered, and all of a flood


def messages(mark: str, number: int) -> list[dict[str, str]]:
    """Make a chat of which no server has counted a message before, if the mark is new."""
    return [
        {"role": ("user", "assistant")[n % 2], "content": f"{mark} {n} {PARAGRAPHS[n % len(PARAGRAPHS)]}"}
        for n in range(number)
    ]


def session_file(chat: list[dict[str, str]]) -> str:
    """Write a chat as its tool would keep it."""
    lines = (
        {"type": one["role"], "message": one, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None}
        for n, one in enumerate(chat)
    )
    return "".join(json.dumps({"sessionId": "s", "isSidechain": False, **line}) + "\n" for line in lines)


def asked(kind: tuple[str, str], mark: str, folder: Path, number: int = MILLION) -> dict[str, Any]:
    """Give the params of an operation on a chat of this mark, in the shape of the kind."""
    name, shape = kind
    chat = messages(mark, number)
    if name not in OF_CHATS:
        return {shape: "<summary>" + "\n\n".join(one["content"] for one in chat) + "</summary>"}
    if shape == "messages":
        return {"chat": {"messages": chat}}
    if shape == "text":
        return {"chat": {"text": session_file(chat)}}
    path = folder / f"{mark}.jsonl"
    path.write_text(session_file(chat), encoding="utf-8")
    return {"chat": {"uri": path.as_uri()}}


def way(name: str, params: dict[str, Any], command: bool) -> Way:
    """Ask for an operation as a request or as a command."""
    if not command:
        return f"compactChat/{name}", params
    return "workspace/executeCommand", {"command": f"compactChat.{name}", "arguments": [params]}


class Run(NamedTuple):
    """What came after a cancel: its answer, seconds until nothing is computed any more, and CPU seconds until then."""

    answer: Any
    seconds: float
    cpu: float
    left: float  # CPU seconds that the operation would still have taken


class Storm:
    """Operations on large chats in one server, cancelled by their id or by their progress, as request or command."""

    def __init__(self, client: WireClient, folder: Path) -> None:
        self.client, self.folder, self.number = client, folder, client.process.pid
        wide = {"windows": {"claude-haiku-5-5": 4_000_000}}  # so that a prompt may hold the whole chat
        client.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": wide}})
        self._turn = 0
        self._full: dict[tuple[str, str], tuple[float, float]] = {}

    def measure(self, kind: tuple[str, str]) -> None:
        """Let an operation run to its end, and keep how long that takes and what it costs."""
        request, began, before = self._next(kind), time.perf_counter(), cpu_seconds(self.number)
        answer = self.client.answer(self.client.start(*request), seconds=SECONDS)
        assert "result" in answer, answer
        took = time.perf_counter() - began
        seconds_until_quiet(self.number)
        self._full[kind] = (took, cpu_seconds(self.number) - before)

    def cancel(self, kind: tuple[str, str], share: float) -> Run:
        """Cancel an operation after a share of the time that it would take, and wait for silence."""
        request, (length, cost) = self._next(kind), self._full[kind]
        due = time.perf_counter() + share * length
        number = self.client.start(*request)
        time.sleep(max(0.0, due - time.perf_counter()))
        began, before = time.perf_counter(), cpu_seconds(self.number)
        self._call_off(number)
        answer = self.client.answer(number, seconds=SECONDS)
        seconds = time.perf_counter() - began + seconds_until_quiet(self.number)
        assert len(self.client.answers(number)) == 1
        assert [one["kind"] for one in self.client.progress(self._token)][-1:] in ([], ["end"])
        self.client.inbox.clear()
        return Run(answer, seconds, cpu_seconds(self.number) - before, (1 - share) * cost)

    @property
    def _token(self) -> str:
        return f"mark{self._turn}"

    def _next(self, kind: tuple[str, str]) -> Way:
        self._turn += 1
        params = {**asked(kind, self._token, self.folder), "workDoneToken": self._token}
        return way(kind[0], params, command=self._turn % 2 == 1)

    def _call_off(self, number: int) -> None:
        if self._turn % 4 < 2:
            self.client.notify("$/cancelRequest", {"id": number})
        else:
            self.client.notify("window/workDoneProgress/cancel", {"token": self._token})


def is_right(answer: Any) -> bool:
    """Say whether an answer is that of a cancelled operation, or a result that was there before the cancel."""
    return "result" in answer or (answer["error"]["code"], answer["error"]["data"]) == CANCELLED


class DeafClient(WireClient):
    """A client that can stop reading: behind the message that comes next, it takes nothing more."""

    def __init__(self) -> None:
        self.ears = threading.Event()
        self.ears.set()
        super().__init__(SERVE)

    def flood(self, ways: list[Way]) -> threading.Thread:
        """Send requests while nothing is read, from a thread of its own since the server may take no more."""

        def send() -> None:
            with contextlib.suppress(BrokenPipeError):  # the server may be ended meanwhile
                for one in ways:
                    self.start(*one)

        self.ears.clear()
        sending = threading.Thread(target=send, daemon=True)
        sending.start()
        return sending

    def settle(self) -> None:
        """Wait until the server takes no more of the flood, and computes nothing."""
        sent = -1
        while seconds_until_quiet(self.process.pid, PATIENCE) > 0 or self._last > sent:
            sent = self._last

    def close(self) -> None:
        """End the process, and read what is left."""
        self.ears.set()
        super().close()

    def _next_length(self) -> int | None:
        self.ears.wait()
        return super()._next_length()


def formats(times: int) -> list[Way]:
    """Requests whose answers are twice as long as they are, and have some 76 kB; no two of a hundred are alike."""
    texts = [f"<summary>1. Current Work:\n{n} {'x' * 38_000}</summary>" for n in range(100)]
    ways = [("compactChat/format", {"text": text}) for text in texts]
    return [ways[n % 100] for n in range(times)]


def prompts(times: int, folder: Path) -> list[Way]:
    """Requests of a hundred bytes whose answers have some 400 kB."""
    return [way("prompt", asked(("prompt", "uri"), "deaf", folder, 320), command=False)] * times


def leave_unread(client: DeafClient, ways: list[Way]) -> tuple[float, list[int]]:
    """Tell by how many MiB a server grows while nothing is read; then read all, and name the answers that are wrong."""
    known = {number: client.call(*one) for number, one in {id(params): (name, params) for name, params in ways}.items()}
    first = client.start(*ways[0]) + 1
    client.answer(first - 1)
    seconds_until_quiet(client.process.pid)
    memory = resident(client.process.pid)
    sending = client.flood(ways)
    client.settle()
    grown = resident(client.process.pid) - memory
    client.ears.set()
    sending.join(PATIENCE)
    client.answer(client.start(*ways[0]), seconds=PATIENCE)
    client.until(lambda _: len(client.answered) > len(ways) + len(known) + 2, seconds=PATIENCE)
    answers = Counter(one["id"] for one in client.inbox if "method" not in one)
    found = {one["id"]: one.get("result") for one in client.inbox if "method" not in one}
    wrong = [n for n, (_, params) in enumerate(ways) if found.get(first + n) != known[id(params)]]
    return grown, wrong + [number - first for number, times in answers.items() if times > 1]
