"""Transcripts of Copilot Chat in an editor: the events of a chat as its hooks get to see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from compact_chat.chat import Chat, Warning
from compact_chat.read.copilot_events import Event, events_of, is_log, live_events, written_by_editor
from compact_chat.read.copilot_messages import messages_of
from compact_chat.read.copilot_session import model_of, title_of_session, window_of, workspace_of
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.source import Source

_NAME = "copilot-transcript"
_SPEAKERS = ("user.", "assistant.")
_NO_RESULTS = Warning("resultsMissing", "This transcript does not hold what the tools answered, so it counts too low.")


def sniff(source: Source) -> bool:
    """Whether the source is a log of events whose start names the version of the editor."""
    return is_log(source) and written_by_editor(source)


def read(source: Source) -> Chat:
    """Read the conversation; a transcript knows of no compaction."""
    live = list(_without_subagents(live_events(events_of(source))))
    return Chat(
        format=_NAME,
        tool="vscode",
        messages=messages_of(live, assets={}),
        model=model_of(live),
        title=title_of_session(live),
        workspace=workspace_of(live),
        window=window_of(live),
        warnings=(*source.damage, *_missing(live)),
    )


class _AtWork:
    """The sub-agents at work: the prompt of each by its call, and how many have each prompt."""

    def __init__(self) -> None:
        self.prompts: dict[str, str] = {}
        self.given: Counter[str] = Counter()

    def begin(self, call: str, prompt: str) -> None:
        """Note a sub-agent whose end will name its call."""
        self.end(call)
        if call:
            self.prompts[call] = prompt
            self.given[prompt] += 1

    def end(self, call: str) -> None:
        """Forget a sub-agent, if the call is one's."""
        if call in self.prompts:
            self.given[self.prompts.pop(call)] -= 1

    def end_all(self) -> None:
        """Forget all."""
        self.prompts.clear()
        self.given.clear()


def _without_subagents(events: Iterable[Event]) -> Iterator[Event]:
    """Leave out what is said between the call of a sub-agent and its end: only its prompt tells whose it is."""
    others = _AtWork()
    own: set[str] = set()
    for event in events:
        call = word(event.data.get("toolCallId"))
        if event.kind == "user.message" and not others.given[word(event.data.get("content"))]:
            others.end_all()  # the person goes on: what was at work has been cancelled
        if event.kind == "tool.execution_complete":
            others.end(call)
        if others.prompts and _is_others(event, call, own):
            continue
        own.update(word(request.get("toolCallId")) for request in objects(event.data.get("toolRequests")))
        if event.kind == "tool.execution_start" and "subagent" in word(event.data.get("toolName")).lower():
            others.begin(call, word(fields(event.data.get("arguments")).get("prompt")))
        yield event


def _is_others(event: Event, call: str, own: Container[str]) -> bool:
    """Whether an event is of a sub-agent, now that one is at work."""
    return event.kind.startswith(_SPEAKERS) or (event.kind == "tool.execution_complete" and call not in own)


def _missing(live: Sequence[Event]) -> Iterator[Warning]:
    if any(event.kind == "tool.execution_complete" and "result" not in event.data for event in live):
        yield _NO_RESULTS
