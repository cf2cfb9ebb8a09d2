"""The cost of watching chats: while nothing happens, after one message, and until the client is notified."""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.disk.chats import SELDOM
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.watch import LiveChat, Params, Watcher
from tests.bench.chats import record, words
from tests.bench.servers import Figure, initialized, judged, percentile
from tests.samples.session_files import of_one_user
from tests.servers.wire_client import WireClient

METER = "compactChat/meter"
SHORT, LONG = 100, 10_000  # messages
MESSAGES, BLOCK = 400, 20
WORK, GROWTH = 2.0, 1.5  # milliseconds; times the work for a short chat
WATCHED, SECONDS, IDLE = 10, 20.0, 0.1  # chats, seconds, percent of a core
CHATS, PROJECTS, EDITOR_IDLE = 300, 10, 0.25  # chats, folders, percent of a core
HEARD, PAUSE, TOLD, FIRST = 500.0, 0.6, 30, 12  # milliseconds, seconds between two messages at most, and how many
# A Codex call: what it says, what it does, and how full the window is.
CODEX = ("reasoning", "function_call", "function_call_output", "token_count")


class Chat:
    """A session that grows by a message at a time."""

    def __init__(self, path: Path, line: Callable[[int, str], Any], size: int) -> None:
        self.path, self._line, self._size = path, line, size
        self._draw = random.Random(size)
        path.write_text("".join(self._next(number) for number in range(size)))

    def grow(self) -> None:
        """Append the next message."""
        with self.path.open("a") as file:
            file.write(self._next(self._size))
        self._size += 1

    def _next(self, number: int) -> str:
        return json.dumps(self._line(number, words(self._draw, 40))) + "\n"


def claude_line(number: int, text: str) -> Any:
    """Return a line of a Claude Code session; each reply records its call's size."""
    line: Any = record(number, text)
    if line["type"] == "assistant":
        line["message"]["usage"] = {"input_tokens": 20_000 + 80 * number, "output_tokens": 150}
    return line


def codex_line(number: int, text: str) -> Any:
    """Return a line of a Codex session."""
    if number == 0:
        return {"type": "session_meta", "payload": {"id": "s", "timestamp": "t"}}
    kind, call = CODEX[number % 4], f"c{number // 4}"
    if kind == "token_count":
        used = {"input_tokens": 9000 + 60 * number, "output_tokens": 90, "total_tokens": 9090 + 60 * number}
        return {"type": "event_msg", "payload": {"type": kind, "info": {"last_token_usage": used}}}
    item: dict[str, dict[str, Any]] = {
        "reasoning": {"summary": [{"type": "summary_text", "text": text}]},
        "function_call": {"name": "shell", "arguments": json.dumps({"command": text}), "call_id": call},
        "function_call_output": {"call_id": call, "output": text},
    }
    return {"type": "response_item", "payload": {"type": kind, **item[kind]}}


def working(folder: Path) -> Iterator[Figure]:
    """Time from noticing an appended message to the finished report, for a short and a long chat in turn."""
    for name, line in (("Claude Code", claude_line), ("Codex", codex_line)):
        chats = [Chat(folder / f"{name}-{size}.jsonl", line, size) for size in (SHORT, LONG)]
        short, long = look_times(chats)
        reported = f"p95 {percentile(short, 0.95):.2f} and {percentile(long, 0.95):.2f} ms"
        print(f"{name}, one message more of {SHORT} and of {LONG}: {reported}")
        yield f"{name}: work for one message more of {LONG}", statistics.median(long), WORK, "ms"
        yield f"{name}: that / of {SHORT}", statistics.median(long) / statistics.median(short), GROWTH, "x"


