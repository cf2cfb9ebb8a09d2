"""The meter: how many tokens the context holds, of what, and between which bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from operator import add

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Usage
from compact_chat.measure.families import UNKNOWN, Family, family_of
from compact_chat.measure.hosts import hidden_by
from compact_chat.measure.weights import Weight, shares
from compact_chat.tools import Hidden
from compact_chat.wire import Basis, Parts

# Running sums of what messages weigh: all together, and by the parts that a report names.


class Size(Struct, frozen=True):
    """Tokens that were counted, and those that are known."""

    counted: float = 0.0
    known: float = 0.0

    def __add__(self, other: Size) -> Size:
        """Both together."""
        return Size(self.counted + other.counted, self.known + other.known)

    def __sub__(self, other: Size) -> Size:
        """What is left."""
        return Size(self.counted - other.counted, self.known - other.known)

    def at(self, ratio: float) -> float:
        """The whole, with so many tokens for each counted one."""
        return self.counted * ratio + self.known


class PartSums:
    """The sizes of the parts, as far as they belong to messages; what a picture takes is no matter of words."""

    def __init__(self) -> None:
        self._counted = dict.fromkeys(Parts.__struct_fields__, 0.0)
        self._known = dict.fromkeys(Parts.__struct_fields__, 0.0)

    def add(self, message: Message, weight: Weight) -> None:
        """Take in a message: a summary and a system message are of one part, the others are divided."""
        counted = self._counted
        if _is_of_one_part(message):
            name = "summary" if message.is_summary else "fixed"
            counted[name] += weight.words
            self._known[name] += weight.images
            return
        counted[message.role] += weight.text
        counted["tool_calls"] += weight.tool_calls
        counted["tool_results"] += weight.tool_results
        counted["thinking"] += weight.thinking
        self._known["images"] += weight.images

    def forget(self, thought: float) -> None:
        """Take out what was thought."""
        self._counted["thinking"] -= thought

    def sizes(self, ratio: float) -> Mapping[str, float]:
        """Tell the tokens of each part."""
        return {name: counted * ratio + self._known[name] for name, counted in self._counted.items()}


def thought_in(message: Message, weight: Weight) -> int:
    """What of a message counts as thinking."""
    return weight.thinking if weight.thinking and not _is_of_one_part(message) else 0


def is_system(message: Message) -> bool:
    """Say whether a message belongs to what is fixed."""
    return message.role == "system" and not message.is_summary


def _is_of_one_part(message: Message) -> bool:
    return message.is_summary or is_system(message)


# What a recorded call tells of the size of its chat, and how far the reckoning from it may be off.


PLAUSIBLE = 0.65  # a recorded reply that is smaller than this part of its count is only the stream's first figure
COUNTED_SPREAD = 0.12  # of a tool's own count of the whole, against what the provider reported next
ROUNDING = 2  # tokens by which even what is known may be off
GROWTH = 0.7  # how the doubt grows with what was counted: many small errors cancel out in part
PICTURE_DOUBT = 0.25  # of what pictures were reckoned to take


class Anchor(Struct, frozen=True):
    """A call: its size as reported, that of the messages before its reply, of the reply, and of the thoughts in it."""

    usage: Usage
    before: Size
    reply: Size = Size()
    thoughts: Size = Size()
    spread: float = 0.0  # the doubt of the reported size, as a fraction of it; what is doubted teaches nothing
    is_scaled: bool = False  # what another model reported, for what it is to the one that is asked for


def anchor_of(usage: Usage, weight: Weight, before: Size, family: Family, ratio: float) -> Anchor:
    """Take the size of the reply as it was reported, where that is plausible, and else as it was counted."""
    own = family_of(usage.model) if usage.model else family
    if UNKNOWN.name != family.name != own.name:  # another model's figure, scaled to what it is for this one
        scaled = replace(usage, prompt_tokens=round(usage.prompt_tokens * family.ratio / own.ratio))
        spread = own.spread + family.spread + COUNTED_SPREAD * usage.whole
        if usage.whole:
            return Anchor(scaled, before, spread=spread, is_scaled=True)
        return Anchor(scaled, before, Size(weight.words, weight.images), Size(weight.thinking), spread, is_scaled=True)
    if usage.whole:
        return Anchor(usage, before, spread=COUNTED_SPREAD)
    thought, rest = weight.thinking * ratio, (weight.words - weight.thinking) * ratio
    if family.sheds and usage.output_tokens >= rest * PLAUSIBLE:
        return Anchor(usage, before, Size(known=max(0, usage.output_tokens - usage.reasoning_tokens)))
    seen = rest if family.hidden_thought else rest + thought
    if usage.output_tokens < seen * PLAUSIBLE:
        return Anchor(usage, before, Size(weight.words, weight.images), Size(weight.thinking))
    unseen = max(0.0, usage.output_tokens - rest) if thought else 0.0
    return Anchor(usage, before, Size(known=usage.output_tokens), Size(known=usage.reasoning_tokens or unseen))


def doubt(counted: float, pictures: float, family: Family, note: int, share: float) -> tuple[float, float]:
    """How far below and above the size may be, for `share` of the family's usual doubt."""
    known = ROUNDING + PICTURE_DOUBT * pictures
    grown = share * max(0.0, counted) ** GROWTH
    return known + grown * family.below, known + note + grown * family.above


