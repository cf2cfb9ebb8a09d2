"""From a chat and its options to the plan of its compaction."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Chat, Message, with_plain_results
from compact_chat.errors import InvalidParams, MessageNotFound
from compact_chat.facts import counted, summary_parts
from compact_chat.plan.exchanges import Exchanges, find_exchanges, front_length, holds_news, split_point
from compact_chat.plan.exchanges import Reason as SplitReason
from compact_chat.plan.keep import keep_reasons, left_out, prune_kept, with_notice
from compact_chat.plan.prune import Pruned, prune, seen
from compact_chat.wire import Action, FateName, Options

Direction = Literal["all", "from", "upTo"]


class Fate(Struct, frozen=True):
    """What becomes of one message, and why; `becomes` is what an API gets to see of it in the new chat, if it stays."""

    index: int
    fate: FateName
    reason: str
    becomes: Message | None = None


class Plan(Struct, frozen=True):
    """What a compaction would do."""

    action: Action
    reason: str
    fates: tuple[Fate, ...]
    split: int = 0  # where the summarised part meets the verbatim one, counted over all messages (rules S8, Z1)
    direction: Direction = "all"  # of the prompt (rule Z2)
    front: tuple[Message, ...] = ()  # system messages that open the chat
    head: tuple[Message, ...] = ()  # stays verbatim before the summary
    summarized: tuple[Message, ...] = ()  # what the summary replaces
    tail: tuple[Message, ...] = ()  # stays verbatim behind the summary, the pinned messages first
    messages: tuple[Message, ...] = ()  # the new chat where no summary is needed, its validity not yet seen to
    blocks: int = 0  # tool results that were cut
    chars_removed: int = 0

    @property
    def dropped(self) -> int:
        """How many messages are left out."""
        return sum(fate.fate == "drop" for fate in self.fates)

    @property
    def pruned(self) -> int:
        """How many messages lose a part of their tool results."""
        return sum(fate.fate == "prune" for fate in self.fates)


def plan_nothing(messages: Sequence[Message], reason: str) -> Plan:
    """A plan that leaves the chat as it is."""
    fates = tuple(Fate(index, "keep", reason, message) for index, message in enumerate(messages))
    return Plan(action="none", reason=reason, fates=fates, messages=tuple(messages))


class Places:
    """Find messages by their ids, or by a beginning that no other id shares."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._indexes = {message.id: index for index, message in enumerate(messages)}

    def of(self, wanted: str, path: str) -> int:
        """Return a message's index; `path` is the place in the params that names it."""
        if wanted in self._indexes:
            return self._indexes[wanted]
        first = bisect_left(self._sorted, wanted)
        found = [name for name in self._sorted[first : first + 2] if wanted and name.startswith(wanted)]
        if len(found) != 1:
            problem = (
                "begins several ids; give more of it." if found else "is no message's id; `preview` tells the ids."
            )
            raise MessageNotFound(f"{path} {problem}", path=path)
        return self._indexes[found[0]]

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._indexes)


Reason = SplitReason | Literal["front", "waiting"]


class Marks(Struct, frozen=True):
    """The pinned and the dropped messages, each with its whole exchange, and the ones that were named."""

    pins: frozenset[int]
    drops: frozenset[int]
    named: frozenset[int]


class Stretch(Struct, frozen=True):
    """The messages to be summarised, from `start` to before `end`; none if they are equal."""

    start: int
    end: int
    reason: Reason = "wanted"


def find_marks(messages: Sequence[Message], options: Options, exchanges: Exchanges) -> Marks:
    """The pins and drops, if all are in the chat and none is both."""
    places = Places(messages)
    pinned = [places.of(wanted, f"$.options.pin[{number}]") for number, wanted in enumerate(options.pin)]
    dropped = [places.of(wanted, f"$.options.drop[{number}]") for number, wanted in enumerate(options.drop)]
    pins = exchanges.whole(pinned)
    for number, index in enumerate(dropped):
        if index in pins:
            raise InvalidParams.at(f"$.options.drop[{number}]", "This message, or one of its exchange, is pinned.")
    return Marks(pins, exchanges.whole(dropped), frozenset(pinned + dropped))


def marked_fate(message: Message, index: int, marks: Marks) -> Fate | None:
    """The fate of a message that the user pinned or dropped, itself or by its exchange."""
    whose = "this message" if index in marks.named else "a message of the same tool exchange"
    if index in marks.drops:
        return Fate(index, "drop", f"You dropped {whose}.")
    return Fate(index, "pin", f"You pinned {whose}.", seen(message)) if index in marks.pins else None


