"""The request for a summary of a plan: redacted, and within the window of the model that would answer it."""

from __future__ import annotations

from compact_chat.errors import TooLarge
from compact_chat.measure.families import Family, family_of
from compact_chat.measure.windows import window_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.prompt.detailed import detailed_request

PROMPT_TOKENS = 3000  # more than the longest prompt around the transcript takes
LEAST_CHARACTERS_PER_TOKEN = 2  # of logs and JSON; prose has more, so that this is on the safe side


def request_text(made: Draft, desk: Desk) -> str:
    """Write the user message that asks for the summary."""
    plan, options = made.plan, made.options
    part, focus = made.without_secrets(plan.summarized), made.clean(options.instructions)
    request = detailed_request(part, plan.direction, focus, immediate_task(made), _room(made, desk))
    if not request.fits:
        raise TooLarge("The part to summarise is larger than the window of the summary's model; narrow the scope.")
    return made.clean(request.text)  # once more: in the transcript stands beside its name what stood apart from it


def immediate_task(made: Draft) -> bool:
    """Tell whether a section on the task at hand is asked for (rule P10)."""
    if made.plan.direction == "upTo":
        return False
    wished = made.options.immediate_task
    return made.options.continuation.kind is not None if wished is None else wished


def room_for_kept(made: Draft, summary: str) -> int:
    """Tell how many characters of kept messages the next chat has room for beside the summary (rule C8)."""
    found = made.measured
    tokens = found.window - found.meter.fixed - min(PROMPT_TOKENS, found.window // 4)
    return max(0, _characters(tokens, found.family) - len(summary))


def _room(made: Draft, desk: Desk) -> int:
    """Tell how many characters of transcript fit the summariser's window (rule T8)."""
    model = made.options.summary_model
    tokens = window_of(model, desk.settings.windows).input - made.options.max_output_tokens - PROMPT_TOKENS
    return max(0, _characters(tokens, family_of(model)))


def _characters(tokens: int, family: Family) -> int:
    return round(tokens * LEAST_CHARACTERS_PER_TOKEN / family.ratio)
