"""How long the entries of a transcript may be, and how they are shortened step by step (rule T8)."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from compact_chat.chat import Role


class Limits(Struct, frozen=True):
    """The most characters of each kind of entry; None is no limit, and thinking of 0 is left out."""

    tool_result: int = 2000
    arguments: int = 500
    thinking: int = 500
    assistant: int | None = None
    user: int | None = None
    other: int | None = None  # system texts and earlier summaries, which stay whole as long as that is possible

    def of(self, role: Role) -> int | None:
        """The limit of what someone in this role says."""
        return {"user": self.user, "assistant": self.assistant}.get(role, self.other)


DEFAULT_LIMITS = Limits()
NO_LIMITS = Limits(tool_result=2**53, arguments=2**53, thinking=2**53)

_STEPS: tuple[dict[str, Any], ...] = (
    {"tool_result": 500},
    {"thinking": 0},
    {"arguments": 200},
    {"assistant": 2000},
    {"user": 4000},
)
_LEAST = (2000, 1000, 500, 250, 125, 60)


def shrinking(usual: Limits) -> tuple[Limits, ...]:
    """The usual limits, and what they become from step to step; none of them grows."""
    return tuple(accumulate(_STEPS, _tightened, initial=usual))


def squeezing(limits: Limits) -> tuple[Limits, ...]:
    """Harder limits for what does not fit alone: one for entries of every kind."""
    return tuple(_tightened(limits, dict.fromkeys(asdict(limits), most)) for most in _LEAST)


def _tightened(limits: Limits, most: dict[str, int]) -> Limits:
    known = asdict(limits)
    return replace(limits, **{name: n if known[name] is None else min(n, known[name]) for name, n in most.items()})
