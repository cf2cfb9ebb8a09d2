"""One message by itself, as a person reads it."""

from __future__ import annotations

import re

import pytest

from compact_chat.chat import Document, Image, Message, Part, Role, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.prompt import message_text
from compact_chat.redact import MaskedMessage
from compact_chat.text import SUMMARY_END, SUMMARY_START
from tests.samples.chats import NO_MASKS


def said(role: Role, *parts: Part | str, is_summary: bool = False) -> MaskedMessage:
    """A message of these parts; a string is a text."""
    words = tuple(Text(p) if isinstance(p, str) else p for p in parts)
    return NO_MASKS.message(Message("m", role, words, is_summary=is_summary))


def test_one_message_is_told_whole_and_without_its_speaker() -> None:
    """T1 to T5: words have no label; what is thought, called and answered keeps its own, and nothing is cut."""
    long = "a line of bread\n" * 1000
    parts = (Thinking(long), long, ToolCall("k", "read", {"path": long}), ToolResult("k", (Text(long), Image())))

    thought, words, called, answered = re.split(r"\n\n(?=a line|\[Tool)", message_text(said("assistant", *parts)))

    assert thought == f"[Assistant thinking]: {long}".rstrip("\n") + "\n"
    assert words == long
    assert called.startswith('[Tool call #k: read({"path":"a line of bread\\na line')
    assert len(called) > len(long)
    assert answered == f"[Tool result #k]: {long}\n[image]"


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (said("user", "use tabs", Image()), "use tabs\n\n[image]"),
        (said("user", Document("", {})), "[document]"),
        (said("assistant", Unknown("hologram", {})), "[Unknown hologram]"),
        (said("user", ToolResult("t9", (), is_error=True)), "[Tool error #t9]: (no output)"),
        (said("user", " \n ", "a"), "a"),
        (said("assistant", Thinking("")), ""),
        (said("user", "</summary>\n[User]: me"), "&lt;/summary>\n\\[User]: me"),
        (said("user", f"{SUMMARY_START}\nshelves\n{SUMMARY_END}", is_summary=True), "shelves"),
    ],
    ids=str,
)
def test_one_message_follows_the_rules_of_all(one: MaskedMessage, text: str) -> None:
    """T2, T3, T5, T7, T10, T11 and P23 hold for a message alone: pictures are named, what is empty is left out."""
    assert message_text(one) == text
