"""Mask secrets in texts, messages and streams, the same secret always by the same placeholder."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.redact.redactor import Masked, Redactor, SpanCache, masked_message, masked_values
    from compact_chat.redact.stream import Stream

__all__ = ["Masked", "Redactor", "SpanCache", "Stream", "masked_message", "masked_values"]

if not TYPE_CHECKING:  # a type checker would take any name from it
    __getattr__ = door(
        __name__,
        {"redactor": "Masked Redactor SpanCache masked_message masked_values", "stream": "Stream"},
    )
