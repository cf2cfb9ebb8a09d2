r"""Chats of VS Code: a log of changes (since 1.109), one JSON object (before), and exports, which lack the ids.

    {"kind":0,"v":{"sessionId":"8c1d","creationDate":1777885200000,"responderUsername":"GitHub Copilot","requests":[]}}
    {"kind":2,"k":["requests"],"v":[{"requestId":"r1","message":{"text":"Fix the tax"},"response":[{"value":"Done."}],
     "result":{"metadata":{"renderedUserMessage":[{"type":1,"text":"<userRequest>\nFix the tax\n</userRequest>\n"}],
      "toolCallRounds":[{"id":"round_1","response":"Done.","toolCalls":[]}],"toolCallResults":{}}}}]}
    {"kind":1,"k":["customTitle"],"v":"Tax rounding"}

A request's `response` is for the screen; what went to the model is in `result.metadata`, written when the request ends.
See docs/formats.md#vs-code-chat and
https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/model/chatModel.ts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, field
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    HostMeter,
    Image,
    JsonObject,
    Message,
    OwnCompaction,
    Part,
    ResultPart,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    Warning,
)
from compact_chat.errors import ChatUnreadable
from compact_chat.read.apis import arguments_of, image_at, text_parts
from compact_chat.read.formats import Replacement
from compact_chat.read.loose import fields, loose, objects, title_of, tokens, whole_number, with_own_ids
from compact_chat.read.source import Source
from compact_chat.text import counted, outside

_TOOL = "vscode"

# A session and its requests.


_CHOSEN = "inputState.selectedModel"


class _Session(Struct, rename="camel", frozen=True):
    """A session without its requests."""

    custom_title: str = ""
    computed_title: str = ""  # in version 2
    working_directory: str = ""
    model: str = field(default="", name=f"{_CHOSEN}.identifier")
    largest_prompt: int = field(default=0, name=f"{_CHOSEN}.metadata.maxInputTokens")
    largest_reply: int = field(default=0, name=f"{_CHOSEN}.metadata.maxOutputTokens")
    usual_size: int = field(default=0, name=f"{_CHOSEN}.metadata.configurationSchema.properties.contextSize.default")
    chosen_size: int = field(default=0, name=f"{_CHOSEN}.modelConfiguration.contextSize")  # by a person


class RenderedPart(Struct, frozen=True):
    """A part of a message as Copilot Chat rendered it; one with neither text nor picture controls caching."""

    text: str = ""
    url: str = field(default="", name="imageUrl.url")


Rendered = str | list[RenderedPart]


class _Call(Struct, frozen=True):
    id: str = ""
    name: str = ""
    arguments: str = ""


class _StoredRound(Struct, rename="camel", frozen=True):
    id: str = ""
    response: str = ""
    tool_calls: list[_Call] = []
    hook_context: str = ""
    summary: str = ""


class _Result(Struct, frozen=True):
    content: list[Any] = []


class _Summary(Struct, rename="camel", frozen=True):
    tool_call_round_id: str = ""  # the last round that it replaces; failed attempts have none
    text: str = ""
    source: str = ""  # of one that Copilot began by itself: foreground or background
    context_length_before: int = 0


class _Metadata(Struct, rename="camel", frozen=True):
    """What Copilot Chat stores with an answer; other participants store anything."""

    rendered_user_message: Rendered = ""
    rendered_global_context: Rendered = ""
    tool_call_rounds: list[_StoredRound] | None = None
    tool_call_results: dict[str, _Result] = {}
    max_tool_calls_exceeded: bool = False  # the next request holds the last results
    summary: _Summary | None = None
    summaries: list[_Summary] | None = None
    cache_key: str = ""  # begins with the URI of the folder
    global_context_cache_key: str = ""
    resolved_model: str = ""
    prompt_tokens: int = 0
    output_tokens: int = 0


class _PromptPart(Struct, frozen=True):
    kind: str = ""
    end: int = field(default=0, name="range.endExclusive")


class _Prompt(Struct, frozen=True):
    text: str = ""
    parts: list[_PromptPart] = []


class _Removal(Struct, rename="camel", frozen=True):
    after_undo_stop: str = ""  # only partly undone


class _Request(Struct, rename="camel", frozen=True):
    request_id: str = ""
    message: str | _Prompt = ""
    agent: str = field(default="", name="agent.id")
    model_id: str = ""
    confirmation: str = ""  # of a repeated attempt
    is_system_initiated: bool = False
    is_hidden: bool = False
    should_be_removed_on_send: _Removal | None = None  # a person removed it
    response: Any = None
    metadata: _Metadata = field(default=_Metadata(), name="result.metadata")
    prompt_tokens: int | None = None  # of the last call; zero if a model reports nothing
    completion_tokens: int = 0  # of all calls


# The three kinds of files that hold a chat.

_START = re.compile(r'\s*+\{\s*+"kind"\s*+:\s*+0\s*+,\s*+"v"\s*+:\s*+\{')
_EARLY = 4096
_MEMBERS = ('"sessionId"', '"creationDate"', '"responderUsername"', '"requests"')
_IDENTITY = frozenset({"sessionId", "creationDate"})


def sniff_log(source: Source) -> bool:
    """Return whether the source begins with the whole state of a chat."""
    early = source.opening[:_EARLY]
    return _START.match(early) is not None and any(member in early for member in _MEMBERS)


def _sniff(source: Source, name: str) -> bool:
    """Return whether the source is a list of requests with the responder's name; an export has no ids of its own."""
    state = fields(source.document)
    is_session = isinstance(state.get("requests"), list) and isinstance(state.get("responderUsername"), str)
    return is_session and _IDENTITY.isdisjoint(state) is (name == "vscode-export")


