"""What a step was for: the same errand is run again until it goes well."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from msgspec import Struct

from compact_chat.facts.commands import command_text
from compact_chat.facts.files import file_kind, paths_of
from compact_chat.facts.steps import Step
from compact_chat.facts.words import shortened

LONGEST, LONGEST_SHOWN = 2000, 120  # characters that are judged, and that are shown
JUDGED = 2000  # commands whose errand is remembered: several facts ask for it, in each look at a chat
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_FOLDER = re.compile(r"\A(?>cd\s+[^\s;&|]{1,400}\s*(?:&&|;)\s*)++")
_IN_FOLDER = re.compile(r"\Agit\s+-C\s+\S{1,400}")
_NEXT = re.compile(r"&&|\|\||[;\n]")
_PIPE = re.compile(r"(?:2>&1|2>/dev/null|&>[^|]{1,100}|\||>).*+\Z", re.DOTALL)
_VARIABLES = re.compile(r"\A(?>\w{1,40}=\S{0,200}\s+)++")
_RUNNER = re.compile(
    r"(?:(?:uv run|poetry run|pipenv run|bundle exec|mise exec --|time)\s+)?"
    r"(?:python3?\s+-m\s+\w+|(?:npm|pnpm|yarn|bun|mise|just)\s+(?:run\s+)?[\w:.-]+|npx\s+[\w@/.-]+"
    r"|(?:cargo|go|dotnet|swift|bazel|git|gh|docker|terraform|kubectl|mvn|gradle|\./gradlew|make)\s+[\w:-]+"
    r"|pytest|tox|nox|make|tsc|eslint|ruff|mypy|jest|vitest|phpunit|rspec|golangci-lint|pre-commit|ctest)(?=\s|\Z)"
)
_HOUSEKEEPING = re.compile(r"\A(?:git|gh|docker|kubectl)\b")
_LOOKING = re.compile(
    r"(?:ls|cat|e?grep|rg|ag|find|fd|which|type|test|\[|head|tail|pgrep|ps|stat|file|wc|diff|cmp|pwd|echo|printf"
    r"|sed(?! -i)|awk|jq|sort|uniq|cut|tree|command|launchctl|du|df|env|date|whoami|uname|sleep|true"
    r"|git (?:log|show|diff|blame|grep|branch|status|ls-\w+|rev-\w+|config|remote|reflog|cat-file|fsck|count-objects"
    r"|merge-base|describe|--version|fetch|(?:worktree|stash) list)"
    r"|[\w./-]{1,80}(?: [\w-]{1,40}){0,3} --(?:help|version)"
    r"|gh \w{1,20} (?:view|list|status|diff|checks)|gh api(?!.{0,300} -(?:X|f)))(?=\s|\Z)"
)
_WRITES = re.compile(r"(?<![\d&>=-])>>?(?!\s*(?:&|/dev/null))")
_EVERYTHING = frozenset({".", "./...", "...", "tests", "tests/", "test", "test/", "--all", "-A"})
_SHELL_WORDS = frozenset({"", "set", "cd", "export", "source", "."})
_FIRST_WORD = re.compile(r"[\w./-]*")


class Errand(Struct, frozen=True):
    """The name under which an errand is known, what it was narrowed to, how it is shown, and what kind it is."""

    name: str
    narrowed: frozenset[str]
    shown: str
    only_looks: bool = False  # a search that finds nothing fails, and nothing is wrong
    hides_failure: bool = False  # the exit code is that of a pipe's end

    def covers(self, other: Errand) -> bool:
        """Whether success of this errand means success of the other: the same, or a wider one."""
        return self.name == other.name and self.narrowed <= other.narrowed | _EVERYTHING


def errand_of(step: Step) -> Errand:
    """The errand of a step: a command's program with what it was narrowed to, or a tool with its file."""
    if command := command_text(step):
        return _known_errand(command) if len(command) <= LONGEST else _errand_of_command(command)
    kind, shown = "edit" if file_kind(step) in ("write", "edit") else step.tool, shortened(target(step), LONGEST_SHOWN)
    return Errand(f"{kind} {_path(step)}".strip(), frozenset(), f"{step.call.name} {shown}".strip())


@lru_cache(JUDGED)
def _known_errand(command: str) -> Errand:
    return _errand_of_command(command)


def _errand_of_command(command: str) -> Errand:
    parts, shown = _parts(command), shortened(command, LONGEST_SHOWN)
    runs = [part for part in parts if _RUNNER.match(part) and not _LOOKING.match(part)]
    part = next((part for part in runs if not _HOUSEKEEPING.match(part)), (runs or parts)[0])
    core = _PIPE.sub("", part).strip()
    looks, runner = _only_looks(parts), _RUNNER.match(core)
    if not runner:
        return Errand(command, frozenset(), shown, looks)
    words = (word for word in core[runner.end() :].split() if not word.startswith("-"))
    hides = any("|" in part for part in parts) and not _HOUSEKEEPING.match(core)
    return Errand(runner[0], frozenset(words), shown, looks, hides)


def target(step: Step) -> str:
    """What a step was about: its command, its file, or the first words that it was given."""
    texts = (value for value in step.call.input.values() if isinstance(value, str) and value.strip())
    return command_text(step) or _path(step) or next(texts, "")


def program(command: str) -> str:
    """The first program that a command runs; what only changes the shell itself is none."""
    words = (match[0] for part in _parts(command) if (match := _FIRST_WORD.match(part)))
    return next((PurePosixPath(word).name for word in words if word not in _SHELL_WORDS), "")


def _path(step: Step) -> str:
    return next((path for path in paths_of(step.call.input) if path.strip()), "")


def _parts(command: str) -> list[str]:
    """The commands of a line, without quoted words, variables, and the folders that they are run in."""
    line = _FOLDER.sub("", _QUOTED.sub('""', command[:LONGEST]))
    return [_IN_FOLDER.sub("git", _VARIABLES.sub("", part.strip())) for part in _NEXT.split(line)]


def _only_looks(parts: Sequence[str]) -> bool:
    stages = [stage.strip() for part in parts for stage in part.split("|")]
    return all(_LOOKING.match(stage) and not _WRITES.search(stage) for stage in stages if stage)
