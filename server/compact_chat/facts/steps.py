"""The steps of the work: each tool call with its result, the shell commands among them, and all of their output."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message, ToolCall, ToolResult, find_links, result_text, tool_parts
from compact_chat.errors import checkpoint
from compact_chat.text import without_codes

Outcome = Literal["ok", "failed", "unknown"]

_COMMAND_TOOLS = (
    "bash containerexec exec execcommand executebash executecommand localshell powershell runcommand runinterminal"
    " runcommands runshellcommand runterminalcmd runterminalcommand shell shellcommand terminal"
)
COMMAND_TOOLS = frozenset(_COMMAND_TOOLS.split())
OUTPUT_TOOLS = frozenset({"writestdin", "bashoutput", "taskoutput", "readbash", "getterminaloutput"})
_HOSTS = ("builtin", "copilot")  # prefixes that hosts add to tool names
_ARGUMENTS = ("command", "cmd", "commandLine", "script", "code")
_SHELL_FLAGS = ("-c", "-lc", "-Command")
_WRAPPED = re.compile(r"\s*(?:/bin/)?(?:ba|z)?sh -l?c (?:'([^']+)'|\"([^\"$`\\]+)\")\s*")
# Hosts' answers to calls that never ran: the tool did not fail, and nothing was done.
_NOT_RUN = (
    "<tool_use_error>Sibling tool call errored",
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "[Request interrupted by user",
    "[Tool call interrupted",
)
# How tools begin an error message, for formats without an error flag.
_ERROR_STARTS = ("<tool_use_error>", "Error: ", "ERROR: ")
NAMES = 1000  # cached plain names of tools and arguments
_ENDS = 400  # characters searched at each end of an output, where hosts put the exit code
_EXIT = re.compile(
    r"^\W{0,3}(?:Process |Command |shellId: \S{1,40} completed with )?"
    r"(?:exited with (?:exit )?code|exit[ _]code)\"?[:>]?\s{0,3}(-?\d{1,9})"
    r"|\"exit_code\":\s?(-?\d{1,9})",
    re.MULTILINE | re.IGNORECASE,
)


class Step(Struct, frozen=True, dict=True):
    """A tool call, the id of its message, and the text and outcome of its result, if any."""

    message: str
    call: ToolCall
    answer: str | None = None
    outcome: Outcome = "unknown"
    code: int | None = None
    done: bool = False  # it ran, and only its output can show a failure (rule T21)

    @cached_property
    def tool(self) -> str:
        """The tool's name, normalized: without case, punctuation, server and host."""
        return _tool_name(self.call.name)

    @cached_property
    def command(self) -> str:
        """The shell command that it ran, trimmed; empty if none."""
        given = self.call.input if self.tool in COMMAND_TOOLS else {}
        value = next((given[name] for name in _ARGUMENTS if given.get(name)), "")
        if isinstance(several := given.get("commands"), list):  # Cline's name
            value = " && ".join(one for one in several if isinstance(one, str))
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            value = words[2] if len(words) == 3 and words[1] in _SHELL_FLAGS else " ".join(words)
        if not isinstance(value, str):
            return ""
        wrapped = _WRAPPED.fullmatch(value)
        return (wrapped[1] or wrapped[2] if wrapped else value).strip()


def find_steps(messages: Sequence[Message]) -> tuple[Step, ...]:
    """List the steps in call order."""
    parts = dict(tool_parts(messages))
    results = {call: parts[result] for result, call in find_links(messages).answers.items()}
    found = []
    for place, part in parts.items():
        if not isinstance(part, ToolCall):
            continue
        step, result = Step(messages[place[0]].id, part), results.get(place)
        if not isinstance(result, ToolResult):
            found.append(step)
            continue
        answer, code = without_codes(result_text(result)), None
        if answer.startswith(_NOT_RUN):
            found.append(replace(step, answer=answer))
            continue
        in_shell = step.tool in COMMAND_TOOLS or step.tool in OUTPUT_TOOLS
        if in_shell:
            ends = (end for end in (answer[:_ENDS], answer[-_ENDS:]) if "code" in end.lower())
            exit_code = next(filter(None, map(_EXIT.search, ends)), None)
            code = int(exit_code[1] or exit_code[2]) if exit_code else None
        done = not result.is_error and code in (None, 0)
        failed = not done or (not in_shell and answer.startswith(_ERROR_STARTS))
        found.append(replace(step, answer=answer, outcome="failed" if failed else "ok", code=code, done=done))
    return tuple(found)


@lru_cache(NAMES)
def plain_name(name: str) -> str:
    """Strip case, `_`, `-` and the server's prefix from the name of a tool or argument."""
    last = name.rsplit("__", 1)[-1].rsplit(".", 1)[-1].rsplit("/", 1)[-1]
    return last.lower().replace("_", "").replace("-", "")


@lru_cache(NAMES)
def _tool_name(called: str) -> str:
    name = plain_name(called)
    return next((name.removeprefix(host) for host in _HOSTS if name.startswith(host)), name)


class Command(Struct, frozen=True):
    """A command, the step of its last run, and its number of runs."""

    text: str
    step: Step
    runs: int


def commands(taken: Sequence[Step]) -> tuple[Command, ...]:
    """List the commands, each once, ordered by their last runs."""
    last: dict[str, Command] = {}
    for step in taken:
        if text := step.command:
            before = last.pop(text, None)
            last[text] = Command(text, step, 1 + (before.runs if before else 0))
    return tuple(last.values())


# Commands with all of their output, also what tools fetched later from one that went on in the background.

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
_CHANGES_FOLDER = re.compile(r"\A\s*cd\s+([^\s;&|]{1,400})\s*(?:&&|;)")
_GIT_FOLDER = re.compile(r"\bgit\s+-C\s+(\S{1,400})")


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
        """The folder that it names itself, or gives Git; empty for the chat's own."""
        found = _CHANGES_FOLDER.match(self.command) or _GIT_FOLDER.search(self.command)
        return found[1] if found else working_folder(self.step)


def working_folder(step: Step) -> str:
    """Return the folder that a command runs in, if it names one."""
    if found := _CHANGES_FOLDER.match(step.command):
        return found[1]
    return next((value for name in _FOLDERS if isinstance(value := step.call.input.get(name), str)), "")


def runs_of(taken: Sequence[Step]) -> list[Run]:
    """List the commands that ran, each with what was read of its output later."""
    runs: list[Run] = []
    open_runs: dict[str, Run] = {}
    for place, step in enumerate(taken):
        checkpoint()
        if step.answer is None or (step.outcome == "unknown" and not step.done):
            continue
        if step.command:
            head = step.answer[:1000]
            started = _STARTED.search(head) if "running" in head or "started" in head else None
            run = Run(step, step.answer, step.outcome == "failed", started[1] if started else "", step.message, place)
            runs.append(run)
            if run.running:
                open_runs[run.running] = run
        else:
            given = (str(value) for name in _IDS if isinstance(value := step.call.input.get(name), str | int))
            if going := open_runs.get(next(given, "")):
                _go_on(going, step, place)
    for run in runs:
        if run.later:
            run.output = "\n".join((run.output, *run.later))
    return runs


def _go_on(run: Run, step: Step, place: int) -> None:
    run.later.append(step.answer or "")
    run.ended, run.place = step.message, place
    if _ENDING.search(step.tool) or ENDED.search(step.answer or ""):
        run.running, run.failed = "", step.outcome == "failed"