sniff_export = partial(_sniff, name="vscode-export")
sniff = partial(_sniff, name="vscode")


def _read(source: Source, name: str) -> Chat:
    """Read a session; a log is replayed as far as possible, with a warning where it stopped."""
    session, turns, stopped = _session(source, name)
    boundaries = _boundaries(turns)
    boundary = boundaries[-1]
    is_estimate = [turn.is_shown for turn in turns[max(0, boundary.at[0]) :]]
    warnings: list[Warning] = []
    if stopped is not None:
        sentence = f"Line {stopped} of the log cannot be replayed; it and all behind it were left out."
        warnings.append(Warning("replayStopped", sentence, stopped))
    if shown := sum(is_estimate):
        requests = f"{shown} of {counted(len(is_estimate), 'request')}"
        whose = "its" if shown == 1 else "their"
        sentence = f"Only what the screen shows is known of {requests}; {whose} size is an estimate."
        warnings.append(Warning("fromScreen", sentence))
    titles = (session.custom_title, session.computed_title, *(turn.typed for turn in turns))
    folders = (session.working_directory, *(folder for turn in turns for folder in turn.folders))
    used = next((turn.asked_model for turn in reversed(turns) if turn.asked_model), "").rpartition("/")[2]
    window, meter = _window_and_meter(session, turns)
    return Chat(
        format=name,
        tool=_TOOL,
        messages=with_own_ids((*_context(turns), *_messages(turns, boundary))),
        model=next((turn.model for turn in reversed(turns) if turn.model), None),
        title=next(filter(None, map(title_of, titles)), None),
        workspace=next(filter(None, map(file_path, folders)), None),
        window=window or None,
        window_model=session.model or None if used not in ("", session.model.rpartition("/")[2]) else None,
        host_meter=meter,
        compactions=tuple(
            OwnCompaction(bool(one.made.source), tokens(one.made.context_length_before), model=turns[one.made_in].model)
            for one in boundaries[1:]
        ),
        warnings=tuple(warnings),
    )


read_log = partial(_read, name="vscode-log")
read_export = partial(_read, name="vscode-export")
read = partial(_read, name="vscode")


