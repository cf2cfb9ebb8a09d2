"""Which first message is the summary of an earlier compaction (rules P23 and J2)."""

from __future__ import annotations

from compact_chat.chat import Message, Text

_WRAPPERS = (
    ("<context-summary>", ("</context-summary>",)),
    (
        "[Previous conversation summary]",
        ("[End of summary — conversation continues below]", "[End of summary]"),
    ),
)


def opens_with_summary(message: Message) -> bool:
    """Whether the first block of a user's message is nothing but an earlier summary."""
    first = message.parts[0] if message.parts else None
    return message.role == "user" and isinstance(first, Text) and previous_summary(first.text) is not None


def previous_summary(text: str) -> str | None:
    """Take all wrappers off an earlier summary; None where the text is none."""
    start, end = _trimmed(text, 0, len(text))
    wrapped = False
    while inner := _unwrapped(text, start, end):
        wrapped = True
        start, end = _trimmed(text, *inner)
    return text[start:end] if wrapped else None


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int] | None:
    for opening, closings in _WRAPPERS:
        if not text.startswith(opening, start, end):
            continue
        for closing in closings:
            if text.endswith(closing, start + len(opening), end):
                return start + len(opening), end - len(closing)
    return None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
