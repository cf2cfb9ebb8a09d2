"""Which lines get into a summary: the most telling first, none of them over the room that is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from compact_chat.providers.extract.lines import Group, Line

LEAST = 3  # tokens of the shortest line; below that nothing is counted any more


class Pack:
    """Lines that fit into a room of tokens; `shown` tells about what a line becomes on the page."""

    def __init__(
        self, room: int, count: Callable[[str], int], shown: Callable[[Line], str] = lambda line: line.text
    ) -> None:
        self.lines: list[Line] = []
        self.left = room
        self._room, self._count, self._shown = room, count, shown
        self._spent: dict[Group, int] = {}
        self._heads: set[tuple[Group, str]] = set()

    def take(self, lines: Iterable[Line], capped: bool = True, keep_back: int = 0) -> list[Line]:
        """Take the lines in their turn, each group up to its share of the room; give those that were refused."""
        refused = []
        for line in sorted(lines, key=lambda line: (line.group.rank, line.turn)):
            cost = self.cost(line) if self.left >= LEAST else LEAST
            spent = self._spent.get(line.group, 0) + cost
            if cost > self.left - keep_back or (capped and spent > line.group.share * self._room):
                refused.append(line)
                continue
            self.lines.append(line)
            self.left -= cost
            self._spent[line.group] = spent
            self._heads.add((line.group, line.head))
        return refused

    def cost(self, line: Line) -> int:
        """The tokens of a line with its line feed, and of its heading where it is the first below it."""
        cost = self._count(self._shown(line)) + 1
        if line.head and (line.group, line.head) not in self._heads:
            cost += self._count(line.head) + 1
        return cost
