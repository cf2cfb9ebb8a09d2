"""The bytes that a chat is read from, in memory or wherever else they lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

SMALL = 2**23  # bytes that may as well be held whole
BLOCK = 2**20
MARK = b"\xef\xbb\xbf"  # of the byte order; no part of the text

Place = tuple[int, int]  # where bytes begin, and how many they are


class Held(Protocol):
    """Bytes that can be gone through more than once."""

    def whole(self) -> bytes:
        """All of them at once."""

    def blocks(self) -> Iterator[bytes]:
        """All of them, piece by piece."""

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at places that follow each other; less where it is no longer there."""


class InMemory:
    """Bytes that are at hand."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def whole(self) -> bytes:
        """All of them at once."""
        return self._data

    def blocks(self) -> Iterator[bytes]:
        """All of them, piece by piece."""
        data = self._data
        return iter((data,) if len(data) <= SMALL else (data[at : at + BLOCK] for at in range(0, len(data), BLOCK)))

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at the places."""
        return (self._data[start : start + length] for start, length in places)


def whole(held: Held) -> bytes:
    """All of the bytes at once, but the mark of their order."""
    return held.whole().removeprefix(MARK)


def beginning(held: Held, size: int) -> bytes | None:
    """So many bytes, and the rest of the line that they end in; None where nothing comes behind it.

    Where that line is a very long one, it is what stands before it.
    """
    pieces: list[bytes] = []
    for block in held.blocks():
        if size < -SMALL:
            return _lines_of(pieces)
        if pieces and size <= 0 and pieces[-1].endswith(b"\n"):
            return b"".join(pieces).removeprefix(MARK)
        if end := block.find(b"\n", max(size, 1) - 1) + 1:
            pieces.append(block[:end])
            if end < len(block):
                return b"".join(pieces).removeprefix(MARK)
        else:
            pieces.append(block)
        size -= len(block)
    return None


def _lines_of(pieces: list[bytes]) -> bytes | None:
    data = b"".join(pieces).removeprefix(MARK)
    return data[: data.rfind(b"\n") + 1] or None


def numbered_lines(held: Held) -> Iterator[tuple[int, int, bytes]]:
    """Each line with its number, and where it begins."""
    number, start = 1, 0
    unended: list[bytes] = []
    for block in held.blocks():
        if len(unended) == 1 and _are_nothing(block) and _are_nothing(unended[0]):
            start += len(block)  # a file may have millions of NULs where its computer went out
            continue
        begin = len(MARK) if not start and not unended and block.startswith(MARK) else 0
        start += begin
        while (end := block.find(b"\n", begin)) >= 0:
            line = block[begin:end]  # one at a time takes half of the time of splitting the block
            if unended:
                line = b"".join((*unended, line))
                unended = []
            yield number, start, line
            number += 1
            start += len(line) + 1
            begin = end + 1
        if begin < len(block):
            unended.append(block[begin:])
    yield number, start, b"".join(unended)


def _are_nothing(data: bytes) -> bool:
    """Whether bytes are NULs alone."""
    return not data.strip(b"\0")
