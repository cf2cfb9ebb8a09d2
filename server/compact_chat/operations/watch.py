"""Follow a chat, or the one in use in a workspace or folders: report on it now, and again whenever it has grown."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, structs

from compact_chat.cancel import checkpoint
from compact_chat.chat import JsonObject, Warning
from compact_chat.disk import Recent, RecentChats, Wanted
from compact_chat.errors import Cancelled, ChatNotFound, CompactChatError, InvalidParams
from compact_chat.operations.job import Job
from compact_chat.operations.live import Hints, LiveChat
from compact_chat.operations.params import ChatRef
from compact_chat.operations.sessions import folders
from compact_chat.wire import Count, TokenReport, Watched

Result = Watched
SCAN = 0.25  # seconds between two scans of the workspace's chats
QUIET = 5.0  # seconds of silence in the chat in use before an earlier one takes its place
TRIED = 10  # of the newest chats, until one can be read
LASTING = 1.0  # seconds after which a doubtful report is sent even while the file goes on changing
_SECOND = 1_000_000_000


class Params(Struct, frozen=True, rename="camel"):
    """A chat in a file, or a workspace and folders of chats, and what is known of the model."""

    chat: ChatRef | None = None
    workspace: Annotated[str | None, Meta(description="A folder, to follow the chat there that is in use.")] = None
    roots: Annotated[
        tuple[str, ...],
        Meta(description="A folder whose chats count as held in the workspace, wherever that was.", max_length=16),
    ] = ()
    model: Annotated[str | None, Meta(description="The chat's model.")] = None
    window: Annotated[Count | None, Meta(description="Tokens that fit into its context.")] = None


def run(asked: Params, job: Job) -> Watched:
    """Report on the chat, and watch it from now on."""
    client = job.client
    client.watches.check_room()
    job.step("Reading the chat")
    watcher: Watcher | WorkspaceWatcher
    if asked.chat is None and (asked.workspace is not None or asked.roots):
        watcher = _workspace_watcher(asked, job)
    elif asked.chat is None or asked.workspace is not None or asked.roots:
        raise InvalidParams.at("$", "expected either a chat, or a workspace, roots or both")
    else:
        watcher = Watcher(_live_chat(asked.chat, asked, job), job)
    return Watched(client.watches.add(watcher, job), watcher.uri, watcher.report)


def _live_chat(chat: ChatRef, asked: Params, job: Job) -> LiveChat:
    for name in ("text", "messages", "system", "tools"):
        if getattr(chat, name) is not None:
            raise InvalidParams.at(f"$.chat.{name}", "a chat that is watched is a file, and comes by its uri alone")
    if chat.uri is None:
        raise InvalidParams.at("$.chat.uri", "this member is required")
    try:
        return LiveChat(chat.uri, Hints(asked.model, asked.window, chat.format, chat.tool), job.client)
    except InvalidParams as problem:
        raise problem.moved("$.chat") from None


def _workspace_watcher(asked: Params, job: Job) -> WorkspaceWatcher:
    roots, client = folders(asked.roots), job.client
    # Without a workspace, only chats below the roots count.
    wanted = Wanted(roots=roots) if asked.workspace is None else Wanted(asked.workspace, beside=roots)

    def follow(chat: Recent) -> LiveChat:
        return LiveChat(chat.uri, Hints(asked.model, asked.window, chat.format, chat.tool), client)

    in_use = InUse(RecentChats(wanted, client.heads, checkpoint).newest)
    return WorkspaceWatcher(asked.workspace or asked.roots[0], in_use, follow, job)


class Watcher:
    """One chat with its last good report: a chat that cannot be read for a while is a warning, not an error."""

    def __init__(self, chat: LiveChat, job: Job, at_once: bool = False) -> None:
        """Make the first report; raise where the chat cannot be read, or not at once."""
        self._chat = chat
        self.report = self._good = chat.report(job, at_once)
        self._doubtful: TokenReport | None = None  # held back, since the file may be about to be written
        self._doubtful_since: float | None = None

    @property
    def uri(self) -> str:
        """Where the chat is."""
        return self._chat.uri

    def look(self, job: Job, at_once: bool = False) -> JsonObject | None:
        """Return the chat and its report if that differs from the last."""
        report = self._fresh(job, at_once) if self._chat.has_news() else self._held_back()
        if report is None or report == self.report:
            return None
        self.report = report
        return {"uri": self.uri, "report": msgspec.to_builtins(report)}

    def _fresh(self, job: Job, at_once: bool) -> TokenReport | None:
        try:
            report = self._chat.report(job, at_once)
        except Cancelled:
            return None
        except CompactChatError as problem:
            code = "chatGone" if isinstance(problem, ChatNotFound) else problem.kind
            warnings = (*self._good.warnings, Warning(code, problem.sentence))
            report = structs.replace(self._good, warnings=warnings)
        else:
            if not any(warning.code == "cutDocument" for warning in report.warnings):
                self._good, self._doubtful, self._doubtful_since = report, None, None
                return report
        self._doubtful = report
        if self._doubtful_since is None:
            self._doubtful_since = monotonic()
        return report if monotonic() - self._doubtful_since >= LASTING else None

    def _held_back(self) -> TokenReport | None:
        """Return the doubtful report once the file rests."""
        if self._doubtful is None or self._chat.has_changed():
            return None
        report, self._doubtful = self._doubtful, None
        return report


class WorkspaceWatcher:
    """The chat in use in a workspace; turns to another that comes into use once that can be read."""

    def __init__(self, workspace: str, in_use: InUse, follow: Callable[[Recent], LiveChat], job: Job) -> None:
        """Make the first report; raise where no chat can be read."""
        self._in_use, self._follow = in_use, follow
        self._next: LiveChat | None = None
        self._present = self._first(workspace, job)

    @property
    def uri(self) -> str:
        """Where the chat in use is."""
        return self._present.uri

    @property
    def report(self) -> TokenReport:
        """The last report of it."""
        return self._present.report

    def look(self, job: Job, at_once: bool = False) -> JsonObject | None:
        """Return the chat in use and its report if that differs from the last."""
        chat = self._in_use.chat()
        if chat is None or chat.uri == self.uri or not self._turns_to(chat, job, at_once):
            return self._present.look(job, at_once)
        return {"uri": self.uri, "report": msgspec.to_builtins(self.report)}

    def _first(self, workspace: str, job: Job) -> Watcher:
        problem: CompactChatError = ChatNotFound("There is no chat of this workspace.", uri=workspace)
        for chat in self._in_use.candidates():
            try:
                present = Watcher(self._follow(chat), job)
            except Cancelled:
                raise
            except CompactChatError as unreadable:
                problem = unreadable
            else:
                self._in_use.settle(chat)
                return present
        raise problem

    def _turns_to(self, chat: Recent, job: Job, at_once: bool) -> bool:
        if self._next is None or self._next.uri != chat.uri:
            self._next = self._follow(chat)
        if self._next.has_news():
            with suppress(CompactChatError):
                self._present, self._next = Watcher(self._next, job, at_once), None
                return True
        return False


class InUse:
    """Which chat of a workspace is in use: the newest, unless two are written in turn."""

    def __init__(self, newest: Callable[[], list[Recent]]) -> None:
        self._newest = newest
        self._present: Recent | None = None
        self._earlier: set[str] = set()
        self._scanned = 0.0

    def candidates(self) -> list[Recent]:
        """Return the newest chats, the newest first."""
        return self._newest()[:TRIED]

    def settle(self, chat: Recent) -> None:
        """Take a chat for the one in use."""
        self._present = chat
        self._earlier.add(chat.uri)
        self._scanned = time.monotonic()

    def chat(self) -> Recent | None:
        """Return the chat in use, from a scan if the last is old.

        A chat that was left earlier comes back only once the present one is quiet: two that are written in turn would
        otherwise replace each other every second.
        """
        if time.monotonic() - self._scanned < SCAN:
            return self._present
        self._scanned = time.monotonic()
        found = self._newest()
        now = {one.uri: one for one in found}
        present = now.get(self._present.uri) if self._present else None
        if found and (present is None or found[0].uri not in self._earlier or _is_quiet(present, found[0])):
            self.settle(found[0])
        elif present is not None:
            self._present = present
        return self._present


def _is_quiet(present: Recent, other: Recent) -> bool:
    return max(time.time_ns(), other.changed) - present.changed >= QUIET * _SECOND
