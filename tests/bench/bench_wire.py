"""What the wire costs: starting, a small request, and small requests beside a large one."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from tests.fakes.wire_client import SERVE, WireClient

# The least that any pygls server has to do.
BARE = """
from pygls.lsp.server import LanguageServer
server = LanguageServer("bare", "1")
@server.command("nothing")
def nothing(*arguments):
    return None
server.start_io()
"""
BARE_SERVER = (sys.executable, "-c", BARE)
NOTHING = ("workspace/executeCommand", {"command": "nothing", "arguments": []})
CONSTRUCTOR = """
import time, tiktoken
from compact_chat.measure import vocabulary
ranks, known = vocabulary._ranks("o200k_base"), vocabulary.VOCABULARIES["o200k_base"]
began = time.perf_counter()
tiktoken.Encoding("bare", pat_str=known.pattern, mergeable_ranks=ranks, special_tokens=known.special_tokens)
print(time.perf_counter() - began)
"""
TEN_MESSAGES = [
    {"role": ("user", "assistant")[n % 2], "content": f"Shelf {n} holds {n * 7} trays of rye bread until day {n}. " * 4}
    for n in range(10)
]
SMALL = ("compactChat/continuation", {"summary": "Summary:\nok"})
STARTS, CALLS, BLOCK, ROUNDS, CHATS, EVERY = 15, 1000, 100, 7, 4, 0.02
WORDS = "read write shelf bread tray count until limit stock order error value path return import class tests"

Figure = tuple[str, float, float, str]  # name, measured, limit, unit
Way = tuple[str, Any]


def main() -> int:
    """Print each figure beside its limit; 1 where one is over it."""
    over = 0
    for name, measured, limit, unit in chain(starting(), calling(), first_count(), under_load()):
        print(f"{name}: {measured:.3g} {unit} (limit {limit:g} {unit})", flush=True)
        over += measured > limit
    return 1 if over else 0


def starting() -> Iterator[Figure]:
    """From the spawn to the answer to `initialize`, beside a bare server, in turn."""
    pairs = [(start_seconds(SERVE), start_seconds(BARE_SERVER)) for _ in range(STARTS)]
    ours, bare = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"start: {ours * 1000:.0f} ms, bare server {bare * 1000:.0f} ms")
    yield "start / bare server", ours / bare, 1.15, "x"


def start_seconds(command: Sequence[str]) -> float:
    """Time one start."""
    began = time.perf_counter()
    client = WireClient(command)
    client.initialize()
    needed = client.answered[1] - began
    client.close()
    return needed


def calling() -> Iterator[Figure]:
    """A warm count of ten messages, beside a command that does nothing on a bare server, in turn."""
    ours, bare = initialized(SERVE), initialized(BARE_SERVER)
    count = ("compactChat/countTokens", {"chat": {"messages": TEN_MESSAGES}})
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(CALLS // BLOCK):
        times[0].extend(call_seconds(ours, count) for _ in range(BLOCK))
        times[1].extend(call_seconds(bare, NOTHING) for _ in range(BLOCK))
    ours.close()
    bare.close()
    mine, least = (statistics.median(side) for side in times)
    print(f"small count: {mine * 1000:.2f} ms, bare command {least * 1000:.2f} ms")
    yield "small count / bare command", mine / least, 2, "x"


def call_seconds(client: WireClient, way: Way) -> float:
    """Time one request from the first byte to the answer."""
    client.inbox.clear()
    began = time.perf_counter()
    client.answer(number := client.start(*way))
    return client.answered[number] - began


def first_count() -> Iterator[Figure]:
    """The longest wait of a small request while the first count builds the vocabulary, beside its constructor."""
    with tempfile.TemporaryDirectory() as folder:
        chat = {"uri": write_chat(Path(folder) / "chat", 1000).as_uri()}
        pairs = [(longest_wait(chat), constructor_seconds()) for _ in range(ROUNDS)]
    wait, bare = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"longest wait at the first count: {wait * 1000:.0f} ms, constructor {bare * 1000:.0f} ms")
    yield "longest wait at the first count / constructor", wait / bare, 1.5, "x"


def longest_wait(chat: dict[str, str]) -> float:
    """Count a chat in a server that has counted nothing yet, with small requests beside it."""
    client = initialized(SERVE)
    client.call(*SMALL)
    longest = max(waits_beside(client, ("compactChat/countTokens", {"chat": chat})))
    client.close()
    return longest


def constructor_seconds() -> float:
    """Time what the first count has to build, in a process without anything else."""
    done = subprocess.run((sys.executable, "-c", CONSTRUCTOR), capture_output=True, check=True)
    return float(done.stdout)


def under_load() -> Iterator[Figure]:
    """The waits of small requests while a million tokens are counted, previewed and summarised offline."""
    large: tuple[tuple[str, dict[str, str]], ...] = (
        ("countTokens", {}),
        ("preview", {}),
        ("summarize", {"provider": "offline"}),
    )
    waits: dict[str, list[float]] = {name: [] for name, _ in large}
    with tempfile.TemporaryDirectory() as folder:
        client = initialized(SERVE)
        client.call("compactChat/countTokens", {"chat": {"uri": write_chat(Path(folder) / "small", 1000).as_uri()}})
        for seed in range(CHATS):
            chat = {"uri": write_chat(Path(folder) / "large", 1_000_000, seed).as_uri()}
            for name, more in large:
                waits[name] += waits_beside(client, (f"compactChat/{name}", {"chat": chat, **more}))
        client.close()
    for name, beside in waits.items():
        print(f"{name}, {CHATS} chats: {len(beside)} small requests, the longest wait {1000 * max(beside):.0f} ms")
        yield f"p95 beside {name}", 1000 * sorted(beside)[int(len(beside) * 0.95)], 50, "ms"


def waits_beside(client: WireClient, large: Way) -> list[float]:
    """Send a small request every 20 ms until a large one is answered, whether or not the one before it is."""
    number, sent = client.start(*large), {}
    due = time.perf_counter()
    while number not in client.answered:
        sent[client.start(*SMALL)] = time.perf_counter()
        due += EVERY
        time.sleep(max(0.0, due - time.perf_counter()))
    assert "error" not in client.answer(number), client.answer(number)
    for small in sent:
        client.answer(small)
    return [client.answered[small] - began for small, began in sent.items()]


def initialized(command: Sequence[str]) -> WireClient:
    """Start a server and shake hands."""
    client = WireClient(command)
    client.initialize()
    return client


def write_chat(path: Path, tokens: int, seed: int = 0) -> Path:
    """Write a session of about so many tokens: wishes, edits, results, answers; each seed gives another."""
    draw, words, size, number = random.Random(seed), WORDS.split(), 0, 0
    with path.open("w", encoding="utf-8") as file:
        while size < tokens * 4:
            text = " ".join(f"{draw.choice(words)}_{draw.randrange(999)}" for _ in range(300))
            size += file.write(json.dumps(record(number, text)) + "\n")
            number += 1
    return path


def record(number: int, text: str) -> dict[str, object]:
    """Make one line of a session file: a wish, a call, its result, an answer, in turn."""
    call = {
        "type": "tool_use",
        "id": f"c{number}",
        "name": "Edit",
        "input": {"file_path": f"s{number}.py", "new_string": text},
    }
    result = {"type": "tool_result", "tool_use_id": f"c{number - 1}", "content": text}
    role, said = (
        ("user", text),
        ("assistant", [call]),
        ("user", [result]),
        ("assistant", [{"type": "text", "text": text}]),
    )[number % 4]
    message = {"id": f"m{number}", "role": role, "model": "gpt-5", "content": said}
    ids = {
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": "s",
        "isSidechain": False,
    }
    return {"type": role, "message": message, "timestamp": f"2026-01-01T00:00:{number % 60:02}.000Z", **ids}


if __name__ == "__main__":
    sys.exit(main())
