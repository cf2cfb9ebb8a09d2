"""The tree of a Claude Code session: which lines are live, and which of the newest can be read by themselves.

Each record names its parent, and the newest line of the conversation is the leaf
(docs/formats.md#claude-code-live-conversation). A climb from
the leaf to the root, or to the last compaction, misses two things: parallel calls, since each call of a reply is a line
of its own with its result hanging off it, and older lines that a compaction kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace


class Preserved(Struct, rename="camel"):
    """Older records that a compaction kept, listed or as the chain from `tail` up to `head`; they follow the anchor."""

    anchor_uuid: str = ""
    uuids: list[str] = []
    all_uuids: list[str] = []
    head_uuid: str = ""
    tail_uuid: str = ""


class Boundary(Struct, rename="camel"):
    """What a compaction says of itself; the next record is the summary."""

    preserved_messages: Preserved | None = None
    preserved_segment: Preserved | None = None


class Line(Struct, frozen=True, gc=False):
    """Where a record stands in the tree, and what ties it to others; kept for every record of a session."""

    uuid: str
    parent: str | None
    speaks: bool  # is part of the conversation, and not one of the tool's own records
    is_side: bool
    reply: str
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    boundary: Boundary | None


def live_lines(lines: Sequence[Line]) -> list[tuple[int, bool]]:
    """Find the live lines, in the order they are sent in, each with whether it is older than the last compaction."""
    tree = _Tree(lines)
    if tree.leaf is None:
        return []
    chain, boundary = tree.conversation(tree.leaf)
    live = tree.with_siblings(chain)
    kept, anchor = tree.preserved(boundary)
    at = live.index(anchor) + 1 if anchor in live else 0
    order = [(place, False) for place in live[:at]]
    order += [(place, True) for place in sorted(set(kept).difference(live))]
    order += [(place, False) for place in live[at:]]
    newest = {
        line.uuid: place for place, line in enumerate(lines)
    }  # of a record that was written twice the last counts
    return [(newest[tree.lines[place].uuid], is_old) for place, is_old in order]


class _Tree:
    """The lines of a session, one for each uuid, as a tree; a place is an index of `lines`."""

    def __init__(self, lines: Sequence[Line]) -> None:
        by_uuid = {line.uuid: line for line in lines}
        self.lines = list(by_uuid.values())
        self._places = {uuid: place for place, uuid in enumerate(by_uuid)}
        main = [line for line in lines if not line.is_side]
        if not any(line.speaks for line in main):  # a sub-agent's own file is all side chain
            main = list(lines)
        self._trunk = sorted({self._places[line.uuid] for line in main})
        self.leaf = next((self._places[line.uuid] for line in reversed(main) if line.speaks), None)

    def conversation(self, leaf: int) -> tuple[list[int], Boundary | None]:
        """Climb from the leaf to the last compaction; what follows may hang on the last of the lines that it kept."""
        chain, boundary = self._climb(leaf)
        before = self._trunk[: bisect_left(self._trunk, leaf)]
        newest = next((place for place in reversed(before) if self.lines[place].boundary is not None), None)
        if newest is None or self.lines[newest].boundary is boundary:
            return chain, boundary
        behind = list(takewhile(lambda place: place > newest, chain))
        kept, anchor = self.preserved(self.lines[newest].boundary)
        if anchor is None or not set(chain[len(behind) : len(behind) + 1]).intersection(kept):
            return chain, boundary
        return behind + self._climb(anchor)[0], self.lines[newest].boundary

    def with_siblings(self, chain: Sequence[int]) -> list[int]:
        """Add what a chain misses of parallel calls: each call is a line of its own, with its result hanging off it."""
        replies = {self.lines[place].reply for place in chain} - {""}
        places = {place for place in self._trunk if self.lines[place].reply in replies}.union(chain)
        calls = {call for place in places for call in self.lines[place].calls}
        missing = calls.difference(*(self.lines[place].answers for place in places), [""])
        for place in self._trunk if missing else ():
            if answers := missing.intersection(self.lines[place].answers):
                missing -= answers
                places.add(place)
        return sorted(places)

    def preserved(self, boundary: Boundary | None) -> tuple[list[int], int | None]:
        """Find the older lines that a compaction kept, and the line that they follow."""
        if boundary and (listed := boundary.preserved_messages):
            uuids = listed.all_uuids or listed.uuids
            return [self._places[uuid] for uuid in uuids if uuid in self._places], self._places.get(listed.anchor_uuid)
        segment = boundary.preserved_segment if boundary else None
        if segment is None:
            return [], None
        head, tail = self._places.get(segment.head_uuid), self._places.get(segment.tail_uuid)
        chain = [] if head is None or tail is None else self._climb(tail, head)[0]
        return self.with_siblings(chain) if head in chain else [], self._places.get(segment.anchor_uuid)

    def _climb(self, start: int, stop: int | None = None) -> tuple[list[int], Boundary | None]:
        """Follow the parents to the root, to `stop`, or to a boundary, which is given too."""
        chain: dict[int, None] = {}
        place: int | None = start
        while place is not None and place not in chain:
            if (boundary := self.lines[place].boundary) is not None:
                return list(chain), boundary
            chain[place] = None
            parent = self.lines[place].parent
            if place == stop or parent is None:
                break
            if parent in self._places:
                place = self._places[parent]
            else:  # not in the file: go on with the record before
                before = bisect_left(self._trunk, place)
                place = self._trunk[before - 1] if before else None
        return list(chain), None


class Window:
    """The newest lines, which share one name alone with all lines before them: that of the line they hang on, the base.

    So they can be read by themselves, and nothing that is said in them changes what was said before.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self._is_agents = not any(line.speaks and not line.is_side for line in lines)  # a sub-agent's own file
        self.lines = [line for line in lines if self._is_agents or not line.is_side]
        self._base: str | None = None
        self._past: set[str | None] = set()  # names before the window
        self._names: set[str | None] = set()  # and in it
        self._uuids: set[str | None] = set()
        self.is_sound = self.begin_anew()

    def begin_anew(self) -> bool:
        """Begin at the newest line of the conversation that allows it, if there is one behind the newest compaction."""
        before = Counter(name for line in self.lines for name in _names(line))
        shared: set[str | None] = set()
        for place in range(len(self.lines) - 1, 0, -1):
            line = self.lines[place]
            if line.boundary is not None:
                break
            names = _names(line)
            before.subtract(names)
            shared = {name for name in shared | names if before[name]}
            if line.speaks and shared == {line.parent}:
                self._past.update(name for line in self.lines[:place] for name in _names(line))
                rest, self.lines = self.lines[place:], []
                self._base, self._names, self._uuids = line.parent, set(), {line.parent}
                return all(map(self.add, rest))
        return False

    def add(self, line: Line) -> bool:
        """Take in the next line of the session; False if it shares more with the lines before the window."""
        is_known = line.uuid in self._past or line.uuid in self._names
        if is_known or (self._is_agents and line.speaks and not line.is_side):
            return False
        if line.is_side and not self._is_agents:
            return True
        names = _names(line)
        is_rooted = line.parent in self._uuids and line.boundary is None
        if not is_rooted or not self._past.isdisjoint(names - {self._base}):
            return False
        self.lines.append(line)
        self._names |= names
        self._uuids.add(line.uuid)
        return True

    def live(self) -> list[str]:
        """Give the uuids of the live lines."""
        rooted = [replace(line, parent=None) if line.parent == self._base else line for line in self.lines]
        return [rooted[place].uuid for place, _ in live_lines(rooted)]


def _names(line: Line) -> set[str | None]:
    """Collect the names by which a line may belong to others: uuids, and ids of replies and calls."""
    names = {line.uuid, line.parent, line.reply, *line.calls, *line.answers}
    for kept in (line.boundary.preserved_messages, line.boundary.preserved_segment) if line.boundary else ():
        if kept:
            names |= {kept.anchor_uuid, kept.head_uuid, kept.tail_uuid, *kept.uuids, *kept.all_uuids}
    return names - {None, ""}
