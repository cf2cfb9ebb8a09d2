"""A chat in a file that is measured as it grows: each message is counted once, and a report costs the same always."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from compact_chat.chat import Chat, Message
from compact_chat.disk import Followed, read_beside
from compact_chat.errors import ChatUnreadable, TooLarge
from compact_chat.measure import Gauge, Weight, hidden_by, meter_of, weigh
from compact_chat.operations.chats import shown_title
from compact_chat.operations.job import Job
from compact_chat.operations.measured import counter_of, family_for, fixed_tokens, judged, prior_of, remember
from compact_chat.operations.watches import TakesLong
from compact_chat.plan import can_prune
from compact_chat.read import Growth, Source, Tail, check_length, follow_chat
from compact_chat.wire import Options, Settings, TokenReport

if TYPE_CHECKING:
    from compact_chat.operations.client_state import ClientState

REST = 3.0  # times as long as it took to read a chat anew, until it is read anew again
LONG = 2**18  # bytes; to read and count more takes a while

Weighed = tuple[Message, Weight]


class Running:
    """A fold over the settled messages of a chat, and the last few, which may still change."""

    def __init__(self, chat: Chat, opened: int, options: Options, job: Job) -> None:
        """Count a whole chat, of which so many messages at the end are open."""
        client = job.client
        self._options, self._client = options, client
        self._family = family_for(chat, options)
        self._count = counter_of(self._family, client)
        messages = job.each(chat.messages, "Counting tokens")
        weighed = [(message, weigh(message, self._count, self._family)) for message in messages]
        fixed = fixed_tokens(chat, self._count)
        self._gauge = Gauge(self._family, hidden_by(chat), fixed, prior=prior_of(self._family, client))
        self._settled = self._summaries = 0
        self._recent_cuts: deque[bool] = deque()  # whether the newest settled messages hold something to cut
        self._can_cut = False  # whether those before them do
        self._largest: dict[str, Message] = {}  # by model: the settled message whose call took in the most
        self._settle(weighed[: len(weighed) - opened])
        self._open = weighed[len(weighed) - opened :]
        self._chat = structs.replace(chat, messages=())
        remember(self._family, self._with_open().learned, client)

    def grow(self, growth: Growth, title: str | None) -> bool:
        """Add what the chat grew by; return whether it can still be measured in the same way."""
        was_summarized = self._is_summarized  # the tool is known to hide more, or less, from us then
        self._chat = structs.replace(self._chat, model=growth.model, title=title, window=growth.window)
        known = {message.id: (message, weight) for message, weight in self._open}
        self._settle(self._weigh(growth.settled, known))
        self._open = self._weigh(growth.open, known)
        check_length(self._settled + len(self._open))
        return self._is_summarized is was_summarized and family_for(self._chat, self._options) == self._family

    def report(self) -> TokenReport:
        """Report how full the context is now."""
        newest = max(0, self._options.prune.preserve_tail - len(self._open))
        can_cut = self._can_cut or any(list(self._recent_cuts)[: max(0, len(self._recent_cuts) - newest)])
        largest = _largest_of((*self._largest.values(), *(message for message, _ in self._open)))
        chat = structs.replace(self._chat, messages=tuple(largest.values()))  # they may prove the window
        meter = meter_of(self._with_open().reading())
        found = judged(chat, self._family, (), meter, self._options, self._client, can_cut=lambda: can_cut)
        return structs.replace(found.report(), message_count=self._settled + len(self._open))

    @property
    def _is_summarized(self) -> bool:
        return self._summaries > 0 or any(message.is_summary for message, _ in self._open)

    def _with_open(self) -> Gauge:
        gauge = deepcopy(self._gauge)
        for message, weight in self._open:
            gauge.add(message, weight)
        return gauge

    def _settle(self, weighed: Sequence[Weighed]) -> None:
        each_alone = structs.replace(self._options.prune, preserve_tail=0)
        for message, weight in weighed:
            self._gauge.add(message, weight)
            self._summaries += message.is_summary
            self._recent_cuts.append(can_prune((message,), each_alone))
            if len(self._recent_cuts) > self._options.prune.preserve_tail:
                self._can_cut = self._recent_cuts.popleft() or self._can_cut
        self._settled += len(weighed)
        self._largest = _largest_of((*self._largest.values(), *(message for message, _ in weighed)))

    def _weigh(self, messages: Sequence[Message], known: dict[str, Weighed]) -> list[Weighed]:
        """Count messages, but not those that are what they were."""
        found = []
        for message in messages:
            old = known.get(message.id)
            same = old is not None and old[0] == message
            found.append((message, old[1] if old and same else weigh(message, self._count, self._family)))
        return found


def _largest_of(messages: Iterable[Message]) -> dict[str, Message]:
    """Return for each model the message whose call took in the most, without what it says."""
    largest: dict[str, Message] = {}
    for message in messages:
        if (usage := message.usage) is not None:
            before = largest.get(usage.model)
            if before is None or before.usage is None or before.usage.prompt_tokens < usage.prompt_tokens:
                largest[usage.model] = structs.replace(message, parts=(), raw=None)
    return largest


class Hints(Struct, frozen=True):
    """What a client knows of a chat that it watches."""

    model: str | None = None
    window: int | None = None
    format: str | None = None
    tool: str | None = None


class LiveChat:
    """A chat's file, read on from where it was read to, or anew if it changed otherwise."""

    def __init__(self, uri: str, hints: Hints, client: ClientState) -> None:
        self.uri = uri
        self._file = Followed(uri)
        self._hints, self.client = hints, client
        self._settings: Settings | None = None  # by which it was read last
        self._read: tuple[Tail, Running] | None = None  # so far, if the chat can be read on from there
        self._rests_until = 0.0

    def has_news(self) -> bool:
        """Whether the next report may differ, and the chat has rested from being read anew."""
        return time.monotonic() >= self._rests_until and self.has_changed()

    def has_changed(self) -> bool:
        """Whether the next report may differ."""
        return self._settings is not self.client.settings or self._file.has_changed()

    def report(self, job: Job, at_once: bool = False) -> TokenReport:
        """Read what is new and report how full the context is; raise as counting the chat would.

        `at_once` raises TakesLong instead of reading much.
        """
        try:
            running = None
            if self._read is not None and self._settings is self.client.settings:
                self._check_size(at_once)
                read, self._read = self._read, None  # nothing half done is left, whatever happens
                running = self._read_on(*read)
            return running.report() if running else self._read_anew(job, at_once)
        except (ChatUnreadable, TooLarge) as problem:
            problem.data = {"uri": self.uri, **problem.data}
            raise

    def _read_on(self, tail: Tail, running: Running) -> Running | None:
        """Add what has come to the end; None if that is not enough."""
        lines = self._file.grown()
        growth = tail.grow(lines) if lines else None
        if lines is None or (lines and growth is None):
            return None
        if growth is not None and not running.grow(growth, shown_title(growth.title, self.client.redactor())):
            return None
        self._read = tail, running
        return running

    def _read_anew(self, job: Job, at_once: bool) -> TokenReport:
        """Read all, then rest; a chat that can be read on need not rest after the first time."""
        self._read = None
        self._file.forget()
        self._check_size(at_once)
        began, is_first = time.monotonic(), self._settings is None
        self._settings = self.client.settings
        try:
            with self._file.whole() as held:
                source = Source.of_held(held, self.uri, read_beside(self.uri))
                chat, tail = follow_chat(source, self._hints.format, self._hints.tool)
            chat = structs.replace(chat, title=shown_title(chat.title, self.client.redactor()))
            running = Running(chat, len(tail.open()) if tail else 0, self._options(), job)
            self._read = (tail, running) if tail else None
            return running.report()
        finally:
            if not (is_first and self._read):
                self._rests_until = time.monotonic() + REST * (time.monotonic() - began)

    def _check_size(self, at_once: bool) -> None:
        if at_once and self._file.more() > LONG:
            raise TakesLong

    def _options(self) -> Options:
        usual, hints = self.client.default_options(), self._hints
        window = usual.window if hints.window is None else hints.window
        return structs.replace(usual, model=hints.model or usual.model, window=window)
