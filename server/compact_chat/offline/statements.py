"""Statements of the assistant: the lines that name the most that a summary does not contain yet."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterator, Sequence

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message
from compact_chat.facts import SUPERSEDED_VALUE, Request, shortened, without_bullet
from compact_chat.text import FENCE, marked_lines

LEAST, LONGEST = 25, 320  # characters of a line
MOST_STATEMENTS = 3000
FINAL_WORTH = 2.0  # for the end of a turn, which says most
# Specific terms: code spans, paths and names with dots, numbers, words in mixed case or with underscores.
_NAME = re.compile(
    r"`[^`\n]{1,80}`|(?<=[a-z,] )[A-Z]\w{2,30}|\b[A-Za-z][\w-]{0,40}(?:\.[\w-]{2,40}){1,6}\b"
    r"|[\w.-]{0,60}/[\w./-]{1,120}|\b\w{0,40}\d[\w.,:%-]{0,40}|\b[a-z]{1,30}[A-Z]\w{1,40}|\b\w{1,40}_\w{1,40}"
)
_RULER = re.compile(r"[|:\s-]+$")  # below the head of a table
_CLAUSE = re.compile(r"(?<=[,;:])\s|\s(?=(?:because|since|so that|which|while|although|and|but)\s)")
_LEADS = re.compile(r"^(?:(?:also|actually|hi|hmm|ok(?:ay)?|well|so|then|thanks|sorry|yes|no)[,.!]? )+", re.IGNORECASE)
SHORT_SENTENCE = 40  # characters, that are not cut
_WORD = re.compile(r"[^\W_][\w.%-]*")
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


def statements_in(
    messages: Sequence[Message], said: Sequence[Request], current: Callable[[str, str], str]
) -> list[Statement]:
    """List the newest lines of the assistant; `current` notes what of a message's text no longer holds."""
    wishes = {request.message: request for request in said}
    spoken: list[tuple[Request | None, str]] = []
    request = None
    for message in messages:
        request = wishes.get(message.id, request)
        if message.role == "assistant" and message.text.strip():
            spoken.append((request, current(message.text, message.id)))
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


def clause(sentence: str, superseded: Container[str]) -> str:
    """Return the clauses of a sentence from the first to the last that names something; the others are cut."""
    pieces = _CLAUSE.split(_LEADS.sub("", sentence))
    telling = [
        place for place, one in enumerate(pieces) if any(name not in superseded for name in names_in(f"a {one}"))
    ]
    if not telling or len(sentence) < SHORT_SENTENCE:
        return sentence
    own = pieces[telling[0] : telling[-1] + 1]
    end = "" if telling[-1] == len(pieces) - 1 else " …"
    return f"{'… ' if telling[0] else ''}{' '.join(one.strip() for one in own)}{end}"


def telling(found: Sequence[Statement], written: str, room: int, count: Callable[[str], int]) -> Iterator[Statement]:
    """Choose the sentences that tell the most that is new for their length, until the room is full."""
    known = _telling_words(f"{written} {SUPERSEDED_VALUE}")
    costs = [count(one.text) + 1 for one in found]
    words = [_telling_words(one.text) for one in found]
    named, left = names_in(written), set(range(len(found)))
    while left:
        checkpoint()
        values = {
            place: found[place].worth
            * sum(words[place][word] for word in words[place].keys() - known.keys())
            / costs[place]
            for place in left
            if costs[place] <= room and (found[place].request or not found[place].names <= named)
        }
        best = max(values, key=lambda place: (values[place], place), default=None)
        if best is None or not values[best]:
            return
        left = values.keys() - {best}
        room -= costs[best]
        known |= words[best]
        named |= found[best].names
        yield found[best]


def _telling_words(text: str) -> dict[str, float]:
    """Return the words of a text by what they tell: values and names much, other words something."""
    names = {word.lower() for name in names_in(text) for word in _WORD.findall(name)}
    plain = (word.lower() for word in _WORD.findall(text))
    found = {word: 3.0 if word in names else 1.0 for word in plain if len(word) > 3 or word in names}
    return found if names or len(found) > 1 else {}


def _prose(text: str) -> Iterator[str]:
    """Yield the lines outside fences that neither ask nor announce, each whole or truncated at a word.

    Rows of tables are lines too.
    A fence that is never closed is code up to the end: the reply was cut off in it.
    """
    for line, fenced in marked_lines(text):
        if not fenced and FENCE.match(line):
            return
        bare = _bare(line) if not fenced and len(line) >= LEAST else ""
        bare = bare.strip("| ") if bare.startswith("|") else bare
        core = bare.rstrip("*_ ")
        if len(core) < LEAST or core.endswith(("?", "？", ":")) or _ANNOUNCES.match(bare) or _RULER.match(bare):
            continue
        yield shortened(bare, LONGEST)


def _bare(line: str) -> str:
    return without_bullet(line.strip().lstrip("#")).strip()


def names_in(text: str) -> set[str]:
    """Return the specific terms in a text."""
    return {name.strip("`") for name in _NAME.findall(text)}
