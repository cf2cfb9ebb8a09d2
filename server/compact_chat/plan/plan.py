"""From a chat and its options to the plan of its compaction."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Chat, Document, Image, Message, Part, Text, Thinking, ToolResult
from compact_chat.options import Options
from compact_chat.plan.by_rule import plan_keep, plan_prune
from compact_chat.plan.by_summary import plan_summary
from compact_chat.plan.outcome import Direction, Fate, Plan

__all__ = ["Direction", "Fate", "Plan", "make_plan"]

_ATTACHMENT = 6000  # The characters that a picture or a document weighs like, roughly.


def make_plan(chat: Chat, options: Options, tokens: Sequence[int], budget: int, used: int) -> Plan:
    """What a compaction of this chat would do; thresholds decide only between the two tiers of strategy `auto`."""
    match options.strategy:
        case "keep":
            return plan_keep(chat, options)
        case "prune":
            return plan_prune(chat, options)
        case "summary":
            return plan_summary(chat, options, tokens)
        case "auto":
            return _plan_auto(chat, options, tokens, budget, used)


def _plan_auto(chat: Chat, options: Options, tokens: Sequence[int], budget: int, used: int) -> Plan:
    """Cutting alone where that gets below the threshold or nothing else can be done, else a summary (rule Z5)."""
    cut = plan_prune(chat, options)
    if cut.blocks and used - _saving(chat, cut, tokens) < options.prune_at * budget:
        return cut
    summary = plan_summary(chat, options, tokens)
    return cut if summary.action == "none" and cut.blocks else summary


def _saving(chat: Chat, plan: Plan, tokens: Sequence[int]) -> float:
    """The tokens that a plan takes away, of each message in proportion to its characters."""
    saving = 0.0
    for fate, message, size in zip(plan.fates, chat.messages, tokens, strict=True):
        if fate.fate == "prune" and fate.becomes:
            saving += size * (1 - _length(fate.becomes) / max(1, _length(message)))
        elif fate.fate == "drop":
            saving += size
    return saving


def _length(message: Message) -> int:
    return sum(map(_part_length, message.parts))


def _part_length(part: Part) -> int:
    match part:
        case Text(text) | Thinking(text):
            return len(text)
        case ToolResult(content=content):
            return sum(map(_part_length, content))
        case Image() | Document():
            return _ATTACHMENT
        case _:
            return 0
