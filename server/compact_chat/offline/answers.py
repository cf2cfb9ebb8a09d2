"""What the assistant said, in short: the lines that name the most, and whole answers abridged.

An answer keeps its conclusion first, then its points in order, each whole in itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message, Thinking
from compact_chat.errors import checkpoint
from compact_chat.facts import (
    ANNOUNCES_WORK,
    COMES_NEXT,
    CONCLUDES,
    MATTERS,
    MENTIONS_WORK,
    SUPERSEDED_VALUE,
    Request,
    asks,
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
_HEAD_RULER = re.compile(r"[|:\s-]+$")  # below the head of a table
_ONLY_LINK = re.compile(r"\W{0,4}\[[^\]\n]{1,200}\]\(\S{1,400}\)\W{0,4}$")
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
        if len(core) < LEAST or core.endswith(("?", "？", ":")) or _HEAD_RULER.match(bare) or _ONLY_LINK.match(bare):
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


MOST_CODE = 10  # lines of a fence
SHORTENED = (320, 200, 120)  # characters of a line, step by step
SHORTEST = 70  # characters of a point, where all lines fit then
SHORT_CODE = 200  # characters of code that is left where lines are shortened a little
LONGEST_HEAD = 90  # of a line that introduces others
LEAST_CONCLUSION = 40
LONGEST_TITLE = 4  # words
LAST_RANK = 5  # of a line that tells something
MANY_NAMES = 2  # in a line that tells much
OMITTED = "[…]"
_SAYS_NOTHING = re.compile(
    r"^(?:let me|i['’]ll now|now let me|here(?:['’]s| is| are) (?:the|a|my|what)|summary\b|would you like|let me know)",
    re.IGNORECASE,
)
_SIGNS = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f] ?")
_TITLE = re.compile(r"^\s*#{1,6}\s+")
_POINT = re.compile(r"^(\s*)(?:[-*+•]|(\d{1,3})[.)]|[A-Z]\))\s")
_BOLD = re.compile(r"^(?:\d{1,2}[.)] )?\*\*[^*\n]{2,90}\*\*:?$")
_RULER = re.compile(r"[\s|:_*-]+$")
_ROW = re.compile(r"^\|\s*#?(\d{1,3})\s*\|")
_OPTION = re.compile(r"^\W{0,4}(?:option|approach|alternative|variant|step|phase) (\d{1,2}|[A-E])\b", re.IGNORECASE)
_PRAISES = re.compile(
    r"^\W{0,4}(?:benefits?|advantages?|why (?:this|it|i['’]d)\b|usage|how to (?:use|test|verify)|try it|example|verify"
    r"|what this (?:means|gives))",
    re.IGNORECASE,
)
_APPROVED = re.compile(  # what only asks for approval
    r"\b(?:looks? (?:right|good|ok)|make sense|match(?:es)? (?:what|your)|sounds? good|what do you think|happy with"
    r"|any (?:concerns|questions|feedback))\b[^.!?]{0,80}\?\W*$",
    re.IGNORECASE,
)
_SOURCE_LINK = re.compile(r"^\W{0,6}(?:sources?:\s*)?\[[^\]\n]{1,200}\]\(https?://\S+\)\W*$", re.IGNORECASE)

Kind = Literal["head", "point", "deep", "prose", "row", "code"]


class Line(Struct, frozen=True):
    """A line of an answer, without marks of headings and opening phrases."""

    text: str
    kind: Kind
    place: int
    number: str = ""  # of a point


def outline(text: str) -> list[Line]:
    """Split an answer into its lines; long code is only counted, and a list of links at its end is left out."""
    found: list[Line] = []
    for fenced, group in groupby(marked_lines(text), key=itemgetter(1)):
        lines = [line.rstrip() for line, _ in group if line.strip()]
        if fenced:
            whole = f"[{len(lines) - 2} lines of code]" if len(lines) > MOST_CODE else "\n".join(lines)
            found.append(Line(whole, "code", len(found)))
            continue
        for line in lines:
            bare = OPENS.sub("", _TITLE.sub("", _SIGNS.sub("", line))).rstrip()
            core = bare.strip("*_ ")
            if found and _RULER.match(bare) and found[-1].kind == "row":
                found[-1] = replace(found[-1], kind="head")
            if core and not _RULER.match(bare) and not _SAYS_NOTHING.match(core):
                point = _POINT.match(bare)
                number = (point and point[2]) or next(
                    (one[1] for kind in (_ROW, _OPTION) if (one := kind.match(bare))), ""
                )
                found.append(Line(bare, _kind(line, bare, point), len(found), number))
    while found and _SOURCE_LINK.match(found[-1].text):
        found.pop()
    return found


def _kind(line: str, bare: str, point: re.Match[str] | None) -> Kind:
    if _TITLE.match(line) or _BOLD.match(bare) or (bare.endswith(":") and not point and len(bare) <= LONGEST_HEAD):
        return "head"
    if bare.lstrip().startswith("|"):
        return "row"
    return "prose" if not point else "deep" if len(point[1].expandtabs(4)) > 1 else "point"


def plain_words(text: str) -> str:
    """Return a text with short code only, and without headings' marks, opening phrases and pictures."""
    return "\n".join(line.text for line in outline(text))


