"""Bytes that are read in blocks, their lines, and where the whole lines of a growing file end."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import BLOCK, SMALL, InMemory, unfinished_line, whole_lines
from compact_chat.read import source as module
from compact_chat.read.loose import MARK, first_lines, numbered_lines
from compact_chat.read.source import are_lines

BYTES = st.lists(st.sampled_from([b"\n", b"a", b"bc", b"\r", MARK, b"\0"]), max_size=30).map(b"".join)
ONE = b'{"a": "{"}\n'
RECORD = json.dumps({"type": "user", "message": {"content": "x" * 50}})


class InBlocks(InMemory):
    """Bytes in blocks of a size."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def blocks(self) -> Iterator[bytes]:
        """All of them."""
        return (self.data[at : at + self._size] for at in range(0, len(self.data), self._size))


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


def test_nothing_is_not_kept() -> None:
    """Millions of NULs, as a file has them where its computer went out, take no memory."""
    lines = list(numbered_lines(InBlocks(b"first\n" + bytes(50 * BLOCK) + b"second\n", BLOCK)))

    assert [len(line) for _, _, line in lines] == [5, BLOCK + len("second"), 0]
    assert lines[1][1] + len(lines[1][2]) == 6 + 50 * BLOCK + len("second")


@given(BYTES, st.integers(3, 9), st.integers(0, 40))
def test_the_beginning_is_whole_lines(data: bytes, block: int, size: int) -> None:
    """It is as long as asked, up to the end of a line; where that is the end of all, there is no beginning."""
    found = first_lines(InBlocks(data, block), size)

    end = data.find(b"\n", max(size, 1) - 1) + 1
    expected = data[:end].removeprefix(MARK) if 0 < end < len(data) else None
    assert (found and found.replace(b"\0", b"")) == (expected and expected.replace(b"\0", b""))


def test_a_very_long_line_is_no_part_of_the_beginning() -> None:
    """It would have to be held whole; what comes before it is enough."""
    long = b"x" * (SMALL + 3 * BLOCK)

    assert first_lines(InBlocks(b"first\nsecond\n" + long + b"\nthird", BLOCK), 100) == b"first\nsecond\n"
    assert first_lines(InBlocks(long + b"\nthird", BLOCK), 100) is None


def test_blocks_are_of_bounded_size() -> None:
    """Many bytes come in several blocks."""
    for size in (0, SMALL, SMALL + 5):
        blocks = list(InMemory(bytes(size)).blocks())
        assert b"".join(blocks) == bytes(size)
        assert all(len(block) <= BLOCK for block in blocks) or size <= SMALL


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{RECORD}\n{RECORD}", True),
        (f"\ufeff\n \r\n{RECORD}\r\n{RECORD}", True),
        (f"{RECORD}\nnoise", True),
        (f"{RECORD[:20]}{RECORD}\n" + f"{RECORD}\n" * 9, True),
        ("noise\n" + f"{RECORD}\n" * 9, True),
        (f"\n{RECORD}\n\n \t\r\n", False),
        (json.dumps([json.loads(RECORD)] * 9, indent=1), False),
        (f"[\n{RECORD},\n{RECORD}\n]", False),
        ("\n\n", False),
        ("[" * 5000 + "\n" + "]" * 5000, False),
        ('{"a":"' + "x" * 100_000 + "\n" + '"}', False),
    ],
)
def test_lines_are_told_from_a_document(text: str, lines: bool) -> None:
    """A whole value with more behind it is no document, nor is what is broken in itself; the rest may be one."""
    assert are_lines(InMemory(text.encode())) is lines


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (b"", 0),
        (ONE + b'{"b"', len(ONE)),
        (ONE + b'{"b": "}', len(ONE)),
        (ONE + b'{"b": 2} \r', len(ONE) + 10),
        (ONE + b'{"b": 2}{"c": 3}', len(ONE) + 16),
        (ONE + b'{"b": 2}{"c"', len(ONE)),
        (ONE + b"}", len(ONE)),
    ],
)
def test_a_line_is_whole_with_its_end_or_as_a_record(lines: bytes, end: int) -> None:
    """What has a line end is whole, whatever it is; without one only what can be nothing else any more."""
    assert whole_lines(lines) == end


@given(st.lists(st.binary(max_size=30), max_size=5), st.binary(max_size=40))
def test_the_last_line_is_found_from_either_end(lines: list[bytes], rest: bytes) -> None:
    """What a file keeps back when it is read whole is what it keeps back when it has grown to that."""
    data = ONE + b"\n".join([*lines, rest])

    assert unfinished_line(InMemory(data)) == data[whole_lines(data) :]


def test_a_last_line_may_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that would take too much memory is not kept back."""
    monkeypatch.setattr(module, "LONGEST_TAIL", 16)
    for length, kept in ((10, True), (16, True), (60, False)):
        data = ONE + b"{" * length
        assert unfinished_line(InMemory(data)) == (b"{" * length if kept else b"")
