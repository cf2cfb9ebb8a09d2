"""Stretches of a text that hold a secret: find them from literal anchors, and merge those that overlap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple

MARK = "[REDACTED:"


class Span(NamedTuple):
    """One secret: where it starts and ends, and its kind."""

    start: int
    end: int
    kind: str


Finder = Callable[[str, str], Iterator[Span]]  # of a text and the same text in lower case


@cache
def compiled(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Compile a pattern at its first use: most anchors and heads occur in no chat."""
    return re.compile(pattern, flags)


def anchored(text: str, anchor: str, pattern: re.Pattern[str], low: str | None = None) -> Iterable[re.Match[str]]:
    """The matches of a pattern at the places of a literal (in `low`, where given); to search literals is cheap.

    The search goes on behind the match, or behind its group `sign`: what was read once is not read again.
    """
    where = text if low is None else low
    return _matches(text, anchor, pattern, where) if anchor in where else ()  # in most texts there is none


def _matches(text: str, anchor: str, pattern: re.Pattern[str], where: str) -> Iterator[re.Match[str]]:
    resume = "sign" if "sign" in pattern.groupindex else 0
    at = where.find(anchor)
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield match
        at = where.find(anchor, max(match.end(resume), at + 1) if match else at + len(anchor))


def branches(words: Iterable[str]) -> str:
    """A pattern of words, the longest first, with a branch for each first letter: more would be tried one by one."""
    by_letter = groupby(sorted(set(words), key=lambda word: (word[0], -len(word))), key=lambda word: word[0])
    return "|".join(f"{letter}(?:{'|'.join(word[1:] for word in found)})" for letter, found in by_letter)


def merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, overlapping ones as one of the kind that was found first."""
    joined: list[Span] = []
    ranked = sorted(((span, rank) for rank, span in enumerate(spans)), key=lambda pair: pair[0].start)
    best = 0
    for span, rank in ranked:
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            kind = span.kind if rank < best else last.kind
            joined[-1], best = Span(last.start, max(last.end, span.end), kind), min(rank, best)
        else:
            joined.append(span)
            best = rank
    return joined
