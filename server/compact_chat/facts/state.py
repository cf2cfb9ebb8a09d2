"""The state of the work, with evidence, as typed notes: commits, pushes, branches, checks, and what still runs.

Everything is read from commands and their output; what the assistant claims about them does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.facts.errors import parts_of
from compact_chat.facts.files import edited_paths, file_kind, is_agents_own
from compact_chat.facts.steps import CLEARED, ENDED, Run, Step, runs_of, working_folder
from compact_chat.facts.words import shortened, shortened_command
from compact_chat.text import counted, marked_lines

WITH = "\0"  # joins two words that a mark needs on one line

NoteKind = Literal["commit", "push", "branch", "changes", "link", "issue", "check", "running"]


class Note(Struct, frozen=True):
    """A fact about the state: what it is about, the messages that state it last and first, and its marks in a text.

    A mark that begins with `WITH` may be in other words. Branch on the fields: no code may parse the texts.
    """

    kind: NoteKind
    name: str  # a commit's hash and subject, a branch, an issue, a check's command; the start of a list of changes
    message: str
    first: str
    marks: tuple[str, ...] = ()
    ok: bool = True  # False for a failed check, a refused push, and uncommitted changes
    result: str = ""  # a check's summary line, an issue's state, a process's id
    branch: str = ""
    folder: str = ""  # only if the chat works in several; of a check only if later edits are all elsewhere
    paths: tuple[str, ...] = ()
    pushed: bool = False
    stale: bool = False  # a check that passed before the last edit

    @property
    def text(self) -> str:
        """The whole fact."""
        match self.kind:
            case "commit":
                return f"Committed {self.name}{self._on_branch}"
            case "push":
                name = self.branch or "commits"
                return f"Pushed {name}{self._where}" if self.ok else f"Push of {name}{self._where} was refused"
            case "branch":
                return f"On branch {self.branch}{self._where}"
            case "changes":
                return f"{self.heading}: {', '.join(self.paths)}"
            case "issue":
                return f"State of {self.short}"
            case "check":
                return self.short + " (before the last edit)" * self.stale
            case "running":
                return f"Still running: {self.name} (id {self.result})"
            case "link":
                return self.name

    @property
    def short(self) -> str:
        """The fact under a heading that says what it is about."""
        if self.kind == "check":
            return f"{self.name} → {'passed' if self.ok else 'failed'}{self.result and f': {self.result}'}"
        return f"{self.name}: {self.result}" if self.kind == "issue" else self.name

    @property
    def heading(self) -> str:
        """What several commits share, or a list of changed paths is about."""
        return f"Committed{self._on_branch}" if self.kind == "commit" else f"{self.name}{self._where}"

    @property
    def key(self) -> str:
        """What identifies the fact while its state changes."""
        match self.kind:
            case "commit" | "issue":
                return f"{self.kind} {self.name}"
            case "push" | "branch":
                return f"{self.kind} {self.branch}{self._where}"
            case "check":
                return f"check {self.name} {not self.ok} {self.result}"
        return self.text

    @property
    def _on_branch(self) -> str:
        on = f" on {self.branch}" if self.branch else ""
        return f"{on} ({'pushed' if self.pushed else 'not seen to be pushed'})"

    @property
    def _where(self) -> str:
        return f" in {self.folder}" if self.folder else ""


# Checks: tests, builds, linters and type checkers, by what their output says.

MOST_DEPTH = 60  # of folders
# A command with one of these may leave the folder that it begins in.
_ELSEWHERE = re.compile(r"\b(?:cd|pushd)\s|(?<![.\w])\.\.(?![.\w])|[\s=:\"'](?:[~$]|/(?!dev/null))")
_PREFIX = (
    r"(?:\S{0,200}/)?(?:(?:uv|poetry|pipenv|pdm|hatch) run\s+|bundle exec\s+|npx\s+(?:--?\S{1,30}\s+)*|bunx\s+"
    r"|python3?\s+-m\s+|time(?:out \S{1,10})?\s+)?(?:\S{0,200}/)?"
)
_PROGRAMS = (
    "pytest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|tsc|eslint|biome|ruff|flake8|pylint|mypy|pyright"
    "|golangci-lint|pre-commit|shellcheck|unittest|playwright test|cypress run|go (?:test|vet|build)"
    r"|cargo (?:\+\w{1,20} )?(?:test|check|build|clippy|nextest)|dotnet (?:test|build)|swift (?:test|build)"
    r"|bazel (?:test|build)|terraform (?:validate|plan)|cmake --build|deno (?:test|check|lint)|bun test|make"
    r"|(?:python3?\s+)?(?:[\w.-]{1,40}/)?manage\.py (?:test|check)"
)
_RUNNERS = r"npm|pnpm|yarn|bun|mise|just|make|task|rake|gradle|\./gradlew|mvn|\./mvnw|invoke|composer"
_SCRIPTS = "test|lint|check|build|type|verify|compile|package|e2e|spec|ci"
_OPTION = r"(?:--filter|--prefix|--cwd|-F|-C)[= ]\S{1,80}|--?[\w=-]{1,40}"
_NAMES = re.compile(rf"{_SCRIPTS}|ruff|mypy|pyright|tsc")  # what the name of a check has
_CHECKERS = re.compile(
    rf"{_PREFIX}(?:(?:{_RUNNERS})(?:\s+(?:run|exec|{_OPTION})){{0,4}}\s+[\w:-]{{0,30}}(?:{_SCRIPTS})[\w:-]{{0,30}}"
    rf"|{_PROGRAMS})(?=\s|$|;)"
)
_TESTERS = re.compile(  # by name, or scripts of a project that run its tests among others
    r"test|\b(?:ava|cypress|e2e|jest|mocha|nox|phpunit|r?spec|tox)\b"
    rf"|\A(?:{_RUNNERS})\s(?:[^\n]{{0,80}}\s)?(?:check|verify|(?<!npm )ci)(?=\s|\Z)"
)
_TESTED = re.compile(r"\b\d{1,6} (?:passed|passing|failed|failing|tests?|examples?|specs?)\b|\btests? \w")
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


def checks(runs: Sequence[Run], edits: Sequence[tuple[int, str]] = ()) -> Iterator[Note]:
    """Yield each check with its last real result: an exit code of 0 above a failure in the output is a failure.

    What passed may fail after one of the `edits`, which are places with paths.
    """
    last: dict[str, Note] = {}
    edited = _LastEdits(runs, edits)
    for run in runs:
        if run.running or run.output.strip() == CLEARED:
            continue
        parts = [part for part in parts_of(run.command) if _CHECKERS.match(part)]
        if not parts:
            continue
        failure = _FAILURE.search(run.output)
        failed = bool(failure) or (run.failed and not _QUIET.search(run.command))
        stale = not failed and run.place < edited.that_count(run)
        folder = edited.root(run) if not failed and not stale and run.place < edited.last else ""
        for part in parts:
            name = _check_name(part)
            first = _line_at(run.output, failure.start()) if failure else ""
            line = _result(run.output, first, failed) if failed or len(parts) == 1 else ""
            same = " ".join(word for word in name.split() if not word.startswith("-"))
            before = last.pop(same, None)
            first = before.first if before else run.ended
            marks = (*([line] if len(line) > 12 else []), *_outcomes(name, _FAIL if failed else _PASS))
            note = Note("check", name, run.ended, first, marks, ok=not failed, result=line)
            last[same] = replace(note, stale=stale, folder=folder)
    yield from last.values()


class _LastEdits:
    """The places of the last edits: of any file, and below the folders that commands ran in."""

    def __init__(self, runs: Iterable[Run], edits: Iterable[tuple[int, str]]) -> None:
        folders = {folder for run in runs if (folder := _absolute(run.folder))}
        # A folder inside another one is a part of the same project.
        self._roots = {one: next(part for part in (*_above(one), one) if part in folders) for one in folders}
        self._below: dict[str, int] = {}
        self.last = self._anywhere = -1
        for place, given in edits:
            self.last = max(self.last, place)
            if not (path := _absolute(given)):
                self._anywhere = place
            for folder in _above(path):
                if folder in folders:
                    self._below[folder] = place

    def root(self, run: Run) -> str:
        """Return the outermost folder of commands that a command ran in; empty if its folder is not known."""
        folder = working_folder(run.step)
        rest = run.command[run.command.find(folder) + len(folder) :] if folder in run.command else run.command
        return "" if _ELSEWHERE.search(rest) else self._roots.get(_absolute(folder), "")

    def that_count(self, run: Run) -> int:
        """Return the place of the last edit that may change what a command finds."""
        root = self.root(run)
        return max(self._anywhere, self._below.get(root, -1)) if root else self.last


def _absolute(path: str) -> str:
    """Return an absolute path in its plain form; empty if it is not known where it leads."""
    is_plain = path.startswith("/") and "/.." not in path and path.count("/") < MOST_DEPTH
    path = path.removeprefix("/private") if path.startswith("/private/") else path  # to which macOS links `/tmp`
    return path.rstrip("/") if is_plain else ""


def _above(path: str) -> Iterator[str]:
    """Yield the folders that a path is in, the outermost first."""
    ends = (found.start() for found in re.finditer("/", path))
    yield from (path[:end] for end in islice(ends, 1, None))


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


def _outcomes(name: str, words: Sequence[str]) -> Iterator[str]:
    sort = next((sort for sort in _SORTS if sort in name), name.split(maxsplit=1)[0])
    for one in _SYNONYMS.get(sort, (sort,)):
        yield from (f"{one}{WITH}{word}" for word in words)


def check_words(part: str) -> Iterator[str]:
    """Yield the marks by which a summary says how a check ended, either way; none for other commands."""
    if _CHECKERS.match(part):
        yield from _outcomes(_check_name(part), ("pass", "fail", "green", "issue", "succe"))


def is_test(check: Note) -> bool:
    """Whether a check ran tests, by its name or by the line that sums it up."""
    return bool(_TESTERS.search(check.name) or _TESTED.search(check.result))


_SPAN = re.compile(r"`([^`\n]{4,120})`")


def named_checks(texts: Iterable[str]) -> list[str]:
    """List the checks that texts name in code."""
    pieces = [line for text in texts for line, is_code in marked_lines(text) if is_code]
    pieces += [one for text in texts for one in _SPAN.findall(text)]
    named = (piece for piece in pieces if _NAMES.search(piece))
    found = (check[0] for piece in named for part in parts_of(piece) if (check := _CHECKERS.match(part)))
    return [name for name in dict.fromkeys(found) if name != "make"]


def is_check(command: str) -> bool:
    """Whether a command runs a check, whose result is a note."""
    return any(_CHECKERS.match(part) for part in parts_of(command))


# Version control: what was committed, pushed, and left, in each folder.

_COMMITTED = re.compile(
    r"^\[([^\[\]\n ]{1,200})(?: [^\[\]\n]{1,60})? ([0-9a-f]{7,40})\] (\S[^\n]{0,300})$", re.MULTILINE
)
# A pattern with a literal prefix is searched faster.
_GIT = r"git(?<=\bgit)(?:\s+-[cC]\s+\S{1,300}|\s+--?[\w=-]{1,60}){0,4}\s+"
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
_DISCARDS = re.compile(
    rf"{_GIT}(?:(?:stash(?! (?:list|pop|apply|show))|reset --hard|restore|clean)\b"
    r"|checkout (?:\S{1,60} )?(?:--|\.)(?=\s|$))"
)
_UNDONE = re.compile(  # a path behind it would reset a file, and no commit
    rf"{_GIT}reset\s+(?:--?\w{{1,10}}\s+){{0,3}}([\"']?)HEAD(?:~(\d{{0,3}})|(\^{{1,9}}))\1"
    r"(?=(?:[ \t]+--?\w{1,10}){0,3}[ \t]*(?:$|[;&|)\n#]|\d?>))"
)
_IN_ONE = re.compile(r"\bgit\s+-C\s+(\S{1,400})|\bcd\s+([^\s;&|]{1,400})")
_THROWAWAY = re.compile(r"\bgit init\b")
_OPENED = re.compile(r"\bgh (pr|issue|release) create\b|\bglab (mr|issue) create\b")
_LINK = re.compile(r"https?://\S{5,300}?/(?:pull|issues|merge_requests|releases/tag)/[\w.-]{1,60}")
_MERGE = re.compile(rf"{_GIT}merge\s+(?:--?[\w=-]{{1,40}}\s+)*([\w./-]{{2,200}})")
_MERGED = re.compile(r"\bgh pr merge\s+(\d{1,8})")
_TRACKED = re.compile(r"\b(bd|(?:gh|glab) (?:issue|pr|mr)) (create|close|reopen|update|show|view) ?([^;&|\n]{0,600})")
_CREATED = re.compile(r"Created issue: ([\w.-]{2,40})|^\W{0,6}\"id\": ?\"([\w.-]{2,40})\"", re.MULTILINE)
_STATE = re.compile(
    r"\b(?:status|state)\"?: ?\"?(\w{2,20})|\[[^\]\n]{0,20}\b(OPEN|CLOSED|IN_PROGRESS|BLOCKED)\]", re.IGNORECASE
)
_MADE = re.compile(r"--(?:status|state)[= ]([\w-]{2,20})")
_ENDS = {"create": "open", "close": "closed", "reopen": "open"}
MOST_PATHS, MOST_UNPUSHED = 30, 500


class Commit(Struct):
    """A commit that a command made; its hash is empty where the output was cleared."""

    branch: str
    hash: str
    subject: str
    message: str
    pushed: bool = False


def subjects_of(command: str) -> list[str]:
    """Return the first lines of the messages that a command gives commits."""
    return [next(filter(None, one.groups())) for one in _SUBJECT.finditer(command)]


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
        self.links: list[Note] = []  # what was opened and merged

    def see(self, run: Run) -> None:
        """Read one command and its output."""
        command, output, message = run.command, run.output, run.ended
        is_one = len(set(_IN_ONE.findall(command))) < 2  # with several repositories, the output may be of any
        if is_one:
            self._branches(output, message, bool(_STATUS.search(command)))
        undone = None if run.failed else _UNDONE.search(command)
        committed = _COMMIT.search(command)
        is_first = undone and committed and undone.start() < committed.start()
        if undone and is_first:
            self._undo(undone)
        if committed:
            self._commit(run)
        if is_one and _STATUS.search(command) and output.strip() != CLEARED and not run.failed:
            self._status(output, message)
        elif _DISCARDS.search(command) and not run.failed:
            self.changed = None
        if undone and not is_first:
            self._undo(undone)
        if _PUSH.search(command):
            self._push(run)
        if (opened := _OPENED.search(command)) and (link := _LINK.search(output)):
            self._link(f"Opened {opened[1] or opened[2]} {link[0]}", message, link[0])
        if (joined := _MERGE.search(command)) and not run.failed and "CONFLICT" not in output:
            self._link(f"Merged {joined[1]}", message, f"merg{WITH}{joined[1].rpartition('/')[2].lower()}")
        if (merged := _MERGED.search(command)) and not run.failed:
            self._link(f"Merged pull request #{merged[1]}", message, f"merg{WITH}#{merged[1]}")

    def _link(self, text: str, message: str, mark: str) -> None:
        self.links.append(Note("link", text, message, message, (mark,)))

    def _branches(self, output: str, message: str, is_status: bool) -> None:
        output = output[:20_000]
        for found in _BRANCH.finditer(output) if "branch " in output or "## " in output else ():
            if "## " in found[0] and not is_status:  # a heading
                continue
            self.branch, self.branch_seen = found[1], message
            if found[2] is None and "..." in found[0]:
                self._mark_pushed(found[1], unpushed=0)
        if self.branch and ("ahead " in output or "up to date" in output) and (ahead := _AHEAD.search(output)):
            self._mark_pushed(self.branch, unpushed=int(ahead[2] or ahead[3] or 0))

    def _undo(self, reset: re.Match[str]) -> None:
        number = len(reset[3]) if reset[3] else int(reset[2] or 1)
        self.commits = self.commits[: max(0, len(self.commits) - number)]

    def _commit(self, run: Run) -> None:
        made = _COMMITTED.finditer(run.output)
        found = [Commit("" if one[1] == "detached" else one[1], one[2], one[3], run.ended) for one in made]
        if not found and run.output.strip() == CLEARED:
            found = [Commit(self.branch, "", subject, run.ended) for subject in subjects_of(run.command)[:1]]
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
        own = [one for one in self.commits[-MOST_UNPUSHED:] if one.branch in (branch, "")]
        for place, one in enumerate(own):
            one.pushed = place < len(own) - unpushed

    def notes(self, several: bool) -> Iterator[Note]:
        """Yield what is known, the newest state of each."""
        folder = self.folder if several else ""
        for one in self.commits:
            name = f"{one.hash[:12]} {one.subject}".strip()
            marks = tuple(filter(None, (one.hash[:7], subject_mark(one.subject))))
            yield Note("commit", name, one.message, one.message, marks, branch=one.branch, pushed=one.pushed)
        for branch, (worked, message) in self.pushes.items():
            marks = ("pushed",) if worked else tuple(f"push{WITH}{word}" for word in ("refused", "fail", "reject"))
            yield Note("push", branch, message, message, marks, ok=worked, branch=branch, folder=folder)
        if self.branch:
            seen, name = self.branch_seen, self.branch
            yield Note("branch", name, seen, seen, (name,), branch=name, folder=folder)
        if self.changed:
            seen, name = self.changed_seen, "Staged, not committed" if self.staged else "Uncommitted"
            marks = ("uncommitted", "not committed", "not yet committed", "unstaged", "untracked", "staged")
            yield Note("changes", name, seen, seen, marks, ok=False, folder=folder, paths=self.changed)
        yield from self.links


_SERVES = re.compile(r"\b(?:dev|serve|server|start|watch|up|preview|tail -f|daemon)\b")
LONGEST_RUNNING = 400  # characters: it may have to be started again
MOST_OF_COMMAND = 20_000  # characters
RECENT = 10  # commands; older ones that no background was asked for have ended unseen


def running(runs: Sequence[Run], told: Sequence[str]) -> Iterator[Note]:
    """Yield the processes that were started in the background and not seen to end; `told` are texts of the host."""
    for place, run in enumerate(runs):
        asked = "background" in run.output[:1000] or _SERVES.search(run.command) or place >= len(runs) - RECENT
        if run.running and asked and not any(run.running in text and ENDED.search(text) for text in told):
            name = shortened_command(run.command, LONGEST_RUNNING)
            marks = shortened(run.command, 60).removesuffix("…"), run.running
            yield Note("running", name, run.ended, run.step.message, marks, result=run.running)


def tracked(runs: Sequence[Run]) -> Iterator[Note]:
    """Yield the issues and pull requests that commands created, changed or showed, each with its last state."""
    last: dict[str, Note] = {}
    for run in runs:
        for tool, verb, given in _TRACKED.findall(run.command[:MOST_OF_COMMAND]) if not run.failed else ():
            names = list(takewhile(lambda word: word[0] != "-", given.split()))
            if verb == "create":
                made = _CREATED.search(run.output)
                names = [made[1] or made[2]] if made else []
            found = _MADE.search(given) if verb == "update" else _STATE.search(run.output[:MOST_OF_COMMAND])
            state = "in progress" if "--claim" in given else next(filter(None, found.groups()), "") if found else ""
            state = _ENDS.get(verb, state.lower())
            for name in names if state else ():
                name = f"{tool.partition(' ')[2]} #{name}".strip() if name.isdigit() else name.rpartition("/")[2]
                before = last.pop(name, None)
                first = before.first if before else run.ended
                marks = (f"{name.lower()}{WITH}{state[:4]}",)
                last[name] = Note("issue", name, run.ended, first, marks, result=state.replace("_", " "))
    yield from last.values()


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
    newer: dict[str, list[set[str]]] = {}  # the changed files of newer ones, by the name of each
    for one in reversed(known):  # one working copy may be named in several ways
        names = {path.rpartition("/")[2] for path in one.changed or ()}
        rarest = min((newer.get(name, []) for name in names), key=len, default=[])
        if any(names <= others for others in rarest):
            one.changed = None
        for name in names:
            newer.setdefault(name, []).append(names)
    notes = [note for one in known for note in one.notes(len(known) > 1)]
    changing = ((place, step) for place, step in enumerate(taken) if step.done and file_kind(step) in ("write", "edit"))
    edits = [
        (place, path) for place, step in changing for path in edited_paths(step) or ("",) if not is_agents_own(path)
    ]
    return (*notes, *tracked(runs), *checks(runs, edits), *running(runs, told))
