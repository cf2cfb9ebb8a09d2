"""Statements of the assistant: the lines that name the most that a summary does not contain yet."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from compact_chat.cancel import checkpoint
from compact_chat.chat import Message, Thinking
from compact_chat.facts import (
    ANNOUNCES_WORK,
    CONCLUDES,
    MENTIONS_WORK,
    SUPERSEDED_VALUE,
    Request,
    sentences,
    shortened,
    without_bullet,
)
from compact_chat.text import FENCE, marked_lines

LEAST, LONGEST = 25, 320  # characters of a line
MOST_STATEMENTS = 3000
FINAL_WORTH = 2.0  # for the end of a turn, which says most
LINE_WORTH, REASON_WORTH = 0.8, 0.8  # of a line, and more with a reason
THOUGHT_WORTH, PLACE_WORTH = 0.9, 0.6  # of a line of a thought, and of one that only tells where something is
LONGEST_THOUGHT = 20_000  # characters; of longer ones the end counts
LONGEST_LEAD = 60  # of a heading that goes before its points
# Specific terms: code spans, paths and names with dots, numbers, words in mixed case or with underscores.
_NAME = re.compile(
    r" ?[a-z]{1,30}+(?=[\s,;:)]|\.\s)|("  # a plain word is passed over at once
    r"`[^`\n]{1,80}`|(?<=[a-z,] )[A-Z]\w{2,30}|\b[A-Za-z][\w-]{0,40}(?:\.[\w-]{2,40}){1,6}\b"
    r"|[\w.-]{0,60}/[\w./-]{1,120}|\b\w{0,40}\d[\w.,:%-]{0,40}|\b[a-z]{1,30}[A-Z]\w{1,40}|\b\w{1,40}_\w{1,40})"
)
_RULER = re.compile(r"[|:\s-]+$")  # below the head of a table
_LINK = re.compile(r"\W{0,4}\[[^\]\n]{1,200}\]\(\S{1,400}\)\W{0,4}$")
_CLAUSE = re.compile(r"(?<=[,;:])\s|\s(?=(?:because|since|so that|which|while|although|and|but)\s)")
_LEADS = re.compile(r"^(?:(?:also|actually|hi|hmm|ok(?:ay)?|well|so|then|thanks|sorry|yes|no)[,.!]? )+", re.IGNORECASE)
SHORT_SENTENCE = 40  # characters, that are not cut
_WORD = re.compile(r"[^\W_][\w.%-]*")
OPENS = re.compile(
    r"^(?:(?:perfect|great|excellent|done|awesome|good (?:news|question|point)|got it|sure|understood|okay|ok"
    r"|alright|good|wonderful|fantastic|nice|uh oh|you['’]re (?:absolutely )?right)\b[^.!:`\n]{0,30}"
    r"(?:[.!:,]+| [-–—])(?:\s+|$))+",
    re.IGNORECASE,
)
_CODE = re.compile(r":=|\);?$|[{;]$|^\s*(?:if|for|func|def|return|const|let|var|import)\b.*[({]")

_PLACE = re.compile(r"\blines? \d{1,6}|\.\w{1,5}:\d{1,6}\b")  # in the code
_MUSES = re.compile(
    r"^\W{0,3}(?:let me|i(?:['’]ll| should| need| want| can| could|['’]m| will| think| wonder)|now|wait|hmm|actually,"
    r"|maybe|perhaps|but |and |or |so |the user|also,|first|next|then|looking|this|that|it |they|these|if )",
    re.IGNORECASE,
)

_TAKES_BACK = re.compile(r"\W{0,3}(?:but|actually|however|wait|hmm|no,)\b", re.IGNORECASE)


class Statement(Struct, frozen=True):
    """A line of the assistant, its specific terms, and the request that it answers, if any."""

    text: str
    names: set[str]
    place: int
    request: Request | None
    worth: float
    message: str = ""
    is_thought: bool = False


def statements_in(
    messages: Sequence[Message],
    said: Sequence[Request],
    current: Callable[[str, str], str],
    *,
    thoughts: bool = False,
) -> list[Statement]:
    """List the newest lines of the assistant; `current` notes what of a message's text no longer holds.

    With `thoughts` there are also the sentences of its thoughts that conclude or give a reason.
    """
    wishes = {request.message: request for request in said}
    spoken: list[tuple[Request | None, Message]] = []
    request = None
    for message in messages:
        request = wishes.get(message.id, request)
        if message.role == "assistant":
            spoken.append((request, message))
    found: list[Statement] = []
    following: tuple[Request | None, ...] = ()
    for request, message in reversed(spoken):
        if message.text.strip():
            is_final = following != (request,)
            following = (request,)
            for line in reversed(list(_prose(current(message.text, message.id)))):
                checkpoint()
                worth = FINAL_WORTH if is_final else LINE_WORTH + REASON_WORTH * bool(CONCLUDES.search(line))
                found.append(Statement(line, names_in(line), -len(found), request, worth, message.id))
        for thought in (part.text for part in message.parts if thoughts and isinstance(part, Thinking)):
            for line in reversed(list(_concluded(thought))):
                checkpoint()
                worth = THOUGHT_WORTH if CONCLUDES.search(line) else PLACE_WORTH
                found.append(Statement(line, names_in(line), -len(found), request, worth, message.id, is_thought=True))
        if len(found) >= MOST_STATEMENTS:
            break
    return found[MOST_STATEMENTS - 1 :: -1]


def _concluded(thought: str) -> Iterator[str]:
    """Yield the sentences of a thought that conclude something, give a reason, or say where in the code something is.

    What the next sentence takes back is no conclusion.
    """
    lines = [line for line, fenced in marked_lines(thought[-LONGEST_THOUGHT:]) if line.strip() and not fenced]
    for line, below in pairwise([*lines, ""]):
        if not (CONCLUDES.search(line) or _PLACE.search(line)):
            continue
        for one, after in pairwise([*sentences(line), below]):
            locates = _PLACE.search(one) and not MENTIONS_WORK.search(one)
            stands_alone = not (_CODE.search(one) or _MUSES.match(one) or one.endswith(("?", ":")))
            is_whole = LEAST <= len(one) <= LONGEST and (locates or (stands_alone and CONCLUDES.search(one)))
            if is_whole and not _TAKES_BACK.match(after):
                yield one


def best_statements(
    statements: Sequence[Statement], written: str, room: int, count: Callable[[str], int]
) -> Iterator[Statement]:
    """Choose what fits the room, the best first; each is worth the terms that it adds."""
    there, named = set(map(_bare, written.split("\n"))), names_in(written)
    new = [one for one in statements if one.text not in there]
    new.sort(key=lambda one: (-one.worth * (1 + len(one.names - named)) / math.sqrt(20 + len(one.text)), -one.place))
    for one in new:
        if one.worth != FINAL_WORTH and one.names <= named:
            continue
        cost = count(one.text) + 2
        if cost <= room:
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

    Rows of tables are lines too. A point of a list has the short line before the list in front.
    A fence that is never closed is code up to the end: the reply was cut off in it.
    """
    lead = ""
    for line, fenced in marked_lines(text):
        if not fenced and FENCE.match(line):
            return
        if fenced or not line.strip():
            continue
        bare = OPENS.sub("", _bare(line))
        is_point = _bare(line) != line.strip().lstrip("#").strip()
        if not is_point:
            lead = bare if line.lstrip().startswith("#") or bare.endswith((":", ":**", "**")) else ""
        bare = bare.strip("| ") if bare.startswith("|") else bare
        core = bare.rstrip("*_ ")
        if len(core) < LEAST or core.endswith(("?", "？", ":")) or _RULER.match(bare) or _LINK.match(bare):
            continue
        bare = _without_steps(bare)
        if len(bare) < LEAST:
            continue
        if is_point and lead and len(lead) <= LONGEST_LEAD:
            bare = f"{lead.strip('#*: ')}: {bare}"
        yield shortened(bare, LONGEST)


def _without_steps(line: str) -> str:
    """Return a line without the sentences that only announce a step."""
    if not MENTIONS_WORK.search(line):
        return line
    pieces = list[str]()
    for piece in re.split(r"(?<=[.!:])\s+(?=[A-Z])", line):
        if pieces and pieces[-1].count("**") % 2:  # in the middle of bold words
            pieces[-1] += f" {piece}"
        else:
            pieces.append(piece)
    return " ".join(one for one in pieces if not ANNOUNCES_WORK.match(one) or CONCLUDES.search(one))


def _bare(line: str) -> str:
    return without_bullet(line.strip().lstrip("#")).strip()


def names_in(text: str) -> set[str]:
    """Return the specific terms in a text."""
    return {name.strip("`") for name in _NAME.findall(text) if name}
