"""Tags read from left to right from any place, with whole stretches of the text jumped over."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from compact_chat.marks import Tag
from compact_chat.reply.code import Stretches


class Scan:
    """The tags outside some stretches; the way on behind each stretch is known beforehand, so that no walk is long."""

    def __init__(self, tags: Sequence[Tag], jumps: Stretches) -> None:
        self._tags = tags
        self._places = [tag.start for tag in tags]
        self._starts = sorted(jumps)
        self._behind = self._targets([jumps[start] for start in self._starts])

    def after(self, place: int) -> Iterator[Tag]:
        """The tags from a place on that is itself outside all stretches."""
        tag, jump = self._next(place)
        while tag < len(self._tags):
            if self._is_hidden(tag, jump):
                tag, jump = self._behind[jump]
            else:
                yield self._tags[tag]
                tag += 1

    def _targets(self, ends: Sequence[int]) -> list[tuple[int, int]]:
        """Of each stretch the next tag behind it that is seen, and the next stretch behind that tag's gap."""
        behind = [(len(self._tags), len(ends))] * (len(ends) + 1)
        for index in range(len(ends) - 1, -1, -1):
            tag, jump = self._next(ends[index])
            behind[index] = behind[jump] if tag == len(self._tags) or self._is_hidden(tag, jump) else (tag, jump)
        return behind

    def _next(self, place: int) -> tuple[int, int]:
        return bisect_left(self._places, place), bisect_left(self._starts, place)

    def _is_hidden(self, tag: int, jump: int) -> bool:
        return jump < len(self._starts) and self._starts[jump] <= self._places[tag]
