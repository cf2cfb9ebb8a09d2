"""The records of files in a summary: written, found again and joined (rules T20 and T23)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.facts import joined_records, record_blocks, records_in, without_records
from compact_chat.wire import Files

PATHS = st.lists(st.text("abc/.é ", min_size=1).filter(lambda path: path == path.strip()), max_size=5).map(tuple)
BLOCKS = "<read-files>\na\nb\n</read-files>\n\n<modified-files>\nm\n</modified-files>"


def test_a_block_for_each_list() -> None:
    """T20: a path per line, read first, a blank line between the blocks."""
    assert record_blocks(Files(read=("a", "b"), modified=("m",))) == BLOCKS


@pytest.mark.parametrize(
    ("files", "text"),
    [
        (Files((), ()), ""),
        (Files(("a",), ()), "<read-files>\na\n</read-files>"),
        (Files((), ("m",)), "<modified-files>\nm\n</modified-files>"),
    ],
)
def test_an_empty_list_has_no_block(files: Files, text: str) -> None:
    """T20: nothing announces records that are not there."""
    assert record_blocks(files) == text


@given(PATHS, PATHS)
def test_what_was_written_is_found_again(read: tuple[str, ...], modified: tuple[str, ...]) -> None:
    """T23: records come back from the summary that they end, and leave it as it was."""
    files = joined_records(Files(read, modified))
    summary = f"## Goal\nship\n\n{record_blocks(files)}"
    assert records_in(summary) == files
    assert without_records(summary) == "## Goal\nship"


@pytest.mark.parametrize(
    "text", ["<read-files>\na", "see <read-files>\na\n</read-files>", "<read-files>\na\n</modified-files>", "a"]
)
def test_what_is_no_block_is_text(text: str) -> None:
    """T23: a tag that stands in a sentence, is never closed or closed by another opens no block."""
    assert records_in(text) == Files((), ())
    assert without_records(text) == text


def test_blocks_in_the_middle_go_too() -> None:
    """T23: the words before, between and after blocks stay."""
    assert without_records(f"one\n<read-files>\na\n</read-files>\ntwo\n{BLOCKS}\nthree") == "one\ntwo\n\nthree"


def test_lists_are_joined() -> None:
    """T23: modified now leaves the read list, modified earlier stays modified; each path once, sorted."""
    earlier, newer = Files(read=("m", "r"), modified=("z",)), Files(read=("z", "a"), modified=("m",))
    assert joined_records(earlier, newer) == Files(read=("a", "r"), modified=("m", "z"))


@pytest.mark.parametrize("piece", ["<read-files>\n", "</read-files>\n", "\n", BLOCKS + "\n"])
def test_a_megabyte_takes_no_time(piece: str) -> None:
    """G5: finding blocks is linear, closed or not."""
    text = piece * (1_000_000 // len(piece))
    start = time.process_time()
    records_in(text)
    without_records(text)
    assert time.process_time() - start < 2
