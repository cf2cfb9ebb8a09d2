"""Tags, labels, markers and code fences: found, escaped and taken off."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.text import (
    TAGS,
    counted,
    escape_labels,
    escape_tags,
    fenced_lines,
    find_tags,
    is_summary_text,
    line_feeds,
    strip_summary_wrappers,
    without_codes,
)
from tests.oracles.snapshots import check_functions

LABELS = re.compile(r"\[(?:user|assistant)\]:", re.IGNORECASE)
PIECES = ("<", "</", ">", "/", " ", "\n", "\u200b", "\x00", "summary", "Conversation", "read-files", 'a="b"', "x", "-")
MARKUP = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "find_tags": lambda text: [
        ("/" * tag.closing + tag.name, text[tag.start : tag.end]) for tag in find_tags(text, ("analysis", "summary"))
    ],
    "escape_tags": escape_tags,
    "escape_labels": lambda text: escape_labels(text, LABELS),
    "strip_summary_wrappers": lambda text: (strip_summary_wrappers(text), is_summary_text(text)),
    "line_feeds": line_feeds,
    "fenced_lines": lambda text: "".join("x" if fenced else "." for fenced in fenced_lines(text.split("\n"))),
    "without_codes": without_codes,
}


def test_what_becomes_of_texts(accept: bool) -> None:
    """F2, G3, P23, R5, T10, T11: tags, labels, wrappers, line ends, fences and codes of a terminal."""
    check_functions(Path(__file__).with_name("text.txt"), FUNCTIONS, accept=accept)


@pytest.mark.parametrize("name", TAGS)
def test_escapes_each_of_our_tags(name: str) -> None:
    """T10: the opening and the closing form of each tag lose their bracket, whatever their letter case."""
    assert escape_tags(f"<{name}>x</{name.upper()} >") == f"&lt;{name}>x&lt;/{name.upper()} >"


@given(MARKUP)
def test_no_tag_is_left_after_escaping(text: str) -> None:
    """T10: after escaping the scanner finds nothing, and escaping again changes nothing."""
    escaped = escape_tags(text)
    assert not list(find_tags(escaped, TAGS))
    assert escape_tags(escaped) == escaped
    assert escaped.replace("&lt;", "<") == text.replace("&lt;", "<")


@given(MARKUP, MARKUP)
def test_no_tag_arises_between_two_entries(before: str, after: str) -> None:
    """T10: an unfinished tag at the end of one content is not finished by the next."""
    assert not list(find_tags(f"{escape_tags(before)}\n\n[User]: {escape_tags(after)}", TAGS))


def test_long_white_space_is_stripped_in_pieces() -> None:
    """P23: around a summary and inside its wrapper, blanks cost no step each."""
    blanks, calls = " \n\u3000" * 50_000, 0

    def note(frame: object, event: str, called: object) -> None:
        nonlocal calls
        calls += event == "c_call"

    sys.setprofile(note)
    found = strip_summary_wrappers(f"{blanks}<context-summary>{blanks}old{blanks}</context-summary>{blanks}")
    sys.setprofile(None)

    assert found == "old"
    assert calls < 5_000


@given(st.lists(st.sampled_from(["```", "~~~", "````", "```py", "a", "``` x", ""]), max_size=20))
def test_a_fence_begins_and_ends_with_its_sign(lines: list[str]) -> None:
    """R5: any stretch of fenced lines begins and ends with a fence line."""
    marks = [False, *fenced_lines(lines), False]
    for place, line in enumerate(lines):
        if marks[place + 1] and not (marks[place] and marks[place + 2]):
            assert line.startswith(("```", "~~~"))


def test_a_count_has_the_form_of_its_noun() -> None:
    """One of them is no plural."""
    assert [counted(number, "message") for number in (0, 1, 1200)] == ["0 messages", "1 message", "1,200 messages"]
