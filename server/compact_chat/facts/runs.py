"""Runs: commands with all of their output, also what tools fetched later from one that went on in the background."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.facts.steps import Step

WITH = "\0"


class Note(Struct, frozen=True):
    """A fact about the state: its text, its messages, what identifies it, and what shows it in a text.

    Two words that a mark needs on one line are joined with `WITH`; one that begins with it may be in other words.
    """

    text: str
    message: str
    first: str
    key: str
    marks: tuple[str, ...] = ()
    ok: bool = True  # False for a check that failed


_STARTED = re.compile(
    r"(?:Process running with session ID|running in (?:the )?background with ID:?|started background (?:task|process))"
    r" ?\"?([\w-]{1,60})"
)
_IDS = ("session_id", "shell_id", "bash_id", "task_id", "id")
_ENDING = re.compile(r"kill|stop|terminat", re.IGNORECASE)
ENDED = re.compile(
    r"exited with|exit[ _]code|<status>(?:completed|failed|killed|stopped)|has (?:completed|finished|exited)",
    re.IGNORECASE,
)
CLEARED = "[Old tool result content cleared]"
_FOLDERS = ("workdir", "cwd", "working_directory", "dir_path")
_IN_FOLDER = re.compile(r"\A\s*cd\s+([^\s;&|]{1,400})\s*(?:&&|;)|\bgit\s+-C\s+(\S{1,400})")


class Run(Struct):
    """A command that ran: its step, its whole output, and the id by which it goes on."""

    step: Step
    output: str
    failed: bool
    running: str = ""
    ended: str = ""  # the message of its last output
    place: int = 0  # of its last output among the steps
    later: list[str] = []  # output that was fetched later

    @property
    def command(self) -> str:
        """The shell command."""
        return self.step.command

    @property
    def folder(self) -> str:
        """The folder that it names itself; empty for the chat's own."""
        given = self.step.call.input
        if found := _IN_FOLDER.search(self.command):
            return found[1] or found[2]
        return next((value for name in _FOLDERS if isinstance(value := given.get(name), str)), "")


def runs_of(taken: Sequence[Step]) -> list[Run]:
    """List the commands that ran, each with what was read of its output later."""
    runs: list[Run] = []
    open_runs: dict[str, Run] = {}
    for place, step in enumerate(taken):
        checkpoint()
        if step.answer is None or (step.outcome == "unknown" and not step.done):
            continue
        if step.command:
            started = _STARTED.search(step.answer[:1000])
            run = Run(step, step.answer, step.outcome == "failed", started[1] if started else "", step.message, place)
            runs.append(run)
            if run.running:
                open_runs[run.running] = run
        elif (
            given := next(
                (str(value) for name in _IDS if isinstance(value := step.call.input.get(name), str | int)), ""
            )
        ) in open_runs:
            _go_on(open_runs[given], step, place)
    for run in runs:
        run.output = "\n".join((run.output, *run.later))
    return runs


def _go_on(run: Run, step: Step, place: int) -> None:
    run.later.append(step.answer or "")
    run.ended, run.place = step.message, place
    if _ENDING.search(step.tool) or ENDED.search(step.answer or ""):
        run.running, run.failed = "", step.outcome == "failed"
