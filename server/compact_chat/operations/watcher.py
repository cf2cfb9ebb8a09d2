"""Looks at one chat, or at the one in use in a workspace, and tells what is new."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic

import msgspec
from msgspec import structs

from compact_chat.chat import JsonObject, Warning
from compact_chat.disk.recent import Recent
from compact_chat.errors import Cancelled, ChatNotFound, CompactChatError
from compact_chat.operations.in_use import InUse
from compact_chat.operations.live import Live
from compact_chat.operations.work import Work
from compact_chat.reports import TokenReport

LASTING = 1.0  # seconds for which a chat is in doubt, after which that is told even while its file goes on changing
_CUT = "cutDocument"


class Watcher:
    """Keeps the last good report: a chat that cannot be read for a while is a warning, and no error."""

    def __init__(self, live: Live, work: Work, at_once: bool = False) -> None:
        """Give the first report; raises where the chat cannot be read, and where that cannot be done at once."""
        self._live = live
        self.report = self._good = live.report(work, at_once)
        self._doubt: TokenReport | None = None  # told only where it lasts, since the file may be on its way
        self._doubted_since: float | None = None

    @property
    def uri(self) -> str:
        """Where the chat is."""
        return self._live.uri

    def look(self, work: Work, at_once: bool = False) -> JsonObject | None:
        """Give the chat and its report where that is another than before."""
        report = self._fresh(work, at_once) if self._live.has_news() else self._quiet()
        if report is None or report == self.report:
            return None
        self.report = report
        return {"uri": self.uri, "report": msgspec.to_builtins(report)}

    def _fresh(self, work: Work, at_once: bool) -> TokenReport | None:
        try:
            report = self._live.report(work, at_once)
        except Cancelled:
            return None
        except CompactChatError as problem:
            return self._doubted(_with(self._good, problem))
        if any(warning.code == _CUT for warning in report.warnings):
            return self._doubted(report)
        self._good, self._doubt, self._doubted_since = report, None, None
        return report

    def _doubted(self, report: TokenReport) -> TokenReport | None:
        """Keep a doubtful report back, unless all have been doubtful for long."""
        self._doubt = report
        if self._doubted_since is None:
            self._doubted_since = monotonic()
        return report if monotonic() - self._doubted_since >= LASTING else None

    def _quiet(self) -> TokenReport | None:
        """Give what was kept back, once nobody writes the file any more."""
        if self._doubt is None or self._live.has_changed():
            return None
        doubt, self._doubt = self._doubt, None
        return doubt


def _with(good: TokenReport, problem: CompactChatError) -> TokenReport:
    """Say with the last good report what is in the way of another."""
    code = "chatGone" if isinstance(problem, ChatNotFound) else problem.kind
    return structs.replace(good, warnings=(*good.warnings, Warning(code, problem.sentence)))


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

    def look(self, work: Work, at_once: bool = False) -> JsonObject | None:
        """Give the chat in use and its report where that is another than before."""
        chat = self._in_use.chat()
        if chat is None or chat.uri == self.uri or not self._has_turned(chat, work, at_once):
            return self._present.look(work, at_once)
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

    def _has_turned(self, chat: Recent, work: Work, at_once: bool) -> bool:
        if self._next is None or self._next.uri != chat.uri:
            self._next = self._follow(chat)
        if self._next.has_news():
            with suppress(CompactChatError):
                self._present, self._next = Watcher(self._next, work, at_once), None
                return True
        return False