def find_stretch(
    messages: Sequence[Message], options: Options, tokens: Sequence[int], exchanges: Exchanges, marks: Marks
) -> Stretch:
    """Find the part that a summary replaces, its ends moved outwards to where no exchange is parted."""
    front, scope = front_length(messages), options.scope
    if scope.kind == "all":  # all before the kept tail, which dropped messages do not count for
        left = [index for index in range(len(messages)) if index not in marks.drops]
        split = split_point(
            [messages[index] for index in left],
            options.min_keep,
            options.keep_recent_tokens,
            [tokens[index] for index in left],
        )
        return Stretch(front, [*left, len(messages)][split.index] if split.index else front, split.reason)
    path = "$.options.scope.message"
    if scope.message is None:
        raise InvalidParams.at(path, "This scope needs the id of a message.")
    place = Places(messages).of(scope.message, path)
    before_waiting = exchanges.clean_before(exchanges.waiting)  # calls that still wait for a result stay (rule S6)
    if scope.kind == "from":
        start = max(front, exchanges.clean_before(place))
        return Stretch(start, before_waiting) if start < before_waiting else Stretch(start, start, "waiting")
    widened = next(cut for cut in range(place + 1, len(messages) + 1) if exchanges.clean[cut])
    end = widened if widened <= exchanges.waiting else before_waiting
    return Stretch(front, end) if front < end else Stretch(front, front, "front" if place < front else "waiting")


def plan_keep(chat: Chat, options: Options) -> Plan:
    """The messages that a rule or a pin keeps, with old results cut."""
    messages = tuple(map(with_plain_results, chat.messages))
    exchanges = find_exchanges(messages, chat.links)
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
    marks = find_marks(chat.messages, options, find_exchanges(chat.messages, chat.links))
    indexes = [index for index in range(len(chat.messages)) if index not in marks.drops]
    spare = [number for number, index in enumerate(indexes) if index in marks.pins]
    cut = prune([chat.messages[index] for index in indexes], options.prune, spare)
    if not cut.blocks and not marks.drops:
        apart = ", what you pinned apart" if marks.pins else ""
        return plan_nothing(chat.messages, f"No tool result before the newest messages can be cut{apart}.")
    newest = indexes[max(0, len(indexes) - options.prune.preserve_tail) :]
    too_new = {index: _TOO_NEW for index in newest if chat.messages[index].results}
    done = [f"Cut from {counted(cut.blocks, 'tool result')}: {counted(cut.chars_removed, 'character')}."]
    drops = [f"Dropped: {counted(len(marks.drops), 'message')}."]
    return Plan(
        action="prune",
        reason=" ".join((done if cut.blocks else []) + (drops if marks.drops else [])),
        fates=_fates(chat.messages, indexes, cut, marks, too_new),
        messages=cut.messages,
        blocks=cut.blocks,
        chars_removed=cut.chars_removed,
    )


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


_NOTHING = {
    "too_short": "The chat is too short: there is nothing to summarise before the newest messages.",
    "no_boundary": "The chat can be cut nowhere without parting a tool call from its result.",
    "front": "The scope holds nothing but the system messages that open the chat, and they stay.",
    "waiting": "What the scope holds stays, because a tool call in it still waits for its result.",
}
_TOO_NEW = "It is one of the newest messages, which are not cut."
_ALL_DROPPED = "Every message that could be summarised is dropped."
_JOINED = " An earlier summary among them becomes a part of the new one."
_KEPT_FEWER = " Fewer messages than wanted stay, so that no tool exchange is parted."


def plan_summary(chat: Chat, options: Options, tokens: Sequence[int]) -> Plan:
    """Plan what a summary would replace, or say why there is nothing to replace."""
    messages = chat.messages
    exchanges = find_exchanges(messages, chat.links)
    marks = find_marks(messages, options, exchanges)
    stretch = find_stretch(messages, options, tokens, exchanges, marks)
    fates = tuple(_fate(message, index, stretch, marks) for index, message in enumerate(messages))
    summarized = tuple(messages[fate.index] for fate in fates if fate.fate == "summarize")
    if not holds_news(summarized):
        return plan_nothing(messages, _why_nothing(messages, stretch, marks))

    def stay(start: int, end: int) -> tuple[Message, ...]:
        return tuple(messages[fate.index] for fate in fates[start:end] if fate.becomes is not None)

    front = front_length(messages)
    head, tail = stay(front, stretch.start), stay(stretch.end, len(fates))
    scoped = options.scope.kind == "from"
    return Plan(
        action="compact",
        reason=_reason(summarized, stretch, fates),
        fates=fates,
        split=stretch.start if scoped else stretch.end,
        direction="from" if head and scoped else "upTo" if tail else "all",  # pinned messages do not count (rule Z2)
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
