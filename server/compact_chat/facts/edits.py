"""What edits changed in the code, in few words: where, and the lines that tell most, old and new."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.errors import checkpoint
from compact_chat.facts.files import PROSE, file_kind, patches_of, paths_of_step
from compact_chat.facts.results import DEFINES, NEW_TEXT, OLD_TEXT, inner_edits
from compact_chat.facts.steps import Step
from compact_chat.facts.words import EXPLAINS_CODE, shortened

LONGEST_LINE, LONGEST, MOST_LINES = 150, 450, 6  # characters of a line, and of a change; lines of one side
MORE, MOST_MORE = 1500, 20  # characters of a change, and its new lines, where room is left
LONGEST_TEXT = 60_000  # characters of an edit that are compared
MOST_OF_FILE = 80  # lines of an attached file
SMALL_FILE = 400  # characters of a new file that is shown whole
LONGEST_OLD = 80  # of a line that another one replaced
DEFINING = 5  # the rank of a line that defines something
ALIKE = 0.5  # the words that two lines share, of those of both
LEAST_COMMENT = 30  # characters of a comment that explains
_WORD = re.compile(r"\w+")
_ATTACHED = re.compile(r"```(?:\w{1,20} )?([^\s`]{0,400}[./\\][^\s`]{1,200})\n(.*)\n```\s*", re.DOTALL)
_LOOSE_END = re.compile(r"(?:(?<!\$)\{|[;,\s])+$")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update) File: (.{1,4096})$")
_HEADING = re.compile(r"^\s{0,3}#{1,4}\s+\S")
_HERE = re.compile(r"<<-?\s*['\"]?(\w{1,20})['\"]?")
_WRITTEN = re.compile(r"\b(?:cat|tee)\s*(>{0,2})\s*([\w./~-]{2,200})\s*<<")
_FIRST_WORD = re.compile(r"\s*(\w{1,20})\b")
_COMMENT = re.compile(r"^\s*(?://|#(?!!)|/?\*|--|\"\"\"|<!--)")
_MARKUP = re.compile(r"^\s*(?:</?\w|className|style=|/>)")
_RULES = re.compile(  # conditions, results, and what people and other programs get to see
    r"\b(?:if|elif|unless|return|raise|throw|except|catch|case|switch|while|assert|require|timeout|default"
    r"|retry|limit|max|min)\b|[=<>!]=|[\"'`][^\"'`]{8,}[\"'`]"
)
_SETS = re.compile(r":=|(?<![=<>!:])=(?!=)|\bfor\b|^\s*[\"'\w.-]{1,60}\s*:\s")
_PLAIN = re.compile(
    r"^[\s{}()\[\];,]*$|^\s*(?:if err != nil\b|return(?: err| nil| None| null|;|$)|count\+\+|ctx :?= )"
    r"|^\s*(?:[\w.]{1,40} )?\"[\w@./-]{1,200}\"[,;]?$"
    r"|^\s*(?:import|from|using|package|use|#include|require)\b|^\s*(?:end|else|try|fi)$"
)


class Change(Struct, frozen=True):
    """What an edit left in a file: the function or heading that it is in, and the lines that tell most."""

    path: str
    where: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    message: str
    weight: int  # of the most telling line
    is_pair: bool = False  # the old line became one of the new ones
    more: tuple[str, ...] = ()  # the new lines where room is left, if they are more


def changes(taken: Sequence[Step]) -> list[Change]:
    """List what edits left in the code, in order, without the lines that a later edit replaced again."""
    edits = [(*edit, step.message) for step in taken if step.done for edit in _edits(step)]
    gone: dict[str, set[str]] = {}  # by path: the lines that later edits replaced
    written: set[str] = set()  # files that a later edit wrote as a whole
    found: list[Change] = []
    for path, old, new, is_whole, message in reversed(edits):
        checkpoint()
        if path in written:
            continue
        later = gone.setdefault(path, set())
        if change := _change(path, old[:LONGEST_TEXT], new[:LONGEST_TEXT], message, later):
            found.append(change)
        if old:
            later.update(
                {line.strip() for line in old[:LONGEST_TEXT].split("\n")} - {line.strip() for line in new.split("\n")}
            )
        elif is_whole:
            written.add(path)
    return found[::-1]


def proposed(step: Step) -> list[Change]:
    """List what the edits of one step change, or would have changed."""
    found = (_change(path, old[:LONGEST_TEXT], new[:LONGEST_TEXT], step.message) for path, old, new, _ in _edits(step))
    return [one for one in found if one]


def attachments(messages: Sequence[Message]) -> Iterator[tuple[str, str, str]]:
    """Yield the files that went along with the user's words: each path, its text, and the message."""
    for message in messages:
        for text in message.attached:
            if found := _ATTACHED.fullmatch(text):
                yield found[1], found[2], message.id


