"""What every reader does last."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Message, Role, Text
from compact_chat.read.finish import finished

SUMMARY = Text("<context-summary>old</context-summary>")


def said(name: str, role: Role = "user", text: str = "hi") -> Message:
    """A message with one text."""
    return Message(name, role, (Text(text),))


@given(st.lists(st.sampled_from(["a", "a-2", "a-3", "b", ""])))
def test_ids_are_unique(names: list[str]) -> None:
    """Ids are unique within a chat, and the first holder of an id keeps it."""
    ids = [message.id for message in finished([said(name) for name in names])]
    assert len(set(ids)) == len(names)
    assert all(ids[names.index(name)] == name for name in names)


def test_doubles_get_a_number() -> None:
    """A double is told apart by a suffix that nobody has."""
    assert [message.id for message in finished([said("a"), said("a"), said("a-2"), said("a")])] == [
        "a",
        "a-3",
        "a-2",
        "a-4",
    ]


def test_a_first_summary_is_marked_behind_system_messages() -> None:
    """P23: the first message that is not the system's is judged."""
    system, summary = said("s", "system"), Message("m", "user", (SUMMARY,))
    assert [message.is_summary for message in finished([system, summary, summary])] == [False, True, False]


def test_a_system_message_is_never_a_summary() -> None:
    """P23: a system message is not judged, whatever it says."""
    assert not finished([Message("s", "system", (SUMMARY,))])[0].is_summary


def test_a_later_summary_is_no_earlier_one() -> None:
    """P23: only the first message counts, and an assistant may be first."""
    messages = [said("a", "assistant"), Message("m", "user", (SUMMARY,))]
    assert not any(message.is_summary for message in finished(messages))
