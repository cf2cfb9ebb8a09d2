"""Spans of a text that contain a secret: find them from literal anchors, and merge overlapping ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import filterfalse, groupby
from string import ascii_lowercase
from typing import NamedTuple

MARK = "[REDACTED:"
_LETTERS = f"-{ascii_lowercase}:/@_"  # of words by which literals are found, with those of all other alphabets
_BETWEEN, _SIGN = b"\0", rb"[^%b\x80-\xff]" % _LETTERS.encode()
_WORD, _NO_WORD = re.compile(rb"(?:%b)?[%b\x80-\xff]+(?:%b)?" % (_SIGN, _LETTERS.encode(), _SIGN)), re.compile(_SIGN)
_WORDS = bytes(byte if not byte or byte > 127 or chr(byte) in _LETTERS else 32 for byte in range(256))


class Span(NamedTuple):
    """One secret: where it starts and ends, its kind, and whether it is one only because it was found elsewhere."""

    start: int
    end: int
    kind: str
    again: bool = False


Finder = Callable[[str, Sequence[int]], Iterator[Span]]  # arguments: a text, and where the finder's literal occurs


class Literal:
    """A literal in lower case that texts are searched for: by the first word in it, which is all of it mostly."""

    def __init__(self, text: str) -> None:
        self.text = text
        forms = (text,) if text.isascii() else (text, text.capitalize(), text.upper(), text.upper().replace("I", "İ"))
        self.is_foreign = not text.isascii()
        # As bytes, of which only letters of ASCII have a lower case; with a blank where the literal ends a word.
        first = [_WORD.search(form.encode().lower()) for form in forms]
        words = [_NO_WORD.sub(b" ", word[0]) for word in first if word]
        self.words = {word for word in words if len(word.strip()) > 1 or word == text.encode()}
        self.signs = b"" if self.words else text.encode()


_MOST_WORDS, _LONGEST_WORD = 100_000, 64  # that are remembered; bytes


class Literals:
    """Literals, and which words have any: remembered, since most words of a text occur in others too."""

    def __init__(self, literals: Iterable[Literal]) -> None:
        self.literals = tuple(literals)
        self.bare = set[bytes]()  # words without a literal
        self._holders: dict[bytes, list[Literal]] = {}

    def within(self, words: set[bytes]) -> dict[bytes, list[Literal]]:
        """Return the literals of each word that has any."""
        known = self._holders
        new = words.difference(known)
        found = self._search(new)
        if len(self.bare) + len(known) > _MOST_WORDS:
            self.bare, self._holders = set(), {}
        self.bare |= {word for word in new.difference(found) if len(word) <= _LONGEST_WORD}
        self._holders |= {word: holds for word, holds in found.items() if len(word) <= _LONGEST_WORD}
        return {word: known[word] for word in words - new} | found

    def _search(self, words: set[bytes]) -> dict[bytes, list[Literal]]:
        found: dict[bytes, list[Literal]] = {}
        joined, foreign = (b" %b " % b" ".join(some) for some in (words, [one for one in words if not one.isascii()]))
        for literal in self.literals:
            where = foreign if literal.is_foreign else joined
            for part in literal.words:
                at = where.find(part)
                while at >= 0:
                    end = where.find(b" ", at + len(part) - 1)
                    found.setdefault(where[where.rfind(b" ", 0, at + 1) + 1 : end], []).append(literal)
                    at = where.find(part, end)
        return found


def having(texts: Sequence[str], literals: Literals) -> Iterator[tuple[int, set[Literal]]]:
    """Yield the number of each text that has literals, or the words of them, and which.

    The words of a text are fewer than its letters by far, and most of them have no literal.
    """
    data = "\0".join(texts).encode("utf-8", "surrogatepass").lower()  # bytes are searched more quickly
    is_bare = literals.bare.__contains__
    of_each = [{*filterfalse(is_bare, text.split())} for text in data.translate(_WORDS).split(_BETWEEN)]
    holders = literals.within(set[bytes]().union(*of_each))
    for literal in literals.literals:
        if literal.signs:
            holders[literal.signs] = [literal]
            for number in _numbers(data, literal.signs):
                of_each[number].add(literal.signs)
    known = set(holders)
    for number, words in enumerate(of_each):
        if found := words & known:
            yield number, {literal for word in found for literal in holders[word]}


def _numbers(data: bytes, signs: bytes) -> Iterator[int]:
    """Yield the number of each text that has these signs."""
    number = before = 0
    at = data.find(signs)
    while at >= 0:
        number += data.count(_BETWEEN, before, at)
        yield number
        before = data.find(_BETWEEN, at)
        at = data.find(signs, before) if before >= 0 else -1


@cache
def compiled(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Compile a pattern on first use: most anchors and prefixes occur in no chat."""
    return re.compile(pattern, flags)


def occurrences(text: str, literal: str) -> Iterator[int]:
    """Yield where a literal occurs; none of them overlap."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def anchored(text: str, places: Iterable[int], pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yield a pattern's matches at places in order; none begins before the end of another, or of its group `sign`."""
    resume = "sign" if "sign" in pattern.groupindex else 0
    done = 0
    for at in places:
        if at >= done and (match := pattern.match(text, at)):
            done = match.end(resume)
            yield match


def branches(words: Iterable[str]) -> str:
    """Make a pattern for words, longest first, with a branch per first letter: otherwise each word would be tried."""
    by_letter = groupby(sorted(set(words), key=lambda word: (word[0], -len(word))), key=lambda word: word[0])
    return "|".join(f"{letter}(?:{'|'.join(word[1:] for word in found)})" for letter, found in by_letter)


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, merging overlapping ones into the kind that was found first."""
    joined: list[Span] = []
    ranked = sorted(((span, rank) for rank, span in enumerate(spans)), key=lambda pair: pair[0].start)
    best = 0
    for span, rank in ranked:
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            kind = span.kind if rank < best else last.kind
            end, again = max(last.end, span.end), last.again and span.again
            joined[-1], best = Span(last.start, end, kind, again), min(rank, best)
        else:
            joined.append(span)
            best = rank
    return joined