def _session(source: Source, name: str) -> tuple[_Session, list[Turn], int | None]:
    """Read a session's fields and its live requests, and for a log the line that cannot be replayed."""
    state, stopped = replay(source) if name == "vscode-log" else (fields(source.document), None)
    if state is None:
        fault = "The first line of this log is damaged, and the others only change it."
        raise ChatUnreadable(fault, format=name, line=1)
    requests = state.get("requests")
    turns = list(live_turns(requests if isinstance(requests, list) else ()))
    return loose(_Session, state), turns, stopped


def _window_and_meter(session: _Session, turns: Sequence[Turn]) -> tuple[int, HostMeter | None]:
    """Return the chosen model's input limit, or 0, and what the context ring shows."""
    window = tokens(session.chosen_size) or tokens(session.usual_size) or tokens(session.largest_prompt)
    sized = next((turn.sizes for turn in reversed(turns) if turn.sizes), None)  # also zero if that was reported
    if not window or not sized:
        return window, None
    prompt, completion = sized
    reserve = tokens(session.largest_reply)
    return window, HostMeter(prompt + completion, reserved=max(0, reserve - completion), total=window + reserve)


def file_path(uri: str) -> str:
    """Return the path of a file URI, or an empty string."""
    if not uri.startswith("file:///"):
        return ""
    path = unquote(uri.removeprefix("file://"))
    return path[1:] if path[2:3] == ":" else path  # a Windows drive


# What the next request sends to the model: the global context, and what follows the newest compaction.

_Place = tuple[int, int]  # of a round: its turn, and its number in that turn
_END: _Place = (sys.maxsize, 0)


def _messages(turns: Sequence[Turn], boundary: _Boundary, end: _Place = _END) -> Iterator[Message]:
    if boundary.text:
        yield _summary(boundary, f"<conversation-summary>\n{boundary.text}\n</conversation-summary>\n")
    for place in range(max(0, boundary.at[0]), min(end[0] + 1, len(turns))):
        first = boundary.at[1] + 1 if place == boundary.at[0] else 0
        rounds = turns[place].rounds[first : end[1] + 1 if place == end[0] else None]
        is_old = place < boundary.made_in  # a call from before the compaction measured another prompt
        for message in (message for one in rounds for message in one.messages):
            yield replace(message, usage=None) if is_old else message


def _context(turns: Sequence[Turn]) -> Iterator[Message]:
    if context := next((turn.context for turn in turns if turn.context), None):
        yield Message("global-context", "user", context, by_host=True)


def earlier(source: Source, name: str) -> Iterator[Replacement]:
    """Read the rounds that each summary replaced, from the summary before it on."""
    _, turns, _ = _session(source, name)
    boundaries = _boundaries(turns)
    context = tuple(_context(turns))
    for before, last in reversed([*pairwise(boundaries)]):
        yield (*context, *_messages(turns, before, last.at)), (*context, _summary(last, last.text))


def _summary(boundary: _Boundary, text: str) -> Message:
    return Message(f"{boundary.round_id}:summary", "user", (Text(text),), is_summary=True, by_host=True)


class _Boundary(Struct, frozen=True):
    """The last round that a summary replaces, and the turn that made the summary: the same or a later one."""

    at: _Place = (-1, -1)
    round_id: str = ""
    text: str = ""
    made_in: int = -1
    made: _Summary = _Summary()


def _boundaries(turns: Sequence[Turn]) -> list[_Boundary]:
    """Find the boundaries in order, behind one before all; of two summaries of one round, the one made last."""
    found = {(-1, -1): _Boundary()}
    known: dict[str, _Place] = {}  # by the ids of rounds
    for place, turn in enumerate(turns):
        own: dict[str, _Place] = {}
        for number, one in enumerate(turn.rounds):
            own.setdefault(one.id, (place, number))
            if one.summary.strip():
                found[place, number] = _Boundary((place, number), one.id, one.summary, place)
        for summary in turn.summaries:
            name = summary.tool_call_round_id
            if replaced := own.get(name) or known.get(name):
                before = found.get(replaced)  # an automatic one is stored twice, once without its source
                made = before.made if before and before.made.source else summary
                found[replaced] = _Boundary(replaced, name, summary.text, place, made)
        for name, at in own.items():
            known.setdefault(name, at)
    return [found[at] for at in sorted(found)]


