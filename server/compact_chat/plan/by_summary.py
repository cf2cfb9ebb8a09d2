"""The plan of a compaction with a summary: what it replaces, and what stays around it (rules S and Z)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from compact_chat.chat import Chat, Message
from compact_chat.facts.requests import summary_parts
from compact_chat.facts.told_results import with_told_results
from compact_chat.facts.words import counted
from compact_chat.options import Options
from compact_chat.plan.exchanges import find_exchanges
from compact_chat.plan.outcome import Direction, Fate, Plan, plan_nothing
from compact_chat.plan.scope import Marks, Stretch, find_marks, find_stretch, marked_fate
from compact_chat.plan.seen import seen
from compact_chat.plan.split import front_length, holds_news

_NOTHING = {
    "too_short": "The chat is too short: there is nothing to summarise before the newest messages.",
    "no_boundary": "The chat can be cut nowhere without parting a tool call from its result.",
    "front": "The scope holds nothing but the system messages that open the chat, and they stay.",
    "waiting": "What the scope holds stays, because a tool call in it still waits for its result.",
}
_ALL_DROPPED = "Every message that could be summarised is dropped."
_JOINED = " An earlier summary among them becomes a part of the new one."
_KEPT_FEWER = " Fewer messages than wanted stay, so that no tool exchange is parted."


def plan_summary(chat: Chat, options: Options, tokens: Sequence[int]) -> Plan:
    """What a summary would replace, or why there is nothing to replace."""
    messages = tuple(with_told_results(chat.messages))
    exchanges = find_exchanges(messages)
    marks = find_marks(messages, options, exchanges)
    stretch = find_stretch(messages, options, tokens, exchanges, marks)
    fates = tuple(_fate(message, index, stretch, marks) for index, message in enumerate(chat.messages))
    summarized = tuple(chat.messages[fate.index] for fate in fates if fate.fate == "summarize")
    if not holds_news(summarized):
        return plan_nothing(chat.messages, _why_nothing(chat.messages, stretch, marks))
    front = front_length(chat.messages)
    stay = partial(_stay, chat.messages, fates)
    head, tail = stay(front, stretch.start), stay(stretch.end, len(fates))
    return Plan(
        action="compact",
        reason=_reason(summarized, stretch, fates),
        fates=fates,
        split=stretch.start if options.scope.kind == "from" else stretch.end,
        direction=_direction(options, head, tail),
        front=stay(0, front),
        head=head,
        summarized=summarized,
        tail=(*stay(stretch.start, stretch.end), *tail),
    )


def _fate(message: Message, index: int, stretch: Stretch, marks: Marks) -> Fate:
    if marked := marked_fate(message, index, marks):
        return marked
    if stretch.start <= index < stretch.end:
        return Fate(index, "summarize", "It stands in the part that the summary replaces.")
    if summary_parts(message):
        return Fate(
            index, "keep", "It holds an earlier summary, which becomes a part of the new one as it is.", message
        )
    if index >= stretch.end:
        return Fate(index, "keep", "It stands behind the part that the summary replaces.", seen(message))
    reason = "It is a system message" if message.role == "system" else "It stands"
    return Fate(index, "keep", f"{reason} before the part that the summary replaces.", seen(message))


def _stay(messages: Sequence[Message], fates: Sequence[Fate], start: int, end: int) -> tuple[Message, ...]:
    """The messages of a stretch that stay."""
    return tuple(messages[fate.index] for fate in fates[start:end] if fate.becomes is not None)


def _direction(options: Options, head: Sequence[Message], tail: Sequence[Message]) -> Direction:
    """What the prompt says of the messages around the summarised part; pinned ones are not worth a word (rule Z2)."""
    if head and options.scope.kind == "from":
        return "from"
    return "upTo" if tail else "all"


def _why_nothing(messages: Sequence[Message], stretch: Stretch, marks: Marks) -> str:
    front, marked = front_length(messages), marks.pins | marks.drops
    if front < len(messages) and marks.drops.issuperset(range(front, len(messages))):
        return _ALL_DROPPED
    if stretch.reason in _NOTHING:
        return _NOTHING[stretch.reason]
    part = range(stretch.start, stretch.end)
    summaries = any(summary_parts(messages[index]) for index in part if index not in marked)
    apart = "" if marked.isdisjoint(part) else ", what you pinned or dropped apart,"
    return f"The part to summarise{apart} holds nothing {'but an earlier summary' if summaries else 'to read'}."


def _reason(summarized: Sequence[Message], stretch: Stretch, fates: Sequence[Fate]) -> str:
    kept = [fate.becomes for fate in fates if fate.becomes is not None]
    stay = "stays as it is" if len(kept) == 1 else "stay as they are"
    fewer = _KEPT_FEWER if stretch.reason == "kept_fewer" else ""
    joined = _JOINED if any(map(summary_parts, kept)) else ""
    dropped = len(fates) - len(summarized) - len(kept)
    left_out = f", {dropped} dropped" if dropped else ""
    start = f"A summary replaces {len(summarized)} of {counted(len(fates), 'message')}"
    return f"{start}; {len(kept)} {stay}{left_out}.{joined}{fewer}"
