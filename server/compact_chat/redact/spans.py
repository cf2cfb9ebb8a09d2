"""Spans of a text that contain a secret: find them from literal anchors, and merge overlapping ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby
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


Finder = Callable[[str, str], Iterator[Span]]  # arguments: a text, and the same text in lower case


class Literal:
    """A literal in lower case that texts are searched for: by the longest word in it, which is all of it mostly."""

    def __init__(self, text: str) -> None:
        forms = (text,) if text.isascii() else (text, text.capitalize(), text.upper(), text.upper().replace("I", "İ"))
        self.is_foreign = not text.isascii()
        # As bytes, of which only letters of ASCII have a lower case; with a blank where the literal ends a word.
        longest = [max(_WORD.findall(form.encode().lower()), key=len, default=b"") for form in forms]
        words = [_NO_WORD.sub(b" ", word) for word in longest]
        self.words = {word for word in words if len(word.strip()) > 1 or word == text.encode()}
        self.word = b"" if self.is_foreign else next(iter(self.words), b"")
        self.signs = b"" if self.words else text.encode()


class Texts:
    """Several texts, joined by zero bytes, that are searched for literals together.

    The words of a text are fewer than its letters by far, most of them have no literal, and most literals are in none.
    """

    def __init__(self, joined: str) -> None:
        self._data = joined.encode("utf-8", "surrogatepass").lower()  # bytes are searched more quickly
        self._of_each = [{*text.split()} for text in self._data.translate(_WORDS).split(_BETWEEN)]
        words = set[bytes]().union(*self._of_each)
        self._foreign = b" %b " % b" ".join([word for word in words if not word.isascii()])
        self.words = b" %b " % b" ".join(words)

    def have(self, literals: Iterable[Literal]) -> Iterator[tuple[int, set[Literal]]]:
        """Yield the number of each text that has literals, or the words of them, and which."""
        holders: dict[bytes, list[Literal]] = {}
        for literal in literals:
            for word in literal.words:
                if not literal.is_foreign or word in self._foreign:
                    for holder in self._words_with(word):
                        holders.setdefault(holder, []).append(literal)
            if literal.signs and (numbers := [*_numbers(self._data, literal.signs)]):
                holders[literal.signs] = [literal]
                for number in numbers:
                    self._of_each[number].add(literal.signs)
        having = set(holders)
        for number, words in enumerate(self._of_each):
            if found := words & having:
                yield number, {literal for word in found for literal in holders[word]}

    def _words_with(self, part: bytes) -> Iterator[bytes]:
        words = self.words
        at = words.find(part)
        while at >= 0:
            end = words.find(b" ", at + len(part) - 1)
            yield words[words.rfind(b" ", 0, at + 1) + 1 : end]
            at = words.find(part, end)


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


def anchored(text: str, anchor: str, pattern: re.Pattern[str], low: str | None = None) -> Iterator[re.Match[str]]:
    """Yield a pattern's matches where a literal occurs (in `low`, if given); searching for literals is cheap.

    The search continues behind the match, or behind its group `sign`: nothing is read twice.
    """
    where = text if low is None else low
    resume = "sign" if "sign" in pattern.groupindex else 0
    at = where.find(anchor)
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield match
        at = where.find(anchor, match.end(resume) if match else at + len(anchor))


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