# A request becomes a turn: what was asked, and the rounds in which a model answered.

_AUTO = "auto"  # a model that chooses among others
_SUFFIX = "__vscode"  # distinguishes ids that a model used twice; never sent to a model


class _Round(Struct, frozen=True):
    """One reply of the model with the results of its calls; a summary replaces everything up to its end."""

    id: str
    messages: tuple[Message, ...]
    summary: str = ""


class Turn(Struct, frozen=True):
    """A live request and its answer, reduced to what is needed."""

    rounds: tuple[_Round, ...]  # the first is the request
    is_shown: bool  # only the screen shows what went to the model
    summaries: tuple[_Summary, ...]  # that it made
    typed: str
    asked_model: str
    model: str  # requested, or chosen by the host
    sizes: tuple[int, int] | None  # shown by the context ring
    context: tuple[Text | Image, ...]
    folders: tuple[str, ...]


def live_turns(requests: Iterable[object]) -> Iterator[Turn]:
    """Read the requests in order, without those that a person removed."""
    waiting: tuple[_Request, str] | None = None  # the next request may hold results of it
    for place, stored in enumerate(requests):
        request = loose(_Request, stored)
        removal = request.should_be_removed_on_send
        is_live = not request.is_hidden and (removal is None or bool(removal.after_undo_stop))
        if isinstance(stored, dict) and is_live:
            if waiting:
                yield _turn(*waiting, request.metadata)
            waiting = (request, request.request_id or f"request-{place}")
    if waiting:
        yield _turn(*waiting, None)


def _turn(request: _Request, name: str, following: _Metadata | None) -> Turn:
    """Read a request; `following` is the metadata of the next one, None without one."""
    metadata = request.metadata
    rounds = list(_recorded_rounds(metadata, name, following))
    is_known = rounds or metadata.summary or metadata.tool_call_rounds is not None
    # What the screen says about a summary is not sent to models.
    is_shown = not (rounds or metadata.summary) and bool(rounds := _shown_rounds(request.response, name))
    prompt = _Prompt(request.message) if isinstance(request.message, str) else request.message
    # A prompt begins with the participant and the command that it addresses.
    ends = (part.end for part in prompt.parts if part.kind in ("agent", "subcommand"))
    typed = prompt.text[max([0, *ends]) :].lstrip()
    made = [metadata.summary or _Summary()] if metadata.summaries is None else metadata.summaries
    chosen = metadata.resolved_model if request.model_id.rpartition("/")[2] in ("", _AUTO) else ""
    model = chosen or request.model_id
    size, total = tokens(request.prompt_tokens), tokens(request.completion_tokens)
    sent = size or tokens(metadata.prompt_tokens)
    # The total is of all calls: with several, the size of the last reply is unknown; zero makes it be counted.
    output = tokens(metadata.output_tokens) or (total if len(rounds) == 1 else 0)
    if sent and rounds and rounds[-1].messages[:1] and rounds[-1].messages[0].role == "assistant":
        reply, *results = rounds[-1].messages
        measured = replace(reply, usage=Usage(sent, output, model))
        rounds[-1] = replace(rounds[-1], messages=(measured, *results))
    return Turn(
        rounds=(_Round("", _asked(request, name, typed)), *rounds),
        is_shown=is_shown or not is_known,
        summaries=tuple(one for one in made if one.tool_call_round_id and one.text.strip()),
        typed=typed,
        asked_model=request.model_id,
        model=model,
        sizes=(size, total) if size or request.prompt_tokens == 0 else None,
        context=rendered_parts(metadata.rendered_global_context),
        folders=tuple(key.partition(",")[0] for key in (metadata.cache_key, metadata.global_context_cache_key)),
    )


