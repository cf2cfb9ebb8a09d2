"""Errors that tools reported, by the line that names them, and whether a retry of the same task succeeded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.facts.files import file_kind, file_name, file_shown, paths_of
from compact_chat.facts.steps import OUTPUT_TOOLS, Step, runs_of
from compact_chat.facts.words import shortened, shortened_command
from compact_chat.text import code

LONGEST_ERROR_LINES, MOST = 300, 6  # characters of a line, and lines per step
MOST_BETWEEN = 40  # steps between a failure and what resolved it

# Only lines that contain one of these are matched against the patterns below, of compilers, tests and shells.
_HINT = re.compile(r"^go: |rror|ERR|FAIL|fatal|panic|xception|not found|No such|denied|\*\*\*|curl:")
_STRONG = re.compile(
    r"(?:\w[\w.]{0,80}(?:Error|Exception)(?:: .|$)"  # Python, JavaScript, Java
    r"|E\s{2,8}\w[\w.]{0,80}(?:Error|Exception|assert)\b|(?:FAILED|ERROR) \S+::|ERROR: "  # pytest
    r"|\s{0,8}--- FAIL: \S|FAIL[\s:]{1,4}\S"  # go, jest
    r"|(?:remote: |fatal )?[Ee]rror(?:\[\w{1,20}\])?: .|fatal: .|panic: ."  # rustc, git, go
    r"|[^\s:(][^:(\n]{0,200}(?::\d{1,6}(?::\d{1,6})?|\(\d{1,6},\d{1,6}\)):? (?:- )?(?:fatal )?error\b"  # gcc, tsc
    r"|go: (?!downloading|finding|added|upgraded|found)\w"
    r"|npm (?:ERR!|error) |make(?:\[\d\])?: \*\*\* |curl: \(\d|\w{1,20}: [^\n]{1,200} \(HTTP [45]\d\d\))"
)
_SHELL = re.compile(r"(?:[^\s:]{1,200}: line \d{1,6}|\(eval\):\d{1,6}|(?:ba|z|da)?sh): \S[^\n]{1,200}")
LONGEST_PIPED = 600  # characters of an output that holds little besides
_LETTER = re.compile(r"[^\W\d_]")
FRAME = re.compile(  # what hosts write around an output
    r"(?:Process |Command )?(?:exited with (?:exit )?code|exit code)\b|Chunk ID: |Wall time: |Original token count: "
    r"|<shellId: ",
    re.IGNORECASE,
)
_DURATION = re.compile(r"\s*(?:\(\d[\d.]{0,9}m?s\)|\t\d[\d.]{0,9}m?s)\Z")
_TAG = re.compile(r"</?[a-z_]{1,40}>")
_MISUSE = re.compile(
    r"\bunknown (?:command|option|flag|argument|switch)|unrecognized|\busage:|invalid option"
    r"|: (?:parse error|syntax error) near |unexpected EOF while looking for|: bad substitution",  # of the shell
    re.IGNORECASE,
)
_VAGUE = re.compile(  # that something failed, but not what
    r"\W*(?:\[[\w:.-]+\] )?(?:ERROR task failed|exit(?:ed with)? (?:status|code) \d+|FAIL(?:ED)?\s*$|\[?ELIFECYCLE"
    r"|error: (?:script|recipe|found) .{1,40}(?:exited|failed|errors?\b)|Found \d+ errors?\W*$"
    r"|npm (?:ERR!|error) (?:code|errno) )",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\W*(?:error: )?(?:unknown|unrecognized|invalid) (?:command|option|flag|argument|switch)", re.IGNORECASE
)
SEARCHES = frozenset(
    {"grep", "rg", "ag", "glob", "ls", "find", "fd", "listdir", "search", "searchfiles", "findfiles", "filesearch"}
    | {"grepsearch"}
)


class Error(Struct, frozen=True):
    """The line that names an error, what caused it, its exit code, whether it was resolved, its first message.

    `sort` tells what failed: a program that builds, tests or publishes, a look-up or an edit, or another call.
    """

    text: str
    where: str
    code: int | None
    fixed: bool
    message: str
    first: str = ""
    sort: Literal["run", "look", "call"] = "call"
    cure: str = ""  # what was changed before it worked, or the call that did; empty if the call was given up


def find_errors(taken: Sequence[Step]) -> tuple[Error, ...]:
    """List the errors, each once, ordered by their last occurrence."""
    met: dict[tuple[str, str], tuple[Step, Task]] = {}
    first: dict[tuple[str, str], str] = {}
    unsolved: dict[str, dict[str, Task]] = {}  # by task name: its error lines, and what caused each
    misused: dict[str, list[tuple[str, str]]] = {}  # by program: tasks with lines that a correct call resolves
    cured: dict[tuple[str, str], int] = {}  # the place of the step that resolved it
    places: dict[tuple[str, str], int] = {}
    went: dict[tuple[str, str], int] = {}  # the place of the first attempt without it, which may have failed otherwise
    later = {run.place: run for run in runs_of(taken) if run.later}  # in the background
    for place, step in enumerate(taken):
        if run := later.get(place):
            step = replace(step, call=run.step.call, answer=run.output, outcome="failed" if run.failed else "ok")
        task, *more = _tasks_of(step)
        lines = _error_lines(step, task)
        still = unsolved.setdefault(task.name, {})
        if step.outcome == "ok":
            # Success resolves errors of the same task and of narrower ones; of Git also those with fewer files.
            for done in (task, *more):
                before = unsolved.get(done.name, {})
                shown = lines if "|" not in step.command else step.answer or ""  # of a pipe's first program
                for line in [line for line, of in before.items() if line not in shown and _covers(done, of)]:
                    del before[line]
                    cured[done.name, line] = place
            if misused.get(used := program(step.command)):
                for name, line in misused.pop(used):
                    unsolved[name].pop(line, None)
        else:
            since = {line: places[task.name, line] for line, of in still.items() if _covers(task, of)}
            for line in since:
                went.setdefault((task.name, line), place)
            for line in _passed(_failing_tests(step), since, lines):
                del still[line]
                cured[task.name, line] = place
        for line in lines:
            still[line] = task
            if any(map(_MISUSE.search, lines)):
                misused.setdefault(program(step.command), []).append((task.name, line))
            met.pop((task.name, line), None)
            first.setdefault((task.name, line), step.message)
            met[task.name, line] = step, task
            places[task.name, line] = place
            went.pop((task.name, line), None)
    return tuple(
        Error(
            line,
            task.shown,
            step.code,
            line not in unsolved[name],
            step.message,
            first[name, line],
            _sort(step, task),
            _cure(taken, step.command, (places[name, line], went.get((name, line), 0), cured[name, line]), line)
            if (name, line) in cured and line not in unsolved[name]
            else "",
        )
        for (name, line), (step, task) in met.items()
    )


_TEST = re.compile(r"^(?:FAILED|ERROR) (\S{1,300}::.{1,300}?)(?: - .*)?\Z")  # pytest
_TALLY = re.compile(r"^(?:={2,} )?((?:\d{1,6} [a-z]{1,12}(?:, | in ))+)\d", re.MULTILINE)
_BROKEN = re.compile(r"(\d{1,6}) (?:failed|error)")


def _failing_tests(step: Step) -> set[str] | None:
    """Return the tests that a failed run lists, if it ran them all and its output shows each."""
    answer = step.answer or ""
    if step.outcome != "failed" or "::" not in answer:
        return None
    tallies = [tally[1] for tally in _TALLY.finditer(answer)]
    if len(tallies) != 1 or "deselected" in tallies[0] or "stopping after" in answer:
        return None
    lines = (line for line in answer.split("\n") if line.startswith(("FAILED ", "ERROR ")))
    found = [test[1] for test in map(_TEST.match, map(_bare, lines)) if test]
    return set(found) if len(found) == sum(map(int, _BROKEN.findall(tallies[0]))) else None


def _passed(failing: set[str] | None, since: Mapping[str, int], lines: Sequence[str]) -> list[str]:
    """List the earlier lines, with their places, that a run settled in which only some tests fail.

    What an earlier run said besides goes with the last of its tests.
    """
    if failing is None:
        return []
    tests = {line: test[1] for line in since if (test := _TEST.match(line))}
    passed = {line for line, test in tests.items() if test not in failing}
    settled = {since[line] for line in passed} - {since[line] for line in tests if line not in passed}
    return [line for line in since if line in passed or (line not in lines and since[line] in settled)]


def _cure(taken: Sequence[Step], before: str, places: tuple[int, int, int], line: str) -> str:
    """Tell what made the difference: the last that was changed in between, else the call that worked if it is another.

    Commands alone that were followed by an attempt without the error cured it, whatever else that one failed of. A
    correct call overcomes the wrong use of a program. A look at something changes nothing.
    """
    failed, went, worked = places
    then = taken[worked].command
    *prepared, _ = parts_of(then)
    known = parts_of(before)
    is_other = bool(then) and without_limits(then) != without_limits(before)
    call = f"what worked: {code(shortened_command(then, LONGEST_SHOWN))}"
    if is_other and (_MISUSE.search(line) or any(_CHANGES.match(one) and one not in known for one in prepared)):
        return call
    tried = [step for step in taken[failed + 1 : went][-MOST_BETWEEN:] if _changed(step)]
    between = taken[max(failed, worked - MOST_BETWEEN) + 1 : worked]
    changed = tried if tried and all(step.command for step in tried) else [*filter(_changed, between)]
    if changed and (last := changed[-1].command):
        return f"it worked after {code(shortened_command(last, LONGEST_SHOWN))}"
    names = dict.fromkeys(file_name(path) for step in changed if not step.command for path in paths_of(step.call.input))
    if names:
        return f"it worked after editing {', '.join(map(code, list(names)[:3]))}"
    is_run = any(_CHANGES.match(one) or _acts(one) for one in parts_of(then))
    return call if is_other and is_run else LATER


def _changed(step: Step) -> bool:
    if step.command:
        return step.done and any(map(_CHANGES.match, parts_of(step.command)))
    return step.done and file_kind(step) in ("write", "edit")


def _acts(part: str) -> bool:
    """Whether a command may do another thing if called in another way: no check, and no look at something."""
    return not _READING.match(part) and (not _RUNNER.match(part) or _HOUSEKEEPING.match(part) is not None)


def _covers(task: Task, before: Task) -> bool:
    if task.name == "gh api":  # a request that failed is settled by the same one with another number
        return _numberless(before) <= _numberless(task)
    extra = task.narrowed - before.narrowed - _EVERYTHING
    if not extra or (before.narrowed <= task.narrowed and _HOUSEKEEPING.match(task.name)):
        return True
    files = set(filter(_FILE.search, before.narrowed))  # those that it names, or a folder that holds them
    return (
        bool(files)
        and all(map(_FILE.search, extra))
        and all(name in task.narrowed or any(name.startswith(one.rstrip("/") + "/") for one in extra) for name in files)
    )


def _numberless(task: Task) -> set[str]:
    return {_LONG_NUMBER.sub("0", word) for word in task.narrowed}


def _sort(step: Step, task: Task) -> Literal["run", "look", "call"]:
    if task.narrowed:
        return "run"
    looks = task.only_reads or file_kind(step) is not None or step.tool in SEARCHES | OUTPUT_TOOLS
    return "look" if looks else "call"


def _error_lines(step: Step, task: Task) -> list[str]:
    """Find a step's error lines, the first and last of many; a failed search has none.

    A failure that no line names is known by the end of its log; that of a tool other than a shell by its first line.
    """
    failed = step.outcome == "failed"
    if step.answer is None or step.outcome == "unknown":
        return []
    if not (failed or task.hides_failure):  # the last program of a pipe may succeed where the first one did not start
        is_piped = "|" in step.command and len(step.answer) <= LONGEST_PIPED
        return [line for line in step.answer.split("\n") if _SHELL.match(line)][:1] if is_piped else []
    if not step.command:
        return _worded(_TAG.sub("", step.answer[:4000]).split("\n"))
    lines = dict.fromkeys(_bare(line) for line in step.answer.split("\n") if _HINT.search(line))
    found = [line for line in lines if _STRONG.match(line)]
    if failed and not any(map(_MISUSE.search, found)):
        found += [line for line in map(_bare, step.answer[:4000].split("\n")) if _UNKNOWN.match(line)][:1]
    found = [line for line in found if not _VAGUE.match(line)] or found
    if not found and failed and not task.only_reads:
        found = [line for line in lines if not _VAGUE.match(line)][:1] or _worded(step.answer[-4000:].split("\n")[::-1])
    return found if len(found) <= MOST else [*found[: MOST // 2], *found[-MOST // 2 :]]


def _worded(lines: Sequence[str]) -> list[str]:
    """Return the first line with several words, else with one, that is not just an exit code."""
    found = [
        line
        for line in map(_bare, lines)
        if _LETTER.search(line) and not (FRAME.match(line) or line.startswith("hint:") or _VAGUE.match(line))
    ]
    return next(([line] for line in found if " " in line.strip()), found[:1])


def _bare(line: str) -> str:
    """Strip durations, which vary from run to run."""
    return _DURATION.sub("", line[: 2 * LONGEST_ERROR_LINES].rstrip())[:LONGEST_ERROR_LINES]


# What a step was for: attempts at the same task share a name.

LONGEST_COMMAND, LONGEST_SHOWN, LONGEST_FAILED = 2000, 160, 240  # characters examined, and characters shown
JUDGED = 2000  # commands whose task is cached
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_FOLDER = re.compile(r"\Acd\s+([^\s;&|]{1,400})\s*(?:&&|;)\s*")
_FOLDERS = re.compile(r"\A(?>cd\s+[^\s;&|]{1,400}\s*(?:&&|;)\s*)++")
_IN_FOLDER = re.compile(r"\Agit\s+-C\s+\S{1,400}")
_NEXT = re.compile(r"&&|\|\||[;\n]")
_JOINT = re.compile(rf"{_QUOTED.pattern}|({_NEXT.pattern})")
MOST_ENDINGS = 6  # of a chain of commands
_PIPE = re.compile(r"(?:2>&1|2>/dev/null|&>[^|]{1,100}|\||>).*+\Z", re.DOTALL)
_VARIABLES = re.compile(r"\A(?>\w{1,40}=\S{0,200}\s+)++")
_RUNNER = re.compile(
    r"(?:(?:uv run|poetry run|pipenv run|bundle exec|mise exec --|time)\s+)?"
    r"(?:python3?\s+-m\s+\w+|(?:npm|pnpm|yarn|bun|mise|just)\s+(?:run\s+)?[\w:.-]+|(?:npx|bunx)\s+[\w@/.-]+"
    r"|(?:cargo|go|dotnet|swift|bazel|git|gh|docker|terraform|kubectl|mvn|gradle|\./gradlew|make)\s+[\w:-]+"
    r"|pytest|tox|nox|make|tsc|eslint|ruff|mypy|jest|vitest|phpunit|rspec|golangci-lint|pre-commit|ctest)(?=\s|\Z)"
)
_HOUSEKEEPING = re.compile(r"\A(?:git|gh|docker|kubectl)\b")
# What a look-up may run itself, and what turns a look-up into a change: an option, or an argument.
_RUNS_ONLY = r"\s+(?!(?:e?grep|rg|ls|cat|head|tail|wc|file|stat|du|echo|printf|basename|dirname|sed -n)(?:\s|\Z))"
_READING = re.compile(
    r"(?:ls|cat|e?grep|rg|ag|which|type|test|\[|head|tail|pgrep|ps|stat|file|wc|diff|cmp|pwd|echo|printf"
    rf"|find(?![^|]*\s-(?:delete|fprint\w*|fls|(?:exec|ok)(?:dir)?{_RUNS_ONLY}))"
    rf"|fd(?![^|]*\s(?:-[xX]|--exec(?:-batch)?){_RUNS_ONLY})"
    r"|sed(?! -i)|awk|jq|sort(?![^|]*\s(?:-[a-zA-Z]?o|--output))|uniq|cut|tree|command|launchctl|du|df"
    r"|env(?!\s+[-\w./]*[A-Za-z])|date|whoami|uname|sleep|true"
    r"|git (?:(?:log|show|diff)(?![^|]*\s--output[= ])|blame|grep|status|ls-\w+|rev-\w+|check-\w+|for-each-ref"
    r"|branch(?!\s+(?!\d?>|&>)[^-\s|])(?![^|]*\s(?:-[a-zA-Z]*[cCdDfmMu]|--(?:copy|delete|edit|force|move|set|unset))\b)"
    r"|config(?!(?:\s+--(?!get|list)\S+)*\s+(?:[\w\"-]+\.\S+\s+(?!\d?>|&>)[^-\s|]|(?:set|unset|edit|re\w+-section)\s))"
    r"(?![^|]*\s(?:-e|--(?:add|edit|re\w+|unset)\S*)(?:\s|\Z))"
    r"|remote(?!\s+(?:-v\s+)?(?:add|prune|re\w+|rm|set-\w+|update)\b)|reflog(?!\s+(?:delete|expire)\b)"
    r"|cat-file|fsck|count-objects|merge-base|describe|--version|fetch|(?:worktree|stash) list)"
    r"|[\w./-]{1,80}(?: [\w-]{1,40}){0,3} --(?:help|version)"
    r"|gh \w{1,20} (?:view|list|status|diff|checks)|gh api(?!.{0,300} -(?:X|f)))(?=\s|\Z)"
)
_PRINTS_TO = re.compile(r"\bprintf?\b[^}\n]{0,200}?>\s*\"")  # in a quoted program of awk: the file that it writes
LATER = "it succeeded later"  # and nothing tells why
# Commands that change files, what is installed, what runs, or a repository.
_CHANGES = re.compile(
    r"(?:sudo\s+)?(?:(?:rm|mv|cp|mkdir|touch|chmod|chown|ln|kill|pkill|patch|tee|unzip|tar|(?:sed|perl) -i|systemctl"
    r"|(?:uv )?pip3? (?:un)?install|uv (?:sync|add|remove|lock)|poetry (?:add|install|lock)|(?:apt|apt-get|brew) \w+"
    r"|(?:npm|pnpm|yarn|bun) (?:i|ci|add|install|remove|update|link)|cargo (?:add|update|fmt)|go (?:get|mod|fmt)"
    r"|docker (?:compose )?(?:up|down|start|stop|restart|rm|pull|run|build)|gh auth|ruff format|gofmt -w"
    r"|git (?:add|am|apply|checkout|cherry-pick|clean|clone|commit|gc|init|merge|mv|prune|pull|push|read-tree|rebase"
    r"|repack|reset|restore|revert|rm|stash(?! list)|submodule|switch|update-(?:index|ref)"
    r"|worktree (?:add|remove|prune)))"
    r"(?=\s|\Z)|(?:npx|bunx|[\w./-]{1,40})\s[^|]{0,300}?--(?:write|fix)\b)"
)
_WRITES = re.compile(r"(?<![\d&>=-])>>?(?!\s*(?:&|/dev/null))")
_LONG_NUMBER = re.compile(r"\d{6,}")
_EVERYTHING = frozenset({".", "./...", "...", "tests", "tests/", "test", "test/", "--all", "-A"})
_FILE = re.compile(r"\w/|\.\w")
# Suffixes that only limit or silence the output: a command with another one is the same command. What a pipe or `$()`
# hands on is no output, and `|| true` hides a failure of what only reads.
_LIMITS = re.compile(
    r"(?:\s*(?<!\|)\|\s*(?:head|tail|cat|less|more)\b[^|;&>'\"\n)]{0,40}?(?:2>\s?(?:&1|/dev/null))?){1,3}"
    r"(?=\s*(?:[;&\n]|\|\||\Z))"
    r"|\s*2>\s?(?:&1|/dev/null)(?=[\s;&|)]|\Z)|\s*\|\|\s*true(?=[\s;&|)]|\Z)"
)
_REMARKS = re.compile(rf"({_QUOTED.pattern})|^[ \t]*#[^\n]*(?:\n|\Z)", re.MULTILINE)  # a quoted line is no remark
_RULERS = re.compile(  # between the outputs of several commands
    r"\s*(?:&&|;|\n)\s*echo\s+(?:\"[-=#*\s]{0,80}\"|'[-=#*\s]{0,80}'|[-=]{2,80})(?=\s*(?:&&|;|\n|\Z))"
)
_SETS = re.compile(r"\A(?>set -[a-z]{1,4}(?: pipefail)?\s*(?:;|&&|\n)\s*)++")
_SHELL_WORDS = frozenset({"", "set", "cd", "export", "source", "."})
_FIRST_WORD = re.compile(r"[\w./-]*")


class Task(Struct, frozen=True):
    """A step's task: its name, its narrower scope, and how it is shown."""

    name: str
    narrowed: frozenset[str]
    shown: str
    only_reads: bool = False  # a search without matches exits with a failure, which is no error
    hides_failure: bool = False  # the exit code is that of the last command in the pipe


