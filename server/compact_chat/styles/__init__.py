"""Styles of summaries: how each is requested, parsed, written and passed on."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.styles.detailed import without_tags
    from compact_chat.styles.gate import judge
    from compact_chat.styles.prompts import MaskedRequest, Material, Request, Task
    from compact_chat.styles.style import Heritage, MaskedSummary, Slot, Summary, SummaryStyle, Topic
    from compact_chat.styles.table import STYLES, handed_in, style_named, summary_of_unknown_style

if not TYPE_CHECKING:  # a type checker would accept any name from it
    __getattr__ = door(
        __name__,
        {
            "detailed": "without_tags",
            "gate": "judge",
            "prompts": "MaskedRequest Material Request Task",
            "style": "Heritage MaskedSummary Slot Summary SummaryStyle Topic",
            "table": "STYLES handed_in style_named summary_of_unknown_style",
        },
    )
