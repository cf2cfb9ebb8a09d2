"""The meter: how many tokens the context holds, in which parts, and within which bounds."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from operator import add

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Usage
from compact_chat.measure.families import UNKNOWN, Family, family_of
from compact_chat.measure.tool import Turns, hidden_by
from compact_chat.measure.weights import Weight, shares
from compact_chat.tools import Hidden
from compact_chat.wire import Basis, Parts


class Size(Struct, frozen=True):
    """Counted tokens, and tokens already known in the model's own units."""

    counted: float = 0.0
    known: float = 0.0

    def __add__(self, other: Size) -> Size:
        """Add both parts."""
        return Size(self.counted + other.counted, self.known + other.known)

    def __sub__(self, other: Size) -> Size:
        """Subtract both parts."""
        return Size(self.counted - other.counted, self.known - other.known)

    def at(self, ratio: float) -> float:
        """Return the total, at so many model tokens per counted one."""
        return self.counted * ratio + self.known


# What a recorded call reveals about its chat's size, and how accurate the estimate is from there.

PLAUSIBLE = 0.65  # a recorded reply below this share of its count is only the stream's first figure
COUNTED_SPREAD = 0.12  # of a tool's own count of the whole, compared with what the provider reported next
ROUNDING = 2  # minimum error in tokens, even of recorded sizes
GROWTH = 0.7  # how the error grows with the counted tokens: many small errors partly cancel out
PICTURE_DOUBT = 0.25  # of the estimate for pictures


class Anchor(Struct, frozen=True):
    """A call: its reported size, those of the messages before its reply, of the reply, and of the reasoning in it."""

    usage: Usage
    before: Size
    reply: Size = Size()
    thoughts: Size = Size()
    spread: float = 0.0  # relative error of the reported size; an uncertain one teaches nothing
    is_scaled: bool = False  # another model's report, converted to the requested model


def anchor_of(usage: Usage, weight: Weight, before: Size, family: Family, ratio: float) -> Anchor:
    """Use the reply's reported size if plausible, else its count."""
    own = family_of(usage.model) if usage.model else family
    if UNKNOWN.name != family.name != own.name:  # another model's figure, converted to this one's
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


# What a chat teaches about its own size: how far its calls deviate from expectation.

DECAY = 0.9
LOWEST, HIGHEST = 0.7, 1.6
REMEMBERED_TOKENS = 4_000  # cap in tokens on what an earlier chat contributes to a new one
COVERAGE = 0.91  # share of calls within the bounds
STEP = 0.1  # how fast the error bound follows the coverage
SUREST, UNSUREST = 0.5, 4.0


class Learned(Struct, frozen=True):
    """Decaying sums of the counted and the observed growth from call to call, and the resulting error factor."""

    expected: float = 0.0
    grown: float = 0.0
    doubt: float = 1.0

    def ratio(self, certainty: int) -> float:
        """Model tokens per counted token: starts at one and moves towards the observed ratio."""
        ratio = (self.grown + certainty) / (self.expected + certainty)
        return min(HIGHEST, max(LOWEST, ratio))

    def after(self, expected: float, grown: float, is_within: bool) -> Learned:
        """Learn from another call; implausible growth affects only the error."""
        step = 1 - STEP * (1 - COVERAGE) if is_within else 1 + STEP * COVERAGE
        wiser = replace(self, doubt=min(UNSUREST, max(SUREST, self.doubt * step)))
        if not 0 < expected * LOWEST <= grown <= expected * HIGHEST:
            return wiser
        return replace(wiser, expected=self.expected * DECAY + expected, grown=self.grown * DECAY + grown)

    def remembered(self) -> Learned:
        """Return what a new chat starts with: at most the weight of a few calls."""
        share = REMEMBERED_TOKENS / max(self.expected, REMEMBERED_TOKENS)
        return replace(self, expected=self.expected * share, grown=self.grown * share)


# The meter as a fold: each message is added once, and a reading costs the same after ten as after ten thousand.

LEAST = 0.5  # of the words before a call that its prompt must hold; a smaller one is only the stream's first figure


class Meter(Struct, frozen=True):
    """A chat's size; `fixed` and the tokens of the messages add up to `used`, and so do the parts.

    The parts `fixed` and `attached` hold this `fixed`, the system messages, and what the tool said first.
    """

    used: int
    low: int
    high: int
    basis: Basis
    fixed: int
    tokens: tuple[int, ...]
    parts: Parts
    rate: float = 1.0  # tokens of the prompt for one that is counted
    scale: float = 1.0  # tokens of the messages for one that is counted
    first: int = 0  # messages before the chat's first call: what the tool says in them is a part of `fixed`
    is_anchored: bool = False  # the size of a call was reported
    learned: Learned = Learned()  # what the next chat can reuse
    growth: tuple[int, ...] = ()  # tokens that each of the latest turns added
    passed: int = 0  # tokens of the largest call since a compaction that another one followed


