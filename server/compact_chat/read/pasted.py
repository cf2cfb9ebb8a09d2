"""Copied chats and plain text: turns under headings or labels, or as the terminal of Claude Code shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Chat, Message, Role, Text, Warning
from compact_chat.read.source import Source
from compact_chat.text import fenced_lines, line_feeds, opening_end, opening_start
from compact_chat.tools import TOOLS

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

LONGEST_HEAD = 2000  # characters
MOST_LINES = 500_000  # of a copied chat; a longer text is one message
# In the terminal: a prompt precedes what was typed, a bullet what was answered; both have a margin.
_TYPED = re.compile(r"\A[>❯]\s++(?=\S)")
_ANSWERED = re.compile(r"[⏺●]\s|[✻∴]\sThinking")
_MARGIN = re.compile(r"\A(?:  |[⏺●]\s(?!\w+\())")
# Other texts have quotes and round bullets too; only terminals have these.
_TERMINAL = re.compile(r"⏺\s|\s*+⎿")

_LEFT_OUT = Warning("textBeforeFirstTurn", "The text before the first turn was left out.", 1)


class Turn(Struct, frozen=True):
    """A turn's first line, and the text behind the name on it."""

    line: int
    role: Role
    rest: str


def sniff(source: Source) -> bool:
    """Return whether a text holds turns of both sides in one style; a continuation of ours is a single message."""
    if not source.clean or source.document is not None or _opening(source.text) >= 0:
        return False
    return source.text.count("\n") <= MOST_LINES and bool(_copied(source)[0])


def read(source: Source) -> Chat:
    """Read one Message per turn; text before the first turn is dropped with a warning."""
    turns, lines = _copied(source)
    ends = [*(turn.line for turn in turns[1:]), len(lines)]
    texts = ("\n".join((turn.rest, *lines[turn.line + 1 : end])).strip() for turn, end in zip(turns, ends, strict=True))
    spoken = [(turn.role, text) for turn, text in zip(turns, texts, strict=True) if text]
    messages = [Message(f"m{index}", role, (Text(text),)) for index, (role, text) in enumerate(spoken)]
    before = any(map(str.strip, lines[: turns[0].line]))
    return Chat("markdown", "unknown", tuple(messages), warnings=(_LEFT_OUT,) if before else ())


def sniff_text(source: Source) -> bool:
    """Return whether the source may be plain text or is a page of ours, is not blank, and is not JSON."""
    is_ours = source.opening.startswith("# ") and _opening(source.opening) > 0 and source.clean
    return (is_ours or source.plain) and bool(source.text.strip()) and not source.is_json


def read_text(source: Source) -> Chat:
    """Read the whole text as one user message; of an exported compaction, the message that opens the next chat."""
    text = line_feeds(source.text)
    if text[: (start := _opening(text))].strip() and start > 0:
        text = text[start : start + opening_end(text[start:])]
    return Chat("text", "unknown", (Message("m0", "user", (Text(text),)),))


def _opening(text: str) -> int:
    """Find where a message of ours that opens a chat begins: at the start, or below the heading of an export."""
    start = opening_start(text[:LONGEST_HEAD])
    before = text[: max(start, 0)].strip()
    return start if not before or before.startswith("# ") else -1


def _copied(source: Source) -> tuple[list[Turn], list[str]]:
    """Return the turns, and the lines that hold their text."""
    lines = line_feeds(source.text).split("\n")
    if turns := _labelled(lines):
        return turns, lines
    if turns := _terminal_turns(lines):
        return turns, [_MARGIN.sub("", line) for line in lines]
    return [], lines


def _labelled(lines: Sequence[str]) -> list[Turn]:
    """Find the turns in the style that most of them use; other styles are text within a turn."""
    fenced = fenced_lines(lines)
    unfenced = [(place, line) for place, line in enumerate(lines) if line and not fenced[place]]
    styles = {"name": _turns_of_names(lines, unfenced)}
    for place, line in unfenced:
        style, role, rest = _label(line)
        if role:
            styles.setdefault(style, []).append(Turn(place, role, rest))
    return max(filter(_has_both_sides, styles.values()), key=len, default=[])


def _label(line: str) -> tuple[str, Role | None, str]:
    """Return the style of a heading or label, the speaker, and the rest of the line."""
    if heading := _HEADING.match(line):
        return heading[1], _role(heading[2]) if len(line) <= _LONGEST_HEADING else None, ""
    for style, label in _LABELS:
        found = label.match(line)
        if found and (role := _role(found[1])):
            is_whole = found[2] or found[1].rstrip().endswith(":") or not found[3].strip()
            return style, role if is_whole else None, found[3]
    return "", None, ""


def _turns_of_names(lines: Sequence[str], unfenced: Sequence[tuple[int, str]]) -> list[Turn]:
    """Find the turns of an editor's copy: a name begins the text, and recurs after each of the assistant's answers."""
    found = [(place, _ANY_NAME.match(line)) for place, line in unfenced if not place or not lines[place - 1].strip()]
    labels = [(place, label[1], label[2]) for place, label in found if label]
    if not labels or any(map(str.strip, lines[: labels[0][0]])) or _role(labels[0][1]):
        return []
    answerer = next((name for _, name, _ in labels if _role(name) == "assistant"), "")
    roles: dict[str, Role] = {answerer: "assistant", labels[0][1]: "user"}
    turns = [Turn(place, roles[name], rest) for place, name, rest in labels if name in roles]
    sides = [turn.role for turn in turns]
    return turns if answerer and "user" in sides[sides.index("assistant") :] else []


def _role(name: str) -> Role | None:
    """Return the role of a name that may have emoji, emphasis or a colon around it, or `said` behind it."""
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", name).lower()
    return _NAMES.get(bare.removesuffix(" said"))


def _has_both_sides(turns: Sequence[Turn]) -> bool:
    return {"user", "assistant"} <= {turn.role for turn in turns}


def _terminal_turns(lines: Sequence[str]) -> list[Turn]:
    """Find what was typed, and where its answer begins; calls and results are text of the answer."""
    if not any(map(_TERMINAL.match, lines)):
        return []
    turns: list[Turn] = []
    fenced = fenced_lines(lines)
    for place, line in enumerate(lines):
        if fenced[place]:
            continue
        if _ANSWERED.match(line):
            if not turns or turns[-1].role == "user":
                turns.append(Turn(place, "assistant", _MARGIN.sub("", line)))
        elif _TYPED.match(line):
            # A prompt has a blank line above and no further `>` below, unlike a quote of several lines.
            above, below = lines[max(0, place - 1) : place], lines[place + 1 : place + 2]
            if not any(map(str.strip, above)) and not any(line.startswith(">") for line in below):
                turns.append(Turn(place, "user", _TYPED.sub("", line)))
    return turns if _has_both_sides(turns) else []
