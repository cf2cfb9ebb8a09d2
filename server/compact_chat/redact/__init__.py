"""Mask secrets in text and messages."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.redact.redactor import Known, Redactor, masked_message, masked_values
    from compact_chat.redact.stream import Stream

__all__ = [
    "Known",
    "Redactor",
    "Stream",
    "masked_message",
    "masked_values",
]
__getattr__ = door(
    __name__,
    {
        "redactor": "Known Redactor masked_message masked_values",
        "stream": "Stream",
    },
)
