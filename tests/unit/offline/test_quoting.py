"""How a chat is quoted."""

from __future__ import annotations

import pytest

from compact_chat.offline.lines import block, bullet, code, cut, excerpt


@pytest.mark.parametrize(
    ("text", "span"),
    [("a", "`a`"), ("a `b`", "`` a `b` ``"), ("use ``x`` now", "```use ``x`` now```"), ("`", "`` ` ``")],
)
def test_a_code_span_may_hold_backticks(text: str, span: str) -> None:
    """The span is fenced by more backticks than it holds."""
    assert code(text) == span


def test_a_text_of_many_lines_is_one_item() -> None:
    """Further lines are indented below the first; blank lines would end the item."""
    assert bullet("a\n\n  b\r\n") == "- a\n    b"


def test_an_excerpt_is_one_line_in_quotation_marks() -> None:
    """Long texts end with an ellipsis."""
    assert excerpt("one\ntwo three", 8) == '"one two…"'


def test_a_block_keeps_its_paragraphs() -> None:
    """Runs of blank lines become one."""
    assert block("\n\na\n \n\nb\n") == "a\n\nb"


def test_a_quote_is_cut_between_words() -> None:
    """Half a word tells nothing, and to leave out a few characters is not worth a note."""
    text = " ".join(f"shelf{number}" for number in range(100))

    shown = cut(text, 200)
    head, note, tail = shown.split("\n")

    assert text.startswith(f"{head} ")
    assert text.endswith(f" {tail}")
    assert len(text) == len(head) + len(tail) + int(note.split()[1]) + 2  # and a blank on both sides
    assert cut(text, len(text) - 80) == text
