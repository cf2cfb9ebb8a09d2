"""The plans that need no model: keep by rule (K), and cut tool results (X)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compact_chat.chat import Chat, Message
from compact_chat.facts.told_results import with_told_results
from compact_chat.facts.words import counted
from compact_chat.options import Options
from compact_chat.plan.exchanges import find_exchanges
from compact_chat.plan.keep import keep_reasons, left_out, prune_kept, with_notice
from compact_chat.plan.outcome import Fate, Plan, plan_nothing
from compact_chat.plan.prune import Pruned, prune
from compact_chat.plan.scope import Marks, find_marks, marked_fate
from compact_chat.plan.seen import seen


def plan_keep(chat: Chat, options: Options) -> Plan:
    """The messages that a rule or a pin keeps, with old results cut."""
    messages = tuple(with_told_results(chat.messages))
    exchanges = find_exchanges(messages)
    marks = find_marks(messages, options, exchanges)
    reasons = keep_reasons(messages, options, exchanges)
    indexes = sorted((reasons.keys() | marks.pins) - marks.drops)
    cut = prune_kept(messages, indexes, options, exchanges, spare=marks.pins)
    if len(indexes) == len(messages) and not cut.blocks:
        return plan_nothing(chat.messages, f"Every message is kept by a rule{' or a pin' if marks.pins else ''}.")
    apart = left_out(messages, options, exchanges)
    return Plan(
        action="keep",
        reason=f"Kept by rule or pin: {len(indexes)} of {counted(len(messages), 'message')}.",
        fates=_fates(messages, indexes, cut, marks, apart | reasons),
        messages=with_notice(cut.messages, indexes, len(messages)),
        blocks=cut.blocks,
        chars_removed=cut.chars_removed,
    )


def plan_prune(chat: Chat, options: Options) -> Plan:
    """All messages that are not dropped, with old results cut."""
    marks = find_marks(chat.messages, options, find_exchanges(tuple(with_told_results(chat.messages))))
    indexes = [index for index in range(len(chat.messages)) if index not in marks.drops]
    spare = [number for number, index in enumerate(indexes) if index in marks.pins]
    cut = prune([chat.messages[index] for index in indexes], options.prune, spare)
    if not cut.blocks and not marks.drops:
        apart = ", what you pinned apart" if marks.pins else ""
        return plan_nothing(chat.messages, f"No tool result before the newest messages can be cut{apart}.")
    done = [f"Cut from {counted(cut.blocks, 'tool result')}: {counted(cut.chars_removed, 'character')}."]
    drops = [f"Dropped: {counted(len(marks.drops), 'message')}."]
    return Plan(
        action="prune",
        reason=" ".join((done if cut.blocks else []) + (drops if marks.drops else [])),
        fates=_fates(chat.messages, indexes, cut, marks, _newest(chat.messages, indexes, options)),
        messages=cut.messages,
        blocks=cut.blocks,
        chars_removed=cut.chars_removed,
    )


def _newest(messages: Sequence[Message], indexes: Sequence[int], options: Options) -> dict[int, str]:
    """The messages with results that are too new to be cut, of those that stay, and the reason."""
    newest = indexes[max(0, len(indexes) - options.prune.preserve_tail) :]
    return {
        index: "It is one of the newest messages, which are not cut." for index in newest if messages[index].results
    }


def _fates(
    messages: Sequence[Message], indexes: Sequence[int], cut: Pruned, marks: Marks, reasons: Mapping[int, str]
) -> tuple[Fate, ...]:
    """The fate of each message, given those that stay and how they were cut."""
    stay = {index: (cut.messages[number], number in cut.changed) for number, index in enumerate(indexes)}
    fates = []
    for index, message in enumerate(messages):
        becomes, is_cut = stay.get(index, (None, False))
        if marked := marked_fate(message, index, marks):
            fates.append(marked)
        elif becomes is None:
            fates.append(Fate(index, "drop", reasons.get(index, "No rule keeps it.")))
        elif is_cut:
            fates.append(Fate(index, "prune", "Its old tool results are cut.", seen(becomes)))
        else:
            fates.append(Fate(index, "keep", reasons.get(index, "There is nothing to cut in it."), seen(becomes)))
    return tuple(fates)
