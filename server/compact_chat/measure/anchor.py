"""What a recorded call tells of the size of its chat, and how far the reckoning from it may be off."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.chat import Usage
from compact_chat.measure.families import Family
from compact_chat.measure.sums import Size
from compact_chat.measure.weights import Weight

PLAUSIBLE = 0.65  # a recorded reply that is smaller than this part of its count is only the stream's first figure
ROUNDING = 2  # tokens by which even what is known may be off
GROWTH = 0.7  # how the doubt grows with what was counted: many small errors cancel out in part
PICTURE_DOUBT = 0.25  # of what pictures were reckoned to take


class Anchor(Struct, frozen=True):
    """A call: its size as reported, that of the messages before its reply, of the reply, and of the thoughts in it."""

    usage: Usage
    before: Size
    reply: Size = Size()
    thoughts: Size = Size()


def anchor_of(usage: Usage, weight: Weight, before: Size, family: Family, ratio: float) -> Anchor:
    """Take the size of the reply as it was reported, where that is plausible, and else as it was counted."""
    if usage.whole:
        return Anchor(usage, before)
    thought, rest = weight.thinking * ratio, (weight.words - weight.thinking) * ratio
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
