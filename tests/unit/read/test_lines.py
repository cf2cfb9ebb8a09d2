"""Where the whole lines of a file end, found from either of its ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import InMemory, UpTo, unfinished_line, whole_lines
from compact_chat.read import jsonl as module
from compact_chat.read.blob import MARK

ONE = b'{"a": "{"}\n'


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (b"", 0),
        (ONE, len(ONE)),
        (ONE + b'{"b"', len(ONE)),
        (ONE + b'{"b": "}', len(ONE)),
        (ONE + b'{"b": 2}', len(ONE) + 8),
        (ONE + b'{"b": 2} \r', len(ONE) + 10),
        (ONE + b'{"b": 2}{"c": 3}', len(ONE) + 16),
        (ONE + b'{"b": 2}{"c"', len(ONE)),
        (ONE + b"}", len(ONE)),
        (b'{"b"', 0),
    ],
)
def test_a_line_is_whole_with_its_end_or_as_a_record(lines: bytes, end: int) -> None:
    """What has a line end is whole, whatever it is; without one only what can be nothing else any more."""
    assert whole_lines(lines) == end


@given(st.lists(st.binary(max_size=30), max_size=5), st.binary(max_size=40), st.sampled_from([1, 3, 16, 2**20]))
def test_the_last_line_is_found_from_either_end(lines: list[bytes], rest: bytes, block: int) -> None:
    """What a file keeps back when it is read whole is what it keeps back when it has grown to that."""
    data = ONE + b"\n".join([*lines, rest])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        assert unfinished_line(InMemory(data), len(data)) == data[whole_lines(data) :]


def test_a_last_line_may_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that would take too much memory is not kept back; one of ten thousand pieces is not looked through again."""
    monkeypatch.setattr(module, "BLOCK", 4)
    monkeypatch.setattr(module, "LONGEST_TAIL", 16)
    for length, kept in ((10, True), (16, True), (60, False)):
        data = ONE + b"{" * length
        assert unfinished_line(InMemory(data), len(data)) == (b"{" * length if kept else None)


@given(st.binary(max_size=60), st.integers(0, 70))
def test_a_beginning_has_so_many_bytes(data: bytes, size: int) -> None:
    """Of a file that may have grown since, no more is read than was there."""
    beginning = UpTo(InMemory(data), size)
    assert b"".join(beginning.blocks()) == data[:size]
    assert list(beginning.ranges([(0, 3), (1, 1)])) == [data[:3], data[1:2]]
    if not data.startswith(b"\xef"):
        assert beginning.whole().removeprefix(MARK) == data[:size]
