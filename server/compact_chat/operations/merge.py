"""Three-way merge by lines: carry what a person changed in one text over to a new version of that text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

MOST_LINES = 3000  # that differ; matching takes quadratic time in the worst case

Change = tuple[int, int, Sequence[str]]  # lines of the new text from one place to another, and what replaces them


def merge(base: str, mine: str, theirs: str) -> str | None:
    """Apply to `theirs` what turned `base` into `mine`; None if a changed line is no longer there.

    Lines that were only added stay next to their neighbors or, without these, at the end of their section.
    """
    if base in (mine, theirs):
        return theirs if mine == base else mine
    old, own, new = (text.split("\n") for text in (base, mine, theirs))
    places = _places(old, new)
    changes = list[Change]()
    for start, end, lines in _changes(old, own):
        place = _place_of(start, end, old, new, places) if places is not None else None
        if place is None:
            is_there = any(old[line].strip() and line in (places or {}) for line in range(start, end))
            if lines or is_there:
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
    """Yield what changed, line by line."""
    first, last = _common(old, new)
    middle, other = old[first : len(old) - last], new[first : len(new) - last]
    if len(middle) + len(other) > MOST_LINES:
        yield first, len(old) - last, other
        return
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, middle, other, autojunk=False).get_opcodes():
        if kind != "equal":
            yield first + i1, first + i2, other[j1:j2]


def _places(old: Sequence[str], new: Sequence[str]) -> dict[int, int] | None:
    """Map each line of one text to where the other has it; None if they differ in too many lines."""
    first, last = _common(old, new)
    places = {index: index for index in range(first)}
    places |= {len(old) - back: len(new) - back for back in range(1, last + 1)}
    middle, other = old[first : len(old) - last], new[first : len(new) - last]
    if len(middle) + len(other) > MOST_LINES:
        return None
    for block in SequenceMatcher(None, middle, other, autojunk=False).get_matching_blocks():
        places |= {first + block.a + n: first + block.b + n for n in range(block.size)}
    return places


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Count the lines that two texts begin with in common, and of the rest those that they end with."""
    most = min(len(one), len(other))
    first = next((n for n in range(most) if one[n] != other[n]), most)
    last = next((n for n in range(most - first) if one[-1 - n] != other[-1 - n]), most - first)
    return first, last


def _place_of(
    start: int, end: int, old: Sequence[str], new: Sequence[str], places: dict[int, int]
) -> tuple[int, int] | None:
    """Return where the new text has these lines or, for an insertion, where it goes."""
    if start < end:
        found = [places.get(index) for index in range(start, end)]
        at = found[0]
        return (at, at + len(found)) if at is not None and found == list(range(at, at + len(found))) else None
    before = next((index for index in range(start - 1, -1, -1) if old[index].strip()), -1)
    behind = next((index for index in range(start, len(old)) if old[index].strip()), len(old))
    if before < 0:
        return 0, 0
    if before in places:
        at = places[before] + 1
        while at < len(new) and at - places[before] < start - before and not new[at].strip():
            at += 1
        return at, at
    if behind in places:
        return places[behind], places[behind]
    return _end_of_section(before, old, new, places)


def _end_of_section(
    place: int, old: Sequence[str], new: Sequence[str], places: dict[int, int]
) -> tuple[int, int] | None:
    """Return the end of the section that a line was in, by its heading."""
    heading = next((index for index in range(place, -1, -1) if old[index].startswith("#")), None)
    if heading is None or heading not in places:
        return None
    at = places[heading] + 1
    while at < len(new) and not new[at].startswith("#"):
        at += 1
    while at > 0 and not new[at - 1].strip():
        at -= 1
    return at, at
