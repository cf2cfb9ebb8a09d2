"""What a chat teaches about its own size: how far from what is expected its calls are."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

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
