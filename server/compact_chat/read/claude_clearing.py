"""What a microcompaction of Claude Code took out of the prompt of the call before it."""

from __future__ import annotations

from msgspec.structs import replace

from compact_chat.chat import Message, Usage
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import fields

REAL = 1.27  # tokens of the model for one by which the tool tells what it saved: it reckons with four characters


def saved_tokens(note: object) -> int:
    """How much smaller the prompt became, by what is noted of the microcompaction."""
    return round(REAL * tokens(fields(note).get("tokensSaved")))


def without_saved(message: Message, saved: int) -> Message:
    """A reply whose call is reckoned as it would be now: no longer the provider's own figure."""
    usage = message.usage
    if usage is None or not saved:
        return message
    left = max(1, usage.prompt_tokens + usage.output_tokens - saved)
    return replace(message, usage=Usage(left, 0, usage.model, whole=True))
