"""The meter as a fold: a message is added once, and a reading costs the same after ten as after ten thousand."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from compact_chat.chat import Message, Usage
from compact_chat.measure.anchor import Anchor, anchor_of, doubt
from compact_chat.measure.calibration import Learned
from compact_chat.measure.families import Family
from compact_chat.measure.hosts import Hidden
from compact_chat.measure.sums import PartSums, Size, thought_in
from compact_chat.measure.weights import Weight
from compact_chat.reports import Basis

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
        if self._family.forgets and _begins_turn(message):
            self._forget()
        self._summarised |= message.is_summary
        size = Size(weight.words, weight.images)
        if message.usage is not None and self._is_plausible(message.usage):
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

    def _is_plausible(self, usage: Usage) -> bool:
        return usage.prompt_tokens > self._spoken * self._ratio * LEAST

    def _forget(self) -> None:
        """Leave out what was thought before the user spoke."""
        self._forgotten += self._thoughts
        self._all -= Size(self._shown)
        self._parts.forget(self._shown)
        self._thoughts, self._shown, self._turn = Size(), 0, self._messages

    def _begin_at(self, usage: Usage, weight: Weight) -> None:
        """Begin anew at this call, and learn from it where it can be compared with the one before."""
        before = self._newest
        newest = anchor_of(usage, weight, self._all, self._family, self._ratio)
        if before is None or self._summarised or usage.model != before.usage.model:
            self._first, self._learned = None, self._prior
        elif not (before.spread or newest.spread):
            self._learn(before, usage)
        self._newest, self._first = newest, self._first or newest
        self._thoughts += newest.thoughts
        self._since, self._forgotten, self._summarised = Size(), Size(), False

    def _learn(self, before: Anchor, usage: Usage) -> None:
        added = self._added_to(before)
        grown = usage.prompt_tokens - before.usage.prompt_tokens - added.known
        below, above = self._doubt(added)
        is_held = -below <= grown - added.counted * self._ratio <= above
        self._learned = self._learned.after(added.counted, grown, is_held)

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
        return self._reading(used, below + whole, above + whole, basis, self._fixed(used, first))

    def _fixed(self, used: float, first: Anchor) -> float:
        """What the messages do not account for; where the host has dropped some, what they did not at first."""
        at_first = min(first.usage.prompt_tokens - first.before.at(self._ratio), used / 2)
        return max(0.0, at_first, used - self._all.at(self._ratio))

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


def _begins_turn(message: Message) -> bool:
    return message.role == "user" and not message.by_host and not message.results
