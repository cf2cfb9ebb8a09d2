"""The rows of a preview: one message, its fate, its size, and enough of its text to know it by."""

from __future__ import annotations

from compact_chat.chat import Message, Text, ToolCall, result_text
from compact_chat.measure.report import kind_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.measured import sizes
from compact_chat.read.typed import typed_texts
from compact_chat.results import MessageFate

EXCERPT, LOOKED_AT = 160, 1000


def fate_rows(made: Draft, desk: Desk) -> tuple[MessageFate, ...]:
    """Give a row for each message of the chat."""
    size = sizes(made.measured, desk, made.work)
    return tuple(
        MessageFate(
            id=message.id,
            index=fate.index,
            role=message.role,
            kind=kind_of(message),
            fate=fate.fate,
            reason=fate.reason,
            tokens=tokens,
            tokens_after=0 if fate.becomes is None else size(fate.becomes),
            excerpt=excerpt(message),
        )
        for fate, message, tokens in zip(made.plan.fates, made.masked, made.measured.meter.tokens, strict=True)
    )


def excerpt(message: Message) -> str:
    """Fold the beginning of what a message says, calls or answers into one line."""
    said = (
        _typed(message)
        or message.text
        or next(map(_call, message.calls), "")
        or next(map(result_text, message.results), "")
    )
    return " ".join(said[:LOOKED_AT].split(None, EXCERPT // 2))[:EXCERPT]  # each word takes two characters at least


def _typed(message: Message) -> str:
    """What the person typed of it, without what the tool wrote around the words."""
    if message.role != "user" or message.by_host or message.is_summary:
        return ""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return "\n".join(typed_texts(texts)) if texts else ""


def _call(call: ToolCall) -> str:
    words = next((value for value in call.input.values() if isinstance(value, str)), "")
    return f"{call.name} {words}"