# What a chat teaches about its own size: how far from what is expected its calls are.


DECAY = 0.9
LOWEST, HIGHEST = 0.7, 1.6
REMEMBERED_TOKENS = 4_000  # as many tokens at most as what an earlier chat taught counts for in a new one
HELD = 0.91  # of the calls, between the bounds
STEP = 0.1  # by which the doubt follows what was held
SUREST, UNSUREST = 0.5, 4.0


class Learned(Struct, frozen=True):
    """Decaying sums of what was counted from call to call and of what the prompts grew by, and the doubt to have."""

    expected: float = 0.0
    grown: float = 0.0
    doubt: float = 1.0

    def ratio(self, certainty: int) -> float:
        """Tokens of the model for one that was counted: one at first, then drawn towards what was seen."""
        ratio = (self.grown + certainty) / (self.expected + certainty)
        return min(HIGHEST, max(LOWEST, ratio))

    def after(self, expected: float, grown: float, is_held: bool) -> Learned:
        """What is known after another call; where the host did something that it did not tell, of the doubt alone."""
        step = 1 - STEP * (1 - HELD) if is_held else 1 + STEP * HELD
        wiser = replace(self, doubt=min(UNSUREST, max(SUREST, self.doubt * step)))
        if not 0 < expected * LOWEST <= grown <= expected * HIGHEST:
            return wiser
        return replace(wiser, expected=self.expected * DECAY + expected, grown=self.grown * DECAY + grown)

    def remembered(self) -> Learned:
        """What a new chat begins with."""
        share = REMEMBERED_TOKENS / max(self.expected, REMEMBERED_TOKENS)
        return replace(self, expected=self.expected * share, grown=self.grown * share)


# The meter as a fold: a message is added once, and a reading costs the same after ten as after ten thousand.


LEAST = 0.5  # of the words before a call that its prompt holds; a smaller one is only the stream's first figure


class Reading(Struct, frozen=True):
    """What the gauge says, before it is rounded; `fixed` belongs to no message, and `parts` are those of messages."""

    used: float
    low: float
    high: float
    basis: Basis
    fixed: float
    ratio: float  # tokens of the model for one that was counted
    turn: int  # the message from which on what was thought is still there
    parts: Mapping[str, float]


