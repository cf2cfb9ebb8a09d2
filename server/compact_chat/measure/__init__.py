"""Chat -> TokenReport: tokens, gauge, windows, limits."""

from typing import TYPE_CHECKING

from compact_chat.door import door

if TYPE_CHECKING:
    from compact_chat.measure.families import Family, Window, family_of, window_of
    from compact_chat.measure.gauge import Beginning, Gauge, Learned, Meter, fitted, is_system, read_meter
    from compact_chat.measure.report import (
        Name,
        Piece,
        advise,
        break_down,
        default_budget,
        divided,
        kind_of,
        make_report,
    )
    from compact_chat.measure.tool import (
        CLOSE,
        NOTHING,
        Shown,
        ToolSettings,
        before_call,
        context_in,
        folder_marks,
        hidden_by,
        holds_context,
        is_unknown,
        limit_of,
        shown_by,
        turns_left,
        window_of_chat,
    )
    from compact_chat.measure.weights import Counter, Weight, json_text, shares, weigh
else:  # a type checker would accept any name from it
    __getattr__ = door(__name__)
