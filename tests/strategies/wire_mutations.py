"""Recorded sessions as bytes, and what can be done to bytes on their way."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from tests.servers.wire_client import framed

RECORDED = sorted((Path(__file__).parents[1] / "samples" / "recorded").glob("*.jsonl"))
NO_WORK = ("initialize", "initialized", "shutdown", "exit")
HEADERS = (
    b"content-length: %d\r\n\r\n",
    b"CONTENT-LENGTH:%d\r\n\r\n",
    b"Content-Length: %d\n\n",
    b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
    b"Content-Length: %d\r\nContent-Type: application/json\r\n\r\n",
    b"Content-Length: 7\r\nContent-Length: %d\r\n\r\n",
    b"Content-Length: -%d\r\n\r\n",
    b"Content-Length: %d.0\r\n\r\n",
    b"Content-Length: \r\n\r\n%d",
    b"Content-Length: 0%d\r\n\r\n",
    b"Content-Length: %d9\r\n\r\n",
    b"X-Content-Length: %d\r\n\r\n",
    b"\r\n\r\nContent-Length: %d\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: %d\r\n\r\n",
)
SCRAPS = (
    b"",
    b"\0",
    b"\xff",
    b"\r\n",
    b"\n",
    b"\r\n\r\n",
    b"}",
    b'"',
    b"Content-Length: ",
    b"Content-Length: 5\r\n\r\n",
    b"[[[[",
)


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
def replays(draw: st.DrawFn, only_work: bool) -> Replay:
    """A recorded session, or some of its messages, with up to four mutations, in pieces of any size."""
    sessions = recorded(only_work)
    bodies = draw(st.sampled_from(sessions))
    if only_work:
        start = draw(st.integers(0, len(bodies) - 1))
        bodies = bodies[start : start + draw(st.integers(1, 4))]
    frames = [framed(body) for body in bodies]
    for place in draw(st.lists(st.integers(0, len(frames) - 1), max_size=2)):
        frames[place] = draw(st.sampled_from(HEADERS)).replace(b"%d", b"%d" % len(bodies[place])) + bodies[place]
    data = bytearray(b"".join(frames))
    for mutate in draw(st.lists(st.sampled_from(MUTATIONS), max_size=4)):
        mutate(draw, data)
    return Replay(bytes(data), draw(_cuts(len(data))))


def _cuts(length: int) -> st.SearchStrategy[tuple[int, ...]]:
    """In one piece, in a few, or a stretch of it one byte at a time."""
    few = st.lists(st.integers(0, length), max_size=5).map(tuple)
    bytewise = st.integers(0, length).map(lambda start: tuple(range(start, min(length, start + 400))))
    return st.one_of(st.just(()), few, bytewise)


def _flip(draw: st.DrawFn, data: bytearray) -> None:
    if data:
        data[draw(st.integers(0, len(data) - 1))] ^= 1 << draw(st.integers(0, 7))


def _cut(draw: st.DrawFn, data: bytearray) -> None:
    del data[draw(_slices(data))]


def _double(draw: st.DrawFn, data: bytearray) -> None:
    piece = draw(_slices(data))
    data[piece.stop : piece.stop] = data[piece]


def _move(draw: st.DrawFn, data: bytearray) -> None:
    piece = draw(_slices(data))
    taken = data[piece]
    del data[piece]
    place = draw(st.integers(0, len(data)))
    data[place:place] = taken


def _insert(draw: st.DrawFn, data: bytearray) -> None:
    place = draw(st.integers(0, len(data)))
    data[place:place] = draw(st.sampled_from(SCRAPS) | st.binary(max_size=20))


def _slices(data: bytearray) -> st.SearchStrategy[slice]:
    """Any stretch, mostly a short one."""
    lengths = st.integers(0, 40) | st.integers(0, 2000)
    return st.builds(
        lambda start, length: slice(start, min(len(data), start + length)), st.integers(0, len(data)), lengths
    )


MUTATIONS: tuple[Callable[[st.DrawFn, bytearray], None], ...] = (_flip, _cut, _double, _move, _insert)
