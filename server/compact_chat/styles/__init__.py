"""Styles of summaries: how each is requested, parsed, written and passed on."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.styles.detailed import without_tags
    from compact_chat.styles.gate import judge
    from compact_chat.styles.handoff import RecordedTurns
    from compact_chat.styles.style import (
        Heritage,
        MaskedRequest,
        MaskedSummary,
        Material,
        Request,
        Slot,
        Summary,
        SummaryStyle,
        Task,
        Topic,
    )
    from compact_chat.styles.table import STYLES, handed_in, style_named, summary_of_unknown_style
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
