"""Bytes that are gone through in blocks, and their lines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import BLOCK, SMALL, InMemory
from compact_chat.read.blob import MARK, first_lines, numbered_lines

BYTES = st.lists(st.sampled_from([b"\n", b"a", b"bc", b"\r", MARK, b"\0"]), max_size=30).map(b"".join)


class InBlocks(InMemory):
    """Bytes in blocks of a size."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def blocks(self) -> Iterator[bytes]:
        """All of them."""
        return (self._data[at : at + self._size] for at in range(0, len(self._data), self._size))


@given(BYTES, st.integers(3, 9))
def test_lines_do_not_depend_on_blocks(data: bytes, size: int) -> None:
    """Each line has its number, and its place in the bytes; a mark of the byte order is part of none.

    Of NULs before a line there may be less, but they do not vanish: a line of nothing else is damaged.
    """
    lines = list(numbered_lines(InBlocks(data, size)))

    expected = data.removeprefix(MARK).split(b"\n")
    assert [line.lstrip(b"\0") for _, _, line in lines] == [line.lstrip(b"\0") for line in expected]
    assert [line[:1] for _, _, line in lines] == [line[:1] for line in expected]
    assert [number for number, _, _ in lines] == list(range(1, len(lines) + 1))
    assert all(data[start : start + len(line)] == line for _, start, line in lines)


@given(BYTES, st.integers(3, 9), st.integers(0, 40))
def test_the_beginning_is_whole_lines(data: bytes, block: int, size: int) -> None:
    """It is as long as asked, up to the end of a line; where that is the end of all, there is no beginning."""
    found = first_lines(InBlocks(data, block), size)

    end = data.find(b"\n", max(size, 1) - 1) + 1
    assert found == (data[:end].removeprefix(MARK) if 0 < end < len(data) else None)


@pytest.mark.parametrize("size", [0, 5, SMALL, SMALL + 5])
def test_blocks_are_of_bounded_size(size: int) -> None:
    """Many bytes come in several blocks."""
    blocks = list(InMemory(bytes(size)).blocks())

    assert b"".join(blocks) == InMemory(bytes(size)).whole().removeprefix(MARK) == bytes(size)
    assert all(len(block) <= BLOCK for block in blocks) or size <= SMALL


def test_pieces_end_where_the_bytes_end() -> None:
    """A place behind the end holds nothing."""
    assert list(InMemory(b"0123456789").ranges([(2, 3), (8, 5), (20, 1)])) == [b"234", b"89", b""]


def test_nothing_is_not_kept() -> None:
    """Millions of NULs, as a file has them where its computer went out, take no memory."""
    lines = list(numbered_lines(InBlocks(b"first\n" + bytes(50 * BLOCK) + b"second\n", BLOCK)))

    assert [len(line) for _, _, line in lines] == [5, BLOCK + len("second"), 0]
    assert lines[1][1] + len(lines[1][2]) == 6 + 50 * BLOCK + len("second")


def test_a_very_long_line_is_no_part_of_the_beginning() -> None:
    """It would have to be held whole; what stands before it is enough."""
    long = bytes(SMALL + 3 * BLOCK)

    assert first_lines(InBlocks(b"first\nsecond\n" + long + b"\nthird", BLOCK), 100) == b"first\nsecond\n"
    assert first_lines(InBlocks(long + b"\nthird", BLOCK), 100) is None
