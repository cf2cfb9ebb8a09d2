"""From a chat and its options to the plan of its compaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from compact_chat.chat import Chat, Message
from compact_chat.options import Options
from compact_chat.plan.by_rule import plan_keep, plan_prune
from compact_chat.plan.by_summary import plan_summary
from compact_chat.plan.outcome import Plan


def make_plan(
    chat: Chat, options: Options, tokens: Sequence[int], budget: int, used: int, size: Callable[[Message], int]
) -> Plan:
    """What a compaction would do; budget, used and size decide only between the two tiers of strategy `auto` (Z5)."""
    match options.strategy:
        case "keep":
            return plan_keep(chat, options)
        case "prune":
            return plan_prune(chat, options)
        case "summary":
            return plan_summary(chat, options, tokens)
    cut = plan_prune(chat, options)
    saving = sum(tokens) - sum(size(fate.becomes) for fate in cut.fates if fate.becomes is not None)
    if cut.blocks and used - saving < Fraction(str(options.prune_at)) * budget:
        return cut
    summary = plan_summary(chat, options, tokens)
    return cut if summary.action == "none" and cut.blocks else summary
