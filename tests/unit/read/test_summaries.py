"""Which first message is an earlier summary."""

from __future__ import annotations

import time

import pytest

from compact_chat.chat import Image, Message, Text
from compact_chat.read.summaries import opens_with_summary, previous_summary

J2 = "[Previous conversation summary]\n{}\n[End of summary — conversation continues below]"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("<context-summary>\nold\n</context-summary>", "old"),
        ("  \n<context-summary>old</context-summary>\n ", "old"),
        (J2.format("old"), "old"),
        (J2.format("<context-summary>\nold\n</context-summary>"), "old"),
        ("<context-summary>" + J2.format("old") + "</context-summary>", "old"),
        ("[Previous conversation summary]\nold\n[End of summary]", "old"),
        ("<context-summary></context-summary>", ""),
    ],
)
def test_wrappers_are_taken_off(text: str, summary: str) -> None:
    """P23: tags, the markers of J2, or both nested; the end marker of Z4 counts as well."""
    assert previous_summary(text) == summary


@pytest.mark.parametrize(
    "text",
    [
        "",
        "why does <context-summary> appear here?",
        "<context-summary>old</context-summary> and now?",
        "see <context-summary>old</context-summary>",
        "<context-summary>",
        "</context-summary>",
        "[Previous conversation summary]",
        "<context-summary>old\n[End of summary]",
        "<Context-Summary>old</Context-Summary>",
    ],
)
def test_a_mention_is_no_summary(text: str) -> None:
    """P23: the text must begin and end with one wrapper; who asks what the tag means is a user."""
    assert previous_summary(text) is None


def test_only_the_first_text_of_a_user_counts() -> None:
    """P23: the first block of a user's message; an assistant's or a later block is none."""
    summary = Text(J2.format("old"))
    assert opens_with_summary(Message("m", "user", (summary, Text("go on"))))
    assert not opens_with_summary(Message("m", "user", (Image(), summary)))
    assert not opens_with_summary(Message("m", "assistant", (summary,)))
    assert not opens_with_summary(Message("m", "user", ()))


@pytest.mark.parametrize("text", ["<context-summary>" * 30_000 + "</context-summary>" * 30_000, " " * 2**20])
def test_a_megabyte_is_quick(text: str) -> None:
    """G5: the work is linear in the text."""
    begun = time.perf_counter()
    previous_summary(text)
    assert time.perf_counter() - begun < 5
