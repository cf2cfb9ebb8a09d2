"""Section titles in whatever dress a model gives them, and the text below each (rules R2 to R4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from compact_chat.reply.code import FENCE, closed_fences, left_to_right, marked_lines
from compact_chat.reply.indent import Line
from compact_chat.reply.reply import BLANKS

Titles = Mapping[str, str]  # a title as titles are compared, and its key

_MARKS = BLANKS + "#*_"
_MOST_SIGNS = 6
_NUMBER = re.compile(r"[0-9]{1,3}[.)]")
_LEAST_BOLD = len("**x**")


def titles_of(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The titles of a style as they are compared, each with its key."""
    return {_folded(title): key for title, key in pairs}


def title_of(line: str, titles: Titles) -> str | None:
    """The key of the title that a line is the heading of: with number signs, or bold as a whole (rule R3)."""
    text = line.strip(BLANKS)
    if not text.startswith(("#", "**", "__")):
        return None
    signs = len(text) - len(text.lstrip("#"))
    if signs > _MOST_SIGNS or not (signs or _is_bold(text)):
        return None
    words = text.strip(_MARKS + ":")
    if number := _NUMBER.match(words):
        words = words[number.end() :].strip(_MARKS)
    return titles.get(_folded(words))


def stretches(text: str, titles: Titles) -> Iterator[tuple[str, list[Line]]]:
    """What stands below each known title outside fences; text before the first one is nobody's (rules R2 and R4)."""
    key, lines = "", list[Line]()
    for line, fenced in marked_lines(text):
        found = None if fenced else title_of(line, titles)
        if found is None:
            lines.append((line, fenced))
            continue
        if key:
            yield key, lines
        key, lines = found, []
    if key:
        yield key, lines


def unshelled(text: str, titles: Titles) -> str:
    """The text without the fence around the whole of it, or the fenced block that holds it (rule R2)."""
    inner = _inside(text)
    if inner is not None and len(_known(inner, titles)) >= max(1, len(_known(text, titles))):
        return inner
    if _known(text, titles):
        return text
    blocks = (text[start:end] for start, end in left_to_right(closed_fences(text)))
    whole = (block.partition("\n")[2].rpartition("\n")[0] for block in blocks)
    return next((block for block in whole if len(_known(block, titles)) > 1), text)


def _known(text: str, titles: Titles) -> set[str]:
    return {key for key, _ in stretches(text, titles)}


def _inside(text: str) -> str | None:
    """What stands between the first and the last line, if they are a matching fence."""
    first, _, rest = text.strip("\n" + BLANKS).partition("\n")
    inner, _, last = rest.rpartition("\n")
    opening, closing = FENCE.fullmatch(first), FENCE.fullmatch(last)
    if not opening or not closing or closing["info"].strip() or not closing["run"].startswith(opening["run"]):
        return None
    return inner


def _is_bold(text: str) -> bool:
    bold = text.rstrip(BLANKS + ":")
    return len(bold) >= _LEAST_BOLD and any(bold.startswith(mark) and bold.endswith(mark) for mark in ("**", "__"))


def _folded(title: str) -> str:
    return " ".join(title.replace("&", " and ").lower().split())
