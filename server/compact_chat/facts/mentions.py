"""Which facts a text contains, and where: words as they are, paths by a unique ending.

A fact counts as kept if it is written there, whether or not a reader would understand it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice, pairwise

from msgspec import UNSET, Struct

from compact_chat.chat import Message, texts
from compact_chat.facts.ledger import WEIGHTS, Fact, Kind
from compact_chat.facts.state import WITH
from compact_chat.facts.user import Omission, omissions
from compact_chat.facts.words import QUOTED, fold, one_line, sentences, shortened, shortened_command
from compact_chat.text import RELATIVE_TO
from compact_chat.wire import FactShown, Lost, Survival, SurvivalClass

LONGEST_SHOWN = 300  # characters of a missing fact
LINE_START = 64  # characters by which a line of a shortened part is recognized
SHORT = 24  # characters: shorter texts must match whole words, so that `yes` is not found in `yesterday`
ENOUGH, MOST_SENTENCES = 0.7, 64  # of several sentences or names, most are enough
LONGEST_FORM, MOST_NAMES = 500, 12  # characters and names in the short form of a path
COMMAND_HEAD, ERROR_HEAD = 160, 200  # long ones match by their beginning
MOST_PLACES, FEW_PLACES = 1000, 4  # of a word: to look at, and to look for no rarer one
_IN_WORD = re.compile(r"\w")
_IN_PATH, _IN_PATH_BEHIND = re.compile(r"[\w./\\~-]"), re.compile(r"[\w/\\-]|\.\w")
_PATH = re.compile(r"[^\s\"'`(),;:<>|*?{}\[\]#]{1,4096}+")
_BRACES = re.compile(r"(?<![\w./-])([\w./-]{0,200})\{([^{}\n]{1,300})\}([\w./-]{0,100})")
_TOKEN = re.compile(r"\S+")
_NAMED = re.compile(r"[._A-Z\d-]")  # what a file's name has and a plain word has not

# Classes that a summary may put in other words: nearly all of the words that tell something, close together.
PARAPHRASED = frozenset({"constraints", "preferences", "userMessages", "decisions", "todos", "errors", "currentWork"})
LONGEST_PARAPHRASED = 1000  # characters; of longer ones most sentences count
LEAST_WORTH, LEAST_FOUND, WORTH_OF_A_NAME, ALIKE = 4, 3, 2, 0.7
FEWEST_STEMS: Mapping[str, int] = {"todos": 2, "constraints": 3, "preferences": 3, "decisions": 3}
_SUFFIX = re.compile(r"(?<=\w{3})(?:ing|ers?|ed|es|ly|s|e)$")
STEMS = 20_000  # cached words
STEM = 5  # characters of a word that count
_NAME = re.compile(r"`[^`\n]{2,80}`|\b\w*(?:[a-z][A-Z]|_|\d)\w*")
WIDTH, WIDTH_MORE = 14, 60  # characters of a passage: per word, and more
MOST_PLACES_OF_A_STEM = 6
_RELATIVE = re.compile(rf"{re.escape(RELATIVE_TO)}`([^`]{{1,400}})`")
_STEM = re.compile(r"[^\W_]{3,}|\d+")
_COMMON = (
    "the and for are was were this that with from have has had you your can could should will let its it's into"
    " our out any all but they them then there here when what which who how why also just now please need needs want"
    " some been being does did done get got make made use used using see yes okay one two about because since more than"
    " add added adding needed simpler approach instead rather under given many take actually note currently first next"
    " like would good point so idea thing things way ways able available where onto over only too very really still"
)
_COMMON_WORDS = frozenset(_COMMON.split())

Span = tuple[int, int]


class _Line(Struct, frozen=True):
    text: str
    place: Span


def survival(
    facts: Sequence[Fact],
    text: str,
    clean: Callable[[str], str],
    count: Callable[[str], int] = len,
    listed: bool = False,
    stay: Sequence[Message] = (),
) -> Survival:
    """Compare the redacted facts with a text; a class without facts is omitted.

    `count` gives the tokens that adding one back costs; `listed` asks for every fact with its place in the text. A
    shortened part is traced to its message among those that `stay`.
    """
    masked = [(fact, clean(fact.text)) for fact in facts]
    mentions = Mentions(text, [own for fact, own in masked if fact.kind in ("modifiedFiles", "readFiles")])
    places = {fact.id: mentions.of(fact, own, clean) for fact, own in masked}
    classes, kept, weights = [], 0.0, 0.0
    for kind, weight in WEIGHTS.items():
        of_kind = [(fact, own) for fact, own in masked if fact.kind == kind]
        if not of_kind:
            continue
        lost = tuple(
            Lost(
                fact.id,
                shortened(own, LONGEST_SHOWN),
                fact.message,
                count(clean(fact.whole) if fact.kind == "attachedFiles" else own),
            )
            for fact, own in of_kind
            if places[fact.id] is None
        )
        found = len(of_kind) - len(lost)
        classes.append(SurvivalClass(name=kind, total=len(of_kind), kept=found, restored=0, lost=lost))
        kept += weight * found / len(of_kind)
        weights += weight
    here, cut = omissions(text)
    if here:
        lines = {start: one.id for one in stay for start in _starts("\n".join(texts(one)))} if cut else {}
        lost = tuple(_left_out(number, one, lines, clean, count) for number, one in enumerate(cut, 1))
        classes.append(SurvivalClass(name="omissions", total=here, kept=here - len(lost), restored=0, lost=lost))
        kept += (here - len(lost)) / here
        weights += 1
    shown = (FactShown(fact.id, fact.kind, own, fact.message, mentions.at(places[fact.id])) for fact, own in masked)
    return Survival(
        kept=round(kept / weights, 4) if classes else 1.0,
        classes=tuple(classes),
        facts=tuple(shown) if listed else UNSET,
    )


def _starts(text: str) -> Iterator[str]:
    """Yield how each line of a text begins."""
    return (start for line in text.split("\n") if (start := line.strip()[:LINE_START]))


def _left_out(
    number: int,
    one: Omission,
    lines: Mapping[str, str],
    clean: Callable[[str], str],
    count: Callable[[str], int],
) -> Lost:
    """Describe a shortened part; its message is the one with most of its lines."""
    found = Counter(lines[start] for start in _starts(one.text) if start in lines).most_common(1)
    words = f"{one.characters:,} characters of: {shortened(clean(one.text), LONGEST_SHOWN // 2)}"
    cost = round(one.characters * count(one.text) / max(1, len(one.text)))  # about: the characters are not there
    return Lost(f"omissions:{number}", words, found[0][0] if found else None, cost)


class Mentions:
    """A text prepared for finding facts; `paths` are all of the chat's paths, to tell which short forms are unique."""

    def __init__(self, text: str, paths: Sequence[str]) -> None:
        self._original, self._text = text, fold(text)
        self._tokens: dict[str, Span] = {}
        for match in _PATH.finditer(self._text):
            self._tokens.setdefault(match[0].rstrip(".").removeprefix("./"), match.span())
        for match in _BRACES.finditer(self._text) if "{" in self._text else ():  # a/{b,c}.py
            for name in match[2].split(","):
                self._tokens.setdefault(f"{match[1]}{name.strip()}{match[3]}".removeprefix("./"), match.span())
        self._lines_of: dict[str, dict[int, None]] = {}  # by a word that they have
        self._forms = Counter(form for path in set(paths) for form in _short_forms(path))
        self._folders = [found[1].rstrip("/") + "/" for found in _RELATIVE.finditer(self._text)]

    def of(self, fact: Fact, masked: str, clean: Callable[[str], str]) -> Span | None:
        """Find a fact in the text: by a mark, by most of its parts, or by its text, which is `masked`.

        Paths that Git lists may stand anywhere, below what they are.
        """
        if fact.kind == "attachedFiles":
            return next((place for mark in fact.marks if (place := self._words(clean(mark)))), None)
        for mark in fact.marks:
            if place := self._mark(fact.kind, clean(mark)):
                return place
        if fact.note and fact.note.kind == "changes" and all(self._path(clean(path)) for path in fact.note.paths):
            return self._words(clean(fact.note.heading))
        parts = [place for part in fact.parts if (place := self._alone(fold(part), _IN_WORD, _IN_WORD))]
        if parts and len(parts) >= ENOUGH * len(fact.parts):
            return min(parts)
        return None if fact.parts else self.find(fact.kind, masked)

    def _mark(self, kind: Kind, mark: str) -> Span | None:
        words, joined, more = mark.partition(WITH)
        if not joined:
            return self.find(kind, words)
        return self._together(words, more) if words else self._words(more) or self._near(more)

    def find(self, kind: Kind, text: str) -> Span | None:
        """Find a fact's text: entirely, for a long message by most of its sentences, or by most of its words nearby."""
        announced = kind == "currentWork" and text.rstrip().endswith(":")
        fewest = 1 if announced else FEWEST_STEMS.get(kind, LEAST_WORTH)
        return self._find(kind, text) or (self._near(text, fewest) if kind in PARAPHRASED else None)

    def _together(self, word: str, near: str) -> Span | None:
        """Find two words on one line."""
        fewer, more = sorted((self._lines_with(word), self._lines_with(near)), key=len)
        return next((self._lines[line].place for line in fewer if line in more), None)

    def _lines_with(self, word: str) -> dict[int, None]:
        """List the lines that have a word, in order; a plain word may be the beginning of one."""
        if word not in self._lines_of:
            known = None if word.isalpha() else self._rarest(_STEM.finditer(_lower(word)))
            lines = (bisect_right(self._starts, at) - 1 for at in known[0]) if known else range(len(self._lines))
            self._lines_of[word] = {line: None for line in lines if word in self._lines[line].text}
        return self._lines_of[word]

    def _near(self, text: str, fewest: int = LEAST_WORTH) -> Span | None:
        """Find a passage with most of the words that tell something, in any order; of few words with all of them."""
        stems = _stems(text) if len(text) <= LONGEST_PARAPHRASED else {}
        whole = sum(stems.values())
        alike, least = (ALIKE, LEAST_FOUND) if whole >= LEAST_WORTH else (1.0, len(stems))
        # The rarest first: one of them is needed, and most passages lack them.
        known = sorted((stem for stem in stems if stem in self._index), key=lambda one: len(self._index[one]))
        there = {stem: stems[stem] for stem in known}
        if whole < min(fewest, LEAST_WORTH) or len(there) < least or sum(there.values()) < alike * whole:
            return None
        reach = (WIDTH * len(stems) + WIDTH_MORE) // 2
        spare = (1 - alike) * whole
        for stem in known:
            for place in self._index[stem][:MOST_PLACES_OF_A_STEM]:
                if self._are_within(there, place - reach, place + reach, alike * whole, least):
                    return place, place + len(stem)
            spare -= there[stem]
            if spare < 0:
                return None
        return None

    def _are_within(self, stems: Mapping[str, int], start: int, end: int, wanted: float, least: int) -> bool:
        """Whether a passage has so many stems, of this worth."""
        left, number = sum(stems.values()), len(stems)
        for stem, worth in stems.items():
            places = self._index[stem]
            at = bisect_left(places, start)
            if at == len(places) or places[at] > end:
                left, number = left - worth, number - 1
                if left < wanted or number < least:
                    return False
        return True

    def _find(self, kind: Kind, text: str) -> Span | None:
        match kind:
            case "modifiedFiles" | "readFiles":
                return self._path(text)
            case "commands":
                forms = (
                    command_head(text),
                    command_head(one_line(text[: 2 * COMMAND_HEAD])),
                    shortened_command(text, COMMAND_HEAD),
                )
                return next(filter(None, map(self._words, dict.fromkeys(forms))), None)
            case "errors":
                return self._words(error_head(text))
            case "currentWork" if place := self._path(text) or self._words(command_head(text)):
                return place
        if place := self._words(text.strip().rstrip(".!") or text):
            return place
        parts = sentences(text)
        sample = parts[:: 1 + len(parts) // MOST_SENTENCES]
        found = [place for part in sample if (place := self._words(part))]
        return min(found) if sample and len(found) >= ENOUGH * len(sample) else None

    def _path(self, path: str) -> Span | None:
        """Find the whole path, the path below a folder that the text names, or an ending that no other path shares."""
        whole = fold(path)
        if place := self._tokens.get(whole) or self._alone(whole, _IN_PATH, _IN_PATH_BEHIND):
            return place
        below = [whole.removeprefix(folder) for folder in self._folders if whole.startswith(folder)]
        forms = (*below, *(form for form in _short_forms(whole) if self._forms[form] == 1))
        return next((self._tokens[form] for form in forms if form in self._tokens), None)

    def _words(self, text: str) -> Span | None:
        words = fold(text)
        if len(words) < SHORT:
            return self._alone(words, _IN_WORD, _IN_WORD)
        found = _STEM.finditer(_lower(words))  # the last may go on in the text
        return next(((at, at + len(words)) for at in self._places_of(words, (one for one, _ in pairwise(found)))), None)

    def _alone(self, words: str, before: re.Pattern[str], behind: re.Pattern[str]) -> Span | None:
        """Find the words outside longer words; only the first matches are checked."""
        for at in islice(self._places_of(words, _STEM.finditer(_lower(words))), MOST_PLACES):
            end = at + len(words)
            if not (at and before.match(self._text, at - 1)) and not behind.match(self._text, end):
                return at, end
        return None

    def _places_of(self, words: str, whole: Iterable[re.Match[str]]) -> Iterator[int]:
        """Yield where the words are, by the rarest of those that are whole."""
        if known := self._rarest(whole):
            starts = (at - known[1] for at in known[0])
            yield from (at for at in starts if at >= 0 and self._text.startswith(words, at))
            return
        at = self._text.find(words)
        while at >= 0:
            yield at
            at = self._text.find(words, at + 1)

    def _rarest(self, words: Iterable[re.Match[str]]) -> tuple[Sequence[int], int] | None:
        """Return the places of a rare word, or of the rarest, and its offset; None if even it is all over the text."""
        rarest: tuple[Sequence[int], int] | None = None
        for word in words:
            places = self._index.get(_stem(word[0]), ())
            if rarest is None or len(places) < len(rarest[0]):
                rarest = places, word.start()
            if len(places) <= FEW_PLACES:  # most facts that a text lacks have a word that it lacks
                break
        return rarest if rarest and len(rarest[0]) <= MOST_PLACES else None

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        """List where each stem is."""
        index: dict[str, list[int]] = {}
        for match in _STEM.finditer(_lower(self._text)):
            index.setdefault(_stem(match[0]), []).append(match.start())
        return index

    @cached_property
    def _starts(self) -> list[int]:
        return [line.place[0] for line in self._lines]

    @cached_property
    def _lines(self) -> list[_Line]:
        """List the lines in lower case, each with its place."""
        found, at = [], 0
        for line in self._original.split("\n"):
            words = fold(line)
            if words:
                start = self._text.find(words, at)
                if start < 0:
                    continue
                found.append(_Line(words.lower(), (start, start + len(words))))
                at = start + len(words)
        return found

    def at(self, place: Span | None) -> Span | None:
        """Convert a place to one in the original text, in UTF-16 code units."""
        if place is None:
            return None
        folded, given, wide = self._places
        ends = []
        for offset in (place[0], max(place[0], place[1] - 1)):
            word = bisect_right(folded, offset) - 1
            at, rest = given[word], offset - folded[word]
            for _ in range(rest):
                at += 4 if self._original.startswith("&lt;", at) else 1
            ends.append(at)
        start, last = ends
        end = last + (4 if self._original.startswith("&lt;", last) else 1)
        return start + bisect_right(wide, start - 1), end + bisect_right(wide, end - 1)

    @cached_property
    def _places(self) -> tuple[list[int], list[int], list[int]]:
        """List where each word starts, folded and originally, and where characters take two code units."""
        text = self._original
        marks = {at for match in QUOTED.finditer(text) for at in range(*match.span())}
        folded, given, length = [], [], 0
        for match in _TOKEN.finditer(text):
            start = match.start()
            while start in marks and start < match.end():
                start += 1
            if start < match.end():
                folded.append(length)
                given.append(start)
                length += len(text[start : match.end()].replace("&lt;", "<")) + 1
        return folded, given, [at for at, sign in enumerate(text) if sign > "\uffff"]


def _lower(text: str) -> str:
    """Return a text in lower case, as long as it was."""
    return text.replace("İ", "i").lower()


@lru_cache(STEMS)
def _stem(word: str) -> str:
    return _SUFFIX.sub("", word)[:STEM].replace("y", "i")  # "reply" and "replied"


def _stems(text: str) -> dict[str, int]:
    """Return the stems of the words that tell something, each with its worth; names in code tell most."""
    named = {part.lower() for word in _NAME.findall(text) for part in _STEM.findall(word)}
    words = {word for word in _STEM.findall(fold(text).lower()) if word not in _COMMON_WORDS}
    found: dict[str, int] = {}
    for word in sorted(words):
        stem = _stem(word)
        found[stem] = max(found.get(stem, 0), WORTH_OF_A_NAME if word in named else 1)
    return found


def command_head(text: str) -> str:
    """Return the part of a command that a summary must contain: all of it, or the beginning of a long one."""
    return shortened(fold(text[: 2 * COMMAND_HEAD]), COMMAND_HEAD).removesuffix("…")


def error_head(text: str) -> str:
    """Return the part of an error that a summary must contain."""
    return shortened(fold(text), ERROR_HEAD).removesuffix("…")


def _short_forms(path: str) -> Iterator[str]:
    """Yield the endings of a path, the longest first; a single name only if it cannot be a plain word."""
    names = fold(path[-LONGEST_FORM:]).replace("\\", "/").split("/")[-MOST_NAMES:]
    yield from ("/".join(names[start:]) for start in range(len(names) - 1))
    if names and _NAMED.search(names[-1]):
        yield names[-1]