def task_of(step: Step) -> Task:
    """Find a step's task: a command's program and its arguments, or a tool with its file."""
    return _tasks_of(step)[0]


_REBASES = ("git pull", "git rebase")


def _tasks_of(step: Step) -> tuple[Task, ...]:
    """Find a step's task, and what else must have succeeded if its command did."""
    if command := step.command:
        judge = _judged if len(command) <= LONGEST_COMMAND else _judged.__wrapped__  # the cache holds short keys only
        rebased = "\nSuccessfully rebased and updated " in f"\n{step.answer or ''}"  # also after conflicts
        return judge(command) + tuple(Task(name, frozenset(), "") for name in _REBASES if rebased)
    kind, shown = "edit" if file_kind(step) in ("write", "edit") else step.tool, shortened(target(step), LONGEST_SHOWN)
    return (Task(f"{kind} {_path(step)}".strip(), frozenset(), f"{step.call.name} {shown}".strip()),)


@lru_cache(JUDGED)
def _judged(command: str) -> tuple[Task, ...]:
    parts, shown = parts_of(command), shortened_command(plain_command(command), LONGEST_FAILED)
    runs = [part for part in parts if _RUNNER.match(part) and not _READING.match(part)]
    part = next((part for part in reversed(runs) if not _HOUSEKEEPING.match(part)), (runs[-1:] or parts)[0])
    writes = "awk" in command and _PRINTS_TO.search(command[:LONGEST_COMMAND])
    reads = not writes and all(map(_only_reads, parts))
    piped = any("|" in part for part in parts)
    if not (task := _run_of(part, shown, reads, piped)):
        name = command if "||" in command else _SETS.sub("", without_limits(command))
        return Task(name, frozenset(), shown, reads), *_endings(name, shown)
    chain = [part.strip() for part in re.split(r"\|\||[;\n]", _cleaned(command))[-1].split("&&")]
    others = (_run_of(other, shown, reads, piped) for other in runs if other != part and other in chain)
    return task, *filter(None, others), *_endings(command, shown)


