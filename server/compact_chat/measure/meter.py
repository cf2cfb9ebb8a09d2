"""The meter: how many tokens the context holds, of what, and between which bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor
from operator import add

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message
from compact_chat.measure.calibration import Learned
from compact_chat.measure.families import Family
from compact_chat.measure.gauge import Gauge, Reading
from compact_chat.measure.hosts import hidden_by
from compact_chat.measure.shares import shares
from compact_chat.measure.sums import is_system, thought_in
from compact_chat.measure.weights import Weight
from compact_chat.reports import Basis, Parts


class Meter(Struct, frozen=True):
    """The size of a chat; `fixed` and the tokens of the messages add up to `used`, and so do the parts.

    The part `fixed` is this `fixed` and the system messages.
    """

    used: int
    low: int
    high: int
    basis: Basis
    fixed: int
    tokens: tuple[int, ...]
    parts: Parts
    learned: Learned = Learned()  # what is worth remembering of this chat


def read_meter(
    chat: Chat, weights: Sequence[Weight], family: Family, fixed_tokens: int, *, prior: Learned | None = None
) -> Meter:
    """Measure by the newest call that the chat records and what came after it; without one, by counting."""
    gauge = Gauge(family, hidden_by(chat), fixed_tokens, prior=prior)
    for message, weight in zip(chat.messages, weights, strict=True):
        gauge.add(message, weight)
    reading = gauge.reading()
    meter = meter_of(reading)
    tokens = _tokens(chat.messages, list(_sizes(chat.messages, weights, reading)), meter)
    return replace(meter, tokens=tokens, learned=gauge.learned)


def meter_of(reading: Reading) -> Meter:
    """Round a reading so that all sums are whole; the messages are not told apart."""
    used = round(reading.used)
    fixed = round(reading.fixed) if any(reading.parts.values()) else used
    return Meter(
        used=used,
        low=max(0, min(used, floor(reading.low))),
        high=max(used, ceil(reading.high)),
        basis=reading.basis,
        fixed=fixed,
        tokens=(),
        parts=_parts(reading, used, fixed),
    )


def _parts(reading: Reading, used: int, fixed: int) -> Parts:
    tokens = dict(zip(reading.parts, shares(used - fixed, list(reading.parts.values())), strict=True))
    tokens["fixed"] += fixed
    return Parts(**tokens)


def _tokens(messages: Sequence[Message], sizes: Sequence[float], meter: Meter) -> tuple[int, ...]:
    """Divide among the system messages what the part has of them, and among the others what is left."""
    are_system = [is_system(message) for message in messages]
    system = shares(
        meter.parts.fixed - meter.fixed, [size * told for size, told in zip(sizes, are_system, strict=True)]
    )
    others = shares(
        meter.used - meter.parts.fixed, [size * (not told) for size, told in zip(sizes, are_system, strict=True)]
    )
    return tuple(map(add, system, others))


def _sizes(messages: Sequence[Message], weights: Sequence[Weight], reading: Reading) -> Iterator[float]:
    """Tell the tokens of each message, without what was thought and forgotten."""
    for index, (message, weight) in enumerate(zip(messages, weights, strict=True)):
        forgotten = thought_in(message, weight) if index < reading.turn else 0
        yield (weight.words - forgotten) * reading.ratio + weight.images
