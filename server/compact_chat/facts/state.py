"""The state of the work, with evidence: commits, pushes, branches, what is uncommitted, checks, and what still runs.

Everything is read from commands and their output; what the assistant claims about them does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.facts.errors import parts_of
from compact_chat.facts.files import file_kind
from compact_chat.facts.steps import Step
from compact_chat.facts.words import counted, shortened

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


# Runs: commands with all of their output, also what tools fetched later from one that went on in the background.

_STARTED = re.compile(
    r"(?:Process running with session ID|running in (?:the )?background with ID:?|started background (?:task|process))"
    r" ?\"?([\w-]{1,60})"
)
_IDS = ("session_id", "shell_id", "bash_id", "task_id", "id")
_ENDING = re.compile(r"kill|stop|terminat", re.IGNORECASE)
_ENDED = re.compile(
    r"exited with|exit[ _]code|<status>(?:completed|failed|killed|stopped)|has (?:completed|finished|exited)",
    re.IGNORECASE,
)
_CLEARED = "[Old tool result content cleared]"
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
            continue
        given = next((str(value) for name in _IDS if isinstance(value := step.call.input.get(name), str | int)), "")
        if given in open_runs:
            _go_on(open_runs[given], step, place)
    return runs


def _go_on(run: Run, step: Step, place: int) -> None:
    run.output, run.ended, run.place = f"{run.output}\n{step.answer}", step.message, place
    if _ENDING.search(step.tool) or _ENDED.search(step.answer or ""):
        run.running, run.failed = "", step.outcome == "failed"


# Version control: what was committed, pushed, and left, in each folder.

_COMMITTED = re.compile(
    r"^\[([^\[\]\n ]{1,200})(?: [^\[\]\n]{1,60})? ([0-9a-f]{7,40})\] (\S[^\n]{0,300})$", re.MULTILINE
)
_GIT = r"\bgit(?:\s+-[cC]\s+\S{1,300}|\s+--?[\w=-]{1,60}){0,4}\s+"
_COMMIT = re.compile(rf"{_GIT}commit\b")
_SUBJECT = re.compile(
    r"(?:-m|--message)[= ]?\s*(?:\"\$\(cat <<-?\s*['\"]?\w{1,20}['\"]?\s*\n\s*([^\n]{1,300})"
    r"|\"([^\"\n]{1,300})|'([^'\n]{1,300}))"
)
_PUSH = re.compile(rf"{_GIT}push\b(?![^\n;&|]{{0,200}}(?:--dry-run|-n\b|:refs|--delete))")
_PUSHED = re.compile(r"^\W{0,4}\w{7,40}\.{2,3}\w{7,40}\s+(\S+) -> |^\W{0,4}\[new branch\]\s+(\S+) -> ", re.MULTILINE)
_REFUSED = re.compile(r"^\s*(?:! \[|error: failed to push|remote: error|fatal: )", re.MULTILINE)
_BRANCH = re.compile(
    r"^(?:Output: )?(?:On branch |## (?:No commits yet on )?|Switched to (?:a new |and reset )?branch ')"
    r"([\w./@-]{1,200}?)(?='|\.\.\.|\s|$)(?:\.\.\.\S{1,200}(?: \[([^\]\n]{1,60})\])?)?",
    re.MULTILINE,
)
_AHEAD = re.compile(r"^Your branch is (up to date|ahead of \S{1,200} by (\d{1,6}))|\bahead (\d{1,6})", re.MULTILINE)
_STATUS = re.compile(rf"{_GIT}status\b")
_CHANGED = re.compile(
    r"^(?:(?!  )[ MADRCU?!]{2} |\t(?:modified|new file|deleted|renamed):\s{1,10})(\S[^\n]{0,400})$", re.MULTILINE
)
_UNSTAGED = re.compile(r"^(?:[ MADRCU?!][MADRCU?!] |Changes not staged|Untracked files)", re.MULTILINE)
_CLEAN = "nothing to commit"
_DISCARDS = re.compile(rf"{_GIT}(?:stash(?! (?:list|pop|apply|show))|reset --hard|checkout (?:--|\.)|restore|clean)\b")
_THROWAWAY = re.compile(r"\bgit init\b")
_OPENED = re.compile(r"\bgh (pr|issue|release) create\b|\bglab (mr|issue) create\b")
_LINK = re.compile(r"https?://\S{5,300}?/(?:pull|issues|merge_requests|releases/tag)/[\w.-]{1,60}")
_MERGE = re.compile(rf"{_GIT}merge\s+(?:--?[\w=-]{{1,40}}\s+)*([\w./-]{{2,200}})")
_MERGED = re.compile(r"\bgh pr merge\s+(\d{1,8})")
MOST_PATHS = 30


class Commit(Struct):
    """A commit that a command made; its hash is empty where the output was cleared."""

    branch: str
    hash: str
    subject: str
    message: str
    pushed: bool = False


def hashes_of(output: str) -> tuple[str, ...]:
    """Return the short hashes of the commits that a command made."""
    return tuple(one[2][:7] for one in _COMMITTED.finditer(output))


_KIND = re.compile(r"^\w{1,20}(?:\([^()\n]{1,60}\))?!?: ")  # of conventional commits


def subject_mark(subject: str) -> str:
    """Return the mark that shows a commit by its subject, in any words."""
    return subject and WITH + _KIND.sub("", subject)


class Repository:
    """What is known of one working copy."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.branch, self.branch_seen = "", ""
        self.commits: list[Commit] = []
        self.changed: tuple[str, ...] | None = None  # None: not known
        self.changed_seen = ""
        self.staged = False  # all of them
        self.pushes: dict[str, tuple[bool, str]] = {}  # by branch: whether it worked, and the message
        self.links: list[tuple[str, str]] = []

    def see(self, run: Run) -> None:
        """Read one command and its output."""
        command, output, message = run.command, run.output, run.ended
        self._branches(output, message)
        if _COMMIT.search(command):
            self._commit(run)
        if _STATUS.search(command) and output.strip() != _CLEARED and not run.failed:
            self._status(output, message)
        elif _DISCARDS.search(command) and not run.failed:
            self.changed = None
        if _PUSH.search(command):
            self._push(run)
        if (opened := _OPENED.search(command)) and (link := _LINK.search(output)):
            self.links.append((f"Opened {opened[1] or opened[2]} {link[0]}", message))
        if (joined := _MERGE.search(command)) and not run.failed and "CONFLICT" not in output:
            self.links.append((f"Merged {joined[1]}", message))
        if (merged := _MERGED.search(command)) and not run.failed:
            self.links.append((f"Merged pull request #{merged[1]}", message))

    def _branches(self, output: str, message: str) -> None:
        for found in _BRANCH.finditer(output[:20_000]):
            self.branch, self.branch_seen = found[1], message
            if found[2] is None and "..." in found[0]:
                self._mark_pushed(found[1], unpushed=0)
        if (ahead := _AHEAD.search(output[:20_000])) and self.branch:
            self._mark_pushed(self.branch, unpushed=int(ahead[2] or ahead[3] or 0))

    def _commit(self, run: Run) -> None:
        found = [
            Commit("" if one[1] == "detached" else one[1], one[2], one[3], run.ended)
            for one in _COMMITTED.finditer(run.output)
        ]
        if not found and run.output.strip() == _CLEARED and (subject := _SUBJECT.search(run.command)):
            found = [Commit(self.branch, "", next(filter(None, subject.groups())), run.ended)]
        if not found:
            return
        if "--amend" in run.command and self.commits:
            self.commits.pop()
        self.commits += found
        self.branch, self.branch_seen = found[-1].branch or self.branch, run.ended
        self.changed = None

    def _status(self, output: str, message: str) -> None:
        paths = tuple(dict.fromkeys(one[1].strip() for one in _CHANGED.finditer(output)))
        short = _CLEAN in output or not output.strip() or output.lstrip().startswith("## ") or "## " in output
        if paths or short:
            self.changed, self.changed_seen = paths[:MOST_PATHS], message
            self.staged = not _UNSTAGED.search(output)

    def _push(self, run: Run) -> None:
        to = _PUSHED.search(run.output)
        branch = (to[1] or to[2]) if to else self.branch
        refused = (run.failed and not to) or bool(_REFUSED.search(run.output))
        if run.running or not (branch or self.commits):
            return
        self.pushes[branch] = not refused, run.ended
        if not refused:
            self._mark_pushed(branch, unpushed=0)

    def _mark_pushed(self, branch: str, unpushed: int) -> None:
        own = [one for one in self.commits if one.branch == branch]
        for place, one in enumerate(own):
            one.pushed = place < len(own) - unpushed

    def notes(self, several: bool) -> Iterator[Note]:
        """Yield what is known, the newest state of each."""
        where = f" in {self.folder}" if several and self.folder else ""
        for one in self.commits:
            name = f"{one.hash[:12]} {one.subject}".strip()
            pushed = "pushed" if one.pushed else "not seen to be pushed"
            shown = tuple(filter(None, (one.hash[:7], subject_mark(one.subject))))
            on = f" on {one.branch}" if one.branch else ""
            yield Note(f"Committed {name}{on} ({pushed})", one.message, one.message, f"commit {name}", shown)
        for branch, (worked, message) in self.pushes.items():
            text = f"Pushed {branch}{where}" if worked else f"Push of {branch}{where} was refused"
            pushes = ("pushed",) if worked else tuple(f"push{WITH}{word}" for word in ("refused", "fail", "reject"))
            yield Note(text, message, message, f"push {branch}{where}", pushes, ok=worked)
        if self.branch and self.branch_seen:
            text = f"On branch {self.branch}{where}"
            yield Note(text, self.branch_seen, self.branch_seen, f"branch {self.branch}{where}", (self.branch,))
        if self.changed:
            text = f"{'Staged, not committed' if self.staged else 'Uncommitted'}{where}: {', '.join(self.changed)}"
            words = ("uncommitted", "not committed", "not yet committed", "unstaged", "untracked", "staged")
            yield Note(text, self.changed_seen, self.changed_seen, text, words, ok=False)
        for text, message in self.links:
            name = text.rpartition(" ")[2]
            shown = (f"merg{WITH}{name.rpartition('/')[2].lower()}",) if text.startswith("Merged ") else (name,)
            yield Note(text, message, message, text, shown)


