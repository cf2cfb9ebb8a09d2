"""Follow a chat, or the active one in a workspace or folders: report on it now, and again whenever it grows."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from math import inf
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct, structs

from compact_chat.chat import Chat, JsonObject, Message, Warning
from compact_chat.disk import Followed, Recent, RecentChats, Wanted, read_siblings
from compact_chat.errors import ChatNotFound, CompactChatError, InvalidParams
from compact_chat.measure import Gauge, Weight, fitted, holds_context, is_unknown
from compact_chat.operations.chats import folders, masked_title, naming, shown_title, workspaces
from compact_chat.operations.count import Counting
from compact_chat.operations.job import Job, TakesLong
from compact_chat.operations.table import ChatRef
from compact_chat.plan import can_prune
from compact_chat.read import Growth, Source, Tail, check_length, follow_chat
from compact_chat.wire import Count, Options, Settings, TokenReport, Unwatched, Watched

if TYPE_CHECKING:
    from compact_chat.operations.job import ClientState

SCAN = 0.25  # seconds between two scans of the workspace's chats
QUIET = 5.0  # seconds of silence in the active chat before an earlier one takes its place
TRIED = 10  # of the newest chats, until one is readable
LASTING = 1.0  # seconds after which a doubtful report is sent even while the file keeps changing
REST = 3.0  # rest after rereading a chat, as a multiple of the time that took
LONG = 2**18  # bytes; reading and counting more takes a while
_SECOND = 1_000_000_000


class Params(Struct, frozen=True, rename="camel"):
    """A chat in a file, or a workspace and folders of chats, and what is known of the model."""

    chat: ChatRef | None = None
    workspace: Annotated[str | None, Meta(description="A folder, to follow the chat there that is in use.")] = None
    workspaces: Annotated[
        tuple[str, ...], Meta(description="More folders: the chat in use is the one in any of them.", max_length=16)
    ] = ()
    roots: Annotated[
        tuple[str, ...],
        Meta(description="A folder whose chats count as held in the workspace, wherever that was.", max_length=16),
    ] = ()
    model: Annotated[str | None, Meta(description="The chat's model.")] = None
    window: Annotated[Count | None, Meta(description="Tokens that fit into its context.")] = None


def watch(asked: Params, job: Job) -> Watched:
    """Report on the chat, and watch it from now on."""
    client = job.client
    client.watches.check_room()
    job.step("Reading the chat")
    if (asked.chat is None) != bool(asked.workspace or asked.workspaces or asked.roots):
        raise InvalidParams.at("$", "expected either a chat, or a workspace, roots or both")
    if asked.chat is None:
        workspace = WorkspaceWatcher(asked, job)
        watcher, name = workspace.present, client.watches.add(workspace, job)
    else:
        for name in ("text", "messages", "system", "tools"):
            if getattr(asked.chat, name) is not None:
                raise InvalidParams.at(f"$.chat.{name}", "a chat that is watched is a file, and comes by its uri alone")
        if asked.chat.uri is None:
            raise InvalidParams.at("$.chat.uri", "this member is required")
        with InvalidParams.below("$.chat"):
            chat = LiveChat(asked.chat, asked, client)
        watcher = Watcher(chat, job)
        name = client.watches.add(watcher, job)
    return Watched(name, watcher.uri, watcher.report)


class UnwatchParams(Struct, frozen=True, rename="camel"):
    """Which watch to end."""

    watch_id: str


def unwatch(asked: UnwatchParams, job: Job) -> Unwatched:
    """End a watch; its reports stop."""
    job.client.watches.remove(asked.watch_id)
    return Unwatched()


class Watcher:
    """One chat with its last good report: a temporarily unreadable chat is a warning, not an error."""

    def __init__(self, chat: LiveChat, job: Job) -> None:
        """Make the first report; raise if the chat cannot be read."""
        self._chat, self.uri = chat, chat.uri
        self.report = self._good = chat.report(job)
        self._doubtful: TokenReport | None = None  # not sent yet, since the file may be about to be written
        self._doubtful_since = inf

    def look(self, job: Job) -> JsonObject | None:
        """Return the chat and its report if that differs from the last."""
        report: TokenReport | None = None
        if self._chat.has_news():
            report = self._fresh(job)
        elif self._doubtful is not None and not self._chat.has_changed():  # the file is quiet
            report, self._doubtful = self._doubtful, None
        if report is None or report == self.report:
            return None
        self.report = report
        return {"uri": self.uri, "report": msgspec.to_builtins(report)}

    def _fresh(self, job: Job) -> TokenReport | None:
        """Read the chat; None while its report is doubtful, since the file is damaged or missing."""
        try:
            report = self._chat.report(job)
        except CompactChatError as problem:
            code = "chatGone" if isinstance(problem, ChatNotFound) else problem.kind
            warnings = (*self._good.warnings, Warning(code, problem.sentence))
            report = structs.replace(self._good, warnings=warnings)
        else:
            if not any(warning.code == "cutDocument" for warning in report.warnings):
                self._good, self._doubtful, self._doubtful_since = report, None, inf
                return report
        self._doubtful, self._doubtful_since = report, min(self._doubtful_since, time.monotonic())
        return report if time.monotonic() - self._doubtful_since >= LASTING else None


class WorkspaceWatcher:
    """The active chat of a workspace; switches to another once that becomes active and readable."""

    def __init__(self, asked: Params, job: Job) -> None:
        """Make the first report; raise if no chat is readable."""
        roots = folders(asked.roots)
        spaces = workspaces(asked.workspace, asked.workspaces)
        # Without a workspace, only chats below the roots count.
        wanted = Wanted(spaces, more_roots=roots) if spaces else Wanted(roots=roots)
        self._asked, self._client = asked, job.client
        self._in_use = InUse(RecentChats(wanted, job.client.heads).newest)
        self._next: LiveChat | None = None
        problem: CompactChatError = ChatNotFound("There is no chat of this workspace.", uri=(*spaces, *asked.roots)[0])
        for chat in self._in_use.newest()[:TRIED]:
            try:
                self.present = Watcher(self._follow(chat), job)
            except CompactChatError as unreadable:
                problem = unreadable
            else:
                self._in_use.settle(chat)
                return
        raise problem

    def look(self, job: Job) -> JsonObject | None:
        """Return the active chat and its report if that differs from the last."""
        chat = self._in_use.chat()
        if chat is not None and chat.uri != self.present.uri:
            if self._next is None or self._next.uri != chat.uri:
                self._next = self._follow(chat)
            if self._next.has_news():
                with suppress(CompactChatError):  # the current chat stays until the next one is readable
                    self.present, self._next = Watcher(self._next, job), None
                    return {"uri": chat.uri, "report": msgspec.to_builtins(self.present.report)}
        return self.present.look(job)

    def _follow(self, chat: Recent) -> LiveChat:
        return LiveChat(ChatRef(uri=chat.uri, format=chat.format, tool=chat.tool), self._asked, self._client)


class InUse:
    """Picks the active chat of a workspace: the newest, unless two are written in turn."""

    def __init__(self, newest: Callable[[], list[Recent]]) -> None:
        self.newest = newest  # lists the chats, newest first
        self._present: Recent | None = None
        self._earlier: set[str] = set()
        self._scanned = 0.0

    def settle(self, chat: Recent) -> None:
        """Make a chat the active one."""
        self._present = chat
        self._earlier.add(chat.uri)
        self._scanned = time.monotonic()

    def chat(self) -> Recent | None:
        """Return the active chat, from a scan if the last is old.

        An earlier chat comes back only once the current one is quiet: two that are written in turn would otherwise
        replace each other every second.
        """
        if time.monotonic() - self._scanned < SCAN:
            return self._present
        self._scanned = time.monotonic()
        found = self.newest()
        present = next((one for one in found if self._present and one.uri == self._present.uri), None)
        if found:
            now = max(time.time_ns(), found[0].changed)
            is_quiet = present is None or now - present.changed >= QUIET * _SECOND
            if is_quiet or found[0].uri not in self._earlier:
                self.settle(found[0])
                return self._present
        if present is not None:
            self._present = present
        return self._present


class LiveChat:
    """A chat's file, read on from its last end, or anew after any other change."""

    def __init__(self, ref: ChatRef, asked: Params, client: ClientState) -> None:
        self.uri = ref.uri or ""
        self._file = Followed(self.uri)
        self._ref, self._asked, self.client = ref, asked, client
        self._settings: Settings | None = None  # format of the last read
        self._read: tuple[Tail, Running] | None = None  # so far, if the chat can be read on from there
        self._rests_until = 0.0

    def has_news(self) -> bool:
        """Whether the next report may differ, and the rest after the last rereading is over."""
        return time.monotonic() >= self._rests_until and self.has_changed()

    def has_changed(self) -> bool:
        """Whether the next report may differ."""
        return self._settings is not self.client.settings or self._file.has_changed()

    def report(self, job: Job) -> TokenReport:
        """Read what is new and report how full the context is; raises like counting the chat."""
        with naming(self.uri):
            if self._read is not None and self._settings is self.client.settings:
                self._check_quick(job)
                (tail, running), self._read = self._read, None  # keep no half-updated state, whatever happens
                if self._read_on(tail, running):
                    self._read = tail, running
                    return running.report()
            return self._read_anew(job)

    def _check_quick(self, job: Job) -> None:
        if job.at_once and self._file.more() > LONG:
            raise TakesLong

    def _read_on(self, tail: Tail, running: Running) -> bool:
        """Add what was appended; return whether that was enough."""
        lines = self._file.grown()
        if not lines:
            return lines is not None
        growth = tail.grow(lines)
        if growth is None:
            return False
        if growth.title != self._title and self._clean.may_hold_secret(growth.title):
            return False  # what came before may name it
        self._clean.learn_about(growth.title, (*growth.settled, *growth.open))
        growth = structs.replace(growth, model=growth.model and self._clean(growth.model))
        return running.grow(growth, shown_title(growth.title, self._clean))

    def _read_anew(self, job: Job) -> TokenReport:
        """Reread everything, then rest; a chat that can be read on need not rest after the first time."""
        self._read = None
        self._file.forget()
        self._check_quick(job)
        began, is_first = time.monotonic(), self._settings is None
        self._settings = self.client.settings
        usual, asked = self.client.default_options(), self._asked
        window = usual.window if asked.window is None else asked.window
        options = structs.replace(usual, model=asked.model or usual.model, window=window)
        try:
            with self._file.whole() as file:
                source = Source.of_blob(file, self.uri, read_siblings(self.uri))
                chat, tail = follow_chat(source, self._ref.format, self._ref.tool)
            self._title, self._clean = chat.title, self.client.redactor()
            title = masked_title(chat, self._ref, self._clean)
            chat = structs.replace(chat, title=title, model=chat.model and self._clean(chat.model))
            running = Running(chat, len(tail.open()) if tail else 0, options, job, self.uri)
            self._read = (tail, running) if tail else None
            return running.report()
        finally:
            if not (is_first and self._read):
                self._rests_until = time.monotonic() + REST * (time.monotonic() - began)


