"""Looks at one chat, or at the one in use in a workspace, and tells what is new."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from copy import deepcopy
from time import monotonic

import msgspec
from msgspec import Struct, structs

from compact_chat.chat import Chat, JsonObject, Message, Warning
from compact_chat.disk import Followed, Recent, read_beside
from compact_chat.errors import Cancelled, ChatNotFound, ChatUnreadable, CompactChatError, TooLarge
from compact_chat.measure import Gauge, Weight, hidden_by, meter_of, weigh
from compact_chat.operations.desk import Desk, TakesLong
from compact_chat.operations.measured import (
    counting,
    family_for,
    fixed_tokens,
    judged,
    prior_of,
    remember,
    reported,
    weigh_all,
)
from compact_chat.operations.titles import clean_title
from compact_chat.operations.work import Work
from compact_chat.plan import can_prune
from compact_chat.read import Growth, Source, Tail, check_length, follow_chat
from compact_chat.wire import Options, Settings, TokenReport

# A chat that is measured as it grows: each message is counted once, and a report costs the same for any length.


Weighed = tuple[Message, Weight]


class Running:
    """What a report needs of the messages that are settled, and the last few, which may still change."""

    def __init__(self, chat: Chat, opened: int, options: Options, desk: Desk, work: Work) -> None:
        """Count a whole chat, of which so many messages at the end are open."""
        self._options, self._desk = options, desk
        self._family = family_for(chat, options)
        weighed = list(zip(chat.messages, weigh_all(chat.messages, self._family, desk, work), strict=True))
        fixed = fixed_tokens(chat, self._family, desk)
        self._gauge = Gauge(self._family, hidden_by(chat), fixed, prior=prior_of(self._family, desk))
        self._settled = self._summaries = 0
        self._cuts: deque[bool] = deque()  # of the newest settled messages: whether there is something to cut in them
        self._can_cut = False  # whether there is in those before
        self._largest: dict[str, Message] = {}  # of the settled ones of each model, by what its call took in
        self._settle(weighed[: len(weighed) - opened])
        self._open = weighed[len(weighed) - opened :]
        self._chat = structs.replace(chat, messages=())
        remember(self._family, self._now().learned, desk)

    def grow(self, growth: Growth, title: str | None) -> bool:
        """Add what the chat grew by; say whether it is still measured in the same way."""
        was_summarised = self._is_summarised  # by which the tool is known to hide more, or less, from us
        self._chat = structs.replace(self._chat, model=growth.model, title=title, window=growth.window)
        known = {message.id: (message, weight) for message, weight in self._open}
        self._settle(self._weigh(growth.settled, known))
        self._open = self._weigh(growth.open, known)
        check_length(self._settled + len(self._open))
        return self._is_summarised is was_summarised and family_for(self._chat, self._options) == self._family

    def report(self) -> TokenReport:
        """Report how full the context is now."""
        meter = meter_of(self._now().reading())
        largest = _largest((*self._largest.values(), *(message for message, _ in self._open)))
        chat = structs.replace(self._chat, messages=tuple(largest.values()))  # they may prove the window
        report = reported(judged(chat, self._family, (), meter, self._options, self._desk, self._is_cuttable))
        return structs.replace(report, message_count=self._settled + len(self._open))

    @property
    def _is_summarised(self) -> bool:
        return self._summaries > 0 or any(message.is_summary for message, _ in self._open)

    def _is_cuttable(self) -> bool:
        newest = max(0, self._options.prune.preserve_tail - len(self._open))
        return self._can_cut or any(list(self._cuts)[: max(0, len(self._cuts) - newest)])

    def _now(self) -> Gauge:
        gauge = deepcopy(self._gauge)
        for message, weight in self._open:
            gauge.add(message, weight)
        return gauge

    def _settle(self, weighed: Sequence[Weighed]) -> None:
        for message, weight in weighed:
            self._gauge.add(message, weight)
            self._summaries += message.is_summary
            self._cuts.append(can_prune((message,), structs.replace(self._options.prune, preserve_tail=0)))
            if len(self._cuts) > self._options.prune.preserve_tail:
                self._can_cut = self._cuts.popleft() or self._can_cut
        self._settled += len(weighed)
        self._largest = _largest((*self._largest.values(), *(message for message, _ in weighed)))

    def _weigh(self, messages: Sequence[Message], known: dict[str, Weighed]) -> list[Weighed]:
        """Count messages, but those that are what they were."""
        count = counting(self._family, self._desk)
        was = [known.get(message.id) for message in messages]
        return [
            (message, old[1] if old is not None and old[0] == message else weigh(message, count, self._family))
            for message, old in zip(messages, was, strict=True)
        ]


def _largest(messages: Iterable[Message]) -> dict[str, Message]:
    """The message of each model whose call took in the most, without what it says."""
    largest: dict[str, Message] = {}
    for message in messages:
        if (usage := message.usage) is not None:
            before = largest.get(usage.model)
            if before is None or before.usage is None or before.usage.prompt_tokens < usage.prompt_tokens:
                largest[usage.model] = structs.replace(message, parts=(), raw=None)
    return largest


# A chat in a file, read as it grows, and the report of it.


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
            running = self._read_on(at_once)
            return running.report() if running else self._reported_anew(work, at_once)
        except (ChatUnreadable, TooLarge) as problem:
            problem.data = {"uri": self.uri, **problem.data}
            raise

    def _read_on(self, at_once: bool) -> Running | None:
        """Read what has come to the end, where that is enough."""
        if self._read is None or self._settings is not self._desk.settings:
            return None
        _check_length(self._file.more(), at_once)
        read, self._read = self._read, None  # whatever happens on the way, nothing that is half done is left
        return self._grown(*read)

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

    def _grown(self, tail: Tail, running: Running) -> Running | None:
        """Add what has come to the end, where that is enough."""
        lines = self._file.grown()
        growth = tail.grow(lines) if lines else None
        if lines is None or (lines and growth is None):
            return None
        if growth is not None and not running.grow(growth, clean_title(growth.title, self._desk)):
            return None
        self._read = tail, running
        return running

    def _anew(self, work: Work) -> Running:
        with self._file.whole() as held:
            source = Source.of_held(held, self.uri, read_beside(self.uri))
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


# Which chat of a workspace is in use: the one that was written last, unless two are written in turn.


SCAN = 0.25  # seconds between two looks at the chats of the workspace
QUIET = 5.0  # seconds without a word in the chat in use, before one comes back that was in use earlier
_SECOND = 1_000_000_000
_TRIED = 10


class InUse:
    """The chat in use, as one look after another finds it."""

    def __init__(self, newest: Callable[[], list[Recent]]) -> None:
        self._newest = newest
        self._present: Recent | None = None
        self._earlier: set[str] = set()
        self._looked = 0.0

    def candidates(self) -> list[Recent]:
        """Name the newest chats, the newest first."""
        return self._newest()[:_TRIED]

    def settle(self, chat: Recent) -> None:
        """Take a chat for the one in use."""
        self._present = chat
        self._earlier.add(chat.uri)
        self._looked = time.monotonic()

    def chat(self) -> Recent | None:
        """Tell which chat is in use."""
        if time.monotonic() - self._looked >= SCAN:
            self._looked = time.monotonic()
            self._choose(self._newest())
        return self._present

    def _choose(self, found: list[Recent]) -> None:
        """Turn to the newest chat; to one that was left earlier only once the present one is quiet.

        Otherwise two chats that are written in turn would take each other's place every second.
        """
        now = {one.uri: one for one in found}
        present = now.get(self._present.uri) if self._present else None
        if found and (present is None or found[0].uri not in self._earlier or _is_quiet(present, found[0])):
            self.settle(found[0])
        elif present is not None:
            self._present = present


def _is_quiet(present: Recent, other: Recent) -> bool:
    return max(time.time_ns(), other.changed) - present.changed >= QUIET * _SECOND


# Looks at one chat, or at the one in use in a workspace, and tells what is new.


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
