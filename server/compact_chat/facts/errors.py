"""The errors that tools met, by the line that names them, and whether the same work later went well."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compact_chat.facts.commands import command_text
from compact_chat.facts.errands import Errand, errand_of
from compact_chat.facts.error_lines import error_lines, first_line, last_line
from compact_chat.facts.steps import Step


class Error(Struct, frozen=True):
    """The line that names an error, what met it, the exit code where told, and whether it was overcome."""

    text: str
    where: str
    code: int | None
    fixed: bool
    message: str


def errors(taken: Sequence[Step]) -> tuple[Error, ...]:
    """The errors in the order in which they were last met, each once."""
    met: dict[tuple[str, str], tuple[Step, Errand]] = {}
    unsolved: dict[str, dict[str, Errand]] = {}  # by the name of an errand: its lines, and what met each
    for step in taken:
        errand = errand_of(step)
        lines = dict.fromkeys(filter(None, _lines(step, errand)))
        still = unsolved.setdefault(errand.name, {})
        if step.outcome == "ok":
            for line in [line for line, before in still.items() if line not in lines and errand.covers(before)]:
                del still[line]
        for line in lines:
            still[line] = errand
            met.pop((errand.name, line), None)
            met[errand.name, line] = step, errand
    return tuple(
        Error(line, errand.shown, step.code, fixed=line not in unsolved[name], message=step.message)
        for (name, line), (step, errand) in met.items()
    )


def _lines(step: Step, errand: Errand) -> list[str]:
    """The lines by which the errors of a step are known; a look that found nothing met none."""
    failed = step.outcome == "failed"
    if step.answer is None or step.outcome == "unknown" or not (failed or errand.hides_failure):
        return []
    if not command_text(step):
        return [first_line(step.answer)]
    serious = failed and not errand.only_looks
    return error_lines(step.answer, serious) or ([last_line(step.answer)] if serious else [])
