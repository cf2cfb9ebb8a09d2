"""Headings and labels that begin the turns of a copied chat."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Role
from compact_chat.read.fences import fenced_lines

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
_ANY_NAME = re.compile(r"(\w[^:]{0,60}):(?= |$)(.*)")


class Mark(Struct, frozen=True):
    """A line that begins a turn, and what stands behind the name on it."""

    line: int
    style: str
    role: Role
    rest: str


def labelled(lines: Sequence[str]) -> list[Mark]:
    """Find the turns of the style that marks the most of them; other styles are words within a turn."""
    fenced = fenced_lines(lines)
    unfenced = [(place, line) for place, line in enumerate(lines) if line and not fenced[place]]
    styles = {"name": _named(lines, unfenced)}
    for place, line in unfenced:
        mark = _mark(place, line)
        if mark is not None:
            styles.setdefault(mark.style, []).append(mark)
    return max(filter(has_both_sides, styles.values()), key=len, default=[])


def has_both_sides(marks: Sequence[Mark]) -> bool:
    """Whether the user speaks, and the assistant too."""
    return {"user", "assistant"} <= {mark.role for mark in marks}


def _named(lines: Sequence[str], unfenced: Sequence[tuple[int, str]]) -> list[Mark]:
    """Find the turns of an editor's copy: a name begins the text, and comes again behind an assistant's answer."""
    found = [(place, _ANY_NAME.match(line)) for place, line in unfenced if not place or not lines[place - 1].strip()]
    labels = [(place, label[1], label[2]) for place, label in found if label]
    if not labels or any(map(str.strip, lines[: labels[0][0]])) or _role(labels[0][1]):
        return []
    answerer = next((name for _, name, _ in labels if _role(name) == "assistant"), "")
    roles: dict[str, Role] = {answerer: "assistant", labels[0][1]: "user"}
    marks = [Mark(place, "name", roles[name], rest) for place, name, rest in labels if name in roles]
    sides = [mark.role for mark in marks]
    return marks if answerer and "user" in sides[sides.index("assistant") :] else []


def _mark(place: int, line: str) -> Mark | None:
    if heading := _HEADING.match(line):
        role = _role(heading[2]) if len(line) <= _LONGEST_HEADING else None
        return role and Mark(place, heading[1], role, "")
    for style, label in _LABELS:
        found = label.match(line)
        if found and (role := _role(found[1])):
            is_whole = found[2] or found[1].rstrip().endswith(":") or not found[3].strip()
            return Mark(place, style, role, found[3]) if is_whole else None
    return None


def _role(name: str) -> Role | None:
    """Who is meant by a name with emoji, emphasis or a colon around it, or with `said` behind it."""
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", name).lower()
    return _NAMES.get(bare.removesuffix(" said"))
