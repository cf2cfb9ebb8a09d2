"""Telling lines out of what the assistant said: those that name the most that the summary does not hold yet."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.facts.requests import Request
from compact_chat.facts.words import shortened, without_bullet
from compact_chat.providers.extract.lines import REPORTED, Line
from compact_chat.providers.extract.quoting import excerpt
from compact_chat.reply.code import FENCE, marked_lines

LEAST, LONGEST = 25, 320  # characters of a line
MOST_CANDIDATES = 3000
# What can be looked up: code spans, paths and names with dots, numbers, words in mixed case or with underscores.
_NAME = re.compile(
    r"`[^`\n]{1,80}`|[\w.-]{0,60}/[\w./-]{1,120}|\b\w{0,40}\d[\w.,:%-]{0,40}|\b[a-z]{1,30}[A-Z]\w{1,40}|\b\w{1,40}_\w{1,40}"
)
_ANNOUNCES = re.compile(
    r"(?:(?:now|next|first|then|ok|okay|good|great)[,.!:]? )?let(?:[’']s|s| me| us)\b", re.IGNORECASE
)
_FINAL_WORTH = 2.0


class _Candidate(Struct, frozen=True):
    text: str
    names: frozenset[str]
    place: int
    heading: str
    worth: float


class Telling:
    """What the assistant said in lines, each worth what it names beside what the summary holds already.

    `check` is called before each line, and may raise to end the work.
    """

    def __init__(
        self, messages: Sequence[Message], said: Sequence[Request], check: Callable[[], None] = lambda: None
    ) -> None:
        self._lines = _candidates(messages, said, check)

    def lines(self, known: str, room: int, count: Callable[[str], int]) -> list[Line]:
        """The lines to fill the room with, the most telling first; each is worth what it adds to those before it."""
        there = set(map(_bare, known.split("\n")))
        found = [line for line in self._lines if line.text not in there]
        held = _names(known)
        chosen: list[Line] = []
        for line in sorted(found, key=lambda one: (-_score(one, held), -one.place)):
            new = line.names - held
            cost = count(line.text) + 2
            if cost > room or (not new and line.worth < _FINAL_WORTH):
                continue
            room -= cost
            held |= new
            chosen.append(Line(REPORTED, f"- {line.text}", line.place, turn=len(chosen), heading=line.heading))
        return chosen


def _score(line: _Candidate, held: set[str]) -> float:
    return line.worth * (1 + len(line.names - held)) / math.sqrt(20 + len(line.text))


def _candidates(messages: Sequence[Message], said: Sequence[Request], check: Callable[[], None]) -> list[_Candidate]:
    """The lines that the assistant said, under the request that they were said to; the newest where there are many."""
    wishes = {request.message: request.text for request in said}
    spoken: list[tuple[str, str]] = []
    heading = "Before the first request:"
    for message in messages:
        if message.id in wishes:
            heading = f"On {excerpt(wishes[message.id], 100)}:"
        elif message.role == "assistant" and message.text.strip():
            spoken.append((heading, message.text))
    found: list[_Candidate] = []
    for (heading, text), (behind, _) in pairwise([*spoken, ("", "")]):
        worth = _FINAL_WORTH if heading != behind else 1.0  # what ends a turn tells most
        for line in _prose(text):
            check()
            found.append(_Candidate(line, _names_in(line), len(found), heading, worth))
    return found[-MOST_CANDIDATES:]


def _prose(text: str) -> Iterator[str]:
    """The lines outside fences and tables that neither ask nor announce, each whole or cut at a word.

    A fence that is never closed is code up to the end: the reply was cut off in it.
    """
    for line, fenced in marked_lines(text):
        if not fenced and FENCE.match(line):
            return
        bare = _bare(line)
        tells = not bare.startswith("|") and not bare.endswith(("?", "？", ":")) and not _ANNOUNCES.match(bare)
        if not fenced and len(bare) >= LEAST and tells:
            yield shortened(bare, LONGEST)


def _bare(line: str) -> str:
    return without_bullet(line.strip().lstrip("#")).strip()


@lru_cache(MOST_CANDIDATES)
def _names_in(line: str) -> frozenset[str]:
    """The names of a line, remembered, since a chat is looked at again and again."""
    return frozenset(_names(line))


def _names(text: str) -> set[str]:
    return {name.strip("`") for name in _NAME.findall(text)}
