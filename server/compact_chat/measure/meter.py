"""The meter: how many tokens the context holds, of what, and between which bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor

from msgspec import Struct

from compact_chat.chat import Chat, Message
from compact_chat.measure.calibration import Call, comparable_calls, learned_ratio
from compact_chat.measure.families import Family
from compact_chat.measure.hosts import Hidden, hidden_by
from compact_chat.measure.shares import shares
from compact_chat.measure.weights import Weight
from compact_chat.results import Basis, Parts

MEASURED_SPREAD = 0.005  # of a provider's own figure: what it adds or leaves out at the next call
COUNTED_SPREAD = 0.12  # of a tool's own count of the whole, against what the provider reported next
IMPLAUSIBLE = 0.25  # a recorded reply that is smaller than this part of its count is only the stream's first figure


class Meter(Struct, frozen=True):
    """The size of a chat; `fixed` and the tokens of the messages add up to `used`, and so do the parts."""

    used: int
    low: int
    high: int
    basis: Basis
    fixed: int
    tokens: tuple[int, ...]
    parts: Parts


class Reading(Struct, frozen=True):
    """What the meter says before it is divided: `fixed` is what belongs to no message."""

    used: float
    below: float
    above: float
    basis: Basis
    fixed: float


def read_meter(chat: Chat, weights: Sequence[Weight], family: Family, fixed_tokens: int) -> Meter:
    """Measure by the newest call that the chat records and what came after it; without one, by counting."""
    calls = comparable_calls(chat.messages)
    ratio = learned_ratio(calls, weights, family)
    sizes = [weight.words * ratio + weight.images for weight in weights]
    if calls:
        reading = _anchored(calls, sizes, family.spread)
    else:
        hidden = Hidden() if fixed_tokens else hidden_by(chat)
        reading = _estimated(sum(sizes), fixed_tokens * ratio, hidden, family.spread)
    used = round(reading.used)
    fixed = round(reading.fixed) if any(sizes) else used
    return Meter(
        used=used,
        low=max(0, min(used, floor(reading.used - reading.below))),
        high=max(used, ceil(reading.used + reading.above)),
        basis=reading.basis,
        fixed=fixed,
        tokens=shares(used - fixed, sizes),
        parts=_parts(chat.messages, weights, ratio, used, fixed),
    )


def _anchored(calls: Sequence[Call], sizes: Sequence[float], spread: float) -> Reading:
    """Add what the provider reported last and what was counted since; the messages share what is not fixed."""
    index, usage = calls[-1]
    counted = sum(sizes[index + 1 :])
    output: float = usage.output_tokens
    if not usage.whole and output < sizes[index] * IMPLAUSIBLE:
        output = sizes[index]
        counted += output
    used = usage.prompt_tokens + output + sum(sizes[index + 1 :])
    off = used * (COUNTED_SPREAD if usage.whole else MEASURED_SPREAD) + counted * spread
    basis: Basis = "anchored" if usage.whole or counted or index + 1 < len(sizes) else "measured"
    return Reading(used, below=off, above=off, basis=basis, fixed=_fixed(used, calls[0], sizes))


def _fixed(used: float, first: Call, sizes: Sequence[float]) -> float:
    """What the messages do not account for; where the host has dropped some of them, what they did not at first."""
    index, usage = first
    at_first = min(usage.prompt_tokens - sum(sizes[:index]), used / 2)
    return max(0.0, at_first, used - sum(sizes))


def _estimated(counted: float, known: float, hidden: Hidden, spread: float) -> Reading:
    """Add what was counted and what the chat's tool keeps to itself."""
    fixed = known + hidden.tokens + hidden.share * counted
    off = (counted + known) * spread
    return Reading(
        used=fixed + counted,
        below=off + hidden.tokens - hidden.low,
        above=off + hidden.high - hidden.tokens,
        basis="estimated",
        fixed=fixed,
    )


def _parts(messages: Sequence[Message], weights: Sequence[Weight], ratio: float, used: int, fixed: int) -> Parts:
    sizes = dict.fromkeys(Parts.__struct_fields__, 0.0)
    for message, weight in zip(messages, weights, strict=True):
        for name, size in _sizes_by_part(message, weight, ratio):
            sizes[name] += size
    tokens = dict(zip(sizes, shares(used - fixed, list(sizes.values())), strict=True))
    tokens["fixed"] += fixed
    return Parts(**tokens)


def _sizes_by_part(message: Message, weight: Weight, ratio: float) -> Iterator[tuple[str, float]]:
    """A summary and a system message are of one part; the others are divided by what they hold."""
    if message.is_summary or message.role == "system":
        yield ("summary" if message.is_summary else "fixed"), weight.words * ratio + weight.images
        return
    yield message.role, weight.text * ratio
    yield "tool_calls", weight.tool_calls * ratio
    yield "tool_results", weight.tool_results * ratio
    yield "thinking", weight.thinking * ratio
    yield "images", weight.images
