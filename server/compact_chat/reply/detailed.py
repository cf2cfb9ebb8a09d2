"""A model's reply in the detailed style becomes the summary it holds (rules F)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from compact_chat.chat import Warning
from compact_chat.errors import NoSummary
from compact_chat.reply.blocks import find_blocks
from compact_chat.reply.code import closed_fences, left_to_right, marked_lines
from compact_chat.reply.headings import heading
from compact_chat.reply.reply import Reply, readable

HEADER = "Summary:"
_BLANK_LINES = re.compile(r"\n(?>[^\S\n]*+\n)++")
LEAST_TITLES = 3
_LOOKS = "The reply holds no summary: expected a <summary> block, or at least three of the section titles as headings."
_CUT_OFF = Warning("unclosedSummary", "The summary has no closing tag: it may be cut off.")
_NO_TAGS = Warning("missingTags", "The summary came without its tags: the whole text outside analysis was taken.")


def format_reply(text: str) -> Reply:
    """The summary of a reply without analysis and chatter, or the error that there is none."""
    text = readable(text)
    found = find_blocks(text)
    if found.bodies:
        return Reply(_presentable(found.bodies), (_CUT_OFF,) if found.cut_off else ())
    if _titles(found.outside) < LEAST_TITLES:
        raise NoSummary(_LOOKS)
    return Reply(_presentable([found.outside]), (_NO_TAGS,))


def _presentable(bodies: Sequence[str]) -> str:
    """The bodies that hold something, identical ones once, under one header (rules F8, F10 and F11)."""
    texts = dict.fromkeys(_without_header(body).strip() for body in bodies)
    body = "".join(_tidied("\n\n".join(filter(None, texts))))
    if not body:
        raise NoSummary("The summary is blank.", "emptySummary")
    return f"{HEADER}\n{body}"


def _without_header(body: str) -> str:
    first, _, rest = body.strip().partition("\n")
    return rest if first.rstrip() == HEADER else body


def _tidied(text: str) -> Iterator[str]:
    """The text with one blank line for each run of them outside closed fences (rule F11)."""
    place = 0
    for start, end in left_to_right(closed_fences(text)):
        yield _BLANK_LINES.sub("\n\n", text[place:start])
        yield text[start:end]
        place = end
    yield _BLANK_LINES.sub("\n\n", text[place:])


def titles_in(keys: Iterable[str]) -> int:
    """How many of the nine titles are among the keys of sections; either title of section 9 is one (rules F9, Z2)."""
    return len(set(keys) - {"immediateTask"})


def _titles(text: str) -> int:
    """How many of the nine titles a text has as headings."""
    found = (heading(line) for line, fenced in marked_lines(text) if not fenced)
    return titles_in(title[0] for title in found if title)
