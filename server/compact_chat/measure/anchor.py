"""What a recorded call tells of the size of its chat, and how far the reckoning from it may be off."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Usage
from compact_chat.measure.families import UNKNOWN, Family, family_of
from compact_chat.measure.sums import Size
from compact_chat.measure.weights import Weight

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
    if UNKNOWN.name != family.name != own.name:
        return _scaled(usage, weight, before, own, family)
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


def _scaled(usage: Usage, weight: Weight, before: Size, own: Family, asked: Family) -> Anchor:
    told = replace(usage, prompt_tokens=round(usage.prompt_tokens * asked.ratio / own.ratio))
    spread = own.spread + asked.spread + COUNTED_SPREAD * usage.whole
    if usage.whole:
        return Anchor(told, before, spread=spread, is_scaled=True)
    return Anchor(told, before, Size(weight.words, weight.images), Size(weight.thinking), spread, is_scaled=True)


def doubt(counted: float, pictures: float, family: Family, note: int, share: float) -> tuple[float, float]:
    """How far below and above the size may be, for `share` of the family's usual doubt."""
    known = ROUNDING + PICTURE_DOUBT * pictures
    grown = share * max(0.0, counted) ** GROWTH
    return known + grown * family.below, known + note + grown * family.above
