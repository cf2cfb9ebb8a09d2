r"""Logs of Copilot: sessions of its CLI, and transcripts of Copilot Chat in an editor, written for its hooks.

    {"type":"session.start","id":"e1","data":{"selectedModel":"gpt-5.4","context":{"cwd":"/home/ada/shop"}}}
    {"type":"user.message","id":"e2","data":{"content":"Fix the tax","transformedContent":"<note/>\n\nFix the tax"}}
    {"type":"assistant.message","id":"e3","data":{"content":"","toolRequests":[{"toolCallId":"c1","name":"view"}]}}
    {"type":"tool.execution_complete","id":"e4","data":{"toolCallId":"c1","success":true,"result":{"content":"tax.py"}}}

Live are the events of the main agent since its last compaction; a transcript knows of no compaction, and mostly of no
results. See docs/formats.md#copilot-cli, docs/formats.md#copilot-chat-transcript and
https://github.com/github/copilot-sdk/blob/main/nodejs/src/generated/session-events.ts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Chat, Image, Message, OwnCompaction, Part, Thinking, ToolCall, ToolResult, Usage, Warning
from compact_chat.read.apis import arguments_of, result_of, text_parts
from compact_chat.read.formats import Replacement
from compact_chat.read.loose import check_length, loose, title_of, tokens, usage_of, with_own_ids
from compact_chat.read.source import Source
from compact_chat.text import counted, outside

# The events of a log.


class _File(Struct, rename="camel", frozen=True):
    """An attachment: its data, or the name of an asset; anything but a picture goes to the model as its path."""

    mime_type: str = ""
    data: str = ""
    asset_id: str = ""


class _ToolRequest(Struct, rename="camel", frozen=True):
    tool_call_id: str = ""
    name: str = ""
    arguments: Any = None


class _Result(Struct, rename="camel", frozen=True):
    content: Any = None
    binary_results_for_llm: list[_File] = []


class _Error(Struct, frozen=True):
    message: Any = None


class _Prompt(Struct, frozen=True):
    prompt: str = ""


class _Context(Struct, frozen=True):
    cwd: str = ""


class _Data(_File, rename="camel", frozen=True):
    """The fields of all events, each of which has a few; `session.binary_asset` is a file."""

    content: str = ""  # of messages; in user messages what was typed
    role: str = ""  # of system messages: the newest of each counts
    transformed_content: str = ""  # of user messages: what was sent
    source: str = ""
    attachments: list[_File] = []
    tool_requests: list[_ToolRequest] = []
    reasoning_text: str = ""
    reasoning_opaque: str = ""
    encrypted_content: str = ""
    model: str = ""
    input_tokens: int = 0  # of assistant.usage
    output_tokens: int = 0
    tool_call_id: str = ""  # of tool.execution_start and tool.execution_complete
    tool_name: str = ""
    arguments: _Prompt | None = None
    success: bool | None = None
    result: _Result | None = None
    error: _Error | None = None
    agent_id: str = ""  # of a sub-agent, like the next
    parent_tool_call_id: str = ""
    vscode_version: str = ""  # of session.*, like all that follows
    selected_model: str = ""
    new_model: str = ""
    current_model: str = ""
    context: _Context = _Context()
    title: str = ""
    token_limit: int = 0
    copilot_version: str = ""
    summary_content: str = ""
    pre_compaction_tokens: int = 0
    post_compaction_tokens: int = 0
    trigger: str = ""  # of a compaction; `manual` if a person asked for it
    initial_message: str = ""
    messages_removed_during_truncation: int = 0
    current_tokens: int = 0
    system_tokens: int = 0
    conversation_tokens: int = 0
    tool_definitions_tokens: int = 0


_NOTHING = _Data()


class _Event(Struct, rename="camel", frozen=True):
    type: str = ""
    id: str = ""
    agent_id: str = ""  # of a sub-agent
    data: _Data = _NOTHING

    @property
    def by_host(self) -> bool:
        """Return whether Copilot wrote a user message: a skill, a notice, a schedule."""
        return self.data.source.partition("-")[0] in ("agent", "hook", "schedule", "skill", "system")

    @property
    def model(self) -> str:
        """The model that was chosen, or that answered; `auto` is chosen anew for each message."""
        match self.type:
            case "session.start" | "session.resume":
                return self.data.selected_model
            case "session.model_change":
                return self.data.new_model
            case "session.shutdown":
                return self.data.current_model
            case "assistant.message" | "assistant.usage":
                return self.data.model
        return ""


_USER, _ASSISTANT, _SYSTEM = "user.message", "assistant.message", "system.message"
_STARTED, _COMPLETED = "tool.execution_start", "tool.execution_complete"
_BEGUN = ("session.start", "session.resume")
_SUMMARY = "session.compaction_complete"
_OF_A_LOG = frozenset(
    {
        *(_USER, _ASSISTANT, _SYSTEM, _STARTED, _COMPLETED, *_BEGUN),
        *("session.shutdown", "session.model_change", "assistant.turn_start"),
    }
)


def _sniff(source: Source, of_editor: bool) -> bool:
    """Return whether the source is a log of that kind: an editor's start has its version, and its tools no results.

    Missing results count only if the start is gone.
    """
    events = [loose(_Event, record) for record in source.records]
    if not any(event.type in _OF_A_LOG and event.data is not _NOTHING for event in events):
        return False
    if starts := [event for event in events if event.type == "session.start"]:
        return of_editor == any(start.data.vscode_version for start in starts)
    ended = [event.data for event in events if event.type == _COMPLETED]
    return of_editor == (bool(ended) and all(data.result is None and data.error is None for data in ended))


sniff, sniff_transcript = partial(_sniff, of_editor=False), partial(_sniff, of_editor=True)


def read(source: Source) -> Chat:
    """Read the live conversation, and warn of messages that Copilot left out of its prompts."""
    events = _events(source)
    live, said = _live(events)
    chat = _chat("copilot-cli", "copilot-cli", source, events, _messages(live, said, _assets(events)))
    cuts = (event.data.messages_removed_during_truncation for event in live if event.type == "session.truncation")
    if number := sum(map(tokens, cuts)):
        older = counted(number, "older message")
        text = f"The tool left {older} out of its prompts and does not say which; all are read here."
        return replace(chat, warnings=(*chat.warnings, Warning("truncatedHistory", text)))
    return chat


_Compaction = tuple[_Event, list[_Event], list[str]]  # with what it replaced, and the user's words among that


def earlier(source: Source, _: str) -> Iterator[Replacement]:
    """Give the messages that each compaction replaced, with the user's words from before them, and its summary."""
    events = _events(source)
    assets = _assets(events)
    compactions: list[_Compaction] = []
    said = _live(events, compactions)[1]
    while compactions:
        event, replaced, _own = compactions.pop()
        before = compactions[-1][2] if compactions else []  # of an older summary, only what it added
        yield tuple(_messages(replaced, before, assets)), tuple(_messages([event], said, assets))
        said = before


