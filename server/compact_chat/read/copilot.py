"""Transcripts of Copilot Chat in an editor: the events of a chat as its hooks get to see them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Image,
    JsonObject,
    Message,
    Part,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    Warning,
)
from compact_chat.read.blocks import arguments_of, result_of
from compact_chat.read.loose import fields, objects, title_of, tokens, with_own_ids, word
from compact_chat.read.source import Source

# The events of a Copilot log, and which of them are live: nothing of sub-agents, nothing from before a compaction.


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


# What the Copilot CLI puts around the words of a person.


_OPENING = re.compile(r"\s*<(current_datetime|system_reminder|system_notification|tagged_files)>")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """The texts of a message without those wrappers, which stand in front of the words or in texts of their own."""
    return list(filter(None, map(_unwrapped, texts)))


def _unwrapped(text: str) -> str:
    start = 0
    while opening := _OPENING.match(text, start):
        end = text.find(f"</{opening[1]}>", opening.end())
        if end < 0:
            break
        start = end + len(opening[1]) + 3
    return text[start:].strip() if start else text


# The pictures in a Copilot log: in the event itself, or once for all in one of their own.


Assets = Mapping[str, Image]


def assets_of(events: Iterable[Event]) -> Assets:
    """The pictures that events only name, by their ids."""
    held = (event.data for event in events if event.kind == "session.binary_asset")
    named = ((word(data.get("assetId")), data) for data in held)
    return {name: Image(word(data.get("mimeType")), word(data.get("data"))) for name, data in named if name}


def images_of(attached: object, assets: Assets) -> tuple[Image, ...]:
    """The pictures among what was attached; a file that is none goes to the model as its path."""
    found = []
    for item in objects(attached):
        own = Image(word(item.get("mimeType")), word(item.get("data")))
        image = own if own.data else assets.get(word(item.get("assetId")), own)
        if image.data and image.media_type.startswith("image/"):
            found.append(image)
    return tuple(found)


# How full the window was: what the provider reported of a call, and Copilot's own count of the whole.


_SPLIT = ("systemTokens", "conversationTokens", "toolDefinitionsTokens")
_MESSAGES = frozenset({"system.message", "user.message", "assistant.message", "tool.execution_complete", SUMMARY})


def usages_of(live: Sequence[Event]) -> Mapping[int, Usage]:
    """The sizes, by the place of the event that each belongs to; Copilot's own count only where it is the newest."""
    found = _reported(live)
    told = next((place for place in reversed(range(len(live))) if _own_count(live[place])), -1)
    if max(found, default=-1) > told:
        return found
    newest = next((place for place in range(told, -1, -1) if live[place].kind in _MESSAGES), None)
    if newest is not None:
        model = word(live[told].data.get("currentModel"))
        found[newest] = Usage(_own_count(live[told]), 0, model, whole=True)
    return found


def _reported(live: Sequence[Event]) -> dict[int, Usage]:
    """What was reported in each turn, by the message of that turn, before or behind which it stands."""
    found: dict[int, Usage] = {}
    spoken: int | None = None
    early: Usage | None = None
    for place, event in enumerate(live):
        if event.kind == "assistant.turn_start":
            spoken = early = None
        elif event.kind == "assistant.usage":
            early = _usage(event.data)
        elif event.kind == "assistant.message":
            spoken = place
        if spoken is not None and early is not None:
            found[spoken] = early
            early = None
    return found


def _usage(data: JsonObject) -> Usage | None:
    prompt = tokens(data.get("inputTokens"))
    return Usage(prompt, tokens(data.get("outputTokens")), word(data.get("model"))) if prompt else None


def _own_count(event: Event) -> int:
    """The tokens of the next prompt: as one sum, or as parts of which none may be missing."""
    if event.kind == "session.shutdown" and (current := tokens(event.data.get("currentTokens"))):
        return current
    parts = [tokens(event.data.get(name)) for name in _SPLIT]
    return sum(parts) if event.kind in ("session.shutdown", SUMMARY) and all(parts) else 0


# Live Copilot events become messages: a result stands behind the message that called for it, whenever it came.


class _Answer(Struct):
    """The results of the calls of one message."""

    id: str = ""
    results: list[ToolResult] = []
    usage: Usage | None = None


def messages_of(live: Sequence[Event], assets: Assets) -> tuple[Message, ...]:
    """The messages of the live events."""
    usages = usages_of(live)
    turns: list[Message | _Answer] = []
    answers: dict[str, _Answer] = {}  # by the calls that they are of
    for place, event in enumerate(live):
        usage = usages.get(place)
        if event.kind == "tool.execution_complete":
            result = _result(event.data, assets)
            if result.call_id not in answers:
                turns.append(answers.setdefault(result.call_id, _Answer()))
            _add(answers[result.call_id], event.id, result, usage)
        elif (message := _message(event, assets)) is not None:
            answer = _Answer()
            answers |= dict.fromkeys((call.id for call in message.calls), answer)
            turns += (replace(message, usage=usage), answer)
    return with_own_ids(_written(turn) for turn in turns if isinstance(turn, Message) or turn.results)


def _add(answer: _Answer, name: str, result: ToolResult, usage: Usage | None) -> None:
    answer.id = answer.id or name
    answer.results.append(result)
    answer.usage = usage or answer.usage


def _written(turn: Message | _Answer) -> Message:
    if isinstance(turn, Message):
        return turn
    return Message(turn.id, "user", tuple(turn.results), usage=turn.usage)


