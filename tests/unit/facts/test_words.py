"""Text for comparing and quoting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.facts import counted, fold, sentences, shortened, without_bullet


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a  b\n\tc", "a b c"),
        ("> said\n> more", "said more"),
        ("\\1. Current Work:", "1. Current Work:"),
        ("&lt;/summary> and <b>", "</summary> and <b>"),
        ("a > b \\ c", "a > b \\ c"),
    ],
)
def test_fold_takes_away_white_space_and_the_marks_of_quoting(text: str, folded: str) -> None:
    """A quoted, escaped or wrapped text compares like the text itself."""
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("- a\n- b\n\n3. c", ["a", "b", "c"]),
        ("不要改。先看看", ["不要改。", "先看看"]),
        ("等等！ 好。\n\n对", ["等等！", "好。", "对"]),
        ("v1.2.3 stays", ["v1.2.3 stays"]),
        (" \n ", []),
    ],
)
def test_sentences_are_lines_and_what_ends_with_a_stop(text: str, parts: list[str]) -> None:
    """Bullets and numbers do not belong to the sentence."""
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("line", "bare"), [("- [x] a", "a"), ("* b", "b"), ("12) c", "c"), ("-d", "-d"), ("1.5 e", "1.5 e")]
)
def test_a_bullet_is_followed_by_a_blank(line: str, bare: str) -> None:
    """A flag or a number at the beginning is no bullet."""
    assert without_bullet(line) == bare


def test_shortened_cuts_behind_a_word() -> None:
    """No word is told in half, unless it is nearly the whole."""
    assert shortened("one two three", 9) == "one two…"
    assert shortened("one two", 7) == "one two"
    assert shortened("x" * 20, 9) == "x" * 8 + "…"


@given(st.text(max_size=200), st.integers(4, 50))
def test_shortened_keeps_to_the_limit(text: str, limit: int) -> None:
    """The result is one line of at most `limit` characters."""
    assert len(shortened(text, limit)) <= limit
    assert "\n" not in shortened(text, limit)


def test_a_count_has_the_form_of_its_noun() -> None:
    """One of them is no plural."""
    assert [counted(number, "message") for number in (0, 1, 2)] == ["0 messages", "1 message", "2 messages"]