class Gauge:
    """Reads how full the context of one chat is, for a model of one family."""

    def __init__(self, family: Family, hidden: Hidden, fixed_tokens: int = 0, *, prior: Learned | None = None) -> None:
        self._family, self._hidden = family, hidden
        self._fixed_size = fixed_tokens * family.ratio
        self._prior = (prior or Learned()).remembered()
        self._learned = self._prior
        self._parts = PartSums()
        self._all = Size()
        self._spoken = 0  # the words of all, without what was thought
        self._messages = 0
        self._first: Anchor | None = None  # of the calls that can be compared with the newest
        self._newest: Anchor | None = None
        self._since = Size()  # what came after the newest call's reply
        self._forgotten = Size()  # since the newest call
        self._summarised = False  # since the newest call
        self._turn = 0  # the message that it began with
        self._thoughts = Size()  # of this turn, as the model has them
        self._shown = 0  # of the thoughts of this turn, as we count them

    @property
    def learned(self) -> Learned:
        """What is worth remembering for the next chat with a model of this family."""
        return self._learned.remembered()

    def add(self, message: Message, weight: Weight) -> None:
        """Take in the next message of the chat."""
        if self._family.forgets and message.role == "user" and not message.by_host and not message.sends_results:
            # The user speaks: what was thought before is left out.
            self._forgotten += self._thoughts
            self._all -= Size(self._shown)
            self._parts.forget(self._shown)
            self._thoughts, self._shown, self._turn = Size(), 0, self._messages
        self._summarised |= message.is_summary
        size = Size(weight.words, weight.images)
        if message.usage is not None and message.usage.prompt_tokens > self._spoken * self._ratio * LEAST:
            self._begin_at(message.usage, weight)
        else:
            self._since += size
            self._thoughts += Size(weight.thinking)
        self._all += size
        self._spoken += weight.words - weight.thinking
        self._shown += thought_in(message, weight)
        self._parts.add(message, weight)
        self._messages += 1

    def reading(self) -> Reading:
        """Read how full the context is now."""
        if self._newest is None or self._first is None:
            return self._estimated()
        return self._anchored(self._newest, self._first)

    @property
    def _ratio(self) -> float:
        return self._learned.ratio(self._family.certainty)

    def _begin_at(self, usage: Usage, weight: Weight) -> None:
        """Begin anew at this call, and learn from it where it can be compared with the one before."""
        before = self._newest
        newest = anchor_of(usage, weight, self._all, self._family, self._ratio)
        if before is None or self._summarised or usage.model != before.usage.model:
            self._first, self._learned = None, self._prior
        elif not (before.spread or newest.spread):
            added = self._added_to(before)
            grown = usage.prompt_tokens - before.usage.prompt_tokens - added.known
            below, above = self._doubt(added)
            is_held = -below <= grown - added.counted * self._ratio <= above
            self._learned = self._learned.after(added.counted, grown, is_held)
        self._newest, self._first = newest, self._first or newest
        self._thoughts += newest.thoughts
        self._since, self._forgotten, self._summarised = Size(), Size(), False

    def _added_to(self, anchor: Anchor) -> Size:
        return anchor.reply + self._since - self._forgotten

    def _doubt(self, added: Size) -> tuple[float, float]:
        return doubt(added.counted, self._since.known, self._family, self._hidden.note, self._learned.doubt)

    def _anchored(self, newest: Anchor, first: Anchor) -> Reading:
        """Add what the provider reported last and what was counted since."""
        added = self._added_to(newest)
        used = max(0.0, newest.usage.prompt_tokens + added.at(self._ratio))
        below, above = self._doubt(added)
        whole = used * newest.spread
        is_measured = added == newest.reply and not newest.reply.counted and not whole
        basis: Basis = "estimated" if newest.is_scaled else "measured" if is_measured else "anchored"
        # Fixed is what the messages do not account for; where the host dropped some, what they did not at first.
        at_first = min(first.usage.prompt_tokens - first.before.at(self._ratio), used / 2)
        fixed = max(0.0, at_first, used - self._all.at(self._ratio))
        return self._reading(used, below + whole, above + whole, basis, fixed)

    def _estimated(self) -> Reading:
        """Add what was counted and what the chat's tool keeps to itself."""
        hidden, known, counted = self._hidden, self._fixed_size, self._all.at(self._ratio)
        fixed = known + hidden.tokens + hidden.share * counted
        off = (counted + known) * self._family.spread
        below, above = off + hidden.tokens - hidden.low, off + hidden.high - hidden.tokens
        return self._reading(fixed + counted, below, above, "estimated", fixed)

    def _reading(self, used: float, below: float, above: float, basis: Basis, fixed: float) -> Reading:
        parts = self._parts.sizes(self._ratio)
        return Reading(used, used - below, used + above, basis, fixed, self._ratio, self._turn, parts)


# The meter: how many tokens the context holds, of what, and between which bounds.


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
    # The system messages share what their part has of them, the others what is left; forgotten thoughts take nothing.
    system, others = [], []
    for index, (message, weight) in enumerate(zip(chat.messages, weights, strict=True)):
        forgotten = thought_in(message, weight) if index < reading.turn else 0
        size = (weight.words - forgotten) * reading.ratio + weight.images
        system.append(size if is_system(message) else 0.0)
        others.append(0.0 if is_system(message) else size)
    tokens = map(add, shares(meter.parts.fixed - meter.fixed, system), shares(meter.used - meter.parts.fixed, others))
    return replace(meter, tokens=tuple(tokens), learned=gauge.learned)


def meter_of(reading: Reading) -> Meter:
    """Round a reading so that all sums are whole; the messages are not told apart."""
    used = round(reading.used)
    fixed = round(reading.fixed) if any(reading.parts.values()) else used
    parts = dict(zip(reading.parts, shares(used - fixed, list(reading.parts.values())), strict=True))
    parts["fixed"] += fixed
    return Meter(
        used=used,
        low=max(0, min(used, floor(reading.low))),
        high=max(used, ceil(reading.high)),
        basis=reading.basis,
        fixed=fixed,
        tokens=(),
        parts=Parts(**parts),
    )