def look_times(chats: list[Chat]) -> list[list[float]]:
    """Time polls of chats that have grown, in turn; milliseconds."""
    watchers = [
        Watcher(LiveChat(ChatRef(uri=chat.path.as_uri()), Params(), ClientState()), Job(ClientState()))
        for chat in chats
    ]
    times: list[list[float]] = [[] for _ in chats]
    for _ in range(MESSAGES // BLOCK):
        for chat, watcher, found in zip(chats, watchers, times, strict=True):
            found += (look_seconds(chat, watcher) * 1000 for _ in range(BLOCK))
    return times


def look_seconds(chat: Chat, watcher: Watcher) -> float:
    """Time one poll of a chat that has just grown."""
    chat.grow()
    began = time.perf_counter()
    reported = watcher.look(Job(ClientState()))
    needed = time.perf_counter() - began
    assert reported is not None, "the chat has grown, and the meter says nothing"
    return needed


def hearing(folder: Path) -> Iterator[Figure]:
    """Time from append to notification, through the whole server, at random moments."""
    for name, clients, messages in (("while a chat grows", 1, TOLD), ("after a silence", FIRST, 1)):
        times = list(chain.from_iterable(heard(folder, messages, seed) for seed in range(clients)))
        print(f"append to notification {name}: p50 {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")
        yield f"p95 from append to notification {name}", percentile(times, 0.95), HEARD, "ms"


def heard(folder: Path, messages: int, seed: int) -> list[float]:
    """Start a server that watches a chat, and time its notifications of so many messages; milliseconds."""
    client, chat = initialized(), Chat(folder / "heard.jsonl", claude_line, 1000)
    client.call("compactChat/watch", {"chat": {"uri": chat.path.as_uri()}})
    draw, pause, times = random.Random(seed), threading.Event(), []
    for _ in range(messages):
        pause.wait(draw.uniform(0, PAUSE))
        times.append(1000 * heard_after(client, chat))
    client.close()
    return times


def heard_after(client: WireClient, chat: Chat, watch: str = "watch-1") -> float:
    """Time one notification."""
    client.inbox.clear()
    began = time.perf_counter()
    chat.grow()
    client.until(lambda one: one.get("method") == METER and one["params"]["watchId"] == watch)
    return time.perf_counter() - began


def idling(folder: Path) -> Iterator[Figure]:
    """The server's CPU time while ten chats are watched and none changes."""
    client = initialized()
    for number in range(WATCHED):
        chat = Chat(folder / f"idle-{number}.jsonl", claude_line, 200)
        client.call("compactChat/watch", {"chat": {"uri": chat.path.as_uri()}})
    yield from idle(client, SECONDS, f"{WATCHED} watched chats, none changes", IDLE)


def idling_editor(folder: Path) -> Iterator[Figure]:
    """The same for an editor's watch: the active chat among all of a person's, with one full search meanwhile."""
    home, own = folder / "home", folder / "home/User/workspaceStorage/5a2c/chatSessions"
    for number in range(CHATS):
        project = home / f".claude/projects/-demo-{number % PROJECTS}"
        project.mkdir(parents=True, exist_ok=True)
        Chat(project / f"{number}.jsonl", claude_line, 20)
    own.mkdir(parents=True)
    with mock.patch.dict(os.environ, of_one_user(home), clear=True):
        client = initialized()
    reported = client.call("compactChat/watch", {"workspace": "file:///demo/7", "roots": [own.as_uri()]})
    assert reported["uri"].startswith((home / ".claude/projects/-demo-7").as_uri()), reported["uri"]
    yield from idle(client, SELDOM, f"a workspace among {CHATS} chats, none changes", EDITOR_IDLE)


def idle(client: WireClient, seconds: float, name: str, limit: float) -> Iterator[Figure]:
    """Measure a server's CPU time while idle, then end it; Linux only."""
    if not Path("/proc/self/schedstat").exists():
        print("idle: not measured, since this system does not tell what a thread computes")
        client.close()
        return
    pause = threading.Event()
    pause.wait(3)  # deferred work of the start is done
    before = computed(client)
    pause.wait(seconds)
    share = 100 * (computed(client) - before) / seconds
    client.close()
    yield name, share, limit, "% of a core"


def computed(client: WireClient) -> float:
    """Return the CPU seconds of all threads of a server."""
    tasks = Path(f"/proc/{client.process.pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


STORIES = (working, hearing, idling, idling_editor)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(judged(chain.from_iterable(story(Path(place)) for story in STORIES)))
