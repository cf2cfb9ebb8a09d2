"""What a person should know of a result before relying on it."""

from __future__ import annotations

from collections.abc import Iterator

from compact_chat.chat import Warning
from compact_chat.operations.draft import Draft
from compact_chat.operations.outcome import Outcome
from compact_chat.operations.writing import Written
from compact_chat.results import Survival

LITTLE = 0.3  # of what the chat holds


def remarks(made: Draft, written: Written, result: Outcome, survival: Survival) -> Iterator[Warning]:
    """Tell that it is still too large, that little survived, or that wishes went unheard (rule K12)."""
    if is_over_budget(made, result):
        yield Warning("overBudget", f"The result is still over the budget of {made.measured.budget:,} tokens.")
    if written.summary and survival.kept < LITTLE:
        told = f"Little of the chat survives this summary, {survival.kept:.0%}: look at what is lost before going on."
        yield Warning("littleSurvives", told)
    if written.provider == "offline" and (made.options.instructions.strip() or made.instructions):
        yield Warning(
            "instructionsUnused", "A summary without a model goes by rules of its own: it took no instructions."
        )


def is_over_budget(made: Draft, result: Outcome) -> bool:
    """Say whether the result is larger than the budget, where there is one."""
    return result.tokens > made.measured.budget > 0
