"""A model's reply -> summary."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.reply.checkpoint import parse_checkpoint, with_records, without_records
    from compact_chat.reply.detailed import HEADER, format_detailed, immediate_task, parse_detailed
    from compact_chat.reply.gate import judge
    from compact_chat.reply.layout import find_blocks
    from compact_chat.reply.markdown import FENCE, TITLES, Reply, key_of, marked_lines
    from compact_chat.reply.structured import parse_structured
    from compact_chat.reply.styles import format_reply, parse_sections, render_sections

__all__ = [
    "FENCE",
    "HEADER",
    "TITLES",
    "Reply",
    "find_blocks",
    "format_detailed",
    "format_reply",
    "immediate_task",
    "judge",
    "key_of",
    "marked_lines",
    "parse_checkpoint",
    "parse_detailed",
    "parse_sections",
    "parse_structured",
    "render_sections",
    "with_records",
    "without_records",
]
__getattr__ = door(
    __name__,
    {
        "checkpoint": "parse_checkpoint with_records without_records",
        "detailed": "HEADER format_detailed immediate_task parse_detailed",
        "gate": "judge",
        "layout": "find_blocks",
        "markdown": "FENCE Reply TITLES key_of marked_lines",
        "structured": "parse_structured",
        "styles": "format_reply parse_sections render_sections",
    },
)
