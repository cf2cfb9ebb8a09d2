"""Plain text: one message of the user."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Chat, Message, Role, Text, Warning
from compact_chat.read.resolve import with_summary_marked
from compact_chat.read.source import Source
from compact_chat.text import CONTINUED, line_feeds
from compact_chat.tools import TOOLS

# Which lines of a Markdown text stand inside code fences (rule R5: a fence counts only if it is closed).


_OPENING = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")


def fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Tell for each line whether it is part of a closed fence."""
    inside = [False] * len(lines)
    never_closed: dict[str, int] = {}  # by sign, the shortest fence that nothing below closes
    for place in [place for place, line in enumerate(lines) if "```" in line or "~~~" in line]:
        end = None if inside[place] else _end_of_fence(lines, place, never_closed)
        if end is not None:
            inside[place : end + 1] = [True] * (end + 1 - place)
    return inside


def _end_of_fence(lines: Sequence[str], place: int, never_closed: dict[str, int]) -> int | None:
    opening = _OPENING.match(lines[place])
    if opening is None:
        return None
    fence = opening[1]
    if len(fence) >= never_closed.get(fence[0], len(fence) + 1):
        return None
    for below in range(place + 1, len(lines)):
        if _closes(lines[below], fence):
            return below
    never_closed[fence[0]] = len(fence)
    return None


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t")
    return bare.startswith(fence) and not bare.strip(fence[0])


# Headings and labels that begin the turns of a copied chat.


_NAMES: dict[str, Role] = {
    **dict.fromkeys(("user", "human", "you", "me"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "chatgpt", "gpt", "cursor"), "assistant"),
    **{name: "assistant" for tool in TOOLS for name in tool.speakers},
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


# Turns copied from the terminal of Claude Code: a prompt before what was typed, bullets before what was answered.


_TYPED = re.compile(r"[>❯]\s++(?=\S)")
_ANSWERED = re.compile(r"[⏺●]\s|[✻∴]\sThinking")
_MARGIN = re.compile(r"  |[⏺●]\s(?!\w+\()")
# Other texts have quotes and round bullets too; no other has these.
_EVIDENCE = re.compile(r"⏺\s|\s*+⎿")


def terminal_turns(lines: Sequence[str]) -> list[Mark]:
    """Find what was typed, and where the answer to it begins; calls and results are words of the answer."""
    if not any(map(_EVIDENCE.match, lines)):
        return []
    fenced = fenced_lines(lines)
    marks: list[Mark] = []
    for place, line in enumerate(lines):
        role = None if fenced[place] else _speaker(lines, place)
        if role == "user":
            marks.append(Mark(place, "terminal", role, _behind(_TYPED, line)))
        elif role and (not marks or marks[-1].role == "user"):
            marks.append(Mark(place, "terminal", role, without_margin(line)))
    return marks if has_both_sides(marks) else []


def without_margin(line: str) -> str:
    """Take off what the terminal puts before words: the bullet, unless a call is behind it, or two blanks."""
    return _behind(_MARGIN, line)


def _speaker(lines: Sequence[str], place: int) -> Role | None:
    if _ANSWERED.match(lines[place]):
        return "assistant"
    return "user" if _TYPED.match(lines[place]) and _stands_alone(lines, place) else None


def _stands_alone(lines: Sequence[str], place: int) -> bool:
    """Whether a blank line is above and no further `>` below, as in a quote of several lines."""
    above = lines[place - 1].strip() if place else ""
    return not above and not any(below.startswith(">") for below in lines[place + 1 : place + 2])


def _behind(head: re.Pattern[str], line: str) -> str:
    found = head.match(line)
    return line[found.end() :] if found else line


# Markdown of a copied chat: turns under headings or labels that name who speaks, or as a terminal shows them.


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


# Plain text: one message of the user.


def sniff_text(source: Source) -> bool:
    """Whether the source may be plain text, holds some, and is not JSON of an unknown shape."""
    return source.plain and bool(source.text.strip()) and not source.is_json


def read_text(source: Source) -> Chat:
    """Read the whole text as what the user says."""
    message = Message("m0", "user", (Text(line_feeds(source.text)),))
    return Chat("text", "unknown", with_summary_marked([message]))