def read_transcript(source: Source) -> Chat:
    """Read the conversation, and warn that tool results are missing."""
    live, said = _live(_events(source))
    live = list(_without_subagents(live))
    chat = _chat("copilot-transcript", "vscode", source, live, _messages(live, said, {}))
    if any(event.type == _COMPLETED and event.data.result is None for event in live):
        text = "This transcript does not hold what the tools answered, so it counts too low."
        return replace(chat, warnings=(*chat.warnings, Warning("resultsMissing", text)))
    return chat


def _assets(events: Iterable[_Event]) -> dict[str, Image]:
    files = (event.data for event in events if event.type == "session.binary_asset")
    return {file.asset_id: Image(file.mime_type, file.data) for file in files}


def _events(source: Source) -> list[_Event]:
    """Return the main agent's events; those of a sub-agent, which has its own context, name it or its call."""
    place = number = 0  # of records; of messages since the newest compaction

    def note(event: _Event) -> _Event | None:
        nonlocal place, number
        place += 1
        data = event.data
        if data is _NOTHING or event.agent_id or data.agent_id or data.parent_tool_call_id:
            return None
        number = 0 if event.type == _SUMMARY else number + (event.type in (_USER, _ASSISTANT))
        check_length(number)
        return event if event.id else replace(event, id=f"e{place}")

    return [event for _, event in source.scan(_Event, note)]