def _message(event: Event, assets: Assets) -> Message | None:
    """The message of an event, if it is one."""
    match event.kind:
        case "system.message":
            return Message(event.id, "system", _texts(word(event.data.get("content"))))
        case "user.message":
            images = images_of(event.data.get("attachments"), assets)
            return Message(event.id, "user", (*_sent(event.data), *images), by_host=is_by_host(event))
        case "assistant.message":
            return Message(event.id, "assistant", _spoken(event.data))
        case _ if event.kind == SUMMARY:
            return Message(
                event.id, "user", _texts(word(event.data.get("summaryContent")), *event.said), is_summary=True
            )
    return None


def _sent(data: JsonObject) -> tuple[Text, ...]:
    """What was sent for a message: what the user typed is a text of its own among what Copilot put around it."""
    typed = word(data.get("content"))
    sent = word(data.get("transformedContent")) or typed
    return _texts(*sent.partition(typed)) if typed else _texts(sent)


def _spoken(data: JsonObject) -> tuple[Part, ...]:
    thought = word(data.get("reasoningText"))
    hidden = word(data.get("reasoningOpaque")) or word(data.get("encryptedContent"))
    thinking = (Thinking(thought),) if thought or hidden else ()
    calls = (
        ToolCall(word(call.get("toolCallId")), word(call.get("name")), arguments_of(call.get("arguments")))
        for call in objects(data.get("toolRequests"))
    )
    return (*thinking, *_texts(word(data.get("content"))), *calls)


def _result(data: JsonObject, assets: Assets) -> ToolResult:
    """What a tool answered; where it could not, what the model was told instead."""
    result = fields(data.get("result"))
    content = result.get("content") if result else fields(data.get("error")).get("message")
    answer = result_of(data.get("toolCallId"), content, is_error=data.get("success") is False)
    images = images_of(result.get("binaryResultsForLlm"), assets)
    return replace(answer, content=answer.content + images, as_text=answer.as_text and not images)


def _texts(*texts: str) -> tuple[Text, ...]:
    return tuple(Text(text) for text in texts if text.strip())


# What a Copilot log tells of its session: the model, the window, the title and the folder.


_MODELS = {
    "session.start": "selectedModel",
    "session.resume": "selectedModel",
    "session.model_change": "newModel",
    "session.shutdown": "currentModel",
    "assistant.message": "model",
    "assistant.usage": "model",
}
_ANY_MODEL = "auto"  # chosen anew for each message


def model_of(events: Sequence[Event]) -> str | None:
    """The newest model that was chosen or that answered."""
    told = (word(event.data.get(_MODELS[event.kind])) for event in reversed(events) if event.kind in _MODELS)
    return next((model for model in told if model not in ("", _ANY_MODEL)), None)


def window_of(events: Sequence[Event]) -> int | None:
    """The newest limit of tokens that Copilot noted."""
    told = (event.data.get("tokenLimit") for event in reversed(events) if event.kind.startswith("session."))
    return next(filter(None, map(tokens, told)), None)


def workspace_of(events: Sequence[Event]) -> str | None:
    """The folder that the session began in."""
    begun = (event for event in events if event.kind in ("session.start", "session.resume"))
    contexts = (fields(event.data.get("context")) for event in begun)
    return next(filter(None, (word(context.get("cwd")) for context in contexts)), None)


def title_of_session(events: Sequence[Event]) -> str | None:
    """The title that Copilot gave it, else what the user said first."""
    given = [word(event.data.get("title")) for event in events if event.kind == "session.title_changed"]
    said = (
        word(event.data.get("content")) for event in events if event.kind == "user.message" and not is_by_host(event)
    )
    return next(filter(None, map(title_of, (*given[-1:], *said))), None)


def removed_messages(events: Sequence[Event]) -> int:
    """How many messages Copilot left out of its prompts to keep within the window."""
    cuts = (event.data for event in events if event.kind == "session.truncation")
    return sum(tokens(cut.get("messagesRemovedDuringTruncation")) for cut in cuts)


# Sessions of the Copilot CLI: a log of events, of which those of the main agent since its last compaction are live.


_NAME_CLI = "copilot-cli"


def sniff(source: Source) -> bool:
    """Whether the source is such a log, and not the one that Copilot Chat keeps in an editor."""
    return is_log(source) and not written_by_editor(source)


def read(source: Source) -> Chat:
    """Read the live conversation, and say what cannot be known of it."""
    events = events_of(source)
    live = live_events(events)
    return Chat(
        format=_NAME_CLI,
        tool=_NAME_CLI,
        messages=messages_of(live, assets_of(events)),
        model=model_of(events),
        title=title_of_session(events),
        workspace=workspace_of(events),
        window=window_of(events),
        warnings=(*source.damage, *_truncated(live)),
    )


def _truncated(live: Sequence[Event]) -> Iterator[Warning]:
    if number := removed_messages(live):
        told = f"The tool left {number} older messages out of its prompts and does not say which; they are read here."
        yield Warning("truncatedHistory", told)


# Transcripts of Copilot Chat in an editor: the events of a chat as its hooks get to see them.


_NAME_TRANSCRIPT = "copilot-transcript"
_SPEAKERS = ("user.", "assistant.")
_NO_RESULTS = Warning("resultsMissing", "This transcript does not hold what the tools answered, so it counts too low.")


def sniff_transcript(source: Source) -> bool:
    """Whether the source is a log of events whose start names the version of the editor."""
    return is_log(source) and written_by_editor(source)


def read_transcript(source: Source) -> Chat:
    """Read the conversation; a transcript knows of no compaction."""
    live = list(_without_subagents(live_events(events_of(source))))
    return Chat(
        format=_NAME_TRANSCRIPT,
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
