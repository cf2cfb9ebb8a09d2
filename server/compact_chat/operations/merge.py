"""Three-way merge by lines: carry what a person changed in one text over to a new version of that text."""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from compact_chat.errors import checkpoint

Change = tuple[int, int, Sequence[str]]  # lines of the new text from one place to another, and what replaces them


def merge(base: str, mine: str, theirs: str) -> str | None:
    """Apply to `theirs` what turned `base` into `mine`; None if a changed line is no longer there.

    Lines that were only added stay next to their neighbors or, without these, at the end of their section.
    """
    if base in (mine, theirs):
        return theirs if mine == base else mine
    old, own, new = (text.split("\n") for text in (base, mine, theirs))
    texts = _Texts(old, new)
    changes = list[Change]()
    for start, end, lines in _changes(old, own):
        checkpoint()
        place = texts.place_of(start, end)
        if place is None:
            if lines or any(old[line].strip() and line in texts.places for line in range(start, end)):
                return None
            continue  # deleted in both
        changes.append((*place, lines))
    merged, at = list[str](), 0
    for begin, stop, lines in changes:
        if begin < at:
            return None
        merged += [*new[at:begin], *lines]
        at = stop
    return "\n".join([*merged, *new[at:]])


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    """Yield what changed."""
    start, begin = 0, 0
    for line, place in (*_pairs(old, new), (len(old), len(new))):
        if (line, place) != (start, begin):
            yield start, line, new[begin:place]
        start, begin = line + 1, place + 1


def _pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pair the lines that two texts have in common, in order: those that occur once, and equal ones next to these."""
    first, last = _common(old, new)
    yield from ((index, index) for index in range(first))
    start, begin = first, first
    ends = len(old) - last, len(new) - last
    for line, place in (*_anchors(old, new, first, *ends), ends):
        checkpoint()
        gap, other = old[start:line], new[begin:place]
        front, back = _common(gap, other)
        yield from ((start + n, begin + n) for n in range(front))
        yield from ((line - n, place - n) for n in range(back, 0, -1))
        if line < ends[0]:
            yield line, place
        start, begin = line + 1, place + 1
    yield from ((len(old) - n, len(new) - n) for n in range(last, 0, -1))


def _anchors(old: Sequence[str], new: Sequence[str], first: int, stop: int, end: int) -> list[tuple[int, int]]:
    """Pair as many lines as possible, in order, of those that both texts have once and that are not blank."""
    often, there = Counter(old[first:stop]), Counter(new[first:end])
    where = {new[place]: place for place in range(first, end) if new[place].strip() and there[new[place]] == 1}
    chain = list[tuple[int, int, int]]()  # a line, its place, and the pair before it
    tails, newest = list[int](), list[int]()  # of the chains of each length, the one that ends first: place and pair
    for line in range(first, stop):
        place = where.get(old[line]) if often[old[line]] == 1 else None
        if place is None:
            continue
        length = bisect_left(tails, place)
        tails[length : length + 1], newest[length : length + 1] = [place], [len(chain)]
        chain.append((line, place, newest[length - 1] if length else -1))
    found, at = list[tuple[int, int]](), newest[-1] if newest else -1
    while at >= 0:
        line, place, at = chain[at]
        found.append((line, place))
    return found[::-1]


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Count the lines that two texts begin with in common, and of the rest those that they end with."""
    most = min(len(one), len(other))
    first = next((n for n in range(most) if one[n] != other[n]), most)
    last = next((n for n in range(most - first) if one[-1 - n] != other[-1 - n]), most - first)
    return first, last


class _Texts:
    """An old text and a new one, where the lines of the old one are in the new one, and both texts' sections."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old, self._new = old, new
        self.places: Mapping[int, int] = dict(_pairs(old, new))
        self._headings = [line for line, text in enumerate(old) if text.startswith("#")]
        self._ends, heading = dict[int, int](), -1  # behind the last text of each section of the new one
        for place, text in enumerate(new):
            heading = place if text.startswith("#") else heading
            if text.strip():
                self._ends[heading] = place + 1

    def place_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where the new text has these lines or, for an insertion, where it goes."""
        old, new, places = self._old, self._new, self.places
        if start < end:
            found = [places.get(index) for index in range(start, end)]
            at = found[0]
            return (at, at + len(found)) if at is not None and found == list(range(at, at + len(found))) else None
        before = next((index for index in range(start - 1, -1, -1) if old[index].strip()), -1)
        behind = next((index for index in range(start, len(old)) if old[index].strip()), len(old))
        if before < 0:
            return (0, 0) if places else None
        if before in places:
            at = places[before] + 1
            while at < len(new) and at - places[before] < start - before and not new[at].strip():
                at += 1
            return at, at
        if behind in places:
            return places[behind], places[behind]
        section = bisect(self._headings, before)
        heading = places.get(self._headings[section - 1]) if section else None
        return None if heading is None else (self._ends[heading], self._ends[heading])
