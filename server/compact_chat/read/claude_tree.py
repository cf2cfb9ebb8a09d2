"""The tree of a Claude Code session: which lines are live, and which of the newest can be read by themselves.

Each record names its parent, and the newest line of the conversation is the leaf
(docs/formats.md#claude-code-live-conversation). A climb from
the leaf to the root, or to the last compaction, misses two things: parallel calls, since each call of a reply is a line
of its own with its result hanging off it, and older lines that a compaction kept.
"""

from __future__ import annotations

from bisect import bisect_left
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
    """The newest lines, which can be read by themselves: they hang on one older line, the base, and on each other.

    It begins anew with each line that goes straight on from the newest, once all calls before it are answered.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines: list[Line] = []
        self.is_sound = True  # nothing in the window changes what was said before it
        self.is_first = True  # the window began with the session
        self._is_agents = not any(line.speaks and not line.is_side for line in lines)  # a sub-agent's own file
        self._uuids: set[str] = set()  # of the whole session
        self._awaited: set[str] = set()  # uuids that were named before their lines came, if they ever do
        self._past: set[str] = set()  # ids of replies and calls before the window
        self._present: set[str] = set()  # and of those in it
        self._unanswered: set[str] = set()
        self._base: str | None = None
        self._rooted: set[str | None] = set()  # the base, and the uuids of lines from which a climb leads there
        self._waiting: list[Line] = []  # lines behind the newest of the conversation that are not part of it
        self._ends: set[str | None] = set()  # uuids of that newest line and of those that wait behind it
        for line in lines:
            if self.begins_with(line):
                self.begin()
            self.add(line)

    def begins_with(self, line: Line) -> bool:
        """Whether a new window may begin here."""
        ids = _ids(line)
        is_new = line.speaks and line.boundary is None and not line.answers and not self._is_named(line)
        is_straight = self._is_trunk(line) and line.parent in self._ends
        is_apart = self._past.isdisjoint(ids) and self._present.isdisjoint(ids)
        return is_new and is_straight and is_apart and not (self._unanswered and (line.reply or line.calls))

    def begin(self) -> None:
        """Begin anew with the next line, and what waits for it."""
        waiting = {line.uuid for line in self._waiting}
        self._base = next(uuid for uuid in self._ends if uuid not in waiting)
        self._past |= self._present
        self._present, self._unanswered = set(), set()
        self._rooted = set(self._ends)
        self.lines = [self._from_base(line) for line in self._waiting]
        self.is_sound, self.is_first = True, False

    def add(self, line: Line) -> None:
        """Take in the next line of the session."""
        is_trunk, is_rooted, ids = self._is_trunk(line), line.parent in self._rooted, _ids(line)
        if not self.is_first:
            is_side_of_agents = self._is_agents and line.speaks and not line.is_side
            changes_more = line.boundary is not None or not self._past.isdisjoint(ids)
            is_loose = (line.speaks and not is_rooted) or changes_more
            self.is_sound &= not (self._is_named(line) or is_side_of_agents or (is_trunk and is_loose))
        self._uuids.add(line.uuid)
        self._awaited |= _names(line) - self._uuids
        if self.is_first or (is_trunk and is_rooted):
            self.lines.append(self._from_base(line))
            self._rooted.add(line.uuid)
        if is_trunk:
            self._present |= ids
            self._unanswered.update(filter(None, line.calls))
            self._unanswered.difference_update(line.answers)
            if line.speaks:
                self._waiting, self._ends = [], {line.uuid}
            elif line.parent in self._ends and line.boundary is None:
                self._waiting.append(line)
                self._ends.add(line.uuid)

    def _is_named(self, line: Line) -> bool:
        return line.uuid in self._uuids or line.uuid in self._awaited

    def _is_trunk(self, line: Line) -> bool:
        return self._is_agents or not line.is_side

    def _from_base(self, line: Line) -> Line:
        return replace(line, parent=None) if line.parent is not None and line.parent == self._base else line


def _ids(line: Line) -> set[str]:
    """Collect the ids by which a line belongs to others."""
    return {line.reply, *line.calls, *line.answers} - {""}


def _names(line: Line) -> set[str]:
    """Collect the uuids that a line names."""
    names = {line.parent or ""}
    for kept in (line.boundary.preserved_messages, line.boundary.preserved_segment) if line.boundary else ():
        if kept:
            names |= {kept.anchor_uuid, kept.head_uuid, kept.tail_uuid, *kept.uuids, *kept.all_uuids}
    return names - {""}