def updates(attached: Sequence[tuple[str, str, str]]) -> Iterator[Change]:
    """Yield how a file differs from what it was when it went along before."""
    before: dict[str, str] = {}
    for path, text, message in attached:
        checkpoint()
        old, new = before.get(path, ""), text[:LONGEST_TEXT]
        before[path] = new
        if old and (change := _change(path, old, new, message)):
            yield change


def telling_lines(text: str, room: int) -> str:
    """Return the lines of code that tell most, within a number of characters."""
    return "\n".join(_lines(_telling(text[:LONGEST_TEXT].split("\n"), is_prose=False), MOST_OF_FILE, room))


def here_documents(command: str) -> Iterator[tuple[str, str]]:
    """Yield the line that begins each here-document of a command, and its text."""
    lines = command[:LONGEST_TEXT].split("\n")
    ends: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        if word := _FIRST_WORD.match(line):
            ends.setdefault(word[1], []).append(place)
    behind = 0
    for place, line in enumerate(lines):
        if place >= behind and (found := _HERE.search(line)):
            closing = ends.get(found[1], [])
            if (at := bisect_right(closing, place)) < len(closing):
                behind = closing[at]
                yield line, "\n".join(lines[place + 1 : behind])


def _edits(step: Step) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the path, the old and the new text of each edit of a step, and whether it wrote the whole file."""
    for line, text in here_documents(step.command):
        if text and (written := _WRITTEN.search(line)):
            yield written[2], "", text, written[1] != ">>"
    for patch in patches_of(step):
        yield from _hunks(patch)
    kind = file_kind(step)
    paths = paths_of_step(step) if kind in ("write", "edit") else ()
    if len(paths) == 1:
        for edit in (step.call.input, *inner_edits(step)):
            old, new = _first(edit, OLD_TEXT), _first(edit, NEW_TEXT)
            if (old or new) and "*** Begin Patch" not in new:
                yield paths[0], old, new, kind == "write" and not old


def _first(edit: Mapping[str, object], names: Sequence[str]) -> str:
    return next((value for name in names if isinstance(value := edit.get(name), str) and value.strip()), "")


def _hunks(patch: str) -> Iterator[tuple[str, str, str, bool]]:
    """Yield the hunks of a patch, and whether they add the file; lines around a change belong to both sides."""
    path, old, new, is_added = "", list[str](), list[str](), False
    for line in (*patch.split("\n"), "*** End Patch"):
        if line.startswith(("***", "@@")):
            if path and old != new:
                yield path, "\n".join(old), "\n".join(new), is_added
            context = [line[2:].strip()] if line.startswith("@@") and line[2:].strip() else []
            old, new = list(context), list(context)
            if named := _PATCHED.match(line):
                path, is_added = named[1].strip(), line.startswith("*** Add")
            elif line.startswith("*** Delete File"):
                path = ""
        else:
            old += [line[1:]] * (line[:1] in ("-", " "))
            new += [line[1:]] * (line[:1] in ("+", " "))


def _change(path: str, old: str, new: str, message: str, gone: Container[str] = ()) -> Change | None:
    """Tell a change; lines that are `gone` by now are left out, and so is a change of which nothing stayed."""
    before, after = old.split("\n"), new.split("\n")
    is_whole = not any(line.strip() in gone for line in after)
    if not old and len(new) <= SMALL_FILE and is_whole:
        return Change(path, "", (), (" ".join(new.split()),), message, 2)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    left, come = Counter(map(str.strip, before)), Counter(map(str.strip, after))
    added = come - left
    left -= come
    is_prose = path.endswith(PROSE)
    was = _telling([line for line in before if left[line.strip()]], is_prose)
    new_lines = [line for line in after if added[line.strip()]]
    now = _telling([line for line in new_lines if line.strip() not in gone], is_prose)
    if not now and (not was or _telling(new_lines, is_prose)):
        return None
    where = next((one for line in reversed(before[: start + 1]) if (one := _place(line, is_prose))), "") if old else ""
    weight = max(rank for rank, _ in (*was, *now))
    where = "" if weight == DEFINING else where
    told, chosen, more = _lines(was, 2), _lines(now, MOST_LINES), _lines(now, MOST_MORE, MORE)
    more = more if len(more) > len(chosen) else ()
    if not (was and now):
        return Change(path, where, told, chosen, message, weight, more=more)
    one_for_one = left.total() == added.total() == 1
    words = [_words(line) for line in chosen]
    likeness = [max((_alike(_words(line), one) for one in words), default=0.0) for _, line in was]
    best = max(range(len(was)), key=lambda place: (likeness[place], -place))
    is_pair = one_for_one or likeness[best] >= ALIKE
    line = was[best] if is_pair else max(was, key=lambda one: one[0])
    return Change(path, where, (_piece(line[1], LONGEST_OLD),), chosen, message, weight, is_pair, more)


def _words(line: str) -> frozenset[str]:
    return frozenset(_WORD.findall(line))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return which part of their words two lines share."""
    return 2 * len(one & other) / max(1, len(one) + len(other))


