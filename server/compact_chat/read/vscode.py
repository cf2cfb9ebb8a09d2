r"""Chats of VS Code: a log of changes (since 1.109), one JSON object (before), and exports, which lack the ids.

    {"kind":0,"v":{"sessionId":"8c1d","creationDate":1777885200000,"responderUsername":"GitHub Copilot","requests":[]}}
    {"kind":2,"k":["requests"],"v":[{"requestId":"r1","message":{"text":"Fix the tax"},"response":[{"value":"Done."}],
     "result":{"metadata":{"renderedUserMessage":[{"type":1,"text":"<userRequest>\nFix the tax\n</userRequest>\n"}],
      "toolCallRounds":[{"id":"round_1","response":"Done.","toolCalls":[]}],"toolCallResults":{}}}}]}
    {"kind":1,"k":["customTitle"],"v":"Tax rounding"}

A request's `response` is for the screen; what went to the model is in `result.metadata`, written when the request ends.
Requests are decoded one by one, since a session may take hundreds of megabytes. See docs/formats.md#vs-code-chat and
https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/model/chatModel.ts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, cast
from urllib.parse import unquote

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    HostMeter,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    Warning,
)
from compact_chat.errors import ChatUnreadable
from compact_chat.read.blocks import arguments_of, image_at, text_parts
from compact_chat.read.document import is_list, items_of, opened, value_of
from compact_chat.read.growing import Replaced
from compact_chat.read.loose import fields, loose, title_of, tokens, whole_number, with_own_ids
from compact_chat.read.source import Source

_TOOL = "vscode"

# A session and its requests, as far as they are read.


class _ModelMetadata(Struct, rename="camel", frozen=True):
    max_input_tokens: int = 0
    max_output_tokens: int = 0
    configuration_schema: Any = None  # properties.contextSize.default


class _Configuration(Struct, rename="camel", frozen=True):
    context_size: int = 0  # a person may have set it to less than the model can take


class _Model(Struct, rename="camel", frozen=True):
    identifier: str = ""
    metadata: _ModelMetadata = _ModelMetadata()
    model_configuration: _Configuration = _Configuration()


class _InputState(Struct, rename="camel", frozen=True):
    selected_model: _Model = _Model()


class _Session(Struct, rename="camel", frozen=True):
    """What a session tells of itself; its requests are decoded apart."""

    custom_title: str = ""
    computed_title: str = ""  # in version 2
    working_directory: str = ""
    input_state: _InputState = _InputState()


class _Url(Struct, frozen=True):
    url: str = ""


class RenderedPart(Struct, rename="camel", frozen=True):
    """A part of a message as Copilot Chat rendered it; what has neither words nor a picture steers the cache."""

    text: str = ""
    image_url: _Url = _Url()


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
    tool_call_round_id: str = ""  # the last round that it replaces; attempts that failed have none
    text: str = ""


class _Metadata(Struct, rename="camel", frozen=True):
    """What Copilot Chat keeps with an answer; other participants keep anything."""

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


class _Answer(Struct, frozen=True):
    metadata: _Metadata = _Metadata()


class _Range(Struct, rename="camel", frozen=True):
    end_exclusive: int = 0


class _PromptPart(Struct, frozen=True):
    kind: str = ""
    range: _Range = _Range()


class _Prompt(Struct, frozen=True):
    text: str = ""
    parts: list[_PromptPart] = []

    def typed(self) -> str:
        """Give what was typed, without the participant and the command that it is addressed to."""
        ends = (part.range.end_exclusive for part in self.parts if part.kind in ("agent", "subcommand"))
        return self.text[max([0, *ends]) :].lstrip()


class _Agent(Struct, frozen=True):
    id: str = ""


class _Removal(Struct, rename="camel", frozen=True):
    after_undo_stop: str = ""  # undone only in part


class _Request(Struct, rename="camel", frozen=True):
    request_id: str = ""
    message: str | _Prompt = ""
    agent: _Agent = _Agent()
    model_id: str = ""
    confirmation: str = ""  # of a repeated try
    is_system_initiated: bool = False
    is_hidden: bool = False
    should_be_removed_on_send: _Removal | None = None
    response: Any = None
    result: _Answer = _Answer()
    prompt_tokens: int | None = None  # of the last call; zero where a model reports nothing
    completion_tokens: int = 0  # of all calls

    @property
    def typed(self) -> str:
        """Give the words of the person."""
        return (_Prompt(self.message) if isinstance(self.message, str) else self.message).typed()

    @property
    def is_live(self) -> bool:
        """Tell whether the next request repeats this one: a person may have taken it back."""
        removal = self.should_be_removed_on_send
        return not self.is_hidden and (removal is None or bool(removal.after_undo_stop))


# The three files that hold a chat.

_START = re.compile(r'\s*+\{\s*+"kind"\s*+:\s*+0\s*+,\s*+"v"\s*+:\s*+\{')
_EARLY = 4096
_MEMBERS = ('"sessionId"', '"creationDate"', '"responderUsername"', '"requests"')
_IDENTITY = frozenset({"sessionId", "creationDate"})


def sniff_log(source: Source) -> bool:
    """Tell whether the source begins with the whole state of a chat."""
    early = source.opening[:_EARLY]
    return _START.match(early) is not None and any(member in early for member in _MEMBERS)


def sniff_export(source: Source) -> bool:
    """Tell whether the source is a list of requests and who answers them."""
    return _kind_of_document(source) == "vscode-export"


def sniff(source: Source) -> bool:
    """Tell whether the source is a session with an identity of its own."""
    return _kind_of_document(source) == "vscode"


def _kind_of_document(source: Source) -> str | None:
    if members := source.members:
        has_requests = is_list(members.get("requests"))
        responder = value_of(members.get("responderUsername", Raw(b"null")))
    else:
        members = fields(None if source.strict else source.document)
        has_requests, responder = isinstance(members.get("requests"), list), members.get("responderUsername")
    if not has_requests or not isinstance(responder, str):
        return None
    return "vscode-export" if _IDENTITY.isdisjoint(members) else "vscode"


def _read(source: Source, name: str) -> Chat:
    """Read a session; a log is replayed as far as it goes, with a warning where it stopped."""
    session, turns, stopped = _session(source, name)
    boundary = _newest_boundary(turns)
    is_estimate = [turn.is_shown for turn in (turns[boundary.turn :] if boundary else turns)]
    warnings: list[Warning] = []
    if stopped is not None:
        told = f"Line {stopped} of the log cannot be replayed; it and all behind it were left out."
        warnings.append(Warning("replayStopped", told, stopped))
    if shown := sum(is_estimate):
        told = (
            f"Only what the screen shows is known of {shown} of {len(is_estimate)} requests; their size is an estimate."
        )
        warnings.append(Warning("fromScreen", told))
    titles = (session.custom_title, session.computed_title, *(turn.request.typed for turn in turns))
    keys = (key for turn in turns for key in (turn.metadata.cache_key, turn.metadata.global_context_cache_key))
    folders = (session.working_directory, *(key.partition(",")[0] for key in keys))
    return Chat(
        format=name,
        tool=_TOOL,
        messages=with_own_ids(_messages(turns, boundary)),
        model=next((model for turn in reversed(turns) if (model := turn.model)), None),
        title=next(filter(None, map(title_of, titles)), None),
        workspace=next(filter(None, map(file_path, folders)), None),
        window=_window(session) or None,
        window_model=_other_model(session, turns),
        host_meter=_host_meter(session, turns),
        warnings=tuple(warnings),
    )


read_log = partial(_read, name="vscode-log")
read_export = partial(_read, name="vscode-export")
read = partial(_read, name="vscode")


def _session(source: Source, name: str) -> tuple[_Session, list[Turn], int | None]:
    """Read what a session tells of itself and its live requests; of a log, also the line that cannot be replayed."""
    stopped = None
    if name == "vscode-log":
        state, stopped = replay(source.byte_lines(), source.values_of)
        if state is None:
            fault = "The first line of this log is damaged, and the others only change it."
            raise ChatUnreadable(fault, format=name, line=1)
        stored = opened(state.pop("requests", None))
        requests = _taken(stored) if isinstance(stored, list) else iter(())
        about = decoded(state)
    elif members := source.members:
        requests = items_of(members["requests"])
        about = {key: value_of(member) for key, member in members.items() if key != "requests"}
    else:
        about = fields(source.document)
        requests = iter(about["requests"])
    return loose(_Session, about), list(live_turns(requests)), stopped


def file_path(uri: str) -> str:
    """Give the path of a URI of a file, or an empty string."""
    if not uri.startswith("file:///"):
        return ""
    path = unquote(uri.removeprefix("file://"))
    return path[1:] if path[2:3] == ":" else path  # a drive of Windows


# What goes to the model with the next request: the global context, and what follows the newest compaction.


def _messages(turns: Sequence[Turn], boundary: _Boundary | None) -> Iterator[Message]:
    contexts = (rendered_parts(turn.metadata.rendered_global_context) for turn in turns)
    if context := next(filter(None, contexts), None):
        yield Message("global-context", "user", context, by_host=True)
    if boundary:
        text = f"<conversation-summary>\n{boundary.text}\n</conversation-summary>\n"
        yield Message(f"{boundary.round_id}:summary", "user", (Text(text),), is_summary=True, by_host=True)
    for place, message in _behind(turns, boundary):
        # A call from before the compaction measured another prompt.
        is_measured = message is turns[place].last_reply and (boundary is None or place >= boundary.made_in)
        yield replace(message, usage=turns[place].usage) if is_measured else message


def _behind(turns: Sequence[Turn], boundary: _Boundary | None) -> Iterator[tuple[int, Message]]:
    """Give each message behind a boundary with the place of its turn; without one, all messages."""
    for place, turn in enumerate(turns):
        if boundary is None or place > boundary.turn:
            yield from ((place, asked) for asked in turn.asked)
            first = 0
        elif place == boundary.turn:
            first = boundary.round + 1
        else:
            continue
        yield from ((place, message) for one in turn.rounds[first:] for message in one.messages)


def newest(source: Source, name: str) -> Replaced | None:
    """Read the rounds that the newest summary replaced, from the summary before it on."""
    _, turns, _ = _session(source, name)
    boundary = _newest_boundary(turns)
    if boundary is None:
        return None
    last = turns[boundary.turn]
    before, without_last = (
        [*turns[: boundary.turn], replace(last, rounds=last.rounds[:end])]
        for end in (boundary.round + 1, boundary.round)
    )
    earlier = _newest_boundary(without_last)
    summary = Message(boundary.round_id, "user", (Text(boundary.text),), is_summary=True, by_host=True)
    return Replaced(tuple(message for _, message in _behind(before, earlier)), (summary,))


class _Boundary(Struct, frozen=True):
    """The last round that a summary replaces, and the turn that made the summary: this one or a later one."""

    turn: int
    round: int
    round_id: str
    text: str
    made_in: int


def _newest_boundary(turns: Sequence[Turn]) -> _Boundary | None:
    """Find the boundary nearest to the end; of two summaries of one round, the one made last."""
    found: dict[tuple[int, int], _Boundary] = {}
    earlier: dict[str, tuple[int, int]] = {}
    for place, turn in enumerate(turns):
        own: dict[str, tuple[int, int]] = {}
        for number, one in enumerate(turn.rounds):
            own.setdefault(one.id, (place, number))
            if one.summary.strip():
                found[place, number] = _Boundary(place, number, one.id, one.summary, made_in=place)
        metadata = turn.metadata
        made = [metadata.summary or _Summary()] if metadata.summaries is None else metadata.summaries
        summary = next((one for one in reversed(made) if one.tool_call_round_id and one.text.strip()), _Summary())
        end = own.get(summary.tool_call_round_id) or earlier.get(summary.tool_call_round_id)
        if end and summary.text:
            found[end] = _Boundary(*end, summary.tool_call_round_id, summary.text, made_in=place)
        for name, where in own.items():
            earlier.setdefault(name, where)
    return found[max(found)] if found else None


# A request becomes a turn: what was asked, and the rounds in which a model answered.

_AUTO = "auto"  # a model that stands for others
_SUFFIX = "__vscode"  # keeps ids apart that a model gave twice; no model sees it


class _Round(Struct, frozen=True):
    """One reply of the model with the results of its calls; a summary replaces all up to its end."""

    id: str
    messages: tuple[Message, ...]
    summary: str = ""


class Turn(Struct, frozen=True):
    """A live request and its answer; of the request is left what these do not hold."""

    request: _Request
    asked: tuple[Message, ...]
    rounds: tuple[_Round, ...]
    is_shown: bool  # nothing tells what went to the model but the screen

    @property
    def metadata(self) -> _Metadata:
        """Give what was kept with the answer."""
        return self.request.result.metadata

    @property
    def model(self) -> str:
        """Name the model that was asked, or the one that the host chose."""
        asked, made = self.request.model_id, self.metadata.resolved_model
        return made if made and asked.rpartition("/")[2] in ("", _AUTO) else asked

    @property
    def last_reply(self) -> Message | None:
        """Give what the last call of the model gave, if that is sent."""
        first = self.rounds[-1].messages[:1] if self.rounds else ()
        return first[0] if first and first[0].role == "assistant" else None

    @property
    def usage(self) -> Usage | None:
        """Give the size of the last call."""
        prompt = tokens(self.request.prompt_tokens) or tokens(self.metadata.prompt_tokens)
        # The total is of all calls: with several, the size of the last reply is not known, and zero has it counted.
        total = tokens(self.request.completion_tokens) if len(self.rounds) == 1 else 0
        return Usage(prompt, tokens(self.metadata.output_tokens) or total, self.model) if prompt else None


def live_turns(requests: Iterable[object]) -> Iterator[Turn]:
    """Read the requests in their order, without those that a person took back."""
    waiting: tuple[_Request, str] | None = None  # the next request may hold results of it
    for place, stored in enumerate(requests):
        request = loose(_Request, stored)
        if isinstance(stored, dict) and request.is_live:
            if waiting:
                yield _turn(*waiting, request.result.metadata)
            waiting = (request, request.request_id or f"request-{place}")
    if waiting:
        yield _turn(*waiting, None)


def _turn(request: _Request, name: str, following: _Metadata | None) -> Turn:
    metadata = request.result.metadata
    rounds = tuple(_recorded_rounds(metadata, name, following))
    # What the screen says of a summary goes to no model.
    shown = () if rounds or metadata.summary else _shown_rounds(request.response, name)
    is_known = rounds or metadata.summary or metadata.tool_call_rounds is not None
    rest = replace(metadata, rendered_user_message="", tool_call_rounds=None, tool_call_results={})
    return Turn(
        request=replace(request, response=None, result=_Answer(rest)),
        asked=_asked(request, name),
        rounds=rounds or shown,
        is_shown=bool(shown) or not is_known,
    )


def _recorded_rounds(metadata: _Metadata, turn: str, following: _Metadata | None) -> Iterator[_Round]:
    """Read what went to the model; `following` is what was kept of the next request, None if there is none."""
    results = metadata.tool_call_results
    waits = metadata.max_tool_calls_exceeded and following is None
    if metadata.max_tool_calls_exceeded and following is not None:
        results = {**results, **following.tool_call_results}
    for place, stored in enumerate(metadata.tool_call_rounds or ()):
        # Calls without a result are not sent again, and a round of nothing else is not either.
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
    """Give the id of a call as the model knows it."""
    return call_id.partition(_SUFFIX)[0]


# The words of the user: as Copilot Chat rendered them, or as they were typed.

_COPILOT = "github.copilot"
_FRAMES = ("userRequest", "user_query")  # around what was typed; which one, depends on the model


def _asked(request: _Request, name: str) -> tuple[Message, ...]:
    """Read what a request sends; a repeated try sends nothing new."""
    parts = rendered_parts(request.result.metadata.rendered_user_message)
    typed = "" if request.confirmation else request.typed
    if not parts and typed.strip():
        is_framed = request.agent.id.startswith(_COPILOT)  # as it does where it kept no rendered message
        parts = (Text(f"<{_FRAMES[0]}>\n{typed}\n</{_FRAMES[0]}>\n" if is_framed else typed),)
    return (Message(name, "user", parts, by_host=request.is_system_initiated),) if parts else ()


def rendered_parts(content: Rendered) -> tuple[Text | Image, ...]:
    """Decode a rendered message."""
    stored = [RenderedPart(content)] if isinstance(content, str) else content
    return tuple(
        picture_of(part.image_url.url) if part.image_url.url else Text(part.text)
        for part in stored
        if part.image_url.url or part.text.strip()
    )


def picture_of(place: str, kind: str = "") -> Image:
    """Make a picture of its address, with the data inside or not, or of its data alone."""
    if place.startswith("data:"):
        return image_at(place)
    return Image(kind, url=place) if "://" in place[:20] else Image(kind, data=place)


def typed_texts(texts: Iterable[str]) -> list[str]:
    """Give what a person typed of the texts of one message."""
    return list(map(unframed, texts))


def unframed(text: str) -> str:
    """Give what a person typed of a message: all of it, or what Copilot Chat framed at the end of its own notes."""
    body = text.rstrip()
    for tag in _FRAMES:
        if body.endswith(f"\n</{tag}>"):
            start = body.rfind(f"<{tag}>\n")
            return body[start + len(tag) + 3 : -len(tag) - 4].strip() if start >= 0 else text
    return text


# What tools give back: texts, pictures, and trees of a prompt library, flattened as it would
# (https://github.com/microsoft/vscode-prompt-tsx/blob/main/src/base/jsonTypes.ts).

_EMPTY = "(empty)"  # what the model is told of a result without anything in it
_TO_THE_MODEL = 0  # of those that a part may be meant for
_PICTURE = 3  # the constructor of a picture


class _Tree(Struct, frozen=True):
    node: Any = None


class _Props(Struct, frozen=True):
    src: str = ""


class _Node(Struct, rename="camel", frozen=True):
    """A part of a result or a node of its tree: a text, a picture, or an element."""

    text: str | None = None
    value: str | _Tree | None = None
    line_break_before: bool = False
    children: list[Any] | None = None
    ctor: int | None = None
    props: _Props = _Props()
    mime_type: str = ""
    data: str = ""
    audience: list[Any] = []


def result_parts(content: list[Any]) -> tuple[ResultPart, ...]:
    """Flatten the content of a result; texts run on, since a model gets them as one."""
    parts: list[ResultPart] = []
    words: list[str] = []
    for node, begins_line in _leaves(content):
        is_picture = node.mime_type.startswith("image/")
        if is_picture or node.ctor == _PICTURE:
            parts += text_parts("".join(words))
            parts.append(Image(node.mime_type, data=node.data) if is_picture else picture_of(node.props.src))
            words = []
        else:
            if begins_line and words and words[-1][-1] != "\n":
                words.append("\n")
            if said := node.text or (node.value if isinstance(node.value, str) else ""):
                words.append(said)
    parts += text_parts("".join(words))
    return tuple(parts) or (Text(_EMPTY),)


def _leaves(content: list[Any]) -> Iterator[tuple[_Node, bool]]:
    """Walk through parts and their trees in order; give each leaf, and whether it has to begin a line."""
    waiting = _siblings(content, follows_text=False)
    while waiting:
        node, is_first, follows_text = waiting.pop()
        if node.audience and _TO_THE_MODEL not in node.audience:
            continue
        if isinstance(node.value, _Tree) and node.value.node is not None:
            waiting += _siblings([node.value.node], follows_text)
        elif node.children is not None and node.ctor != _PICTURE:
            waiting += _siblings(node.children, follows_text)
        else:
            yield node, node.line_break_before or (is_first and not follows_text)


def _siblings(nodes: list[Any], follows_text: bool) -> list[tuple[_Node, bool, bool]]:
    """Decode nodes, the last one first, with whether each is the first, and whether a text comes right before it."""
    decoded = [loose(_Node, node) for node in nodes if isinstance(node, dict)]
    texts = [follows_text, *(node.text is not None or isinstance(node.value, str) for node in decoded)]
    return [(node, place == 0, texts[place]) for place, node in enumerate(decoded)][::-1]


# What the screen shows of an answer: all there is of one whose model's side was not kept.


class _Uri(Struct, frozen=True):
    path: str = ""


class _Reference(Struct, frozen=True):
    path: str = ""
    uri: _Uri = _Uri()
    name: str = ""


class _CommandLine(Struct, frozen=True):
    original: str = ""


class _Terminal(Struct, rename="camel", frozen=True):
    command_line: _CommandLine = _CommandLine()
    command: str = ""


class _Output(Struct, rename="camel", frozen=True):
    mime_type: str = ""
    value: str = ""
    is_text: bool = False


class _Details(Struct, rename="camel", frozen=True):
    input: str = ""
    output: str | list[_Output] = []
    is_error: bool = False


class _Words(Struct, frozen=True):
    value: str = ""


_Markdown = str | _Words


class _Shown(Struct, rename="camel", frozen=True):
    """Words, a call of a tool, or something that goes to no model."""

    kind: str | None = None
    value: _Markdown = ""
    content: _Markdown = ""
    inline_reference: _Reference = _Reference()
    name: str = ""
    presentation: str = ""
    tool_id: str = ""
    tool_call_id: str = ""
    tool_specific_data: _Terminal = _Terminal()
    result_details: _Details = _Details()
    is_complete: bool = False
    past_tense_message: _Markdown = ""
    invocation_message: _Markdown = ""

    @property
    def words(self) -> str:
        """Give the Markdown of the part; other parts are changes, notes and buttons."""
        match self.kind:
            case None:
                return _text(self.value)
            case "markdownContent" | "markdownVuln":
                return _text(self.content)
            case "inlineReference":
                place = self.inline_reference
                name = self.name or place.name or (place.path or place.uri.path).rpartition("/")[2]
                return f"`{name}`" if name else ""
        return ""

    @property
    def call(self) -> ToolCall:
        """Give the call that the part shows."""
        terminal = self.tool_specific_data
        line = terminal.command_line.original or terminal.command
        given = {"command": line} if line else arguments_of(self.result_details.input)
        return ToolCall(shown_id(self.tool_call_id), self.tool_id or "tool", given)

    @property
    def result(self) -> ToolResult | None:
        """Give what the tool gave back, or what the screen says that it did; None while it runs."""
        output = self.result_details.output
        content: list[ResultPart] = [Text(output)] if isinstance(output, str) else []
        for one in () if isinstance(output, str) else output:
            is_image = one.mime_type.startswith("image/") and not one.is_text
            content.append(Image(one.mime_type, data=one.value) if is_image else Text(one.value))
        said = _text(self.past_tense_message) or _text(self.invocation_message)
        if not content and self.is_complete and said:
            content = [Text(said)]
        is_error = self.result_details.is_error
        return ToolResult(shown_id(self.tool_call_id), tuple(content), is_error) if content else None


def _text(markdown: _Markdown) -> str:
    return markdown if isinstance(markdown, str) else markdown.value


def _shown_rounds(response: object, turn: str) -> tuple[_Round, ...]:
    """Guess the rounds of an answer: words behind a call begin a new one."""
    steps: list[tuple[list[str], list[_Shown]]] = [([], [])]
    for stored in response if isinstance(response, list) else [response]:
        part = _Shown(value=stored) if isinstance(stored, str) else loose(_Shown, stored)
        words, calls = steps[-1]
        if part.kind == "toolInvocationSerialized":
            calls += [part] if part.presentation != "hidden" else []
        elif part.words and calls:
            steps.append(([part.words], []))
        elif part.words:
            words.append(part.words)
    rounds: list[_Round] = []
    for place, (words, calls) in enumerate(steps):
        name = f"{turn}:screen{place}"
        parts: tuple[Part, ...] = (*text_parts("".join(words)), *(part.call for part in calls))
        results = enumerate(part.result for part in calls)
        messages = [Message(f"{name}:{number}", "user", (result,)) for number, result in results if result]
        if parts:
            rounds.append(_Round(name, (Message(name, "assistant", parts), *messages)))
    return tuple(rounds)


# What VS Code wrote down of the chosen model's window, and what its ring of the context shows.


def _window(session: _Session) -> int:
    """Give the tokens of input that the chosen model takes, or 0; a person may have set it to fewer."""
    chosen = session.input_state.selected_model
    default = 0
    match chosen.metadata.configuration_schema:
        case {"properties": {"contextSize": {"default": size}}}:
            default = tokens(size)
    return tokens(chosen.model_configuration.context_size) or default or tokens(chosen.metadata.max_input_tokens)


def _other_model(session: _Session, turns: Sequence[Turn]) -> str | None:
    """Name the model that is chosen for the next request, if the last one went to another."""
    chosen = session.input_state.selected_model.identifier
    used = next((asked for turn in reversed(turns) if (asked := turn.request.model_id)), "")
    is_same = used.rpartition("/")[2] in ("", chosen.rpartition("/")[2])
    return None if is_same or not chosen else chosen


def _host_meter(session: _Session, turns: Sequence[Turn]) -> HostMeter | None:
    """Give what the ring shows: the newest size that was reported, zero too, within both windows of the model."""
    window = _window(session)
    sized = (turn.request for turn in reversed(turns) if tokens(size := turn.request.prompt_tokens) or size == 0)
    last = next(sized, None)
    if not window or last is None:
        return None
    reserve = tokens(session.input_state.selected_model.metadata.max_output_tokens)
    completion = tokens(last.completion_tokens)
    used = tokens(last.prompt_tokens) + completion
    return HostMeter(used, reserved=max(0, reserve - completion), total=window + reserve)


# A log of changes is replayed into the state of the session; what is decoded of it is decoded when it is needed.

Values = Callable[[bytes], tuple[list[Any], bool]]  # those on a line of any kind, and whether nothing of it was lost


class _Change(Struct):
    """Kind 0 sets the whole state, 1 what is at the path `k`, 2 cuts the list there to `i` and appends, 3 deletes."""

    kind: Any = None
    k: Any = None
    v: Any = None
    i: Any = None


class _RawChange(_Change):
    v: Raw = Raw(b"null")


_DECODER = msgspec.json.Decoder(_RawChange)


def replay(lines: Iterable[tuple[int, bytes]], values: Values) -> tuple[JsonObject | None, int | None]:
    """Replay a log; if a line cannot be applied, give its number with what was replayed before it."""
    log: JsonObject = {}
    for number, line in lines:
        try:
            if not line.isascii():
                line.decode()
            changes: list[_Change] = [_DECODER.decode(line)]
            whole = True
        except (ValueError, RecursionError):
            found, whole = values(line)
            changes = [_Change(**{key: fields(one).get(key) for key in _Change.__struct_fields__}) for one in found]
        if not whole or not all(_applied(log, change) for change in changes):
            return log.get("state"), number
    return log.get("state"), None


def _applied(log: JsonObject, change: _Change) -> bool:
    match change.kind, change.k:
        case 0, _:
            state = opened(change.v)
            log.update({"state": state} if isinstance(state, dict) else {})
            return isinstance(state, dict)
        case ((1 | 2 | 3), [*path, key]):
            place = log.get("state")
            for step in path:
                place = _member(place, step)
            if change.kind == 2:
                return _pushed(place, key, opened(change.v), change.i)
            return _put(place, key, change.v)  # nothing reads a null otherwise than an absence
    return False


def _member(place: object, key: object) -> object:
    """Give what an object or a list holds, decoded by one level."""
    if isinstance(place, dict) and isinstance(key, str) and key in place:
        place[key] = opened(place[key])
        return place[key]
    index = whole_number(key)
    if not isinstance(place, list) or index is None or not 0 <= index < len(place):
        return None
    place[index] = opened(place[index])
    return cast("object", place[index])


def _put(place: object, key: object, value: object) -> bool:
    if isinstance(place, dict) and isinstance(key, str):
        place[key] = value
        return True
    index = whole_number(key)
    if not isinstance(place, list) or index is None or not 0 <= index <= len(place):
        return False
    place[index : index + 1] = [value]
    return True


def _pushed(place: object, key: object, values: object, start: object) -> bool:
    items = _member(place, key)
    given = [] if values is None else values
    cut = whole_number(start)
    if not isinstance(items, list | None) or not isinstance(given, list):
        return False
    if start is not None and (cut is None or cut < 0):
        return False
    kept = items or []
    if cut is not None:
        del kept[cut:]
    kept += given
    return _put(place, key, kept)


def decoded(held: object) -> object:
    """Decode a part of a state with all that it holds, in place."""
    if isinstance(held, Raw):
        return value_of(held)
    waiting = [held]
    while waiting:
        place: Any = waiting.pop()
        members = place.items() if isinstance(place, dict) else enumerate(place) if isinstance(place, list) else ()
        for key, member in list(members):
            if isinstance(member, Raw):
                place[key] = value_of(member)
            else:
                waiting.append(member)
    return held


def _taken(items: list[object]) -> Iterator[object]:
    """Decode the items of a list one after the other; none is kept."""
    for place, item in enumerate(items):
        items[place] = None
        yield decoded(item)