def _chat(name: str, tool: str, source: Source, events: Sequence[_Event], messages: Iterable[Message]) -> Chat:
    models = (event.model for event in reversed(events) if event.model not in ("", "auto"))
    limits = (tokens(event.data.token_limit) for event in reversed(events))
    given = [event.data.title for event in events if event.type == "session.title_changed"]
    said = (event.data.content for event in events if event.type == _USER and not event.by_host)
    folders = (event.data.context.cwd for event in events if event.type in _BEGUN)
    return Chat(
        format=name,
        tool=tool,
        messages=with_own_ids(messages),
        model=next(models, None),
        title=next(filter(None, map(title_of, (*given[-1:], *said))), None),
        workspace=next(filter(None, folders), None),
        window=next(filter(None, limits), None),
        compactions=tuple(_compactions(events)),
        version=next((event.data.copilot_version for event in events if event.data.copilot_version), ""),
        warnings=source.damage,
    )


def _compactions(events: Sequence[_Event]) -> Iterator[OwnCompaction]:
    model = ""
    for event in events:
        model, data = event.model or model, event.data
        if event.type == _SUMMARY and data.success:
            sizes = tokens(data.pre_compaction_tokens), tokens(data.post_compaction_tokens)
            yield OwnCompaction(data.trigger not in ("", "manual"), *sizes, model=model)


# Which events are live.


def _live(events: Iterable[_Event], compactions: list[_Compaction] | None = None) -> tuple[list[_Event], list[str]]:
    """Return the newest system messages, the last summary and what followed; and the user messages before it.

    Note each compaction.
    """
    system: dict[str, _Event] = {}
    live: list[_Event] = []
    said: list[str] = []
    began: int | None = None  # a compaction summarizes the messages before its start
    for event in events:
        match event.type:
            case "system.message":
                system[event.data.role] = event
            case "session.compaction_start":
                began = len(live)
            case "session.compaction_complete":
                end, began = len(live) if began is None else began, None
                if event.data.success and event.data.summary_content.strip():
                    own = [one.data.content for one in live[:end] if one.type == _USER and not one.by_host]
                    said += own
                    if compactions is not None:
                        compactions.append((event, live[:end], own))
                    live = [event, *live[end:]]
            case "session.context_cleared":
                words = event.data.initial_message
                opening = _Event(_USER, event.id, data=_Data(content=words))
                if compactions:
                    compactions.clear()
                said, live, began = [], [opening] if words.strip() else [], None
            case _:
                live.append(event)
    return [*system.values(), *live], said


def _without_subagents(events: Iterable[_Event]) -> Iterator[_Event]:
    """Drop what is said between the call of a sub-agent and its end; only its prompt identifies it."""
    prompts: dict[str, str] = {}  # active sub-agents, by their calls
    given: Counter[str] = Counter()  # how many of them have each prompt
    own: set[str] = set()
    for event in events:
        call = event.data.tool_call_id
        is_end = event.type == _COMPLETED
        if event.type == _USER and not given[event.data.content]:
            prompts.clear()  # the user sent a new message, so running sub-agents were cancelled
            given.clear()
        if call in prompts and event.type in (_STARTED, _COMPLETED):
            given[prompts.pop(call)] -= 1
        is_speech = event.type.startswith(("user.", "assistant."))
        if prompts and (is_speech or (is_end and call not in own)):
            continue
        own.update(request.tool_call_id for request in event.data.tool_requests)
        if event.type == _STARTED and call and "subagent" in event.data.tool_name.lower():
            prompts[call] = event.data.arguments.prompt if event.data.arguments else ""
            given[prompts[call]] += 1
        yield event


# Live events become messages: results follow the message that called for them, whatever their order in the log.


class _Answer(Struct):
    """The results of the calls of one message."""

    id: str = ""
    results: list[ToolResult] = []
    usage: Usage | None = None


