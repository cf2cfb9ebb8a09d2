"""Tokens are found wherever they may begin, whatever stands around them."""

from __future__ import annotations

import pytest

from compact_chat.redact import Redactor
from compact_chat.redact.finders import find
from compact_chat.redact.tokens import KINDS, PARTED, may_begin

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
HEADS = [head for kind in (*KINDS, *PARTED) for head in kind.heads]


@pytest.mark.parametrize("head", [*HEADS, "0123456789abcdef" * 2 + "-us12"])
def test_no_head_is_passed_over(head: str) -> None:
    """The quick look that most places in a text are dismissed by lets every head through."""
    assert may_begin(head, 0)


@pytest.mark.parametrize(
    "before", ["", "call_", "a-b_c-", "é", "\U0001f600 ", "\ud800", "İİİ", "x" * 20 + " ", "\\n", "=%3D"]
)
@pytest.mark.parametrize("behind", ["", " ", "é", "\U0001f600", "\n" + "y" * 20])
def test_a_token_is_found_between_any_signs(before: str, behind: str) -> None:
    """Signs that take more than a byte, are half of one or get longer in lower case move nothing."""
    (span,) = find(f"{before}{TOKEN}{behind}")

    assert (span.start, span.end, span.kind) == (len(before), len(before + TOKEN), "github-token")


def test_each_stretch_is_searched() -> None:
    """A token is found in each of two stretches, one of them behind a short word, the other at its start."""
    assert Redactor()(f"a-{TOKEN} {TOKEN[::-1]} {TOKEN}x").count("[REDACTED:") == 2


@pytest.mark.parametrize("word", [TOKEN, f"toolu_{TOKEN}", "toolu_01ABCdefGHIjklMNOpqr", "password_hunter22", "x" * 50])
def test_a_word_alone_is_judged_as_between_others(word: str) -> None:
    """What is found in a text of one word is what is found of the word in a line."""
    alone, among = find(word), find(f"a {word} b")

    assert [(span.start + 2, span.end + 2, span.kind) for span in alone] == [tuple(span) for span in among]