class Gauge:
    """Measures the context of one chat, for a model of one family."""

    def __init__(self, family: Family, hidden: Hidden, fixed_tokens: int = 0, *, prior: Learned | None = None) -> None:
        self._family, self._hidden = family, hidden
        self._fixed_size = fixed_tokens * family.ratio
        self._prior = (prior or Learned()).remembered()
        self._learned = self._prior
        self._counted = dict.fromkeys(Parts.__struct_fields__, 0.0)  # by part, of the messages
        self._known = dict.fromkeys(Parts.__struct_fields__, 0.0)
        self._all = Size()
        self._spoken = 0  # all words, without reasoning
        self._messages = 0
        self._first: Anchor | None = None  # of those that can be compared with the newest
        self._newest: Anchor | None = None
        self._since = Size()  # what followed the newest call's reply
        self._forgotten = Size()  # since the newest call
        self._summarized = False  # since the newest call
        self.turn = 0  # the turn's first message: earlier reasoning is dropped
        self._turns = Turns()
        self._thoughts = Size()  # of this turn, in the model's tokens
        self._shown = 0  # of this turn's reasoning, as counted

    @property
    def learned(self) -> Learned:
        """What the next chat with a model of this family can reuse."""
        return self._learned.remembered()

    @property
    def ratio(self) -> float:
        """Model tokens per counted token."""
        return self._learned.ratio(self._family.certainty)

    def add(self, message: Message, weight: Weight) -> None:
        """Add the next message of the chat."""
        if self._family.forgets and message.role == "user" and not message.by_host and not message.sends_results:
            # A new user message: earlier reasoning is dropped.
            self._forgotten += self._thoughts
            self._all -= Size(self._shown)
            self._counted["thinking"] -= self._shown
            self._thoughts, self._shown, self.turn = Size(), 0, self._messages
        self._summarized |= message.is_summary
        self._turns.add(message, weight)
        size = Size(weight.words, weight.images)
        if message.usage is not None and message.usage.prompt_tokens > self._spoken * self.ratio * LEAST:
            self._begin_at(message.usage, weight)
        else:
            self._since += size
            self._thoughts += Size(weight.thinking)
        self._all += size
        self._spoken += weight.words - weight.thinking
        self._shown += thought_in(message, weight)
        self._messages += 1
        if message.is_summary or message.role == "system":  # all of it belongs to one part
            name = "summary" if message.is_summary else "fixed"
            self._counted[name] += weight.words
            self._known[name] += weight.images
        else:
            self._counted[message.role] += weight.text
            self._counted["tool_calls"] += weight.tool_calls
            self._counted["tool_results"] += weight.tool_results
            self._counted["thinking"] += weight.thinking
            self._known["images"] += weight.images

    def meter(self) -> Meter:
        """Return the current size in whole tokens, not divided among the messages."""
        ratio = rate = self.ratio
        counted = self._all.at(ratio)
        basis: Basis = "estimated"
        if self._newest and self._first:  # the provider's last report, and what was counted since
            newest, first = self._newest, self._first
            added = newest.reply + self._since - self._forgotten
            used = max(0.0, newest.usage.prompt_tokens + added.at(ratio))
            whole = used * newest.spread
            below, above = (doubt + whole for doubt in self._doubt(added))
            is_measured = added == newest.reply and not newest.reply.counted and not whole
            basis = "estimated" if newest.is_scaled else "measured" if is_measured else "anchored"
            # Fixed is what the messages did not account for at first, and what the tool added since beyond the doubt of
            # the count; if the host dropped some of them, no more than half of it all.
            at_first = min(first.usage.prompt_tokens - first.before.at(ratio), max(used / 2, used - counted))
            fixed = max(0.0, at_first, used - counted * (1 + self._family.spread))
        else:  # the counted tokens, and what the tool hides
            hidden = self._hidden
            fixed = self._fixed_size + hidden.tokens
            used = fixed + counted * (1 + hidden.share)
            rate *= 1 + hidden.share
            off = (counted + self._fixed_size) * self._family.spread
            below, above = off + hidden.tokens - hidden.low, off + hidden.high - hidden.tokens
        sizes = [size * ratio + self._known[name] for name, size in self._counted.items()]
        whole_used = round(used)
        whole_fixed = round(fixed) if any(sizes) else whole_used
        parts = dict(zip(self._counted, shares(whole_used - whole_fixed, sizes), strict=True))
        parts["fixed"] += whole_fixed
        return Meter(
            used=whole_used,
            low=max(0, min(whole_used, floor(used - below))),
            high=max(whole_used, ceil(used + above)),
            basis=basis,
            fixed=whole_fixed,
            tokens=(),
            parts=Parts(**parts),
            rate=rate,
            scale=(whole_used - whole_fixed) / sum(sizes) * ratio if sum(sizes) else ratio,
            is_anchored=self._newest is not None,
            learned=self.learned,
            growth=self._turns.growth,
            passed=self._turns.passed,
        )

    def _begin_at(self, usage: Usage, weight: Weight) -> None:
        """Restart at this call, and learn from it if it is comparable with the previous one."""
        before = self._newest
        newest = anchor_of(usage, weight, self._all, self._family, self.ratio)
        if before is None or self._summarized or usage.model != before.usage.model:
            self._first, self._learned = None, self._prior
        elif not (before.spread or newest.spread):
            added = before.reply + self._since - self._forgotten
            grown = usage.prompt_tokens - before.usage.prompt_tokens - added.known
            below, above = self._doubt(added)
            is_within = -below <= grown - added.counted * self.ratio <= above
            self._learned = self._learned.after(added.counted, grown, is_within)
        self._newest, self._first = newest, self._first or newest
        self._thoughts += newest.thoughts
        self._since, self._forgotten, self._summarized = Size(), Size(), False

    def _doubt(self, added: Size) -> tuple[float, float]:
        """Return how far the size estimated since a call may be off, below and above."""
        known = ROUNDING + PICTURE_DOUBT * self._since.known
        grown = self._learned.doubt * max(0.0, added.counted) ** GROWTH
        return known + grown * self._family.below, known + self._hidden.note + grown * self._family.above