def _endings(command: str, shown: str) -> Iterator[Task]:
    """Yield what a chain of commands ends with, if it is no known program: it was done if the chain succeeded."""
    joints = [found for found in _JOINT.finditer(command[:LONGEST_COMMAND]) if found[1]]
    for place, joint in enumerate(joints[-MOST_ENDINGS:], max(0, len(joints) - MOST_ENDINGS)):
        ending = without_limits(command[joint.end() :]).strip()
        if all(one[1] == "&&" for one in joints[place + 1 :]) and joint[1] != "||" and not _RUNNER.match(ending):
            yield Task(ending, frozenset(), shown)


def _run_of(part: str, shown: str, reads: bool, piped: bool) -> Task | None:
    core = _PIPE.sub("", part).strip()
    if not (runner := _RUNNER.match(core)):
        return None
    words = (word for word in core.split() if not word.startswith("-"))
    return Task(runner[0], frozenset(words), shown, reads, piped and not _HOUSEKEEPING.match(core))


def without_limits(text: str) -> str:
    """Return a command without what only limits or silences its output."""
    return _LIMITS.sub(_kept, text) if len(text) <= LONGEST_COMMAND and ("|" in text or "2>" in text) else text


def _without_remarks(text: str) -> str:
    return text if "<<" in text else _REMARKS.sub(lambda found: found[1] or "", text)


