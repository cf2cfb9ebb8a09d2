"""Spans of a text that contain a secret: find them from literal anchors, and merge overlapping ones."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from string import ascii_lowercase
from typing import NamedTuple

MARK = "[REDACTED:"
WORD = f"{ascii_lowercase}:/@_-"  # the signs of words by which literals are found sooner
ASCII = bytes(range(128))


class Span(NamedTuple):
    """One secret: where it starts and ends, its kind, and whether it is one only because it was found elsewhere."""

    start: int
    end: int
    kind: str
    again: bool = False


Finder = Callable[[str, str], Iterator[Span]]  # arguments: a text, and the same text in lower case


class Literal:
    """A literal in lower case that texts are searched for."""

    def __init__(self, text: str) -> None:
        # As bytes, of which only letters of ASCII have a lower case.
        forms = (text,) if text.isascii() else (text, text.capitalize(), text.upper(), text.upper().replace("I", "İ"))
        self._forms = [(form, form.translate(None, ASCII)) for form in {form.encode().lower() for form in forms}]
        self.is_foreign = not text.isascii()
        # Its longest word, which the words of a text show sooner.
        self.word = b"" if self.is_foreign else max(re.findall(f"[{WORD}]+", text), key=len, default="").encode()

    def texts_with(self, data: bytes, foreign: bytes, places: Sequence[int]) -> list[int]:
        """Return the numbers of the texts that have the literal.

        Given are the texts' bytes, those of other alphabets, and where each text begins.
        """
        forms = [form for form, part in self._forms if part in foreign]
        return sorted({number for form in forms for number in _places(data, form, places)})


def _places(data: bytes, form: bytes, places: Sequence[int]) -> Iterator[int]:
    at = data.find(form)
    while at >= 0:
        number = bisect_right(places, at)
        yield number - 1
        at = data.find(form, places[number])


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
        at = where.find(anchor, max(match.end(resume), at + 1) if match else at + len(anchor))


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
