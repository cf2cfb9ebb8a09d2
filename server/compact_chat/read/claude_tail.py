"""The end of a Claude Code session that grows: the newest reply and what answers it are read again, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Chat, JsonObject, Message
from compact_chat.read.claude_code import chat_of, model_before
from compact_chat.read.claude_lines import Line, Seen, Session, session_of
from compact_chat.read.claude_messages import messages_of, model_of
from compact_chat.read.claude_opening import has_begun
from compact_chat.read.claude_tree import live_lines, without_usage
from compact_chat.read.claude_window import Window
from compact_chat.read.grown import grown_records
from compact_chat.read.records import title_of
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked
from compact_chat.read.tail import Growth, Tail


def follow(source: Source) -> tuple[Chat, Tail | None]:
    """Read a session, and find the place from which on it can be read by itself."""
    seen = Seen()
    session = session_of(source, seen)
    chat = chat_of(source, session)
    window = Window()
    for _, line in session.lines:
        if window.begins_with(line):
            window.begin()
        window.add(line)
    records = _records(source, session, window)
    if not window.is_sound or len(records) < len({line.uuid for line in window.lines}):
        return chat, None
    tail = ClaudeTail(seen, window, records, chat.model)
    return chat, tail if has_begun(session) and _ends_with(chat, tail.open()) else None


class ClaudeTail:
    """What was read so far, as much of it as more lines may need."""

    def __init__(self, seen: Seen, window: Window, records: dict[str, JsonObject], model: str | None) -> None:
        self._seen, self._window, self._records, self._model = seen, window, records, model
        self._has_own = False  # the newest reply that names its model is in the window

    def open(self) -> Sequence[Message]:
        """Read the messages of the window."""
        live = [self._record(*one) for one in live_lines(self._window.lines)]
        found = messages_of(live, self._seen.cleared, self._seen.saved)
        messages = with_summary_marked(found) if self._window.is_first else found
        self._take_model(model_of(live), messages)
        return messages

    def grow(self, lines: bytes) -> Growth | None:
        """Read whole lines that have come to the end."""
        records = grown_records(lines)
        settled: list[Message] = []
        for record in records or ():
            clearings = self._seen.clearings
            line = self._seen.slow(record)
            if line is not None:
                settled += self._settled(line)
                self._window.add(line)
                self._records[line.uuid] = record
            if self._seen.clearings > clearings or not self._window.is_sound:
                return None
        messages = self.open()
        if records is None or not self._window.is_sound:
            return None
        return Growth(settled, messages, self._model, title_of(self._seen.title) or title_of(self._seen.typed))

    def _take_model(self, own: str | None, messages: Sequence[Message]) -> None:
        """Take the window's model; where it had one and has none any more, it is not known which was before."""
        if not self._window.is_first and own is None:
            self._window.is_sound &= not self._has_own
            return
        self._model, self._has_own = own or model_before(messages, self._seen.model), True

    def _settled(self, line: Line) -> Sequence[Message]:
        """Begin a new window where that may be; the messages of the old one can no longer change then."""
        if not self._window.begins_with(line):
            return ()
        settled = self.open()
        if not self._window.is_sound:
            return ()
        self._window.begin()
        self._has_own = False
        self._records = {one.uuid: self._records[one.uuid] for one in self._window.lines}
        return settled

    def _record(self, place: int, is_old: bool) -> JsonObject:
        record = self._records[self._window.lines[place].uuid]
        return without_usage(record) if is_old else record


def _records(source: Source, session: Session, window: Window) -> dict[str, JsonObject]:
    """The records of a window, whole."""
    wanted = {line.uuid for line in window.lines}
    spots = [(spot, line.uuid) for spot, line in session.lines if line.uuid in wanted]
    found = zip(spots, source.records_at(spot for spot, _ in spots), strict=True)
    return {uuid: record for (_, uuid), record in found if record is not None}


def _ends_with(chat: Chat, messages: Sequence[Message]) -> bool:
    return chat.messages[len(chat.messages) - len(messages) :] == tuple(messages)
