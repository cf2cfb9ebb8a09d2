"""Secrets that were cut, as streamed texts are: one part of a message ends within them, the next goes on."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from compact_chat.redact.redactor import Redactor
from compact_chat.redact.spans import Span

_KEY, _KEY_END = "PRIVATE KEY-----", "-----END"


def healed(texts: Sequence[str], clean: Redactor) -> list[str]:
    """Mask what lies across the cuts between texts that follow each other: where it begins, and nowhere else."""
    result = list(texts)
    for first, behind in _runs(texts):
        result[first:behind] = _without_crossing(texts[first:behind], clean)
    return result


def _runs(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The stretches of two texts and more that no blank parts; a key has blanks and lines of its own."""
    first, in_key = 0, False
    for place, (left, right) in enumerate(pairwise(texts), 1):
        in_key = _KEY_END not in left and (in_key or _KEY in left)
        if not in_key and (not left or not right or left[-1].isspace() or right[0].isspace()):
            if place - first > 1:
                yield first, place
            first = place
    if len(texts) - first > 1:
        yield first, len(texts)


def _without_crossing(texts: Sequence[str], clean: Redactor) -> list[str]:
    whole, cuts = "".join(texts), [0, *accumulate(map(len, texts))]
    crossing = [span for span in clean.find(whole) if span.end > cuts[bisect_right(cuts, span.start)]]
    return [_part(whole, start, end, crossing, clean) for start, end in pairwise(cuts)] if crossing else list(texts)


def _part(whole: str, start: int, end: int, spans: Sequence[Span], clean: Redactor) -> str:
    """One text without what lies across its cuts."""
    pieces, at = [], start
    for span in spans[bisect_right(spans, start, key=lambda span: span.end) :]:
        if span.start >= end:
            break
        if span.start >= start:
            pieces += [whole[at : span.start], clean.placeholder(whole[span.start : span.end], span.kind)]
        at = min(span.end, end)
    return "".join([*pieces, whole[at:end]])
