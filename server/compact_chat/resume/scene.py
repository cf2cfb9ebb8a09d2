"""What a kind text has to know of the chat, its host and the task at hand."""

from __future__ import annotations

import unicodedata

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.options import ContinuationKind, ContinuationOptions, HostCapabilities
from compact_chat.plan.outcome import Direction
from compact_chat.resume.task import Task, task_of

_BREAKS = {"Cc", "Zl", "Zp"}
_IN_LOOP = frozenset({"midLoop", "postTool"})


class Host(Struct, frozen=True):
    """What the host of the next chat can do, as words to be written; blank is absent."""

    search: str = ""
    search_hint: str = ""
    plan: str = ""
    plan_start: str = ""
    standards: str = ""
    notes: tuple[str, ...] = ()


class Scene(Struct, frozen=True):
    """All that a sentence of the kind text may depend on."""

    kind: ContinuationKind | None
    silent: bool
    approval: bool  # each tool run has to be approved
    summary: bool  # there is one
    recent: bool  # messages that are newer than the summary were kept
    kept: bool  # messages were kept
    plan: bool  # a plan of the host's is under way
    task: Task
    host: Host

    @property
    def memory(self) -> str:
        """What to read first."""
        if not self.summary:
            return "the kept messages"
        return "the summary and the kept messages" if self.kept else "the summary"

    @property
    def going_on(self) -> bool:
        """Whether there is work to go on with now."""
        return self.task.verb == "continue"

    @property
    def may_ask(self) -> bool:
        """Whether one short question is allowed when the next step is unclear: not in the middle of a loop."""
        return self.kind not in _IN_LOOP

    @property
    def answer(self) -> str:
        """What the user says next, where there is something to wait for."""
        return "the user's answer" if self.task.verb == "waiting" else "the user's next message"


def scene_of(options: ContinuationOptions, summary: str, direction: Direction, kept: bool) -> Scene:
    """Check what was given and put it together; a blank summary means that there is none."""
    kept = kept or options.recent_preserved
    return Scene(
        kind=options.kind,
        silent=options.silent,
        approval=not options.auto_approve,
        summary=bool(summary.strip()),
        recent=kept and direction != "from",
        kept=kept,
        plan=options.active_plan,
        task=task_of(summary, options.style, direction, kept),
        host=_host_of(options.capabilities),
    )


def _host_of(given: HostCapabilities | None) -> Host:
    """The capabilities with each name trimmed and in backticks (rule C14)."""
    if given is None:
        return Host()
    at = "$.capabilities"
    search, plan, standards = given.search_older, given.plan, given.standards
    notes = [_quoted(note.file, f"{at}.notes[{index}].file") for index, note in enumerate(given.notes)]
    return Host(
        search=_quoted(search.name, f"{at}.searchOlder.name") if search else "",
        search_hint=" ".join((search.hint or "").split()) if search else "",
        plan=_quoted(plan.name, f"{at}.plan.name") if plan else "",
        plan_start=_quoted(plan.start, f"{at}.plan.start") if plan else "",
        standards=_quoted(standards.file, f"{at}.standards.file") if standards else "",
        notes=tuple(filter(None, notes)),
    )


def within_line(text: str | None, path: str) -> str:
    """The text, trimmed, unless a control character in it would leave the line."""
    words = (text or "").strip()
    if any(unicodedata.category(character) in _BREAKS for character in words):
        raise InvalidParams.at(path, "expected no control characters")
    return words


def _quoted(name: str | None, path: str) -> str:
    words = within_line(name, path)
    if "`" in words:
        raise InvalidParams.at(path, "expected no backticks")
    return f"`{words}`" if words else ""