# Checks: tests, builds, linters and type checkers, by what their output says.

_PREFIX = (
    r"(?:\S{0,200}/)?(?:(?:uv|poetry|pipenv|pdm|hatch) run\s+|bundle exec\s+|npx\s+(?:--?\S{1,30}\s+)*|bunx\s+"
    r"|python3?\s+-m\s+|time(?:out \S{1,10})?\s+)?(?:\S{0,200}/)?"
)
_PROGRAMS = (
    "pytest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|tsc|eslint|biome|ruff|flake8|pylint|mypy|pyright"
    "|golangci-lint|pre-commit|shellcheck|unittest|playwright test|cypress run|go (?:test|vet|build)"
    r"|cargo (?:\+\w{1,20} )?(?:test|check|build|clippy|nextest)|dotnet (?:test|build)|swift (?:test|build)"
    r"|bazel (?:test|build)|terraform (?:validate|plan)|cmake --build|deno (?:test|check|lint)|bun test|make"
)
_RUNNERS = r"npm|pnpm|yarn|bun|mise|just|make|task|rake|gradle|\./gradlew|mvn|\./mvnw|invoke|composer"
_SCRIPTS = "test|lint|check|build|type|verify|compile|package|e2e|spec|ci"
_CHECKERS = re.compile(
    rf"{_PREFIX}(?:{_PROGRAMS}|(?:{_RUNNERS})(?:\s+(?:run|exec|--?[\w=-]{{1,40}})){{0,4}}"
    rf"\s+[\w:-]{{0,30}}(?:{_SCRIPTS})[\w:-]{{0,30}})(?=\s|$|;)"
)
_SUITE = r"(?:Tests?|Test Files|Test Suites|Suites)?:?\s{0,12}(?:\d{1,6} \w{1,12}(?:, |\s?\|\s?)){0,6}"
_RESULT = re.compile(
    rf"^\W{{0,8}}(?:{_SUITE}\d{{1,6}} (?:passed|failed|failing|passing|pending|errors?|skipped)\b[^\n]{{0,120}}"
    r"|\d{1,6} (?:issues?|problems?|errors?|warnings?|examples?|specs?|tests?)\b[^\n]{0,100}"
    r"|Found \d{1,6} (?:errors?|warnings?|problems?)\b[^\n]{0,80}|Success: no issues found[^\n]{0,60}"
    r"|All checks passed|All tests passed|test result: (?:ok|FAILED)\.[^\n]{0,100}|Ran \d{1,6} tests? in[^\n]{0,40}"
    r"|OK(?: \([^\n]{0,60}\))?$|FAILED \([^\n]{0,60}\)|Tests run: \d[^\n]{0,80}|BUILD (?:SUCCESS\w{0,3}|FAIL\w{1,4})"
    r"|Build (?:succeeded|FAILED)|Passed! [^\n]{0,100}|Failed! [^\n]{0,100}|(?:PASS|FAIL)$)",
    re.MULTILINE,
)
_PACKAGE = re.compile(r"^(?:ok|FAIL)\s{1,8}(\S{1,120})\s{1,8}(?:\d|\(cached\)|\[)", re.MULTILINE)  # of go
_COUNT = r"[1-9]\d{0,5} (?:failed|failing|failures?|errors?|problems?|issues?)\b"
_FAILURE = re.compile(
    rf"^\W{{0,8}}(?:{_SUITE}{_COUNT}|Found {_COUNT})"
    r"|^\s{0,8}(?:--- FAIL|FAIL(?:ED)?\b(?!\s*0)|FAILURES!|npm ERR!|npm error |panic: |Traceback \(most recent"
    r"|test result: FAILED|Failed! |BUILD FAIL|Build FAILED|error\[E\d|error: (?:could not compile|build failed)"
    r"|fatal error:|Segmentation fault|E\s{2,6}\w{1,60}(?:Error|Exception))"
    r"|\berror TS\d{3,5}\b|\bERROR task failed\b|make(?:\[\d\])?: \*\*\*"
    r"|^[^\s:(][^:(\n]{0,200}:\d{1,6}(?::\d{1,6})?:? (?:fatal )?error\b"
    r"|^(?:EXIT|exit)(?:[ _]?(?:code|status))?[:= ]{1,3}[1-9]\d{0,2}\s*$|^\S{1,60}: command not found"
    r"|\b(?:Failures|Errors): [1-9]",
    re.MULTILINE,
)
_QUIET = re.compile(r"\|\|\s*(?:true|:|echo\b)")
_PASS = (
    "pass",
    "succe",
    "green",
    "clean",
    "ok",
    "0 issues",
    "no issues",
    "no error",
    "compiles",
    "works",
    "0 fail",
    "fixed",
)
_FAIL = ("fail", "error", "red", "broken", "issue", "does not", "doesn't", "not pass")
_SYNONYMS = {"build": ("build", "compil"), "compile": ("compil",), "typecheck": ("type",)}
_SORTS = ("lint", "typecheck", "type", "build", "compile", "test", "check", "verify")


