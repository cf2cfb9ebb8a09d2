"""Recorded sessions as bytes, what can be done to bytes on their way, and which answers the framing promises then."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from hypothesis import strategies as st

from tests.servers.wire_client import framed

RECORDED = sorted((Path(__file__).parents[1] / "samples" / "recorded").glob("*.jsonl"))
NO_WORK = ("initialize", "initialized", "shutdown", "exit")
HEADERS = (
    *(b"content-length: %d\r\n\r\n", b"CONTENT-LENGTH:%d\r\n\r\n", b"Content-Length: %d\n\n"),
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
    *(b"Content-Length: 7\r\nContent-Length: %d\r\n\r\n", b"Content-Length: -%d\r\n\r\n"),
    *(b"Content-Length: %d.0\r\n\r\n", b"Content-Length: \r\n\r\n%d", b"Content-Length: %d9\r\n\r\n"),
    *(b"X-Content-Length: %d\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: %d\r\n\r\n"),
)
SCRAPS = (b"", b"\0", b"\xff", b"\r\n", b"\n", b"}", b'"', b"Content-Length: ", b"Content-Length: 5\r\n\r\n", b"[[[[")
LONGEST = 2**20  # a length beyond it cannot be made up for within a test
_ANY_NAME = re.compile(rb"content-length", re.IGNORECASE)
_ANY_LENGTH = re.compile(rb"content-length[^\d\n]*(\d{1,99})", re.IGNORECASE)
_SURE_LENGTH = re.compile(rb"(?<![\w-])content-length: ?(\d{1,9})\r?\n\Z", re.IGNORECASE)
_ENDLESS = (float("inf"), float("-inf"))  # what a number becomes that is too large


class Replay(NamedTuple):
    """Bytes to be sent, and the places between which they go out one piece after another."""

    data: bytes
    cuts: tuple[int, ...]

    def pieces(self) -> Iterator[bytes]:
        """The bytes in their pieces."""
        ends = sorted({0, len(self.data), *(cut for cut in self.cuts if cut < len(self.data))})
        return (self.data[start:end] for start, end in pairwise(ends))


@cache
def recorded(only_work: bool) -> list[tuple[bytes, ...]]:
    """The bodies of each recorded session, whole or without what begins and ends it."""
    sessions = ([json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in RECORDED)
    return [
        tuple(
            json.dumps(message, ensure_ascii=False).encode()
            for message in messages
            if not (only_work and message.get("method") in NO_WORK)
        )
        for messages in sessions
    ]


@st.composite
def replays(draw: st.DrawFn) -> Replay:
    """Some messages of a recorded session, with up to four mutations, in pieces of any size."""
    bodies = draw(st.sampled_from(recorded(only_work=True)))
    start = draw(st.integers(0, len(bodies) - 1))
    bodies = bodies[start : start + draw(st.integers(1, 4))]
    frames = [framed(body) for body in bodies]
    for place in draw(st.lists(st.integers(0, len(frames) - 1), max_size=2)):
        frames[place] = draw(st.sampled_from(HEADERS)).replace(b"%d", b"%d" % len(bodies[place])) + bodies[place]
    data = bytearray(b"".join(frames))
    for mutate in draw(st.lists(st.sampled_from(MUTATIONS), max_size=4)):
        mutate(draw, data)
    few = st.lists(st.integers(0, len(data)), max_size=5).map(tuple)
    bytewise = st.integers(0, len(data)).map(lambda start: tuple(range(start, start + 400)))
    return Replay(bytes(data), draw(st.one_of(st.just(()), few, bytewise)))


def _flip(draw: st.DrawFn, data: bytearray) -> None:
    if data:
        data[draw(st.integers(0, len(data) - 1))] ^= 1 << draw(st.integers(0, 7))


def _double(draw: st.DrawFn, data: bytearray) -> None:
    piece = draw(_slices(data))
    data[piece.stop : piece.stop] = data[piece]


def _move(draw: st.DrawFn, data: bytearray) -> None:
    """Move a stretch, or cut it out."""
    piece = draw(_slices(data))
    taken = data[piece]
    del data[piece]
    if draw(st.booleans()):
        place = draw(st.integers(0, len(data)))
        data[place:place] = taken


def _insert(draw: st.DrawFn, data: bytearray) -> None:
    place = draw(st.integers(0, len(data)))
    data[place:place] = draw(st.sampled_from(SCRAPS) | st.binary(max_size=20))


def _slices(data: bytearray) -> st.SearchStrategy[slice]:
    """Any stretch, mostly a short one."""
    lengths, starts = st.integers(0, 40) | st.integers(0, 2000), st.integers(0, len(data))
    return st.builds(lambda start, length: slice(start, min(len(data), start + length)), starts, lengths)


MUTATIONS: tuple[Callable[[st.DrawFn, bytearray], None], ...] = (_flip, _double, _move, _insert)


def longest_wait(data: bytes) -> int:
    """The bytes that a reader may still wait for after these, at most."""
    return max((int(number) for number in _ANY_LENGTH.findall(data)), default=0)


def promised(data: bytes) -> Counter[str] | None:
    """Read bytes as the documents say: the answers that they are owed by their ids; None where nothing is sure."""
    bodies = list(_bodies(data))
    if None in bodies:
        return None
    return Counter(chain.from_iterable(_owed(_decoded(body)) for body in bodies if body is not None))


def _bodies(data: bytes) -> Iterator[bytes | None]:
    """The bodies; None where a line is a header to one reader and none to another."""
    place, length = 0, -1
    while (end := data.find(b"\n", place)) >= 0:
        line, place = data[place : end + 1], end + 1
        if found := _SURE_LENGTH.search(line):
            if length >= 0:
                yield None
            length = int(found[1])
        elif _ANY_NAME.search(line):
            yield None
        elif length >= 0 and not line.strip():
            body, place, length = data[place : place + length], place + length, -1
            if place <= len(data):
                yield body


def _owed(message: Any) -> list[str]:
    """The id, as JSON, of the answer that a message is owed; none for notifications and for answers."""
    if not isinstance(message, dict):
        return ["null"]
    if "method" not in message and ("result" in message or "error" in message):
        return []
    if message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str) and "id" not in message:
        return []
    under = message.get("id")
    is_id = isinstance(under, str | int | float) and not isinstance(under, bool) and under not in _ENDLESS
    return [json.dumps(under) if is_id else "null"]


def _decoded(body: bytes) -> Any:
    """The message; None where it is no JSON."""
    try:
        return json.loads(body.decode(), parse_constant=_no_json)
    except (ValueError, RecursionError):
        return None


def _no_json(constant: str) -> NoReturn:
    raise ValueError(constant)
