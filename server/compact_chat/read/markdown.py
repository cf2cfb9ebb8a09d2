"""Markdown of a copied chat: turns under headings or labels that name who speaks, or as a terminal shows them."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Chat, Message, Text, Warning
from compact_chat.marks import CONTINUED, line_feeds
from compact_chat.read.labels import Mark, labelled
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked
from compact_chat.read.terminal import terminal_turns, without_margin

_LEFT_OUT = Warning("textBeforeFirstTurn", "The text before the first turn was left out.", 1)


def sniff(source: Source) -> bool:
    """Whether the text holds turns of both sides, marked in one style; a continuation of ours is one message of one."""
    if not source.clean or source.strict or source.document is not None or source.text.lstrip().startswith(CONTINUED):
        return False
    return bool(_copied(source)[0])


def read(source: Source) -> Chat:
    """Read one Message per turn; what stands before the first turn is left out and told."""
    marks, lines = _copied(source)
    ends = [*(mark.line for mark in marks[1:]), len(lines)]
    turns = [(mark.role, _words(mark, lines, end)) for mark, end in zip(marks, ends, strict=True)]
    spoken = [(role, words) for role, words in turns if words]
    messages = [Message(f"m{index}", role, (Text(words),)) for index, (role, words) in enumerate(spoken)]
    before = any(map(str.strip, lines[: marks[0].line]))
    return Chat("markdown", "unknown", with_summary_marked(messages), warnings=(_LEFT_OUT,) if before else ())


def _copied(source: Source) -> tuple[list[Mark], list[str]]:
    """The turns, and the lines that their words are taken from."""
    lines = line_feeds(source.text).split("\n")
    if marks := labelled(lines):
        return marks, lines
    marks = terminal_turns(lines)
    return marks, [without_margin(line) for line in lines] if marks else lines


def _words(mark: Mark, lines: Sequence[str], end: int) -> str:
    return "\n".join((mark.rest, *lines[mark.line + 1 : end])).strip()