def checks(runs: Iterable[Run], edited: int = -1) -> Iterator[Note]:
    """Yield each check with its last real result: an exit code of 0 above a failure in the output is a failure.

    `edited` is the place of the last edit: what passed before it may fail now.
    """
    last: dict[str, Note] = {}
    for run in runs:
        if run.running or run.output.strip() == _CLEARED:
            continue
        parts = [part for part in parts_of(run.command) if _CHECKERS.match(part)]
        if not parts:
            continue
        failure = _FAILURE.search(run.output)
        failed = bool(failure) or (run.failed and not _QUIET.search(run.command))
        for part in parts:
            name = _check_name(part)
            first = _line_at(run.output, failure.start()) if failure else ""
            line = _result(run.output, first, failed) if failed or len(parts) == 1 else ""
            note = _checked(name, run, line, failed)
            if run.place < edited and not failed:
                note = replace(note, text=f"{note.text} (before the last edit)")
            before = last.pop(name, None)
            last[name] = replace(note, first=before.first if before else note.message)
    yield from last.values()


def _check_name(part: str) -> str:
    """Name a check by its program and what it checks, without options and output."""
    core, *_ = re.split(r"\s*(?:\||2?>)", part, maxsplit=1)
    return shortened(core.replace('""', '"…"'), 100)