def _recorded_rounds(metadata: _Metadata, turn: str, following: _Metadata | None) -> Iterator[_Round]:
    """Read what went to the model."""
    results = metadata.tool_call_results
    waits = metadata.max_tool_calls_exceeded and following is None
    if metadata.max_tool_calls_exceeded and following is not None:
        results = {**results, **following.tool_call_results}
    for place, stored in enumerate(metadata.tool_call_rounds or ()):
        # Calls without a result are not sent again, nor is a round without anything else.
        calls = [call for call in stored.tool_calls if waits or call.id in results]
        name = stored.id or f"{turn}:{place}"
        made = (ToolCall(shown_id(call.id), call.name, arguments_of(call.arguments)) for call in calls)
        parts: tuple[Part, ...] = (*text_parts(stored.response), *made)
        messages = [Message(name, "assistant", parts)] if parts else []
        for number, call in enumerate(calls):
            if call.id in results:
                result = ToolResult(shown_id(call.id), result_parts(results[call.id].content))
                messages.append(Message(f"{name}:{number}", "user", (result,)))
        if hooked := text_parts(stored.hook_context):
            messages.append(Message(f"{name}:hook", "user", hooked, by_host=True))
        is_sent = bool(calls) or not stored.tool_calls
        yield _Round(name, tuple(messages) if is_sent else (), stored.summary)


def shown_id(call_id: str) -> str:
    """Return a call's id as the model knows it."""
    return call_id.partition(_SUFFIX)[0]


# The user's words: as Copilot Chat rendered them, or as they were typed.

_COPILOT = "github.copilot"
_FRAMES = ("userRequest", "user_query")  # around what was typed; which one depends on the model


def _asked(request: _Request, name: str, typed: str) -> tuple[Message, ...]:
    """Read what a request sends; a repeated attempt sends nothing new."""
    parts = rendered_parts(request.metadata.rendered_user_message)
    if not parts and typed.strip() and not request.confirmation:
        is_framed = request.agent.startswith(_COPILOT)  # like VS Code does without a rendered message
        parts = (Text(f"<{_FRAMES[0]}>\n{typed}\n</{_FRAMES[0]}>\n" if is_framed else typed),)
    by_host = request.is_system_initiated
    own, texts = (typed.strip(),), tuple(part.text.strip() for part in parts if isinstance(part, Text))
    is_known = not by_host and not request.confirmation and any(own) and own != texts
    return (Message(name, "user", parts, by_host=by_host, typed=own if is_known else None),) if parts else ()


def rendered_parts(content: Rendered) -> tuple[Text | Image, ...]:
    """Decode a rendered message."""
    stored = [RenderedPart(content)] if isinstance(content, str) else content
    return tuple(
        picture_of(part.url) if part.url else Text(part.text) for part in stored if part.url or part.text.strip()
    )


def picture_of(place: str) -> Image:
    """Make a picture from its URL, with or without the data inside, or from its data alone."""
    if place.startswith("data:"):
        return image_at(place)
    return Image(url=place) if "://" in place[:20] else Image(data=place)


_WRAPPER = re.compile(
    r"<(conversation-summary|editorContext|environment_info|reminderInstructions|repoMemory|sessionMemory"
    r"|userMemory|workspace_info|attachments)>"
)
_NOTES = re.compile(rf"\s*(?!<attachments){_WRAPPER.pattern}")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """Return what a person typed from the texts of one message: none of what Copilot Chat notes without a frame."""
    own = ((text, unframed(text)) for text in texts)
    pieces = (
        piece
        for text, words in own
        if words is not text or not _NOTES.match(text)
        for piece in ([words] if words is not text else outside(text, _WRAPPER))
    )
    return list(map(unframed, pieces))


def unframed(text: str) -> str:
    """Return what a person typed in a message: all of it, or what Copilot Chat framed at the end of its own notes."""
    body = text.rstrip()
    for tag in _FRAMES:
        if body.endswith(f"\n</{tag}>"):
            start = body.rfind(f"<{tag}>\n")
            return body[start + len(tag) + 3 : -len(tag) - 4].strip() if start >= 0 else text
    return text


# What tools return: texts, pictures, and trees of a prompt library, flattened like there
# (https://github.com/microsoft/vscode-prompt-tsx/blob/main/src/base/jsonTypes.ts).

