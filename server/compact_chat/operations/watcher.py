"""Looks at one chat, or at the one in use in a workspace, and tells what is new."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import msgspec
from msgspec import structs

from compact_chat.chat import JsonObject, Warning
from compact_chat.disk.recent import Recent
from compact_chat.errors import Cancelled, ChatNotFound, CompactChatError
from compact_chat.operations.in_use import InUse
from compact_chat.operations.live import Live
from compact_chat.operations.work import Work
from compact_chat.results import TokenReport

_GONE = Warning("chatGone", "The chat's file is not there any more; this is what it held last.")


class Watcher:
    """Keeps the last good report: a chat that cannot be read for a while is a warning, and no error."""

    def __init__(self, live: Live, work: Work) -> None:
        """Give the first report; raises where the chat cannot be read."""
        self._live = live
        self.report = self._good = live.report(work)
        self._doubt: Warning | None = None  # told only where it lasts, since the file may be on its way

    @property
    def uri(self) -> str:
        """Where the chat is."""
        return self._live.uri

    def look(self, work: Work) -> JsonObject | None:
        """Give the chat and its report where that is another than before."""
        report = self._fresh(work)
        if report is None or report == self.report:
            return None
        self.report = report
        return {"uri": self.uri, "report": msgspec.to_builtins(report)}

    def _fresh(self, work: Work) -> TokenReport | None:
        if not self._live.has_news():
            return self._doubted()
        try:
            self._good, self._doubt = self._live.report(work), None
        except Cancelled:
            return None
        except CompactChatError as problem:
            self._doubt = _GONE if isinstance(problem, ChatNotFound) else Warning(problem.kind, problem.sentence)
            return None
        return self._good

    def _doubted(self) -> TokenReport | None:
        """Give the last good report with a warning, where there is one to be told."""
        doubt, self._doubt = self._doubt, None
        return None if doubt is None else structs.replace(self._good, warnings=(*self._good.warnings, doubt))


class WorkspaceWatcher:
    """Looks at the chat in use, and turns to another that comes into use once that can be read."""

    def __init__(self, workspace: str, in_use: InUse, follow: Callable[[Recent], Live], work: Work) -> None:
        """Give the first report; raises where there is no chat that can be read."""
        self._in_use, self._follow = in_use, follow
        self._next: Live | None = None
        self._present = self._first(workspace, work)

    @property
    def uri(self) -> str:
        """Where the chat in use is."""
        return self._present.uri

    @property
    def report(self) -> TokenReport:
        """What was told of it last."""
        return self._present.report

    def look(self, work: Work) -> JsonObject | None:
        """Give the chat in use and its report where that is another than before."""
        chat = self._in_use.chat()
        if chat is None or chat.uri == self.uri or not self._has_turned(chat, work):
            return self._present.look(work)
        return {"uri": self.uri, "report": msgspec.to_builtins(self.report)}

    def _first(self, workspace: str, work: Work) -> Watcher:
        problem: CompactChatError = ChatNotFound("There is no chat of this workspace.", uri=workspace)
        for chat in self._in_use.candidates():
            try:
                present = Watcher(self._follow(chat), work)
            except Cancelled:
                raise
            except CompactChatError as unreadable:
                problem = unreadable
            else:
                self._in_use.settle(chat)
                return present
        raise problem

    def _has_turned(self, chat: Recent, work: Work) -> bool:
        if self._next is None or self._next.uri != chat.uri:
            self._next = self._follow(chat)
        if self._next.has_news():
            with suppress(CompactChatError):
                self._present, self._next = Watcher(self._next, work), None
                return True
        return False