def _line_at(output: str, at: int) -> str:
    """Return the line that a match begins on."""
    end = output.find("\n", at + 1)
    return output[at : end if end >= 0 else len(output)].strip()


def _result(output: str, failure: str, failed: bool) -> str:
    """Return the line that sums up the output of a check."""
    lines = [line.strip() for line in _RESULT.findall(output)]
    packages = {} if failed else dict.fromkeys(_PACKAGE.findall(output))
    if not lines or lines[-1] in ("PASS", "FAIL"):
        lines = [f"{counted(len(packages), 'package')} ok"] if packages else lines
    line = next((one for one in reversed(lines) if not failed or _FAILURE.search(one)), "")
    return shortened(line or failure.strip(), 120)


def _checked(name: str, run: Run, line: str, failed: bool) -> Note:
    text = f"{name} → {'failed' if failed else 'passed'}{f': {line}' if line else ''}"
    marks = (*([line] if len(line) > 12 else []), *_outcomes(name, _FAIL if failed else _PASS))
    return Note(text, run.ended, run.ended, f"check {name} {failed} {line}", marks, ok=not failed)


def _outcomes(name: str, words: Sequence[str]) -> Iterator[str]:
    sort = next((sort for sort in _SORTS if sort in name), name.split(maxsplit=1)[0])
    for one in _SYNONYMS.get(sort, (sort,)):
        yield from (f"{one}{WITH}{word}" for word in words)