def read_meter(
    chat: Chat,
    weights: Sequence[Weight],
    family: Family,
    fixed_tokens: int,
    hidden: Hidden | None = None,
    *,
    prior: Learned | None = None,
) -> Meter:
    """Measure from the newest recorded call and what followed it; without one, by counting.

    `hidden` is what the tool adds, if more is known of that than the chat says.
    """
    gauge = Gauge(family, hidden or hidden_by(chat), fixed_tokens, prior=prior)
    for message, weight in zip(chat.messages, weights, strict=True):
        gauge.add(message, weight)
    meter, ratio = gauge.meter(), gauge.ratio
    sizes = []
    for index, (message, weight) in enumerate(zip(chat.messages, weights, strict=True)):
        forgotten = thought_in(message, weight) if index < gauge.turn else 0
        sizes.append((weight.words - forgotten) * ratio + weight.images)  # dropped reasoning takes nothing
    flags = [is_system(message) for message in chat.messages]
    return replace(meter, tokens=_divided(meter.parts.fixed - meter.fixed, meter.used - meter.fixed, sizes, flags))


# How the parts of now fit those of the next chat (rule X14).

SLIGHT = 0.01  # of what the tool adds, by which two figures of it may differ as the counts behind them do


class Beginning(Struct, frozen=True):
    """What the tool adds when a session begins, and where this chat holds the part that it says."""

    own: int = 0  # unseen, with the system prompt
    is_as_now: bool = False  # nothing shows it but what is unseen now
    context: int = 0  # in messages
    first: int = 0  # messages of this chat before its first call
    said: tuple[tuple[Message, Weight], ...] = ()  # those of them that it said in the user's name


def fitted(meter: Meter, beginning: Beginning, family: Family, messages: Sequence[Message] = ()) -> Meter:
    """Divide a size anew, so that its fixed part is what the next chat begins with.

    What the tool added since is `attached`. A difference that the counts explain belongs to the other messages.
    """
    parts = {name: getattr(meter.parts, name) for name in Parts.__struct_fields__}
    for message, weight in beginning.said:
        shown = {message.role: weight.text, "images": weight.images}
        shown |= {name: getattr(weight, name) for name in ("tool_calls", "tool_results", "thinking")}
        for name, size in shown.items():
            moved = min(parts[name], round(size * meter.scale))
            parts[name] -= moved
            parts["fixed"] += moved
    begins = beginning.own + beginning.context
    over, talk = parts["fixed"] - begins, meter.used - parts["fixed"]
    fixed = meter.fixed
    doubt = SLIGHT * begins + (family.spread * talk if over < 0 else 0)
    if talk > 0 and -min(talk, doubt) <= over <= min(fixed, doubt):
        names = [name for name in parts if name != "fixed"]
        parts |= zip(names, shares(talk + over, [parts[name] for name in names]), strict=True)
        fixed -= over
        parts["fixed"] = begins
    elif over > 0:
        parts["attached"], parts["fixed"] = over, begins
    flags = [is_system(message, is_first=index < beginning.first) for index, message in enumerate(messages)]
    said = parts["fixed"] + parts["attached"] - fixed
    tokens = _divided(said, meter.used - fixed, meter.tokens, flags) if messages else ()
    return replace(meter, parts=Parts(**parts), fixed=fixed, tokens=tokens, first=beginning.first)


def _divided(fixed: int, whole: int, sizes: Sequence[float], flags: Sequence[bool]) -> tuple[int, ...]:
    """Divide tokens among messages: those of the fixed part share what it leaves them, the others the rest."""
    system = shares(fixed, [size if flag else 0.0 for size, flag in zip(sizes, flags, strict=True)])
    others = shares(whole - fixed, [0.0 if flag else size for size, flag in zip(sizes, flags, strict=True)])
    return tuple(map(add, system, others))


def thought_in(message: Message, weight: Weight) -> int:
    """Return the thinking in a message."""
    return 0 if message.is_summary or message.role == "system" else weight.thinking


def is_system(message: Message, *, is_first: bool = False) -> bool:
    """Return whether it belongs to the fixed part: before the first call, also what the tool says as the user."""
    return not message.is_summary and (message.role == "system" or (is_first and message.by_host))