def abridged(text: str, limit: int) -> str:
    """Return an answer within about `limit` characters."""
    return abridged_lines(outline(text), limit)


def abridged_lines(lines: Sequence[Line], limit: int, *, keep_end: bool = True, wanted: Collection[str] = ()) -> str:
    """Return an answer within about `limit` characters: as it is, its lines shortened, or the first of them.

    What only praises goes first, short code last of all code; points are shortened more than sentences, so that a list
    stays whole. Points with `wanted` numbers stay longest.
    """
    if sum(len(line.text) + 1 for line in lines) <= limit + 1:
        return "\n".join(_compact(lines))
    told = list(_without_praise(lines))
    lines = told if len(told) == len(lines) else _marked(told)
    longest = limit * 2 // 3
    for most, of_points in ((longest, longest), *((most, most) for most in SHORTENED), (SHORTENED[-1], SHORTEST)):
        shaped = _shortened(lines, most, of_points)
        if sum(len(line.text) + 1 for line in shaped) <= limit + 1:
            return "\n".join(_compact(shaped))
    chosen = _chosen(_shortened(lines, SHORTENED[-1], SHORTENED[-1]), limit, keep_end, wanted)
    return "\n".join(_compact(chosen))


def _without_praise(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines without the sections that only say how good it is, and how to try it.

    Sentences behind the list or the code of such a section are about all of the answer.
    """
    praises, before = False, lines[0] if lines else None
    for line in lines:
        if line.kind == "head":
            praises = bool(_PRAISES.match(line.text)) and line is not lines[0]
        elif line.kind == "prose" and before and before.kind not in ("prose", "head"):
            praises = False
        if not praises:
            yield line
        before = line


def _marked(lines: Sequence[Line]) -> list[Line]:
    """Mark at the end that lines are missing, once."""
    last = lines[-1] if lines else Line("", "prose", 0)
    if last.text.endswith(OMITTED):
        return list(lines)
    if last.kind in ("code", "head", "row"):  # a mark would leave a fence open, or become a cell
        return [*lines, Line(OMITTED, "prose", last.place + 1)]
    return [*lines[:-1], replace(last, text=f"{last.text} {OMITTED}".strip())]


def _shortened(lines: Sequence[Line], most: int, most_of_points: int) -> list[Line]:
    """Shorten each line to whole sentences, where that is possible."""
    of_code = SHORT_CODE if most >= SHORTENED[0] else 0
    kept = list[Line]()
    for line in lines:
        if line.kind != "code" or len(line.text) <= of_code:
            kept.append(line)
        elif kept and kept[-1].place == line.place - 1 and kept[-1].text.rstrip("*_ ").endswith(":"):
            lead = kept.pop()  # a title that only led to the code goes with it
            if len(lead.text.split()) > LONGEST_TITLE:
                kept.append(replace(lead, text=f"{lead.text.replace('**', '').strip('*_: ')}.", kind="prose"))
    limits: dict[Kind, int] = {"point": most_of_points, "deep": most_of_points, "row": most_of_points}
    return [
        line if line.kind == "code" else replace(line, text=_gist(line.text, limits.get(line.kind, most)))
        for line in kept
    ]


def _gist(text: str, limit: int) -> str:
    """Return the sentences of a line that fit, at least the beginning of the first."""
    lead = text[: len(text) - len(text.lstrip())]
    if len(text) <= limit:
        return text
    pieces = re.split(r"(?<=[.!?])\s+(?=[A-Z`*\"(])", text.strip())
    kept = ""
    for piece in pieces:
        if len(kept) + len(piece) > limit:
            break
        kept = f"{kept} {piece}".strip()
    return lead + (kept if len(kept) >= LEAST_CONCLUSION else shortened(text.strip(), limit))


def _chosen(lines: Sequence[Line], limit: int, keep_end: bool, wanted: Collection[str]) -> list[Line]:
    """Choose what is wanted, the first sentence, the end, reasons and values, points, questions, each in order."""
    plain = [line for line in lines if line.kind != "head"]
    told = [line for line in plain if not _APPROVED.search(line.text)]
    prose = [line for line in told if line.kind == "prose" and not line.text.endswith(":")]
    first = next((line for line in prose if names_in(line.text) or MATTERS.search(line.text)), next(iter(prose), None))
    ends = told[-2:] if keep_end else []
    ranks = {"point": 3, "prose": 3, "deep": 4, "row": 4}

    heads = _heads(lines)
    begins = next((line for line in lines[:1] if "`" in line.text), None)  # a title that says something of its own

    def rank(line: Line) -> int:
        head = heads.get(line.place)
        option = (head and head.number) or line.number
        if line is first or (line is begins and line.kind == "head"):
            return -2
        if option and option in wanted:
            return -1
        if line in ends:
            return 1
        named = len(names_in(line.text))
        if (asks(line.text) or line.text.rstrip("*_ )").endswith(":")) and (
            named < MANY_NAMES or len(line.text) < LONGEST_HEAD
        ):
            return 6
        rejected = 2 * bool(wanted and head and head.number)
        if line.number or named >= MANY_NAMES or MATTERS.search(line.text):
            return 2 + rejected
        return (
            ranks.get(line.kind, 5) + rejected + (3 * (not named) if len(line.text) < LEAST_CONCLUSION else not named)
        )

    chosen, room, marks = set[int](), limit, dict[int, list[Line]]()
    for line in sorted((one for one in lines if one.kind != "head" or one.number or one is begins), key=rank):
        new = [one for one in (heads.get(line.place), line) if one and one.place not in chosen]
        cost = sum(len(one.text) + 1 for one in new)
        if (cost <= room and rank(line) <= LAST_RANK) or not chosen:
            chosen.update(one.place for one in new)
            room -= cost
    for listed in lists_in(lines):
        there = [line for line in listed if line.place in chosen]
        if 0 < len(there) < len(listed):
            last, share = there[-1], f"{len(there)} of {len(listed)}"
            row = [last, Line(f"[{share} rows]", "prose", last.place)]  # below the table, not in a cell
            marks[last.place] = row if last.kind == "row" else [replace(last, text=f"{last.text} [{share} points]")]
    kept = [one for line in lines if line.place in chosen for one in marks.get(line.place, [line])]
    return _marked(kept) if any(line.place not in chosen for line in plain) else kept


def lists_in(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Yield the rows of each table, and the numbered points of each list: what lies deeper does not end a list."""
    found: list[Line] = []
    for line in lines:
        is_point = line.kind == "point" and bool(line.number)
        if line.kind == "row" or is_point:
            if found and (found[0].kind != line.kind or (is_point and line.number == "1")):
                yield found
                found = []
            found.append(line)
        elif found and (found[0].kind == "row" or not (line.kind in ("deep", "code") or line.text.startswith("  "))):
            yield found
            found = []
    if found:
        yield found


def _heads(lines: Sequence[Line]) -> dict[int, Line]:
    """Map the lines below a title to it, by their places; words behind a list do not belong to the title above it."""
    found: dict[int, Line] = {}
    head: Line | None = None
    for before, line in pairwise(lines):
        if before.kind == "head":
            head = before
        elif head and not head.number and line.kind == "prose" and before.kind != "prose":
            head = None
        if head and line.kind != "head":
            found[line.place] = head
    return found


def _compact(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines without heads that nothing follows; a table ends with an empty line."""
    in_table = False
    for place, line in enumerate(lines):
        text = line.text
        if line.kind == "head":
            after = lines[place + 1 :][:1]
            if not after or (after[0].kind == "head" and "`" not in text and not line.number):
                continue
            if text.startswith("|"):  # a table head needs its ruler
                text = f"{text}\n|{'---|' * max(1, text.strip().strip('|').count('|') + 1)}"
            else:
                head = text.replace("**", "").rstrip(": ")
                text = head if head.endswith(("?", ".", "!")) else f"{head}:"
        yield f"\n{text}" if in_table and line.kind != "row" else text
        in_table = text.startswith("|")


def announced(text: str) -> str:
    """Return the sentence at the end of a text that says what comes next; empty if none does."""
    return next(
        (shortened(one, SHORTENED[1]) for one in reversed(sentences(text[-1000:])[-2:]) if COMES_NEXT.search(one)), ""
    )


def both_ends(text: str, limit: int) -> str:
    """Return the words at the beginning and at the end of a text, of each within a limit."""
    if len(text) <= 2 * limit:
        return text
    return f"{text[:limit].rpartition(' ')[0]} […] {text[-limit:].partition(' ')[2]}"
