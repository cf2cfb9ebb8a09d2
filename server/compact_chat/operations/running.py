"""A chat that is measured as it grows: each message is counted once, and a report costs the same for any length."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from copy import deepcopy

from msgspec import structs

from compact_chat.chat import Chat, Message
from compact_chat.measure.gauge import Gauge
from compact_chat.measure.hosts import hidden_by
from compact_chat.measure.meter import meter_of
from compact_chat.measure.weights import Weight, weigh
from compact_chat.operations.desk import Desk
from compact_chat.operations.measured import counting, family_for, fixed_tokens, judged, reported, weigh_all
from compact_chat.operations.remembered import prior_of, remember
from compact_chat.operations.work import Work
from compact_chat.options import Options
from compact_chat.plan.prune import can_prune
from compact_chat.read.limits import check_length
from compact_chat.read.tail import Growth
from compact_chat.reports import TokenReport

Weighed = tuple[Message, Weight]


class Running:
    """What a report needs of the messages that are settled, and the last few, which may still change."""

    def __init__(self, chat: Chat, opened: int, options: Options, desk: Desk, work: Work) -> None:
        """Count a whole chat, of which so many messages at the end are open."""
        self._options, self._desk = options, desk
        self._family = family_for(chat, options)
        weighed = list(zip(chat.messages, weigh_all(chat.messages, self._family, desk, work), strict=True))
        fixed = fixed_tokens(chat, self._family, desk, work)
        self._gauge = Gauge(self._family, hidden_by(chat), fixed, prior=prior_of(self._family, desk))
        self._settled = self._summaries = 0
        self._cuts: deque[bool] = deque()  # of the newest settled messages: whether there is something to cut in them
        self._can_cut = False  # whether there is in those before
        self._largest: dict[str, Message] = {}  # of the settled ones of each model, by what its call took in
        self._settle(weighed[: len(weighed) - opened])
        self._open = weighed[len(weighed) - opened :]
        self._chat = structs.replace(chat, messages=())
        remember(self._family, self._now().learned, desk)

    def grow(self, growth: Growth, title: str | None, work: Work) -> bool:
        """Add what the chat grew by; say whether it is still measured in the same way."""
        was_summarised = self._is_summarised  # by which the tool is known to hide more, or less, from us
        self._chat = structs.replace(self._chat, model=growth.model, title=title, window=growth.window)
        known = {message.id: (message, weight) for message, weight in self._open}
        self._settle(self._weigh(growth.settled, known, work))
        self._open = self._weigh(growth.open, known, work)
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

    def _weigh(self, messages: Sequence[Message], known: dict[str, Weighed], work: Work) -> list[Weighed]:
        """Count messages, but those that are what they were."""
        count = counting(self._family, self._desk, work)
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
