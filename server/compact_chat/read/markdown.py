"""Markdown of a copied chat: turns under headings or labels that name who speaks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Chat, Message, Role, Text, Warning
from compact_chat.read.fences import fenced_lines
from compact_chat.read.finish import finished
from compact_chat.read.source import Source

_NAMES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "you", "me"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "claude", "claude code", "chatgpt", "gpt"), "assistant"),
    **dict.fromkeys(("copilot", "github copilot", "gemini", "codex", "cursor", "cline"), "assistant"),
    "system": "system",
}
_LONGEST_HEADING = 80
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t](.*)")
_LABELS = (
    ("**", re.compile(r"\*\*([^*]{1,40})\*\*[ \t]*(:?)(.*)")),
    ("[", re.compile(r"\[([^\]]{1,40})\](:?)(.*)")),
    (":", re.compile(r"([^\W\d_][\w .-]{0,40})(:)(.*)")),
)


class _Mark(Struct, frozen=True):
    """A line that begins a turn, and what stands behind the name on it."""

    line: int
    style: str
    role: Role
    rest: str


def sniff(source: Source) -> bool:
    """Whether the text holds turns of both sides, marked in one style."""
    return source.clean and not source.strict and source.document is None and bool(_marks(_lines(source)))


def read(source: Source) -> Chat:
    """Read one Message per turn; what stands before the first turn is left out and told."""
    lines = _lines(source)
    marks = _marks(lines)
    ends = [*(mark.line for mark in marks[1:]), len(lines)]
    turns = [(mark.role, _words(mark, lines, end)) for mark, end in zip(marks, ends, strict=True)]
    spoken = [(role, words) for role, words in turns if words]
    messages = [Message(f"m{index}", role, (Text(words),)) for index, (role, words) in enumerate(spoken)]
    before = "".join(lines[: marks[0].line]).strip()
    return Chat("markdown", "unknown", finished(messages), warnings=(_LEFT_OUT,) if before else ())


_LEFT_OUT = Warning("textBeforeFirstTurn", "The text before the first turn was left out.", 1)


def _lines(source: Source) -> list[str]:
    return source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _words(mark: _Mark, lines: Sequence[str], end: int) -> str:
    return "\n".join((mark.rest, *lines[mark.line + 1 : end])).strip()


def _marks(lines: Sequence[str]) -> list[_Mark]:
    """The turns of the style that marks the most of them; other styles are words within a turn."""
    styles: dict[str, list[_Mark]] = {}
    fenced = fenced_lines(lines)
    for place, line in enumerate(lines):
        mark = _mark(place, line) if line and not fenced[place] else None
        if mark is not None:
            styles.setdefault(mark.style, []).append(mark)
    chats = [marks for marks in styles.values() if {"user", "assistant"} <= {mark.role for mark in marks}]
    return max(chats, key=len, default=[])


def _mark(place: int, line: str) -> _Mark | None:
    if heading := _HEADING.match(line):
        role = _role(heading[2]) if len(line) <= _LONGEST_HEADING else None
        return role and _Mark(place, heading[1], role, "")
    for style, label in _LABELS:
        found = label.match(line)
        if found and (role := _role(found[1])):
            is_whole = found[2] or found[1].rstrip().endswith(":") or not found[3].strip()
            return _Mark(place, style, role, found[3]) if is_whole else None
    return None


def _role(name: str) -> Role | None:
    """Who is meant by a name with emoji, emphasis or a colon around it, or with `said` behind it."""
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", name).lower()
    return _NAMES.get(bare.removesuffix(" said"))
