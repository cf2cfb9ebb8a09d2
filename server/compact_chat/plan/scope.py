"""What the user singles out: the part to summarise, messages to pin and messages to drop (rules Z1 to Z3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.errors import InvalidParams
from compact_chat.options import Options, Scope
from compact_chat.plan.exchanges import Exchanges
from compact_chat.plan.outcome import Fate
from compact_chat.plan.places import Places
from compact_chat.plan.seen import seen
from compact_chat.plan.split import Reason as SplitReason
from compact_chat.plan.split import front_length, split_point

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
    """The part that a summary replaces, its ends moved outwards to where no exchange is parted."""
    match options.scope:
        case Scope("all"):
            return _before_tail(messages, options, tokens, marks)
        case Scope("from", wanted):
            return _from(messages, _scope_place(messages, wanted), exchanges)
        case Scope(_, wanted):
            return _up_to(messages, _scope_place(messages, wanted), exchanges)


def _before_tail(messages: Sequence[Message], options: Options, tokens: Sequence[int], marks: Marks) -> Stretch:
    """All before the kept tail, which dropped messages do not count for."""
    left = [index for index in range(len(messages)) if index not in marks.drops]
    split = split_point(
        [messages[index] for index in left],
        options.min_keep,
        options.keep_recent_tokens,
        [tokens[index] for index in left],
    )
    front = front_length(messages)
    return Stretch(front, [*left, len(messages)][split.index] if split.index else front, split.reason)


def _from(messages: Sequence[Message], first: int, exchanges: Exchanges) -> Stretch:
    """A message and all behind it, but for calls that still wait for a result (rule S6)."""
    start = max(front_length(messages), _clean_before(exchanges, first))
    end = _clean_before(exchanges, exchanges.waiting)
    return Stretch(start, end) if start < end else Stretch(start, start, "waiting")


def _up_to(messages: Sequence[Message], last: int, exchanges: Exchanges) -> Stretch:
    """All up to and including a message, but for calls that still wait for a result (rule S6)."""
    start = front_length(messages)
    widened = next(cut for cut in range(last + 1, len(messages) + 1) if exchanges.clean[cut])
    end = widened if widened <= exchanges.waiting else _clean_before(exchanges, exchanges.waiting)
    return Stretch(start, end) if start < end else Stretch(start, start, "front" if last < start else "waiting")


def _clean_before(exchanges: Exchanges, cut: int) -> int:
    return next(place for place in range(cut, -1, -1) if exchanges.clean[place])


def _scope_place(messages: Sequence[Message], wanted: str | None) -> int:
    path = "$.options.scope.message"
    if wanted is None:
        raise InvalidParams.at(path, "This scope needs the id of a message.")
    return Places(messages).of(wanted, path)
