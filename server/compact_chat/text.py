"""Tags, labels and markers in text: find, escape and strip them; and JSON text."""

from __future__ import annotations

import json
import math
import re
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

TAGS = (
    "conversation",
    "previous-summary",
    "context-summary",
    "read-files",
    "modified-files",
    "analysis",
    "summary",
    "example",
)

# Rule J2 and, for a summary with nothing behind it, rule Z4.
SUMMARY_START = "[Previous conversation summary]"
SUMMARY_END = "[End of summary — conversation continues below]"
SUMMARY_END_LAST = "[End of summary]"

# The beginning of a message that opens the next chat (rule C1).
CONTINUED = "## Session Continued from Previous Conversation"
OPENING = "This chat carries on from an earlier session, of which a summary follows."
CLOSING = "The earlier session ends here; what follows is new."  # unless a kind text is the end
# The sections of a hand-over, which begins with the title of its chat (rule H15).
HANDOVER = "Where we are", "Next", "Rules", "Decisions", "Watch out", "Open", "Files", "Record"
HANDED_OVER = " (continued)"
HANDED_WORDS = (
    "This hands over the work of an earlier chat. Quoted lines are the user's words; everything else in the record is"
    " what the assistant said, did and found then. Files can still be opened; only the chat is gone."
)
# Above messages that stay word for word (rule C8), and behind the number of their turn in a hand-over (rule H14).
KEPT_HEADINGS = "## Recent messages", "## Earlier messages"
RELATIVE_TO = "Paths are relative to "  # a folder in backticks, above the files of a hand-over
KEPT_TURN = ", word for word"

# How a kind text begins, behind its label: why a chat was compacted (rules C10 and C11).
KIND_LABEL = "[SYSTEM: "
CAUSES = {
    "regular": "The context of this chat was compacted automatically.",
    "midLoop": "The context of this chat was compacted automatically in the middle of a work loop.",
    "emergency": ("The provider refused the last request as too large, so the context of this chat was compacted."),
    "postTool": "The context of this chat was compacted right after a tool step, inside the work loop.",
    "manual": "The user asked for this compaction.",
}

_WRAPPERS = (
    ("<context-summary>", "</context-summary>"),
    (SUMMARY_START + "\n", "\n" + SUMMARY_END),
    (SUMMARY_START + "\n", "\n" + SUMMARY_END_LAST),
)

_TAG = re.compile(r"<(/?)([A-Za-z-]++)(?:\s[^<>]*+)?>")
_UNSEEN = r"\s\x00-\x1f\x7f\u200b-\u200f\u2060-\u2064\ufeff"  # Invisible characters that look like a blank.
_TAG_HEAD = re.compile(
    rf"<(?=[{_UNSEEN}]*+/?[{_UNSEEN}]*+(?:{'|'.join(TAGS)})(?![\w.:-]))",
    re.IGNORECASE,
)


class Tag(NamedTuple):
    """An opening or closing tag in a text."""

    name: str
    closing: bool
    start: int
    end: int


def find_tags(text: str, names: Collection[str]) -> Iterator[Tag]:
    """Find the tags with these lower-case names, in order; any letter case and attributes match (rule F2)."""
    for match in _TAG.finditer(text):
        name = match[2].lower()
        if name in names and not match[0].endswith("/>"):
            yield Tag(name, match[1] == "/", match.start(), match.end())


def escape_tags(text: str) -> str:
    """Replace the `<` of everything that reads like one of our tags, finished or not, by `&lt;` (rule T10)."""
    return _TAG_HEAD.sub("&lt;", text)


def escape_labels(text: str, labels: re.Pattern[str]) -> str:
    r"""Put a `\` before each label, a pattern without inline flags, that begins a line (rule T11)."""
    line_start = re.compile(rf"^(?>(?!\n)[{_UNSEEN}])*+(?={labels.pattern})", labels.flags | re.MULTILINE)
    return line_start.sub(r"\g<0>\\", text)


