"""What was done and met: sections 2 to 4, and the commands of section 5."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from compact_chat.facts.commands import Command
from compact_chat.facts.errands import errand_of, program
from compact_chat.facts.errors import Error
from compact_chat.facts.files import FileUse, shown_path
from compact_chat.facts.mentions import command_head, error_head
from compact_chat.facts.words import fold
from compact_chat.providers.extract.lines import COMMANDS, FIXED_ERRORS, LOOKS, MODIFIED, OPEN_ERRORS, READ, TERMS, Line
from compact_chat.providers.extract.quoting import code

MOST_PROGRAMS, MOST_TERMS = 8, 12
_SPAN = re.compile(r"`(?<!``)([^`\n]{2,60})`(?!`)")  # a pattern that begins with its sign is searched faster
_NAME = re.compile(r"[\w@][\w.:()@<>\[\]-]*")
_DEEDS = {"read": "read", "write": "written", "edit": "edited"}


def file_lines(uses: Sequence[FileUse], removed: Container[str] = ()) -> Iterator[Line]:
    """The files with what was done to each, in the order of their last use; one that is there no more says so."""
    deeds: dict[str, Counter[str]] = {}
    for use in uses:
        done = deeds.pop(use.path, Counter())
        done[_DEEDS[use.kind]] += 1
        deeds[use.path] = done
    for place, (path, done) in enumerate(deeds.items()):
        modified = done.keys() != {"read"}
        told = ", ".join(f"{deed} {number}×" if number > 1 else deed for deed, number in done.items() if deed != "read")
        told += ", then removed" if path in removed else ""
        if modified:
            entry = (shown_path(path), told)
            yield Line(MODIFIED, f"- {shown_path(path)} ({told})", place, turn=-place, entry=entry)
        else:
            yield Line(READ, f"- {shown_path(path)}", place, turn=-place)


def error_lines(errors: Sequence[Error]) -> Iterator[Line]:
    """The errors with what met them; the newest ones get in first."""
    for place, error in enumerate(errors):
        exit_code = f" (exit code {error.code})" if error.code else ""
        group, head, where = FIXED_ERRORS if error.fixed else OPEN_ERRORS, error_head(error.text), code(error.where)
        entry = (f'"{head}"', f"{where}{exit_code}", group.heading.removesuffix(":"))
        yield Line(group, f"- {code(head)} in {where}{exit_code}", place, turn=-place, entry=entry)


def command_lines(commands: Sequence[Command]) -> Iterator[Line]:
    """The commands in the order of their last runs, those of one beginning once; the newest get in first."""
    heads: dict[str, Command] = {}
    for command in commands:
        head = command_head(command.text)
        heads.pop(head, None)
        heads[head] = command
    for place, (head, command) in enumerate(heads.items()):
        group = LOOKS if errand_of(command.step).only_looks else COMMANDS
        cut = "" if head == fold(command.text) else "…"
        yield Line(group, f"- {code(head + cut)}{_ending(command)}", place, turn=-place)


def term_lines(commands: Sequence[Command], texts: Iterable[str]) -> Iterator[Line]:
    """The programs and names that came up most."""
    programs = Counter(program(command.text) for command in commands)
    names = Counter(name for text in texts for name in set(_SPAN.findall(text)) if _NAME.fullmatch(name))
    often = Counter({name: number for name, number in names.items() if number > 1})
    rows = (("Programs run", programs, MOST_PROGRAMS), ("Names that came up most", often, MOST_TERMS))
    for place, (label, found, most) in enumerate(rows):
        if listed := ", ".join(code(name) for name in _most(found, most)):
            yield Line(TERMS, f"- {label}: {listed}", place, turn=place)


def _most(found: Counter[str], most: int) -> list[str]:
    ranked = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return [name for name, _ in ranked if name][:most]


def _ending(command: Command) -> str:
    ended = {"ok": " → ok", "failed": " → failed", "unknown": " → outcome not told"}[command.step.outcome]
    if command.step.code:
        ended += f" (exit code {command.step.code})"
    return f"{ended}, {command.runs} runs" if command.runs > 1 else ended
