"""Which first message is an earlier summary."""

from __future__ import annotations

from compact_chat.chat import Image, Message, Text
from compact_chat.read.summaries import opens_with_summary

SUMMARY = Text("[Previous conversation summary]\nold\n[End of summary — conversation continues below]")


def test_only_the_first_text_of_a_user_counts() -> None:
    """P23: the first block of a user's message; an assistant's or a later block is none."""
    assert opens_with_summary(Message("m", "user", (SUMMARY, Text("go on"))))
    assert not opens_with_summary(Message("m", "user", (Image(), SUMMARY)))
    assert not opens_with_summary(Message("m", "assistant", (SUMMARY,)))
    assert not opens_with_summary(Message("m", "user", ()))
