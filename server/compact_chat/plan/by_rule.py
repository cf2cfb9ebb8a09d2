"""The plans that need no model: keep by rule (K), and cut tool results (X)."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Chat, Message
from compact_chat.facts.words import counted
from compact_chat.options import Options
from compact_chat.plan.exchanges import find_exchanges
from compact_chat.plan.keep import keep_reasons, prune_kept, with_notice
from compact_chat.plan.outcome import Fate, Plan, plan_nothing
from compact_chat.plan.prune import Pruned, prune
from compact_chat.plan.scope import Marks, find_marks, marked_fate


def plan_keep(chat: Chat, options: Options) -> Plan:
    """The messages that a rule or a pin keeps, with old results cut."""
    exchanges = find_exchanges(chat.messages)
    marks = find_marks(chat.messages, options, exchanges)
    reasons = keep_reasons(chat.messages, options, exchanges)
    indexes = sorted((reasons.keys() | marks.pins) - marks.drops)
    cut = prune_kept(chat.messages, indexes, options, exchanges, spare=marks.pins)
    if len(indexes) == len(chat.messages) and not cut.blocks:
        return plan_nothing(chat.messages, "Every message is kept by a rule.")
    return Plan(
        action="keep",
        reason=f"Kept by rule or pin: {len(indexes)} of {counted(len(chat.messages), 'message')}.",
        fates=_fates(chat.messages, indexes, cut, marks, reasons),
        messages=with_notice(cut.messages, indexes, len(chat.messages)),
        blocks=cut.blocks,
        chars_removed=cut.chars_removed,
    )


def plan_prune(chat: Chat, options: Options) -> Plan:
    """All messages that are not dropped, with old results cut."""
    marks = find_marks(chat.messages, options, find_exchanges(chat.messages))
    indexes = [index for index in range(len(chat.messages)) if index not in marks.drops]
    spare = [number for number, index in enumerate(indexes) if index in marks.pins]
    cut = prune([chat.messages[index] for index in indexes], options.prune, spare)
    if not cut.blocks and not marks.drops:
        return plan_nothing(chat.messages, "No tool result before the newest messages can be cut.")
    done = [f"Cut from {counted(cut.blocks, 'tool result')}: {counted(cut.chars_removed, 'character')}."]
    drops = [f"Dropped: {counted(len(marks.drops), 'message')}."]
    return Plan(
        action="prune",
        reason=" ".join((done if cut.blocks else []) + (drops if marks.drops else [])),
        fates=_fates(chat.messages, indexes, cut, marks, {}),
        messages=cut.messages,
        blocks=cut.blocks,
        chars_removed=cut.chars_removed,
    )


def _fates(
    messages: Sequence[Message], indexes: Sequence[int], cut: Pruned, marks: Marks, reasons: dict[int, str]
) -> tuple[Fate, ...]:
    """The fate of each message, given those that stay and how they were cut."""
    stay = {index: (cut.messages[number], number in cut.changed) for number, index in enumerate(indexes)}
    fates = []
    for index, message in enumerate(messages):
        becomes, is_cut = stay.get(index, (None, False))
        if marked := marked_fate(message, index, marks):
            fates.append(marked)
        elif becomes is None:
            fates.append(Fate(index, "drop", "No rule keeps it."))
        elif is_cut:
            fates.append(Fate(index, "prune", "Its old tool results are cut.", becomes))
        else:
            fates.append(Fate(index, "keep", reasons.get(index, "There is nothing to cut in it."), becomes))
    return tuple(fates)
