"""Checks: tests, builds, linters and type checkers, by what their output says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from compact_chat.facts.errors import parts_of
from compact_chat.facts.notes import WITH, Note
from compact_chat.facts.steps import CLEARED, Run, working_folder
from compact_chat.facts.words import counted, shortened
from compact_chat.text import marked_lines

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