def check_words(part: str) -> Iterator[str]:
    """Yield the marks by which a summary says how a check ended, either way; none for other commands."""
    if _CHECKERS.match(part):
        yield from _outcomes(_check_name(part), ("pass", "fail", "green", "issue", "succe"))


_SERVES = re.compile(r"\b(?:dev|serve|server|start|watch|up|preview|tail -f|daemon)\b")
RECENT = 10  # commands; older ones that no background was asked for have ended unseen


def running(runs: Sequence[Run], told: Sequence[str]) -> Iterator[Note]:
    """Yield the processes that were started in the background and not seen to end; `told` are texts of the host."""
    for place, run in enumerate(runs):
        asked = "background" in run.output[:1000] or _SERVES.search(run.command) or place >= len(runs) - RECENT
        if run.running and asked and not any(run.running in text and _ENDED.search(text) for text in told):
            text = f"Still running: {shortened(run.command, 160)} (id {run.running})"
            marks = shortened(run.command, 60).removesuffix("…"), run.running
            yield Note(text, run.ended, run.step.message, text, marks)


def state_of(taken: Sequence[Step], told: Sequence[str] = ()) -> tuple[Note, ...]:
    """List the state that the chat's commands left: version control, checks, running processes."""
    runs = runs_of(taken)
    repositories: dict[str, Repository] = {}
    for run in runs:
        if "git" in run.command or "gh " in run.command or "glab " in run.command:
            if _THROWAWAY.search(run.command):
                continue
            repositories.setdefault(run.folder, Repository(run.folder)).see(run)
    known = list(repositories.values())
    for place, one in enumerate(known):  # one working copy may be named in several ways
        names = {path.rpartition("/")[2] for path in one.changed or ()}
        if names and any(
            names <= {path.rpartition("/")[2] for path in newer.changed or ()} for newer in known[place + 1 :]
        ):
            one.changed = None
    notes = [note for one in known for note in one.notes(len(known) > 1)]
    edits = (place for place, step in enumerate(taken) if step.done and file_kind(step) in ("write", "edit"))
    return (*notes, *checks(runs, max(edits, default=-1)), *running(runs, told))
