"""Values that the user corrected: what an earlier sentence gave, and a later one replaced.

"Port 8080 is taken, so use port 9191 instead." withdraws the 8080 of "It should listen on port 8080."
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, pairwise

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.errors import checkpoint
from compact_chat.facts.rulebook import Rule
from compact_chat.facts.user import Request
from compact_chat.facts.words import pattern, sentences
from compact_chat.text import marked_lines

SUPERSEDED_VALUE = "[superseded]"
LONGEST, MOST = 300, 200  # characters of a sentence, and corrections of a chat
MOST_TRIED = 5000  # sentences of the newest messages that may correct something
_CUE = re.compile(
    r"\b(?:actually|instead|correct(?:ion|ed)|chang(?:e|ed|ing)|switch(?:ed|ing)?|mov(?:e|ed|ing)|replac(?:e|ed|ing)"
    r"|now|no longer|wrong|sorry|final(?:ly)?|make|updat(?:e|ed)|drop(?:ped)?|not|no|rather|since|renamed?|scratch"
    r"|forget|never ?mind|turned out|taken)\b",
    re.IGNORECASE,
)
_X = r"[`\"']?((?!(?:the|an?|this|that|it|them|all|any|to|for)\b)[\w@./:%#+-]{3,60}(?<![.:])(?: \d{1,4}\b)?)[`\"']?"
_NAMES_OLD = re.compile(
    pattern(
        rf"""
        \b(?:switch|chang|mov|migrat|renam|rais|lower|bump|reduc|increas)\w{{0,4}} (?:[\w-]{{1,20}} ){{0,4}}?
        from {_X} to\b
        |\breplac\w{{1,3}} {_X} (?:with|by)\b|\b(?:we|I|let['’]?s) (?:drop|scrap|ditch|abandon)(?:p?ed)? {_X}
        |\b(?:never ?mind|forget|scratch) (?:about )?{_X}(?=[.!,;:]|$| and\b| [-–—])
        |\buse \S{{1,60}} instead of {_X}(?=[.!,;:]|$)
        |, not {_X}[.!]?$|\bso no {_X}
        |(?:\bthe |^|[,;] ){_X} (?:turned out|is taken|was wrong|is gone|is wrong|is no longer)\b
        """
    ),
    re.IGNORECASE,
)
_REPLACED = (1, 2, 3, 4, 5)  # groups of verbs that replace a thing by its name
_OF_OTHERS = (5, 7, 8)  # groups that withdraw no file or function: one that "is wrong" is to be mended
_IN_CODE = re.compile(r"\A(?!\w{1,10}://)(?:.*/|\D*\Z)|\.[a-z]\w{0,5}\Z")
_NUMBER = re.compile(r"\d[\d.,]*%?")  # may count anything
_CHOOSES = r"\b(?:[Uu]s(?:e|ing)|with|via|in|on|pick|choose|try) "  # a plain word is a name only behind one of these
_VALUE = re.compile(r"[\d/@_%]|\w[.:#+]\w|[a-z][A-Z]")  # no word of plain language has these
_IS = re.compile(
    r"(?:^|[,:;] |\b(?:so|now|actually|because|and|but) )(?:the |our |my )?((?:[\w-]{1,24} ){1,4})"
    r"(?:is|are|will be|should be|=)"
    r" (?:now )?(?:at |on |in |called |named )?[`\"']?([^\s`\"',;]{1,60}(?: [A-Z][\w-]{1,30})?)(?<![.!])"
)
_IS_WORDS = (" is ", " are ", " be ", " = ")  # one of them is in whatever matches
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_KINDS = (
    ("date", re.compile(rf"\b{_MONTH}\.? \d{{1,2}}\b|\b\d{{1,2}} {_MONTH}\b|\b\d{{4}}-\d\d-\d\d\b", re.IGNORECASE)),
    ("place", re.compile(r"\bhttps?://[^\s)\"'`<>]{4,200}|\b[\w-]{1,40}(?:\.[\w-]{1,40}){2,6}\b")),
    ("choice", re.compile(r"\b(?:tabs|spaces|npm|yarn|pnpm|bun|pytest|unittest|jest|vitest|mocha)\b")),
    ("number", re.compile(r"(?<![\w.#/-])\d[\d.,]{0,14}(?<![.,])(?![\w-])%?")),
)
_DIGIT = re.compile(r"\d")
# A number behind any other word is a label, as in `step 3`, unless a unit follows.
_NUMBERED = re.compile(
    r"(?<!\bport)(?<!\bversion)(?<!\blevel)(?<!\btimeout)(?<!\blimit)(?<!\bsize)(?<!\brate)(?<!\bis)(?<!\bare)(?<!\bto)"
    r"(?<!\bat)(?<!\bof)(?<!\bfor)(?<!\bby)(?<!\bfrom)(?<!\bbe)(?<!\bthan)(?<!\bin)(?<!\bwith)(?<!\bonly)(?<!\bhas)"
    r"(?<!\bhave)(?<!\babout)(?<!\buse)(?<!\bit['’]s)(?<=[A-Za-z]) \Z",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"%|\s?(?:ms|s|sec|min|[KMG]i?B|px|percent|seconds?|minutes?|hours?|days?|nights?|weeks?|lines?|columns?|rows?|people"
    r"|guests?|users?|characters?|tokens?|items?|retries|times|euros?|dollars?|points?|workers?|threads?|replicas?)\b"
)
_DENIES = re.compile(r"\b(?:instead|not)\b")
_WORD = re.compile(r"[A-Za-z][\w-]{2,40}")
_NO_KEYS = (
    "the and for are was were this that with from have has had you your can could should will would let its into our"
    " out any all but they them then there here when what which who how why also just now not did does been some than"
    " too very only use using set make change changed actually instead please keep per put get run more most about"
    " after before each over under seconds minutes hours days weeks lines files tests tokens times characters percent"
)
_PLAIN = frozenset(_NO_KEYS.split())


class _Given(Struct, frozen=True):
    kind: str
    value: str
    words: frozenset[str]
    place: int
    head: str = ""  # of a number: the word that it follows, and the one behind it
    unit: str = ""


class Correction(Struct, frozen=True):
    """A value that no longer holds, words of the sentences that gave it, and the place of what corrects it.

    Without such words it is named as withdrawn, and only the user's own sentences are meant; a plain word only where
    it was chosen, as in "use redis".
    """

    old: str
    words: frozenset[str]
    place: int
    head: str = ""  # of a number: the word that it follows, and the one behind it
    unit: str = ""


class Corrections:
    """What was corrected in a chat, by the places of its messages."""

    def __init__(
        self, found: Sequence[Correction], places: Mapping[str, int], typed: Container[str], dropped: Mapping[str, int]
    ) -> None:
        self._found, self._places, self._typed, self._dropped = found, places, typed, dropped

    def __bool__(self) -> bool:
        return bool(self._found or self._dropped)

    @property
    def old(self) -> frozenset[str]:
        """The values that no longer hold."""
        return frozenset(word for one in self._found for word in one.old.split())

    def marked(self, text: str, message: str) -> str:
        """Return a text of a message with a note in place of each value that a later message corrected."""
        here = self._places.get(message, -1)
        for one in self._found:
            if here < one.place and one.old in text and (one.words or message in self._typed):
                text = "\n".join(_marked(line, one) if one.old in line else line for line in text.split("\n"))
        for rule, place in self._dropped.items():
            if here < place and rule in text:
                text = text.replace(rule, SUPERSEDED_VALUE)
        return text


def _marked(line: str, one: Correction) -> str:
    chosen = "" if one.words or _VALUE.search(one.old) else _CHOOSES
    value = re.compile(rf"({chosen})(?<![\w.-]){re.escape(one.old)}(?![\w-]|\.\w)")
    for sentence in sentences(line):
        if value.search(sentence) and not sentence.endswith("?") and (not one.words or one.words & _words_of(sentence)):
            line = line.replace(sentence, value.sub(rf"\1{SUPERSEDED_VALUE}", sentence))
    return line


def find_corrections(messages: Sequence[Message], said: Sequence[Request], rules: Sequence[Rule]) -> Corrections:
    """Find the values that the user replaced by others, and the rules."""
    places = {message.id: place for place, message in enumerate(messages)}
    dropped = dict.fromkeys([rule.text for rule in rules if rule.superseded][-MOST:], len(messages))
    found: dict[Correction, None] = {}

    @cache
    def given() -> Mapping[str, Sequence[_Given]]:
        return _given_by_word(messages, said, places)

    for request, sentence in islice(_that_may_correct(said), MOST_TRIED):
        if len(found) >= MOST:
            break
        here = places.get(request.message, -1)
        for old, words in _corrected(sentence, here, given):
            found[Correction(old, words, here)] = None
    return Corrections(list(found), places, {request.message for request in said}, dropped)


def _that_may_correct(said: Sequence[Request]) -> Iterator[tuple[Request, str]]:
    """Yield the sentences with a cue in them or right before them, of the newest message first."""
    for request in reversed(said):
        for before, sentence in pairwise(("", *_plain_sentences(request.text))):
            if (_CUE.search(sentence) or _CUE.search(before)) and not sentence.endswith("?"):
                yield request, sentence


def _given_by_word(
    messages: Sequence[Message], said: Sequence[Request], places: Mapping[str, int]
) -> dict[str, list[_Given]]:
    """List the values that sentences give, by the words that tell what they are."""
    texts = [(places.get(one.message, -1), one.text) for one in said]
    texts += [(place, message.text) for place, message in enumerate(messages) if message.role == "assistant"]
    found: dict[str, list[_Given]] = {}
    for place, text in texts:
        for sentence in _plain_sentences(text):
            for one in _values(sentence, place):
                for word in one.words:
                    found.setdefault(word, []).append(one)
    return found


def _plain_sentences(text: str) -> Iterator[str]:
    for line, fenced in marked_lines(text):
        checkpoint()
        if not fenced and len(line) <= 4 * LONGEST:
            yield from (one for one in sentences(line) if len(one) <= LONGEST)


def _values(sentence: str, place: int) -> Iterator[_Given]:
    """Yield the values of a sentence: what a subject is, dates, places, numbers."""
    for one in _IS.finditer(sentence) if any(map(sentence.__contains__, _IS_WORDS)) else ():
        if key := _words_of(one[1]):
            yield _Given("subject", one[2], key, place)
    has_digit, has_place = _DIGIT.search(sentence) is not None, sentence.count(".") > 1 or "://" in sentence
    for kind, form in _KINDS:
        if (kind in ("date", "number") and not has_digit) or (kind == "place" and not has_place):
            continue
        for one in form.finditer(sentence):
            numbers = kind == "number" and _NUMBERED.search(sentence[: one.start()])
            if not (numbers and not _UNIT.match(sentence, one.end())) and (key := _key_of_value(sentence, one, kind)):
                yield _Given(kind, one[0], key, place, *(_neighbors(sentence, one) if kind == "number" else ()))


def _corrected(
    sentence: str, place: int, given: Callable[[], Mapping[str, Sequence[_Given]]]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the values given before that a sentence corrects, with words that tell what they are."""
    for one in _NAMES_OLD.finditer(sentence):
        old, group = next(filter(None, one.groups())), one.lastindex or 0
        is_value = _VALUE.search(old) is not None
        is_weak = _NUMBER.fullmatch(old) or (is_value and group in _OF_OTHERS and _IN_CODE.search(old))
        if not is_weak and (is_value or (group in _REPLACED and old.lower() not in _PLAIN)):
            yield old, frozenset()
            continue
        for word in (words := _words_of(sentence)):  # a plain word, or a number: only of what was said to be that
            for before in given().get(word, ())[-MOST:]:
                if before.value == old and before.place < place:
                    yield old, before.words & words
    yield from _given_anew(sentence, place, given)


def _given_anew(
    sentence: str, place: int, given: Callable[[], Mapping[str, Sequence[_Given]]]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the values given before of things that a sentence gives another value."""
    for new in _values(sentence, place):
        for before in {one for word in new.words for one in given().get(word, ())[-MOST:]}:
            if before.kind != new.kind or before.place >= place or before.value == new.value:
                continue
            shared = before.words & new.words
            if any(_is_one_of_many(before, given()[word]) for word in shared):
                continue
            match new.kind:
                case "subject":  # a port that is taken has another number then, which takes nothing back
                    are_alike = bool(_VALUE.search(before.value)) == bool(_VALUE.search(new.value))
                    same = before.words == new.words and are_alike
                case "number":
                    same = _is_of_one_thing(before, new)
                case _:
                    same = len(shared) >= (2 if new.kind == "place" else 1)
            if same and (before.value not in sentence or _DENIES.search(sentence)):
                yield before.value, shared


def _is_of_one_thing(one: _Given, other: _Given) -> bool:
    """Whether two numbers count the same: the words before and behind them differ in nothing that both have."""
    if one.unit and one.unit == other.unit:
        return one.head == other.head or not (one.head and other.head)
    return one.head == other.head != "" and not (one.unit and other.unit)


def _is_one_of_many(one: _Given, alike: Sequence[_Given]) -> bool:
    """Whether its message gives several values of its kind for the same words: they differ, none replaces another."""
    own = one.place, one.kind, one.words
    others = (other for other in alike[-MOST:] if (other.place, other.kind, other.words) == own)
    return any(other.value != one.value for other in others)


def _neighbors(sentence: str, number: re.Match[str]) -> tuple[str, str]:
    """Return the nearest word before a number that says what it is, and the word or unit behind it."""
    clause = re.split(r"[,;:(]| and ", sentence[: number.start()])[-1]
    before = [word for one in clause.split()[-3:] for word in _words_of(one)]
    unit, behind = _UNIT.match(sentence, number.end()), sentence[number.end() :].split()[:1]
    word = unit[0].strip().lower() if unit else "".join(_words_of(" ".join(behind)))
    return before[-1] if before else "", word.removesuffix("s")


def _key_of_value(sentence: str, value: re.Match[str], kind: str) -> frozenset[str]:
    """Return the words that tell what a value is: of a number those right before or behind it."""
    if kind != "number":
        return _words_of(sentence) - _words_of(value[0])
    head = re.split(r"[,;:(]| and ", sentence[: value.start()])[-1].split()[-4:]
    behind = sentence[value.end() :].split()[:1]
    return _words_of(" ".join((*head, *behind)))


def _words_of(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text)) - _PLAIN
