"""The events of a Copilot log, and which of them are live: nothing of sub-agents, nothing from before a compaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import JsonObject
from compact_chat.read.lenient import fields, word
from compact_chat.read.source import Source

SUMMARY = "session.compaction_complete"
_OWN_KINDS = frozenset(
    {
        "session.start",
        "session.resume",
        "session.shutdown",
        "session.model_change",
        "system.message",
        "user.message",
        "assistant.turn_start",
        "assistant.message",
        "tool.execution_start",
        "tool.execution_complete",
    }
)
_ANSWERS = frozenset({"result", "error"})  # of a tool; a log that is kept for hooks has neither
_HOST_SOURCES = frozenset({"hook", "schedule", "skill", "system"})


class Event(Struct, frozen=True):
    """A line of the log; `said` is what the user had said before a summary."""

    id: str
    kind: str
    data: JsonObject
    said: tuple[str, ...] = ()


def is_log(source: Source) -> bool:
    """Whether a line is an event that only Copilot writes."""
    return any(word(record.get("type")) in _OWN_KINDS and _is_event(record) for record in source.records)


def written_by_editor(source: Source) -> bool:
    """Whether the log's start names the version of an editor; where it is missing, whether no tool answers anything."""
    if starts := [fields(record.get("data")) for record in source.records if record.get("type") == "session.start"]:
        return any(word(start.get("vscodeVersion")) for start in starts)
    ended = [fields(one.get("data")) for one in source.records if one.get("type") == "tool.execution_complete"]
    return bool(ended) and all(map(_ANSWERS.isdisjoint, ended))


def events_of(source: Source) -> list[Event]:
    """The events of the main agent, in order."""
    return [
        Event(word(record.get("id")) or f"e{place}", word(record.get("type")), record["data"])
        for place, record in enumerate(source.records, 1)
        if _is_event(record) and not _is_subagents(record)
    ]


def live_events(events: Iterable[Event]) -> list[Event]:
    """What the next prompt is made of: the newest system messages, a summary where there is one, and what followed."""
    log = _Log()
    for event in events:
        log.add(event)
    return log.all()


class _Log:
    """The live events so far; a compaction summarises what was there when it began."""

    def __init__(self) -> None:
        self.system: dict[str, Event] = {}
        self.live: list[Event] = []
        self.began: int | None = None
        self.said: list[str] = []

    def add(self, event: Event) -> None:
        """Add an event, or do what it says."""
        match event.kind, event.data:
            case "system.message", data:
                self.system[word(data.get("role"))] = event
            case "session.compaction_start", _:
                self.began = len(self.live)
            case "session.compaction_complete", data:
                self.compact(event, made=data.get("success") is True and bool(word(data.get("summaryContent")).strip()))
            case "session.context_cleared", data:
                self.said, self.live, self.began = [], _opening(event, word(data.get("initialMessage"))), None
            case _:
                self.live.append(event)

    def compact(self, event: Event, made: bool) -> None:
        """Put the summary, where one was made, in the place of what it is of."""
        end = len(self.live) if self.began is None else self.began
        self.began = None
        if made:
            self.said += _said(self.live[:end])
            self.live = [event, *self.live[end:]]

    def all(self) -> list[Event]:
        """The live events; beside a summary Copilot repeats all that the user had said."""
        live = (replace(event, said=tuple(self.said)) if event.kind == SUMMARY else event for event in self.live)
        return [*self.system.values(), *live]


def is_by_host(event: Event) -> bool:
    """Whether a message of the user's came from Copilot: a skill, a notice, a plan of the clock."""
    return word(event.data.get("source")).partition("-")[0] in _HOST_SOURCES


def _said(events: Sequence[Event]) -> list[str]:
    return [word(event.data.get("content")) for event in events if event.kind == "user.message"]


def _opening(event: Event, words: str) -> list[Event]:
    return [Event(event.id, "user.message", {"content": words})] if words.strip() else []


def _is_event(record: JsonObject) -> bool:
    return isinstance(record.get("type"), str) and isinstance(record.get("data"), dict)


def _is_subagents(record: JsonObject) -> bool:
    """Whether an event is of a sub-agent, whose context is its own."""
    data = record["data"]
    return any(map(word, (record.get("agentId"), data.get("agentId"), data.get("parentToolCallId"))))
