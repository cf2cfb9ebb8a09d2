"""The newest lines of a Claude Code session, which can be read by themselves, since nothing reaches behind them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from compact_chat.chat import JsonObject
from compact_chat.read.claude_lines import Line


class Window:
    """Begins anew with each line that goes straight on from the newest, once all calls before it are answered."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.is_sound = True  # the lines before it and those in it say together what the whole session says
        self.is_first = True  # it began with the session
        self._known: set[str] = set()  # lines, by their uuids
        self._awaited: set[str] = set()  # lines that were named before they were there, if they ever will be
        self._past: set[str] = set()  # replies, calls and answers before the window
        self._present: set[str] = set()  # those in it
        self._unanswered: set[str] = set()
        self._base: str | None = None  # the line that the window hangs on
        self._rooted: set[str] = set()  # from which a climb leads there
        self._leaf: str | None = None
        self._waiting: list[Line] = []  # hang on the leaf, and say nothing
        self._trunk: str | None = None  # the newest line that is in no side chain
        self._is_agents = True  # all is side chain

    def begins_with(self, line: Line) -> bool:
        """Whether a new window may begin here."""
        if not line.speaks or not self._in_trunk(line) or self._is_named(line):
            return False
        if line.answers or not self._past.isdisjoint(_ids(line)) or not self._present.isdisjoint(_ids(line)):
            return False
        return self._hangs_on_leaf(line) and not (self._unanswered and (line.reply or line.calls))

    def begin(self) -> None:
        """Begin anew with the next line, and what waits for it."""
        self._past |= self._present
        self._present, self._unanswered = set(), set()
        self._base = self._leaf
        self.lines = list(map(self._from_base, self._waiting))
        self._rooted = {line.uuid for line in self._waiting}
        self.is_sound, self.is_first = True, False

    def add(self, line: Line) -> None:
        """Take in the next line of the session."""
        self.is_sound = self.is_first or (self.is_sound and self._fits(line))
        if line.speaks and not line.is_side and self._is_agents:
            self._turn_to_trunk()
        hangs, is_rooted = self._hangs_on_leaf(line), self.is_first or self._is_rooted(line)
        self._know(line)
        if line.boundary is None and is_rooted:
            self._rooted.add(line.uuid)
        if self._in_trunk(line) or is_rooted:
            self.lines.append(self._from_base(line))
        if line.speaks and self._in_trunk(line):
            self._leaf, self._waiting = line.uuid, []
        elif hangs and line.boundary is None:
            self._waiting.append(line)

    def _know(self, line: Line) -> None:
        named = {line.parent} if line.parent is not None else set()
        self._known.add(line.uuid)
        self._awaited |= named.union(_texts(line.boundary)) - self._known
        if self._in_trunk(line):
            self._trunk = line.uuid
            self._present.update(_ids(line))
            self._unanswered.update(filter(None, line.calls))
            self._unanswered.difference_update(line.answers)

    def _fits(self, line: Line) -> bool:
        """Whether a line changes nothing of what was before the window."""
        if self._is_named(line):
            return False
        if not self._in_trunk(line):
            return not (line.speaks and self._is_agents)
        return self._past.isdisjoint(_ids(line)) and (not line.speaks or self._goes_on(line))

    def _goes_on(self, line: Line) -> bool:
        """Whether what is said goes on from the newest line, or belongs to a reply whose calls are made at once."""
        if self._hangs_on_leaf(line):
            return self._is_rooted(line)
        belongs = bool(line.answers) or line.reply in self._present
        return belongs and self._parent(line) in self._rooted

    def _turn_to_trunk(self) -> None:
        """Take side chains for what they are, since there is something else."""
        self._is_agents, self._leaf, self._trunk = False, None, None
        self._waiting = []

    def _is_named(self, line: Line) -> bool:
        return line.uuid in self._known or line.uuid in self._awaited

    def _in_trunk(self, line: Line) -> bool:
        return self._is_agents or not line.is_side

    def _parent(self, line: Line) -> str | None:
        """The line that this one hangs on; where that is not in the file, it is the one before it."""
        if line.parent is None or line.parent == line.uuid:
            return None
        return line.parent if line.parent in self._known else self._trunk

    def _hangs_on_leaf(self, line: Line) -> bool:
        parent = self._parent(line)
        return parent is not None and (parent == self._leaf or any(parent == one.uuid for one in self._waiting))

    def _is_rooted(self, line: Line) -> bool:
        parent = self._parent(line)
        return parent is not None and (parent == self._base or parent in self._rooted)

    def _from_base(self, line: Line) -> Line:
        return replace(line, parent=None) if line.parent is not None and line.parent == self._base else line


def _ids(line: Line) -> Iterator[str]:
    return filter(None, (line.reply, *line.calls, *line.answers))


def _texts(value: JsonObject | None) -> Iterator[str]:
    """All texts in what a compaction tells of itself: among them the lines that it kept."""
    waiting: list[object] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one
