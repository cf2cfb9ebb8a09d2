"""The errors that tools met, by the line that names them, and whether the same work later went well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

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


class _Trouble(Struct):
    error: Error
    errand: Errand


def errors(taken: Sequence[Step]) -> tuple[Error, ...]:
    """The errors in the order in which they were last met, each once."""
    found: dict[tuple[str, str], _Trouble] = {}
    unsolved: dict[str, set[tuple[str, str]]] = {}
    for step in taken:
        errand = errand_of(step)
        met = dict.fromkeys((errand.name, line) for line in _lines(step, errand))
        if step.outcome == "ok" and errand.name in unsolved:
            unsolved[errand.name] -= _solve(found, unsolved[errand.name] - met.keys(), errand)
        for key in met:
            found.pop(key, None)
            found[key] = _Trouble(Error(key[1], errand.shown, step.code, fixed=False, message=step.message), errand)
            unsolved.setdefault(errand.name, set()).add(key)
    return tuple(trouble.error for trouble in found.values())


def _solve(found: dict[tuple[str, str], _Trouble], keys: set[tuple[str, str]], errand: Errand) -> set[tuple[str, str]]:
    """Mark the troubles of which an errand that went well is the end, and give their keys."""
    solved = {key for key in keys if errand.covers(found[key].errand)}
    for key in solved:
        found[key].error = replace(found[key].error, fixed=True)
    return solved


def _lines(step: Step, errand: Errand) -> Iterator[str]:
    """The lines by which the errors of a step are known; a look that found nothing met none."""
    if step.answer is None or step.outcome == "unknown":
        return
    failed = step.outcome == "failed"
    if not command_text(step):
        yield from filter(None, [first_line(step.answer)] if failed else [])
    elif failed or errand.hides_failure:
        lines = error_lines(step.answer, failed and not errand.only_looks)
        yield from lines or filter(None, [last_line(step.answer)] if failed and not errand.only_looks else [])
