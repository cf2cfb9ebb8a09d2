"""Statements of the assistant: the lines that name the most that a summary does not contain yet."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message
from compact_chat.facts import Request, shortened, without_bullet
from compact_chat.text import FENCE, marked_lines

LEAST, LONGEST = 25, 320  # characters of a line
MOST_STATEMENTS = 3000
FINAL_WORTH = 2.0  # for the end of a turn, which says most
# Specific terms: code spans, paths and names with dots, numbers, words in mixed case or with underscores.
_NAME = re.compile(
    r"`[^`\n]{1,80}`|[\w.-]{0,60}/[\w./-]{1,120}|\b\w{0,40}\d[\w.,:%-]{0,40}|\b[a-z]{1,30}[A-Z]\w{1,40}|\b\w{1,40}_\w{1,40}"
)
_ANNOUNCES = re.compile(
    r"(?:(?:now|next|first|then|ok|okay|good|great)[,.!:]? )?let(?:[’']s|s| me| us)\b", re.IGNORECASE
)


class Statement(Struct, frozen=True):
    """A line of the assistant, its specific terms, and the request that it answers, if any."""

    text: str
    names: set[str]
    place: int
    request: Request | None
    worth: float


def statements_in(messages: Sequence[Message], said: Sequence[Request]) -> list[Statement]:
    """List the newest lines of the assistant."""
    wishes = {request.message: request for request in said}
    spoken: list[tuple[Request | None, str]] = []
    request = None
    for message in messages:
        request = wishes.get(message.id, request)
        if message.role == "assistant" and message.text.strip():
            spoken.append((request, message.text))
    found: list[Statement] = []
    following: tuple[Request | None, ...] = ()
    for request, text in reversed(spoken):
        worth = FINAL_WORTH if following != (request,) else 1.0
        for line in reversed(list(_prose(text))):
            checkpoint()
            found.append(Statement(line, names_in(line), -len(found), request, worth))
        if len(found) >= MOST_STATEMENTS:
            break
        following = (request,)
    return found[MOST_STATEMENTS - 1 :: -1]


def best_statements(
    statements: Sequence[Statement], written: str, room: int, count: Callable[[str], int]
) -> Iterator[Statement]:
    """Choose what fits the room, the best first; each is worth the terms that it adds."""
    there, named = set(map(_bare, written.split("\n"))), names_in(written)
    new = [one for one in statements if one.text not in there]
    new.sort(key=lambda one: (-one.worth * (1 + len(one.names - named)) / math.sqrt(20 + len(one.text)), -one.place))
    for one in new:
        cost = count(one.text) + 2
        if cost <= room and (one.worth == FINAL_WORTH or not one.names <= named):
            room -= cost
            named |= one.names
            yield one


def _prose(text: str) -> Iterator[str]:
    """Yield the lines outside fences and tables that neither ask nor announce, each whole or truncated at a word.

    A fence that is never closed is code up to the end: the reply was cut off in it.
    """
    for line, fenced in marked_lines(text):
        if not fenced and FENCE.match(line):
            return
        bare = _bare(line) if not fenced and len(line) >= LEAST else ""
        if len(bare) < LEAST or bare.startswith("|") or bare.endswith(("?", "？", ":")) or _ANNOUNCES.match(bare):
            continue
        yield shortened(bare, LONGEST)


def _bare(line: str) -> str:
    return without_bullet(line.strip().lstrip("#")).strip()


def names_in(text: str) -> set[str]:
    """Return the specific terms in a text."""
    return {name.strip("`") for name in _NAME.findall(text)}