def is_summary_text(text: str) -> bool:
    """Return whether the trimmed text begins and ends with the wrapper of an earlier summary (rule P23)."""
    text = line_feeds(text)
    return _wrapped(text, *_trimmed(text, 0, len(text))) is not None


def strip_summary_wrappers(text: str) -> str:
    """Return the text, trimmed, without complete wrappers of earlier summaries around it (rule P23)."""
    text = line_feeds(text)
    start, end = _trimmed(text, 0, len(text))
    while inner := _wrapped(text, start, end):
        start, end = _trimmed(text, *inner)
    return text[start:end]


_KIND_START = re.compile(rf"^{re.escape(KIND_LABEL)}(?:{'|'.join(map(re.escape, CAUSES.values()))})", re.MULTILINE)
_KIND_END = re.compile(r"\](?:\n|\Z)")


_SECTION = rf"(?:{re.escape(HANDED_WORDS)}\n\n)?(?=## (?:{'|'.join(HANDOVER)})\n)"
_OPENING = re.compile(
    rf"^[ \t]*+({re.escape(CONTINUED)}|# [^\n]{{0,400}}{re.escape(HANDED_OVER)}\n\n{_SECTION})", re.MULTILINE
)


def opening_start(text: str) -> int:
    """Return where a message that opens a chat begins in a text, or -1."""
    found = _OPENING.search(text) if CONTINUED in text or HANDED_OVER in text else None
    return found.start(1) if found else -1


def opens_chat(text: str) -> bool:
    """Return whether a text is a message that opens a chat."""
    return opening_start(text.lstrip()) == 0


def without_opening(text: str) -> str:
    """Return a text without the heading of a message that opens a chat, and the sentence below it."""
    found = _OPENING.match(text.lstrip())
    return text.lstrip()[found.end() :].lstrip().removeprefix(OPENING) if found else text


def opening_end(text: str) -> int:
    """Return where an opening message ends, or 0 if the text does not begin with one.

    It ends with a closing line or a kind text; if that was removed, the whole text counts.
    """
    if not opens_chat(text):
        return 0
    closing = text.rfind(f"\n{CLOSING}")
    ends = [closing + 1 + len(CLOSING)] if closing >= 0 else []
    return max((*ends, *(end for _, end in _kind_texts(text))), default=len(text))


_NOTICE = re.compile(r"\[(?:Earlier|\d{1,9}) messages? omitted\]")  # rules K10 and V4


def without_ours(text: str) -> str:
    """Return what a person may have typed: the text without summaries, opening, kind text and notices."""
    if is_summary_text(text) or _NOTICE.fullmatch(text.strip()):
        return ""
    rest = text[opening_end(text) :]
    pieces, place = [], 0
    for start, end in _kind_texts(rest):
        pieces.append(rest[place:start])
        place = end
    return "".join((*pieces, rest[place:])).strip() if pieces else rest


def _kind_texts(text: str) -> Iterator[tuple[int, int]]:
    """Find the kind texts, each up to the first line that ends with its bracket."""
    place = 0
    for start in _KIND_START.finditer(text) if KIND_LABEL in text else ():
        if start.start() >= place:
            end = _KIND_END.search(text, start.end())
            if end is None:
                return
            place = end.end()
            yield start.start(), place


