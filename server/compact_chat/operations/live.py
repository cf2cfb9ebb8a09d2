"""A chat in a file, read as it grows, and the report of it."""

from __future__ import annotations

import time

from msgspec import Struct, structs

from compact_chat.disk.beside import read_beside
from compact_chat.disk.follow import Followed
from compact_chat.errors import ChatUnreadable, TooLarge
from compact_chat.operations.aside import TakesLong
from compact_chat.operations.desk import Desk
from compact_chat.operations.running import Running
from compact_chat.operations.titles import clean_title
from compact_chat.operations.work import Work
from compact_chat.options import Options, Settings
from compact_chat.read.source import Source
from compact_chat.read.tail import Tail, follow_chat
from compact_chat.reports import TokenReport

REST = 3.0  # times as long as it took to read a chat anew, until that is done again
LONG = 2**18  # bytes; to read and count more of them takes a while


class Wish(Struct, frozen=True):
    """What a client knows of the chats that it watches."""

    model: str | None = None
    window: int | None = None
    format: str | None = None
    tool: str | None = None


class Live:
    """One chat that is followed."""

    def __init__(self, uri: str, wish: Wish, desk: Desk) -> None:
        self.uri = uri
        self._file = Followed(uri)
        self._wish, self._desk = wish, desk
        self._settings: Settings | None = None
        self._read: tuple[Tail, Running] | None = None  # so far, where the chat can be read on from there
        self._rests_until = 0.0

    def has_news(self) -> bool:
        """Say whether the next report may be another, once the chat has rested from the last."""
        return time.monotonic() >= self._rests_until and self.has_changed()

    def has_changed(self) -> bool:
        """Say whether the next report may be another."""
        return self._settings is not self._desk.settings or self._file.has_changed()

    def report(self, work: Work, at_once: bool = False) -> TokenReport:
        """Read what is new, and report how full the context is; raises as counting the chat would.

        What is wanted `at_once` raises TakesLong instead where there is much to be read.
        """
        try:
            running = self._read_on(work, at_once)
            return running.report() if running else self._reported_anew(work, at_once)
        except (ChatUnreadable, TooLarge) as problem:
            problem.data = {"uri": self.uri, **problem.data}
            raise

    def _read_on(self, work: Work, at_once: bool) -> Running | None:
        """Read what has come to the end, where that is enough."""
        if self._read is None or self._settings is not self._desk.settings:
            return None
        _check_length(self._file.more(), at_once)
        read, self._read = self._read, None  # whatever happens on the way, nothing that is half done is left
        return self._grown(*read, work)

    def _reported_anew(self, work: Work, at_once: bool) -> TokenReport:
        """Read all, and rest then; but what can be read on need not rest after the first time."""
        self._read = None
        self._file.forget()
        _check_length(self._file.more(), at_once)
        began, is_first = time.monotonic(), self._settings is None
        self._settings = self._desk.settings
        try:
            return self._anew(work).report()
        finally:
            if not (is_first and self._read):
                self._rests_until = time.monotonic() + REST * (time.monotonic() - began)

    def _grown(self, tail: Tail, running: Running, work: Work) -> Running | None:
        """Add what has come to the end, where that is enough."""
        lines = self._file.grown()
        growth = tail.grow(lines) if lines else None
        if lines is None or (lines and growth is None):
            return None
        if growth is not None and not running.grow(growth, clean_title(growth.title, self._desk), work):
            return None
        self._read = tail, running
        return running

    def _anew(self, work: Work) -> Running:
        with self._file.whole() as held:
            source = Source.of_held(held, self.uri, read_beside(self.uri), work.watched)
            chat, tail = follow_chat(source, self._wish.format, self._wish.tool)
        chat = structs.replace(chat, title=clean_title(chat.title, self._desk))
        running = Running(chat, len(tail.open()) if tail else 0, self._options(), self._desk, work)
        self._read = (tail, running) if tail else None
        return running

    def _options(self) -> Options:
        usual = self._desk.usual()
        window = usual.window if self._wish.window is None else self._wish.window
        return structs.replace(usual, model=self._wish.model or usual.model, window=window)


def _check_length(size: int, at_once: bool) -> None:
    if at_once and size > LONG:
        raise TakesLong