_EMPTY = "(empty)"  # what the model gets for a result without content
_TO_THE_MODEL = 0  # for parts that have audiences
_PICTURE = 3  # the constructor of a picture


class _Node(Struct, rename="camel", frozen=True):
    """A part of a result or a node of its tree: a text, a picture, or an element."""

    text: str | None = None
    value: str | None = None
    tree: Any = field(default=None, name="value.node")
    line_break_before: bool = False
    children: list[Any] | None = None
    ctor: int | None = None
    picture: str = field(default="", name="props.src")
    mime_type: str = ""
    data: str = ""
    audience: list[Any] | None = None


def result_parts(content: list[Any]) -> tuple[ResultPart, ...]:
    """Flatten the content of a result; texts are concatenated, since a model gets them as one."""
    parts: list[ResultPart] = []
    words: list[str] = []
    for node, begins_line in _leaves(content):
        if node.mime_type.startswith("image/"):
            picture = Image(node.mime_type, data=node.data)
        elif node.ctor == _PICTURE:
            picture = picture_of(node.picture)
        else:
            if begins_line and words and words[-1][-1] != "\n":
                words.append("\n")
            if text := node.text or node.value:
                words.append(text)
            continue
        parts += text_parts("".join(words))
        parts.append(picture)
        words = []
    parts += text_parts("".join(words))
    return tuple(parts) or (Text(_EMPTY),)


def _leaves(content: list[Any]) -> Iterator[tuple[_Node, bool]]:
    """Yield the leaves of parts and their trees in order, each with whether it has to begin a line."""
    waiting = _siblings(content, follows_text=False)
    while waiting:
        node, is_first, follows_text = waiting.pop()
        if node.audience and _TO_THE_MODEL not in node.audience:
            continue
        if node.tree is not None:
            waiting += _siblings([node.tree], follows_text)
        elif node.children is not None and node.ctor != _PICTURE:
            waiting += _siblings(node.children, follows_text)
        else:
            yield node, node.line_break_before or (is_first and not follows_text)


def _siblings(nodes: list[Any], follows_text: bool) -> list[tuple[_Node, bool, bool]]:
    """Decode nodes, last one first, each with whether it is the first and whether a text precedes it directly."""
    decoded = [loose(_Node, node) for node in objects(nodes)]
    texts = [follows_text, *(node.text is not None or node.value is not None for node in decoded)]
    return [(node, place == 0, texts[place]) for place, node in enumerate(decoded)][::-1]


# What the screen shows of an answer, for answers whose model side was not stored.


class _Output(Struct, rename="camel", frozen=True):
    mime_type: str = ""
    value: str = ""
    is_text: bool = False


class _Words(Struct, frozen=True):
    value: str = ""


_Markdown = str | _Words


class _Shown(Struct, rename="camel", frozen=True):
    """Text, a tool call, or something that is not sent to models."""

    kind: str | None = None
    value: _Markdown = ""
    content: _Markdown = ""
    name: str = ""
    symbol: str = field(default="", name="inlineReference.name")
    path: str = field(default="", name="inlineReference.path")
    uri_path: str = field(default="", name="inlineReference.uri.path")
    presentation: str = ""
    tool_id: str = ""
    tool_call_id: str = ""
    command_line: str = field(default="", name="toolSpecificData.commandLine.original")
    command: str = field(default="", name="toolSpecificData.command")
    input: str = field(default="", name="resultDetails.input")
    output: str | list[_Output] = field(default=[], name="resultDetails.output")
    is_error: bool = field(default=False, name="resultDetails.isError")
    is_complete: bool = False
    past_tense_message: _Markdown = ""
    invocation_message: _Markdown = ""

    @property
    def call(self) -> ToolCall:
        """Return the call that the part shows."""
        line = self.command_line or self.command
        given = {"command": line} if line else arguments_of(self.input)
        return ToolCall(shown_id(self.tool_call_id), self.tool_id or "tool", given)

    @property
    def result(self) -> ToolResult | None:
        """Return the tool's result, or what the screen says that it did; None while it runs."""
        content: list[ResultPart] = [Text(self.output)] if isinstance(self.output, str) else []
        for one in () if isinstance(self.output, str) else self.output:
            is_image = one.mime_type.startswith("image/") and not one.is_text
            content.append(Image(one.mime_type, data=one.value) if is_image else Text(one.value))
        done = _text(self.past_tense_message) or _text(self.invocation_message)
        if not content and self.is_complete and done:
            content = [Text(done)]
        return ToolResult(shown_id(self.tool_call_id), tuple(content), self.is_error) if content else None