def line_feeds(text: str) -> str:
    """Replace every CRLF and lone CR by a line feed (rule G3)."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


_SEQUENCE = re.compile(  # for a terminal: colors, movements, titles
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]?|[\]PX^_][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[ -/]++[0-~]?|[0-OQ-WYZ\\`-~])?"
)


def without_codes(text: str) -> str:
    """Remove the escape sequences of a terminal, each as a whole."""
    return _SEQUENCE.sub("", text) if "\x1b" in text else text


# Control, format, surrogate and separator characters (rule G9), without line feeds, tabs, joiners, and the signs that
# Arabic and Syriac draw around numbers.
_SIGNS = (
    "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\ufffb"
    "\U00013430-\U0001345f\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
UNPRINTED = f"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029{_SIGNS}"
# What a chat must not print (rule G9): categories Cc, Cf, Cs, Zl and Zp.

_JOINERS = "\u200c\u200d"
# What parts no words where it is dropped: without what is white space, NUL, and the sign before a terminal's codes.
UNSEEN = f"\x01-\x08\x0e-\x1a\x7f-\x84\x86-\x9f{_SIGNS}{_JOINERS}"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_APART = rf"\x00-\x7f\s{UNPRINTED}{_JOINERS}"  # what no joiner joins
_FLAG = "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,4}\U000e007f"  # of a region
UNSAFE = re.compile(
    rf"({_FLAG})|[{UNPRINTED}]"
    rf"|(?<![^{_APART}])[{_JOINERS}]|[{_JOINERS}](?![^{_APART}])|(?<=[{_SELECTORS}])[{_SELECTORS}]"
)


def visible(text: str) -> str:
    """Escape what a text must not do to a terminal, so that it is seen; line feeds and tabs stay."""
    return UNSAFE.sub(lambda found: found[1] or ascii(found[0])[1:-1], text)


_NOT_STORED = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    """Replace what no text file may hold, character by character: NULs and halves of surrogate pairs."""
    return _NOT_STORED.sub("\ufffd", text)


def _wrapped(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the bounds of the outermost wrapper's contents in a stretch."""
    for head, tail in _WRAPPERS:
        if text.startswith(head, start, end) and text.endswith(tail, start + len(head), end):
            return start + len(head), end - len(tail)
    return None


_PIECE = 2**12  # characters


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of a stretch without surrounding white space; small copies, so that deep nesting is linear."""
    while start < end and text[start].isspace():
        piece = text[start : min(end, start + _PIECE)]
        start += len(piece) - len(piece.lstrip())
    while start < end and text[end - 1].isspace():
        piece = text[max(start, end - _PIECE) : end]
        end -= len(piece) - len(piece.rstrip())
    return start, end


FENCE = re.compile(r"^[ \t]*+(?P<run>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$", re.MULTILINE)


_OPENS = re.compile(r"^[ \t]*+(?:(`{3,}+)[^`\n]*+|(~{3,}+)[^\n]*+)$", re.MULTILINE)
_CLOSES = {
    "`": re.compile(r"^[ \t]*+(`{3,}+)[^\S\n]*+$", re.MULTILINE),
    "~": re.compile(r"^[ \t]*+(~{3,}+)[^\S\n]*+$", re.MULTILINE),
}
_LONGEST_REMEMBERED = 2**24  # characters of a text whose fences are remembered


def closed_fences(text: str) -> dict[int, int]:
    """Find each code fence that a line below closes (rule R5), with its end; a fence inside another is its code."""
    ends = _fences(text)
    return dict(zip(ends[::2], ends[1::2], strict=True))


def marked_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to a closed fence."""
    place = 0
    ends = _fences(text)
    for start, end in zip(ends[::2], ends[1::2], strict=True):
        if start > place:
            yield from ((line, False) for line in text[place : start - 1].split("\n"))
        yield from ((line, True) for line in text[start:end].split("\n"))
        place = end + 1
    if place <= len(text):
        yield from ((line, False) for line in text[place:].split("\n"))


def _fences(text: str) -> array[int]:
    """Return where each closed fence starts and ends; a chat's texts are asked again and again."""
    if "```" not in text and "~~~" not in text:
        return array("Q")
    return _found_fences(text) if len(text) <= _LONGEST_REMEMBERED else _found_fences.__wrapped__(text)


@lru_cache(4)
def _found_fences(text: str) -> array[int]:
    found, place = array("Q"), 0
    widest: dict[str, list[tuple[int, int]]] = {}  # closing lines, each wider than all behind it: place and width
    while opening := _OPENS.search(text, place):
        place, run = opening.end(), opening[opening.lastindex or 0]
        closing = _CLOSES[run[0]]
        if run[0] in widest:
            behind = widest[run[0]]
            near = bisect_left(behind, (place, 0))
            if near == len(behind) or behind[near][1] < len(run):
                continue
        end = next((line.end() for line in closing.finditer(text, place) if len(line[1]) >= len(run)), 0)
        if end:
            found.extend((opening.start(), end))
            place = end
        elif run[0] not in widest:  # do not search the rest of the text for each fence that stays open
            behind = widest[run[0]] = []
            for line in closing.finditer(text, place):
                while behind and behind[-1][1] <= len(line[1]):
                    behind.pop()
                behind.append((line.start(), len(line[1])))
    return found