def _messages(live: Sequence[_Event], said: Sequence[str], assets: Mapping[str, Image]) -> Iterator[Message]:
    usages = _usages(live)
    turns: list[Message | _Answer] = []
    answers: dict[str, _Answer] = {}  # by call
    for place, event in enumerate(live):
        if event.type == _COMPLETED:
            data = event.data
            output = data.result or _Result(data.error.message if data.error else None)
            result = result_of(data.tool_call_id, output.content, is_error=data.success is False)
            if images := _images(output.binary_results_for_llm, assets):
                result = replace(result, content=result.content + images, as_text=False)
            if result.call_id not in answers:
                turns.append(answers.setdefault(result.call_id, _Answer()))
            answer = answers[result.call_id]
            answer.id = answer.id or event.id
            answer.results.append(result)
            answer.usage = usages.get(place) or answer.usage
        elif message := _message(event, said, assets):
            message = replace(message, usage=usages.get(place))
            answer = _Answer()
            answers |= dict.fromkeys((call.id for call in message.calls), answer)
            turns += (message, answer)
    for turn in turns:
        if isinstance(turn, Message):
            yield turn
        elif turn.results:
            yield Message(turn.id, "user", tuple(turn.results), usage=turn.usage)


def _message(event: _Event, said: Sequence[str], assets: Mapping[str, Image]) -> Message | None:
    """Decode an event as a message, if it is one."""
    data = event.data
    parts: tuple[Part, ...]
    match event.type:
        case "system.message":
            return Message(event.id, "system", text_parts(data.content))
        case "user.message":
            # What was typed is a text of its own among Copilot's additions.
            sent = data.transformed_content or data.content
            texts = sent.partition(data.content) if data.content else (sent,)
            parts = (*text_parts(*texts), *_images(data.attachments, assets))
            return Message(event.id, "user", parts, by_host=event.by_host)
        case "assistant.message":
            has_thought = data.reasoning_text or data.reasoning_opaque or data.encrypted_content
            calls = (ToolCall(one.tool_call_id, one.name, arguments_of(one.arguments)) for one in data.tool_requests)
            thoughts = [Thinking(data.reasoning_text)] if has_thought else []
            return Message(event.id, "assistant", (*thoughts, *text_parts(data.content), *calls))
        case "session.compaction_complete":
            return Message(event.id, "user", text_parts(data.summary_content, *said), is_summary=True)
    return None


def _images(files: Iterable[_File], assets: Mapping[str, Image]) -> tuple[Image, ...]:
    found = (
        Image(file.mime_type, file.data) if file.data else assets.get(file.asset_id) if file.asset_id else None
        for file in files
    )
    return tuple(image for image in found if image and image.data and image.media_type.startswith("image/"))


# How full the window was.


def _usages(live: Sequence[_Event]) -> dict[int, Usage]:
    """Return each turn's reported usage, and Copilot's own count if it is the newest, by message index.

    Its own count is for the next prompt: one sum, or the parts, of which none may be missing.
    """
    found: dict[int, Usage] = {}
    reported: Usage | None = None  # before or after its turn's reply
    reply = newest = None
    own: tuple[int, int | None, Usage] | None = None
    for place, event in enumerate(live):
        data = event.data
        if event.type in (_SYSTEM, _USER, _ASSISTANT, _COMPLETED, _SUMMARY):
            newest = place
        if event.type == "assistant.turn_start":
            reply = reported = None
        elif event.type == _ASSISTANT:
            reply = place
        elif event.type == "assistant.usage":
            reported = usage_of(data.model, data.input_tokens, data.output_tokens)
        else:
            parts = [
                tokens(one) for one in (data.system_tokens, data.conversation_tokens, data.tool_definitions_tokens)
            ]
            count = tokens(data.current_tokens) if event.type == "session.shutdown" else 0
            if not count and all(parts) and event.type in ("session.shutdown", _SUMMARY):
                count = sum(parts)
            if count:
                own = (place, newest, Usage(count, 0, data.current_model, whole=True))
        if reply is not None and reported is not None:
            found[reply], reported = reported, None
    if own and own[1] is not None and own[0] > max(found, default=-1):
        found[own[1]] = own[2]
    return found


# What the CLI puts around a person's words.

_WRAPPER = re.compile(r"<(current_datetime|system_reminder|system_notification|tagged_files)>")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """Return a person's words from the texts of one message."""
    pieces = (piece.strip() for text in texts for piece in outside(text, _WRAPPER))
    return list(filter(None, pieces))