def _kept(limit: re.Match[str]) -> str:
    before = _NEXT.split(limit.string[: limit.start()])[-1] if "||" in limit[0] else ""
    return "" if _only_reads(_VARIABLES.sub("", before.strip())) else limit[0]


def _only_reads(part: str) -> bool:
    stages = filter(None, map(str.strip, part.split("|")))
    return all(_READING.match(stage) and not _WRITES.search(stage) for stage in stages)


def plain_command(text: str, folder: str | None = None) -> str:
    """Return a command without remarks, the folder that it runs in, and what only limits or divides its output.

    A `folder` that is given is the only one that is left out.
    """
    if len(text) > LONGEST_COMMAND:
        return text
    bare = _RULERS.sub("", without_limits(_without_remarks(text))).strip()
    if (found := _FOLDER.match(bare)) and folder in (None, found[1]):
        bare = bare[found.end() :]
    return bare or text


def target(step: Step) -> str:
    """Return what a step worked on: its command, its file, or its first text argument."""
    texts = (value for value in step.call.input.values() if isinstance(value, str) and value.strip())
    return step.command or _path(step) or next(texts, "")


def file_read(step: Step) -> str:
    """Return the file that a call read, or a command printed; empty for none or several."""
    return target(step) if file_kind(step) == "read" else file_shown(step) if step.command else ""


def program(command: str) -> str:
    """Return the first program that a command runs, skipping commands that only change the shell itself."""
    words = (match[0] for part in parts_of(command) if (match := _FIRST_WORD.match(part)))
    word = next((word for word in words if word not in _SHELL_WORDS), "")
    name = word.rpartition("/")[2]
    return PurePosixPath(word).name if name in ("", ".") else name


def _path(step: Step) -> str:
    return next((path for path in paths_of(step.call.input) if path.strip()), "")


def parts_of(command: str) -> tuple[str, ...]:
    """Split a line into commands, without quoted words, variables, and the folders that they run in."""
    return _parts(command[:LONGEST_COMMAND])


@lru_cache(JUDGED)
def _parts(text: str) -> tuple[str, ...]:
    return tuple(_IN_FOLDER.sub("git", _VARIABLES.sub("", part.strip())) for part in _NEXT.split(_cleaned(text)))


def _cleaned(command: str) -> str:
    text = command[:LONGEST_COMMAND]
    return _FOLDERS.sub("", _QUOTED.sub('""', _without_remarks(text)))
