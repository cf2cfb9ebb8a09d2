"""What a kind text has to know of the chat, its host and the task at hand."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.options import ContinuationKind, ContinuationOptions
from compact_chat.plan.outcome import Direction
from compact_chat.resume.names import Host, host_of
from compact_chat.resume.task import Task, task_of

_IN_LOOP = frozenset({"midLoop", "postTool"})


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
        host=host_of(options.capabilities),
    )