def _piece(line: str, limit: int) -> str:
    """Shorten a line: not within a bracket that it opens, if enough stands before that, and never behind `${`."""
    bare = _LOOSE_END.sub("", line.strip())
    text = shortened(bare, limit)
    if text.endswith("${"):
        return f"{text[:-2].rstrip()}…"
    if not text.endswith("…"):
        return text
    opened = list[int]()
    for place, sign in enumerate(text):
        if sign in "([{":
            opened.append(place)
        elif sign in ")]}" and opened:
            opened.pop()
    at = next((place for place in opened if place >= limit // 3), None)
    return text if at is None else f"{text[:at].rstrip(' $#')}…"


def _telling(lines: Sequence[str], is_prose: bool) -> list[tuple[int, str]]:
    found = dict.fromkeys(line.strip() for line in lines)
    return [(rank, line) for line in found if (rank := _rank(line, is_prose))]


def _rank(line: str, is_prose: bool) -> int:
    """Rank a line by what it tells: a definition or a heading, a condition or a reason, a value, another statement."""
    if _PLAIN.match(line):
        return 0
    if is_prose and _HEADING.match(line):
        return 2
    if not is_prose and DEFINES.match(line):
        return DEFINING
    if _COMMENT.match(line):
        return 4 if EXPLAINS_CODE.search(line) else 3 if len(line) >= LEAST_COMMENT else 2
    return 1 if _MARKUP.match(line) else 4 if _RULES.search(line) else 3 if _SETS.search(line) else 1


def _place(line: str, is_prose: bool) -> str:
    """Return the name that a line defines, or the heading that it is."""
    if is_prose:
        return shortened(line.strip("# \t"), 60) if _HEADING.match(line) else ""
    found = DEFINES.match(line)
    return (found[1] or found[2]) if found else ""


def _lines(ranked: Sequence[tuple[int, str]], most: int, room: int = LONGEST) -> tuple[str, ...]:
    """Choose the most telling lines, in their order, within the length of a change."""
    best = sorted(range(len(ranked)), key=lambda place: (-ranked[place][0], place))[:most]
    chosen = list[str]()
    for place in sorted(best):
        line = _piece(ranked[place][1], LONGEST_LINE)
        if len(line) <= room:
            chosen.append(line)
            room -= len(line)
    return tuple(chosen)