def _text(markdown: _Markdown) -> str:
    return markdown if isinstance(markdown, str) else markdown.value


def _shown_rounds(response: object, turn: str) -> list[_Round]:
    """Guess the rounds of an answer: text after a call begins a new one. Edits, notes and buttons are not sent."""
    steps: list[tuple[list[str], list[_Shown]]] = [([], [])]
    for stored in response if isinstance(response, list) else [response]:
        part = _Shown(value=stored) if isinstance(stored, str) else loose(_Shown, stored)
        markdown = ""
        match part.kind:
            case None:
                markdown = _text(part.value)
            case "markdownContent" | "markdownVuln":
                markdown = _text(part.content)
            case "inlineReference":
                name = part.name or part.symbol or (part.path or part.uri_path).rpartition("/")[2]
                markdown = f"`{name}`" if name else ""
            case "toolInvocationSerialized" if part.presentation != "hidden":
                steps[-1][1].append(part)
        if markdown and steps[-1][1]:
            steps.append(([], []))
        steps[-1][0].append(markdown)
    rounds: list[_Round] = []
    for place, (words, calls) in enumerate(steps):
        name = f"{turn}:screen{place}"
        parts: tuple[Part, ...] = (*text_parts("".join(words)), *(part.call for part in calls))
        results = enumerate(part.result for part in calls)
        messages = [Message(f"{name}:{number}", "user", (result,)) for number, result in results if result]
        if parts:
            rounds.append(_Round(name, (Message(name, "assistant", parts), *messages)))
    return rounds


# A log of changes is replayed into the session's state.


def replay(source: Source) -> tuple[JsonObject | None, int | None]:
    """Replay a log; if a line cannot be applied, return its number with the state before it."""
    log: JsonObject = {}
    for number, changes, whole in source.values():
        if not whole or not all(_applied(log, fields(change)) for change in changes):
            return log.get("state"), number
    return log.get("state"), None


def _applied(log: JsonObject, change: JsonObject) -> bool:
    """Apply a change: 0 sets the state, 1 what is at a path, 2 cuts the list there to `i` and appends, 3 deletes."""
    value, start = change.get("v"), change.get("i")
    match change.get("kind"), change.get("k"):
        case 0, _:
            return isinstance(value, dict) and _put(log, "state", value)
        case ((1 | 2 | 3) as kind, [*path, key]):
            place = log.get("state")
            for step in path:
                place = _member(place, step)
            if kind != 2:
                return _put(place, key, value)  # a null reads like an absent value
            items = _member(place, key)
            if not isinstance(items, list | None) or not isinstance(value, list | None):
                return False
            if start is not None and (whole_number(start) is None or start < 0):
                return False
            kept = items or []
            if start is not None:
                del kept[start:]
            kept += value or []
            return _put(place, key, kept)
    return False


def _member(place: object, key: object) -> object:
    """Return a member of an object or a list; None if there is none."""
    if isinstance(place, dict) and isinstance(key, str):
        return place.get(key)
    index = whole_number(key)
    return place[index] if isinstance(place, list) and index is not None and 0 <= index < len(place) else None


def _put(place: object, key: object, value: object) -> bool:
    """Set a member of an object, or of a list within it or at its end."""
    index = whole_number(key)
    if isinstance(place, dict) and isinstance(key, str):
        place[key] = value
    elif isinstance(place, list) and index is not None and 0 <= index <= len(place):
        place[index : index + 1] = [value]
    else:
        return False
    return True
