"""Which first message is an earlier summary."""

from __future__ import annotations

from compact_chat.chat import Image, Message, Part, Role, Text
from compact_chat.read.summaries import with_summary_marked

SUMMARY = Text("<context-summary>old</context-summary>")
OLDER = Text("[Previous conversation summary]\nold\n[End of summary — conversation continues below]")


def marks(*messages: tuple[Role, tuple[Part, ...]]) -> list[bool]:
    """Which of these messages are marked."""
    marked = with_summary_marked([Message(f"m{n}", role, parts) for n, (role, parts) in enumerate(messages)])
    return [message.is_summary for message in marked]


def test_a_first_summary_is_marked_behind_system_messages() -> None:
    """P23: the first message that is not the system's is judged."""
    assert marks(("system", (Text("s"),)), ("user", (SUMMARY,)), ("user", (SUMMARY,))) == [False, True, False]
    assert marks() == []


def test_only_the_first_text_of_a_user_counts() -> None:
    """P23, J2: the first block of a user's message; an assistant's or a later block is none."""
    assert marks(("user", (OLDER, Text("go on")))) == [True]
    assert marks(("user", (Image(), OLDER))) == [False]
    assert marks(("assistant", (OLDER,))) == [False]
    assert marks(("user", ())) == [False]


def test_a_system_message_is_never_a_summary() -> None:
    """P23: a system message is not judged, whatever it says."""
    assert marks(("system", (SUMMARY,))) == [False]


def test_a_later_summary_is_no_earlier_one() -> None:
    """P23: only the first message counts, and an assistant may be first."""
    assert marks(("assistant", (Text("hi"),)), ("user", (SUMMARY,))) == [False, False]
