"""Texts and commands as the functions of the room take them: a file of arguments and a snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from compact_chat.chat import ToolCall
from compact_chat.facts import (
    Request,
    Step,
    file_kind,
    fold,
    instruction_sections,
    outcomes,
    plain_command,
    record_blocks,
    recorded,
    rules,
    sentences,
    shortened_command,
    task_of,
    without_bullet,
    without_records,
)
from compact_chat.facts.files import same_path
from compact_chat.facts.steps import plain_name
from compact_chat.facts.user import Inherited, inherited
from compact_chat.facts.words import ANNOUNCES, ANNOUNCES_EDIT, ANNOUNCES_WORK, BEGINS_STEP, COMES_NEXT, one_line
from compact_chat.wire import Files
from tests.oracles.snapshots import check_functions
from tests.samples.chats import u

PHRASES = {  # at the beginning of a sentence, or anywhere in it
    "announces": ANNOUNCES.match,
    "announces work": ANNOUNCES_WORK.match,
    "begins a step": BEGINS_STEP.match,
    "announces an edit": ANNOUNCES_EDIT.search,
    "comes next": COMES_NEXT.search,
}


def ran(command: str) -> Step:
    """A command that succeeded and said nothing."""
    return Step("m", ToolCall("", "Bash", {"command": command}), "", "ok", None, True)


def quoted(found: Inherited) -> tuple[list[str], list[str]]:
    """The words and the rules of a summary."""
    return [one.text for one in found.words], [one.text for one in found.rules]


FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "plain_name": plain_name,
    "fold": fold,
    "sentences": sentences,
    "without_bullet": without_bullet,
    "one_line": one_line,
    "shortened_command": lambda command: shortened_command(command, 100),
    "plain_command": plain_command,
    "instruction_sections": instruction_sections,
    "rules": lambda text: [(rule.kind, rule.text) for rule in rules([Request(text, "m")])],
    "phrases": lambda sentence: [name for name, found in PHRASES.items() if found(sentence)],
    "only_reads": lambda command: task_of(ran(command)).only_reads,
    "file_kind": lambda tool: file_kind(Step("m", ToolCall("1", tool, {}))),
    "same_path": lambda both: same_path(*both),
    "recorded": lambda text: (recorded(text), without_records(text)),
    "record_blocks": lambda lists: record_blocks(Files(*map(tuple, lists))),
    "inherited": lambda summary: quoted(inherited([replace(u(summary), is_summary=True)])),
    "no output": lambda command: list(outcomes([ran(command)]).values()),
}


def test_what_becomes_of_texts(accept: bool) -> None:
    """H8, H11, P8, T21: each line of the file, in the function that its part is named for."""
    check_functions(Path(__file__).with_name("words.txt"), FUNCTIONS, accept=accept)