class Running:
    """A fold over the settled messages of a chat, and the last few, which may still change."""

    def __init__(self, chat: Chat, opened: int, options: Options, job: Job, uri: str) -> None:
        """Count a whole chat whose last `opened` messages may still change."""
        self._options = options
        self._counting = counting = Counting(chat, options, job.client, uri)
        weighed = [(message, counting.weigh(message)) for message in job.each(chat.messages, "Counting tokens")]
        self._gauge = Gauge(counting.family, counting.hidden(chat), counting.fixed(chat), prior=counting.prior())
        self._settled = self._summaries = 0
        self._recent_cuts: deque[bool] = deque()  # whether the newest settled messages hold something to cut
        self._can_cut = False  # whether those before them do
        self._largest: dict[str, Message] = {}  # by model: the settled message whose call had the largest prompt
        self._settle(weighed[: len(weighed) - opened])
        self._open = weighed[len(weighed) - opened :]
        self._chat = structs.replace(chat, messages=())
        # What the tool adds is a guess that changes as soon as it has said its context.
        self._is_guess = is_unknown(chat) and not holds_context(chat.messages)
        gauge = self._with_open()
        counting.remember(gauge.learned)
        meter = gauge.meter()
        self._beginning = counting.beginning(chat, meter)
        self._is_begun = meter.is_anchored  # nothing that follows changes how it began

    def grow(self, growth: Growth, title: str | None) -> bool:
        """Add growth; return whether the chat can still be measured the same way."""
        was_summarized = self._is_summarized  # the tool is then known to hide more, or less
        self._chat = chat = structs.replace(
            self._chat,
            model=growth.model,
            title=title,
            window=growth.window,
            compactions=growth.compactions,
            version=growth.version,
        )
        known = {message.id: (message, weight) for message, weight in self._open}

        def weighed(messages: Sequence[Message]) -> list[tuple[Message, Weight]]:
            """Weigh messages, reusing the weights of unchanged ones."""
            old = ((message, *known.get(message.id, (None, None))) for message in messages)
            return [
                (message, weight if weight and before == message else self._counting.weigh(message))
                for message, before, weight in old
            ]

        self._settle(weighed(growth.settled))
        self._open = weighed(growth.open)
        check_length(self._settled + len(self._open))
        family = self._counting.family_for(chat)
        is_known = self._is_guess and holds_context((*growth.settled, *growth.open))
        is_known |= not self._is_begun and any(one.usage for one in (*growth.settled, *growth.open))
        return self._is_summarized is was_summarized and family == self._counting.family and not is_known

    def report(self) -> TokenReport:
        """Report how full the context is now."""
        newest = max(0, self._options.prune.preserve_tail - len(self._open))
        can_cut = self._can_cut or any(list(self._recent_cuts)[: max(0, len(self._recent_cuts) - newest)])
        largest = _largest_of((*self._largest.values(), *(message for message, _ in self._open)))
        chat = structs.replace(self._chat, messages=tuple(largest.values()))  # they may prove the window
        beginning, meter = self._beginning, self._with_open().meter()
        if beginning.is_as_now:
            beginning = structs.replace(beginning, own=meter.fixed)
        meter = fitted(meter, beginning, self._counting.family)
        found = self._counting.judged(chat, (), meter, beginning, lambda: can_cut)
        return structs.replace(found.report(), message_count=self._settled + len(self._open))

    @property
    def _is_summarized(self) -> bool:
        return self._summaries > 0 or any(message.is_summary for message, _ in self._open)

    def _with_open(self) -> Gauge:
        gauge = deepcopy(self._gauge)
        for message, weight in self._open:
            gauge.add(message, weight)
        return gauge

    def _settle(self, weighed: Sequence[tuple[Message, Weight]]) -> None:
        each_alone = structs.replace(self._options.prune, preserve_tail=0)
        for message, weight in weighed:
            self._gauge.add(message, weight)
            self._summaries += message.is_summary
            self._recent_cuts.append(can_prune((message,), each_alone))
            if len(self._recent_cuts) > self._options.prune.preserve_tail:
                self._can_cut = self._recent_cuts.popleft() or self._can_cut
        self._settled += len(weighed)
        self._largest = _largest_of((*self._largest.values(), *(message for message, _ in weighed)))


def _largest_of(messages: Iterable[Message]) -> dict[str, Message]:
    """Return each model's message whose call had the largest prompt, stripped of its content."""
    largest: dict[str, Message] = {}
    for message in messages:
        if (usage := message.usage) is not None:
            before = largest.get(usage.model)
            if before is None or before.usage is None or before.usage.prompt_tokens < usage.prompt_tokens:
                largest[usage.model] = structs.replace(message, parts=(), raw=None)
    return largest