def fenced_lines(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it belongs to a closed fence."""
    return [fenced for _, fenced in marked_lines("\n".join(lines))] if lines else []


_CODE = re.compile(r"``[^\n]+?``|`[^`\n]+`")
_CLOSING = re.compile(r"</([\w:-]{1,100})>")


def parted(text: str, opening: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield what precedes each closed element that a pattern opens, with its contents; last what is behind them all.

    The pattern's first group is the element's name. Elements may hold others of their name; quoted code holds none.
    """
    place = 0
    for start, inside, end, behind in _elements(_without_code(text), opening) if "</" in text else ():
        yield text[place:start], text[inside:end]
        place = behind
    yield text[place:], ""


def outside(text: str, opening: re.Pattern[str]) -> list[str]:
    """Return what stands around the elements that a pattern opens, or the whole text if it holds none."""
    first, *others = (before for before, _ in parted(text, opening))
    return [piece for piece in (first, *others) if piece.strip()] if others else [first]


def _elements(text: str, opening: re.Pattern[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the bounds of each outermost element, and those of its contents."""
    openings = list(opening.finditer(text))
    closings = list(_CLOSING.finditer(text)) if openings else []
    last = {tag[1].lower(): tag.start() for tag in closings}
    first, depth, closed = None, 0, None
    for tag in sorted((*openings, *closings), key=lambda tag: tag.start()):
        name = tag[1].lower()
        if tag.re is _CLOSING:
            if first and name == first[1].lower():
                depth, closed = depth - 1, tag
        elif first and not closed:
            depth += name == first[1].lower()
        elif last.get(name, -1) > tag.start():
            if first and closed:  # it only mentioned a tag of its own
                yield first.start(), first.end(), closed.start(), closed.end()
            first, depth, closed = tag, 1, None
        if first and closed and not depth:
            yield first.start(), first.end(), closed.start(), closed.end()
            first = closed = None
    if first and closed:
        yield first.start(), first.end(), closed.start(), closed.end()


def _without_code(text: str) -> str:
    """Blank what is quoted as code, in fences or backticks; every other character keeps its place."""
    pieces: list[str] = []
    place = 0
    for start, end in sorted(closed_fences(text).items()):
        if start >= place:
            pieces += text[place:start], " " * (end - start)
            place = end
    return _CODE.sub(lambda code: " " * len(code[0]), "".join((*pieces, text[place:])))


_TICKS = re.compile(r"`+")


def code(text: str) -> str:
    """Format inline code on one line, which may contain backticks."""
    text = " ".join(text.splitlines())
    ticks = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(text: str) -> str:
    """Format code of several lines, which may contain fences."""
    run = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{run}\n{text}\n{run}"


QUOTES = re.compile(r"^>(?: .*)?(?:\n>(?: .*)?)*", re.MULTILINE)


def quote(text: str) -> str:
    """Quote the user's words."""
    return "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))


def indented(text: str) -> str:
    """Indent a text, as below a bullet."""
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))


def counted(number: int, noun: str) -> str:
    """Format a count with its noun, such as 1 message or 1,200 messages."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def turn_heading(turn: int) -> str:
    """Return the heading of a turn in the record of a hand-over."""
    return f"Turn {turn}" if turn else "Before turn 1"


_ENCODER = json.JSONEncoder(allow_nan=False, check_circular=False, separators=(",", ":"))


def json_text(value: Any, indent: int | None = None) -> str:
    """Write ASCII JSON; a number that JSON cannot write becomes null."""
    encoder = _ENCODER if indent is None else json.JSONEncoder(allow_nan=False, indent=indent)
    try:
        return encoder.encode(value)
    except ValueError:
        return encoder.encode(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
