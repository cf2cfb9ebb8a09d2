r"""Tasks of Cline up to 3.x, and of Roo Code and Kilo Code, made from it: the same files, shortened in other ways.

    api_conversation_history.json   [{"role":"user","content":[{"type":"text","text":"<task>\nFix it\n</task>"}]},
                                     {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read_file",
                                      "input":{"path":"a.py"}}],"modelInfo":{"modelId":"gpt-5.4"},"ts":1777885203000},
                                     {"role":"user","content":[{"type":"text","text":"[read_file] Result:\nx = 1"}]}]
    ui_messages.json                [{"ts":1,"type":"say","say":"api_req_started","text":"{\"tokensIn\":900}",
                                      "conversationHistoryIndex":0,"conversationHistoryDeletedRange":[2,17]}]

Cline hides a stretch of the history and rewrites blocks; Roo Code marks what a summary or a cut has replaced. A history
that is missing is put together from the screen. See docs/formats.md#cline-tasks, docs/formats.md#roo-code,
https://github.com/cline/cline/blob/v3.38.3/src/core/storage/disk.ts and
https://github.com/RooCodeInc/Roo-Code/blob/main/src/core/condense/index.ts.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby, islice
from typing import Any

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    Usage,
    Warning,
    result_text,
)
from compact_chat.read.blocks import arguments_of, image_at, parts_of, result_of
from compact_chat.read.document import parse
from compact_chat.read.loose import (
    left_out,
    loose,
    objects,
    prompt_size,
    stable_ids,
    title_of,
    tokens,
    typed_title,
    whole_number,
)
from compact_chat.read.source import Source
from compact_chat.tools import CLINE_FILES, CLINE_MORE_FILES

API_HISTORY, *UI_MESSAGES = CLINE_FILES
CONTEXT_EDITS, TASK_METADATA = CLINE_MORE_FILES

# The records of the history and of the screen, as far as they are read.


class _ModelInfo(Struct, rename="camel", frozen=True):
    model_id: str = ""
    provider_id: str = ""

    @property
    def counts_all(self) -> bool:
        """Tell whether the provider counts cached tokens within the others."""
        return self.provider_id.startswith("openai")


class _Tokens(Struct, frozen=True):
    prompt: int = 0
    completion: int = 0
    cached: int = 0


class _Metrics(Struct, frozen=True):
    tokens: _Tokens | None = None


class _Step(Struct, frozen=True):
    text: str = ""


class _Item(Struct, rename="camel", frozen=True):
    """A message of the history, or reasoning that stands by itself."""

    role: str = ""
    type: str = ""
    text: str = ""  # of reasoning, as is the next
    summary: list[_Step] = []
    content: Any = None
    ts: int | None = None
    model_info: _ModelInfo = _ModelInfo()
    metrics: _Metrics = _Metrics()
    reasoning_content: str = field(default="", name="reasoning_content")
    is_summary: bool | None = None  # what follows is Roo Code's
    condense_id: str | None = None
    condense_parent: str | None = None
    truncation_id: str | None = None
    truncation_parent: str | None = None  # the marker that hides it
    is_truncation_marker: bool | None = None

    @property
    def usage(self) -> Usage | None:
        """Give the size of the call that gave this answer, as newer versions store it."""
        sizes, model = self.metrics.tokens or _Tokens(), self.model_info
        prompt = prompt_size(tokens(sizes.prompt), tokens(sizes.cached), model.counts_all)
        return Usage(prompt, tokens(sizes.completion), model.model_id) if prompt else None


class _Block(Struct, rename="camel", frozen=True):
    """A block of a content as the AI SDK writes it, or a thought."""

    type: str = ""
    text: str = ""
    summary: list[_Step] = []
    tool_call_id: str = ""
    tool_name: str = ""
    input: Any = None
    output: Any = None
    image: str = ""
    media_type: str | None = None
    filename: str = ""


class _Output(Struct, frozen=True):
    type: str = ""
    value: Any = UNSET


class _Condensed(Struct, frozen=True):
    summary: str = ""


class _Told(Struct, rename="camel", frozen=True):
    """The JSON in the text of a message on the screen."""

    request: str = ""  # of `api_req_started`: all that was sent
    tokens_in: int = 0
    tokens_out: int = 0
    cache_writes: int = 0
    cache_reads: int = 0
    api_protocol: str | None = None
    question: str = ""
    response: str = ""
    tool: str = ""
    tool_name: str = ""
    arguments: Any = None


class _Shown(Struct, rename="camel", frozen=True):
    """A message on the screen: something said or asked, of the kind that `say` or `ask` names."""

    type: str = ""
    say: str | None = None
    ask: str | None = None
    ts: int | None = None
    text: str = ""
    partial: bool = False
    model_info: _ModelInfo = _ModelInfo()
    conversation_history_index: int | None = None  # of the newest stored message
    conversation_history_deleted_range: list[Any] | None = None
    context_condense: _Condensed = _Condensed()

    @property
    def kind(self) -> str | None:
        """Name what the message is."""
        return self.say if self.type == "say" else self.ask if self.type == "ask" else None

    @property
    def name(self) -> str:
        """Name the message by its time."""
        return "" if self.ts is None else str(self.ts)

    @property
    def hidden_end(self) -> int | None:
        """Give the place of the last message that is hidden from now on."""
        bounds = self.conversation_history_deleted_range
        return whole_number(bounds[1]) if bounds and len(bounds) == 2 else None

    @property
    def json(self) -> JsonObject:
        """Parse the JSON in the text."""
        try:
            value = parse(self.text) if self.text.lstrip()[:1] == "{" else None
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def usage(self) -> Usage | None:
        """Give the size of a call; None before its answer is complete."""
        told = loose(_Told, self.json if self.kind == _STARTED else None)
        cached = tokens(told.cache_writes) + tokens(told.cache_reads)
        is_whole = told.api_protocol == "openai" or self.model_info.counts_all
        prompt = prompt_size(tokens(told.tokens_in), cached, is_whole)
        return Usage(prompt, tokens(told.tokens_out), self.model_info.model_id) if prompt else None


_STARTED = "api_req_started"  # a call of the model


class _ModelUse(Struct, frozen=True):
    model_id: str = ""


class _Metadata(Struct, frozen=True):
    model_usage: list[_ModelUse] = []


class _Task(Struct, frozen=True):
    """The files of a task; `items` are those of the history by their places in it, None if there is none."""

    items: dict[int, _Item]
    ui: tuple[_Shown, ...]
    edits: object
    metadata: _Metadata
    has_history: bool
    warnings: tuple[Warning, ...]


def _task(source: Source) -> _Task:
    """Take the files of a task apart; the chat's own may be the history or the screen's."""
    history = _history(source)
    stored = {place: entry for place, entry in enumerate(history or ()) if _is_item(entry)}
    faults = [f"$[{place}] is no message" for place in range(len(history or ())) if place not in stored]
    warnings = list(left_out(faults))
    if source.document is None:
        told = "The file itself cannot be read; the chat is made of what lies beside it."
        warnings.append(Warning("brokenFile", told))
    warnings += source.broken_siblings
    return _Task(
        items={place: loose(_Item, entry) for place, entry in stored.items()},
        ui=_ui(source),
        edits=_beside(source, CONTEXT_EDITS),
        metadata=loose(_Metadata, _beside(source, TASK_METADATA)),
        has_history=history is not None,
        warnings=tuple(warnings),
    )


def _beside(source: Source, name: str) -> object:
    return source.siblings[name].document if name in source.siblings else None


def _history(source: Source) -> list[object] | None:
    """Give the entries of the history, in Roo Code's envelope or not."""
    document = _beside(source, API_HISTORY) if _is_ui(source.document) else source.document
    if isinstance(document, dict) and document.get("version") == 2:
        document = document.get("messages")
    return document if isinstance(document, list) and any(map(_is_item, document)) else None


def _ui(source: Source) -> tuple[_Shown, ...]:
    documents = [source.document, *(_beside(source, name) for name in UI_MESSAGES)]
    shown = next((document for document in documents if _is_ui(document)), None)
    return tuple(loose(_Shown, one) for one in objects(shown))


def _is_ui(document: object) -> bool:
    first = [loose(_Shown, one) for one in document[:_LOOKED_AT]] if isinstance(document, list) else []
    return any(one.kind is not None and one.ts is not None for one in first)


def _is_item(entry: object) -> bool:
    return isinstance(entry, dict) and (isinstance(entry.get("role"), str) or entry.get("type") == "reasoning")


# Which tool wrote a task.

_SIGNS = frozenset(  # what messages of other arrays do not have, which need not be decoded
    {
        *("condenseId", "condenseParent", "truncationId", "truncationParent", "isTruncationMarker", "isSummary"),
        *("modelInfo", "metrics", "ts"),
    }
)
_ROO_EVENTS = frozenset({"condense_context", "condense_context_error", "sliding_window_truncation"})
_LOOKED_AT = 20  # messages of either side in which the tool's own words are looked for
_DETAILS, _DETAILS_END = "<environment_details>", "</environment_details>"


def sniff(source: Source) -> bool:
    """Tell whether the source is a task's history, or what the screen shows of one, as Cline keeps them."""
    return _tool(source) == "cline"


def sniff_roo(source: Source) -> bool:
    """Tell whether the source is a task's history, or what the screen shows of one, as Roo Code keeps them."""
    return _tool(source) == "roo"


def _tool(source: Source) -> str | None:
    """Tell by keys, events and words that only one of the two writes; None if nothing says that either did."""
    history, ui = (None, ()) if source.strict else (_history(source), _ui(source))
    if history is None and not ui:
        return None
    stored = objects(history)
    items = [loose(_Item, entry) for entry in stored if not _SIGNS.isdisjoint(entry)]
    if isinstance(source.document, dict) or any(map(_is_of_roo, items)) or any(one.kind in _ROO_EVENTS for one in ui):
        return "roo"
    if any(item.model_info.model_id or item.metrics.tokens for item in items):
        return "cline"
    if any(one.conversation_history_index is not None or one.conversation_history_deleted_range for one in ui):
        return "cline"
    if any(loose(_Told, one.json).api_protocol is not None for one in ui[:_LOOKED_AT]):
        return "roo"
    texts = [text for entry in stored[: 2 * _LOOKED_AT] for text in _texts_of_user(loose(_Item, entry))]
    notes = [text for text in texts if text.lstrip().startswith(_DETAILS) or text.rstrip().endswith(_DETAILS_END)]
    if not ui and not notes:
        return None
    is_stamped = any(item.ts is not None for item in items)
    is_of_cline = any("# Visual Studio Code" in text for text in notes)
    return "roo" if any("<slug>" in text for text in notes) or (is_stamped and not is_of_cline) else "cline"


def _is_of_roo(item: _Item) -> bool:
    marks = (item.condense_id, item.condense_parent, item.truncation_id, item.truncation_parent)
    is_summary = item.is_summary is not None and item.ts is not None
    return is_summary or item.is_truncation_marker is not None or any(mark is not None for mark in marks)


def _texts_of_user(item: _Item) -> Iterator[str]:
    for part in parts_of(item.content) if item.role == "user" else ():
        if isinstance(part, Text | ToolResult):
            yield part.text if isinstance(part, Text) else result_text(part)


# Cline: the first two messages and what follows the range that is hidden, with the newest text of each block.

_KEPT = 2  # the task and the first answer


def read(source: Source) -> Chat:
    """Read the history with what the other files tell of it."""
    task = _task(source)
    cut = _hidden_end(task.ui)
    edits = _edits(task.edits)
    live = {
        place: _edited(item, edits.get(place)) for place, item in task.items.items() if place < _KEPT or place > cut
    }
    cutting = (one.conversation_history_index for one in task.ui if cut > 0 and one.hidden_end == cut)
    since = next(cutting, None)  # answers up to here measured a longer prompt
    usages = {place: usage for place, usage in _usages(task).items() if since is None or place > since}
    messages = _live_messages(task, live, usages)
    for place, message in messages.items():
        if _holds_summary(message, opens=place == cut + 1 > 0):
            messages[place] = replace(message, is_summary=True, by_host=message.role == "user")
    return _chat("cline", task, list(messages.values()))


def _hidden_end(ui: Sequence[_Shown]) -> int:
    """Give the place of the last hidden message, or -1."""
    return next(filter(None, (one.hidden_end for one in reversed(ui))), -1)


def _holds_summary(message: Message, opens: bool) -> bool:
    """Tell whether a message is Cline's summary; one of the assistant's counts if it opens what a cut left."""
    written = message.role == "user" and any(map(_SUMMARY.match, message.texts))
    return written or (opens and any(call.name in ("summarize_task", "condense") for call in message.calls))


def _edits(stored: object) -> dict[int, dict[int, str]]:
    """Give the newest text of each block by the places of message and block; the maps are stored as lists of pairs."""
    found: dict[int, dict[int, str]] = {}
    for place, about in _pairs(stored):
        texts = found[place] = {}
        for number, updates in _pairs(about[1] if isinstance(about, list) and len(about) == 2 else None):
            match updates:
                case [*_, [_, "text", [str(text), *_], *_]] if text:
                    texts[number] = text
    return found


def _pairs(stored: object) -> Iterator[tuple[int, object]]:
    for entry in stored if isinstance(stored, list) else []:
        match entry:
            case [key, value] if (place := whole_number(key)) is not None:
                yield place, value


def _edited(item: _Item, texts: Mapping[int, str] | None) -> _Item:
    if not texts or not isinstance(item.content, list):
        return item
    blocks = [
        {**block, "text": texts[number]}
        if number in texts and isinstance(block, dict) and block.get("type") == "text"
        else block
        for number, block in enumerate(item.content)
    ]
    return replace(item, content=blocks)


# Roo Code: what follows the last summary, without what a cut has hidden; nothing is deleted.


def read_roo(source: Source) -> Chat:
    """Read the history with what the screen tells of its calls."""
    task = _task(source)
    start = max((place for place, item in task.items.items() if item.is_summary), default=-1)
    behind = {place: item for place, item in task.items.items() if place >= start}
    cuts = {item.truncation_id for item in behind.values() if item.is_truncation_marker and item.truncation_id}
    live = {place: item for place, item in behind.items() if item.truncation_parent not in cuts}
    first = min(task.items, default=start)
    # Older versions wrote the summary as the assistant's, and kept the user's first message in front of it.
    if first < start and task.items[start].role != "user" and task.items[first].role == "user":
        live = {first: task.items[first], **live}
    times = (one.ts for one in task.ui if one.kind in ("condense_context", "sliding_window_truncation"))
    since = max((time for time in times if time is not None), default=-1)
    return _chat("roo", task, list(_live_messages(task, live, _usages(task, since)).values()))


# The live part of a history becomes messages.

_FAILED = "[ERROR]"  # how Roo Code begins a result that is an error, where a block has no flag for it


def _live_messages(task: _Task, live: Mapping[int, _Item], usages: Mapping[int, Usage]) -> dict[int, Message]:
    """Decode messages by their places in the history; results whose call was cut are dropped."""
    names = stable_ids(["" if item.ts is None else str(item.ts) for item in task.items.values()])
    ids = dict(zip(task.items, names, strict=True))
    found = {place: _message(item, ids[place], usages.get(place)) for place, item in live.items()}
    if len(live) == len(task.items):
        return found
    called = {call.id for message in found.values() for call in message.calls}
    kept: dict[int, Message] = {}
    for place, message in found.items():
        parts = tuple(part for part in message.parts if not isinstance(part, ToolResult) or part.call_id in called)
        if parts or not message.parts:
            kept[place] = replace(message, parts=parts)
    return kept


def _message(item: _Item, name: str, usage: Usage | None) -> Message:
    """Decode a message; reasoning that stands alone has no role, and is the assistant's."""
    parts = tuple(_parts(item.content))
    role: Role = "user"
    match item.role:
        case "assistant" | "":
            role = "assistant"
            if item.type == "reasoning":
                parts = (_thought(item), *parts)
            elif item.reasoning_content and not any(isinstance(part, Thinking) for part in parts):
                parts = (Thinking(item.reasoning_content), *parts)  # some models want it back
        case "system":
            role = "system"
        case "user" | "tool":
            pass
        case _:
            parts = (Unknown(item.role, {"role": item.role, "content": item.content}),)
    is_summary = bool(item.is_summary)
    by_host = role == "user" and (is_summary or _is_by_host(parts))
    return Message(name, role, parts, usage=usage, is_summary=is_summary, by_host=by_host)


def _is_by_host(parts: Sequence[Part]) -> bool:
    """Tell whether no person typed a word of a message of the user's."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    return bool(texts) and not typed_texts(texts)


def _parts(content: object) -> Iterator[Part]:
    """Decode blocks of the Anthropic API, or of the AI SDK."""
    for stored in content if isinstance(content, list) else [content]:
        block = loose(_Block, stored)
        match block.type:
            case "tool-call":
                yield ToolCall(block.tool_call_id, block.tool_name, arguments_of(block.input))
            case "tool-result":
                yield _result(block)
            case "reasoning" | "thoughtSignature":
                yield _thought(block)
            case "image" if block.image:
                is_address = block.image.startswith(("data:", "http:", "https:"))
                yield image_at(block.image) if is_address else Image(block.media_type or "", block.image)
            case "file" if block.media_type is not None and isinstance(stored, dict):
                yield Document(block.filename, stored)
            case _:
                yield from parts_of(stored)


def _thought(held: _Item | _Block) -> Thinking:
    return Thinking(held.text or "\n\n".join(step.text for step in held.summary))


def _result(block: _Block) -> ToolResult:
    output = loose(_Output, block.output)
    value = block.output if output.value is UNSET else output.value
    content = value if isinstance(value, str | list | None) else json.dumps(value, ensure_ascii=False)
    result = result_of(block.tool_call_id, content)
    is_error = output.type.startswith("error") or result_text(result).lstrip().startswith(_FAILED)
    return replace(result, is_error=is_error)


def _usages(task: _Task, since: int = -1) -> dict[int, Usage]:
    """Give the size of each answer by its place; calls that were shown up to the time `since` count no more."""
    answers = [place for place, item in task.items.items() if item.role == "assistant"]
    stamps = [stamp for place in answers if (stamp := task.items[place].ts) is not None]
    times = list(accumulate(stamps, max)) if len(stamps) == len(answers) else []
    found: dict[int, Usage] = {}
    for one in task.ui:
        usage = one.usage if one.ts is None or one.ts > since else None
        if one.conversation_history_index is not None:
            number = bisect_left(answers, one.conversation_history_index + 1)
        elif times and one.ts is not None:
            number = bisect_left(times, one.ts)
        else:
            number = len(answers) - 1  # nothing tells: the last call is the newest answer's
        if usage and 0 <= number < len(answers):
            found[answers[number]] = usage
    return found | {place: usage for place in answers if (usage := task.items[place].usage)}


def _chat(name: str, task: _Task, live: Sequence[Message]) -> Chat:
    """Make the chat; without a history, of what the screen shows."""
    messages = live if task.has_history else _messages_of_screen(task.ui)
    opening = [_message(item, "", None) for item in islice(task.items.values(), 1)]
    told = environment_of([*opening, *messages])
    models = [item.model_info.model_id for item in reversed(task.items.values())]
    models += [one.model_info.model_id for one in reversed(task.ui)]
    models += [use.model_id for use in reversed(task.metadata.model_usage)]
    shown = [one.text for one in task.ui[:1] if one.kind in ("task", "text")]
    return Chat(
        format=name,
        tool=name,
        messages=tuple(messages),
        model=next(filter(None, models), told.model),
        title=next(filter(None, map(title_of, shown)), None) or typed_title([*opening, *messages], typed_texts),
        workspace=told.workspace,
        window=told.window,
        warnings=task.warnings,
    )


# A task of which only the screen is left: what was said, called and answered there.

_MOST_COMPARED = 20  # pieces of one message that may be told again in the request behind them


class _Piece(Struct, frozen=True):
    turn: int  # how many calls of the model were made before
    role: Role
    shown: Text | Thinking | ToolCall | ToolResult
    name: str
    is_request: bool = False  # all that the user's side sent with a call, as one text


def _messages_of_screen(ui: Sequence[_Shown]) -> list[Message]:
    """Put the messages together as they went to the model, as far as the screen shows them."""
    last = max((place for place, one in enumerate(ui) if one.context_condense.summary), default=-1)
    live = [one for one in _not_hidden(ui[last + 1 :]) if not one.partial]
    sizes = [one.usage for one in live if one.kind == _STARTED]
    groups = [list(group) for _, group in groupby(_pieces(live), key=lambda piece: (piece.turn, piece.role))]
    messages: list[Message] = []
    if last >= 0:  # Roo Code puts a summary in place of all before it
        text = Text(ui[last].context_condense.summary)
        messages.append(Message(f"summary-{ui[last].name}", "user", (text,), is_summary=True, by_host=True))
    measured = 0
    for group, name in zip(groups, stable_ids([group[0].name for group in groups]), strict=True):
        turn, role, parts = group[0].turn, group[0].role, tuple(piece.shown for piece in _once(group))
        if role == "user":
            messages.append(Message(name, role, parts, by_host=_is_by_host(parts)))
        else:
            messages.append(Message(name, role, parts, usage=sizes[turn - 1] if turn > measured else None))
            measured = turn
    return messages


def _not_hidden(ui: Sequence[_Shown]) -> Iterator[_Shown]:
    """Leave out what was shown of hidden messages: each is shown while the one before it is the newest stored."""
    cut = _hidden_end(ui)
    is_hidden = False
    for one in ui:
        if one.conversation_history_index is not None:
            is_hidden = 1 <= one.conversation_history_index < cut
        if not is_hidden:
            yield one


def _pieces(live: Sequence[_Shown]) -> Iterator[_Piece]:
    turn = 0
    caller = ""  # the newest call of a tool: what is shown of a result names none
    for number, one in enumerate(live):
        if one.kind == _STARTED:
            request = loose(_Told, one.json).request
            if request.strip():
                yield _Piece(turn, "user", Text(request), one.name, is_request=True)
            turn += 1
        elif one.kind in _OF_THE_USER or (number == 0 and one.kind == "text"):
            if one.text.strip():
                is_result = one.kind in _RESULTS
                yield _Piece(turn, "user", result_of(caller, one.text) if is_result else Text(one.text), one.name)
        elif shown := _of_the_assistant(one, f"ui-{number}"):
            caller = shown.id if isinstance(shown, ToolCall) else caller
            yield _Piece(turn, "assistant", shown, one.name)


_RESULTS = ("command_output", "mcp_server_response", "browser_action_result")
_OF_THE_USER = frozenset({"task", "user_feedback", "user_feedback_diff", *_RESULTS})


def _of_the_assistant(one: _Shown, call_id: str) -> Text | Thinking | ToolCall | None:
    """Tell what a message on the screen stands for; None for what only informs."""
    if not one.text.strip():
        return None
    match one.kind:
        case "text" | "completion_result" | "followup" | "plan_mode_respond" | "plan_mode_response":
            told = loose(_Told, one.json)
            return Text(told.question or told.response or one.text)
        case "reasoning":
            return Thinking(one.text)
        case "tool":
            given = {key: value for key, value in one.json.items() if key != "tool"}
            return ToolCall(call_id, loose(_Told, one.json).tool, given)
        case "command":
            return ToolCall(call_id, "execute_command", {"command": one.text})
        case "use_mcp_server":
            told = loose(_Told, one.json)
            return ToolCall(call_id, told.tool_name, arguments_of(told.arguments))
        case "browser_action" | "browser_action_launch":
            return ToolCall(call_id, "browser_action", one.json or {"url": one.text})
    return None


def _once(group: list[_Piece]) -> list[_Piece]:
    """Leave out what the request behind it tells again."""
    if not group[-1].is_request or len(group) > _MOST_COMPARED:
        return group
    request = _words(group[-1].shown)
    return [piece for piece in group if piece.is_request or _words(piece.shown).strip() not in request]


def _words(shown: Text | Thinking | ToolCall | ToolResult) -> str:
    return result_text(shown) if isinstance(shown, ToolResult) else "" if isinstance(shown, ToolCall) else shown.text


# What both tools write into the user's messages, and what a person typed among it.

_HEADER = re.compile(r"\s*\[[a-z_]{2,60}(?:\]| for ')")
_RESULT = "] Result:"
_NOTES = re.compile(
    r"\s*(?:<(?:environment_details|file_content|explicit_instructions|system-reminder)\b"
    r"|\[(?:ERROR|TASK RESUMPTION|Response interrupted|NOTE|\[NOTE|Sliding window truncation)|# task_progress)"
)
# A person's words stand in one of these tags, at the start or behind a line that introduces them.
_SPOKEN = re.compile(r"(?:\A\s*|:\s?\n)<(task|user_message|feedback|answer)>")
_INTRODUCED = re.compile(r"\s*New (?:instructions|message)\b[^\n]{0,200}:\n<user_message>")
_SUMMARY = re.compile(r"(?:\[summarize_task\] Result:)?\s*This session is being continued from a previous conversation")

_USED = re.compile(r"# Context Window Usage\n[\d,.]{1,15}[KM]? / (\d[\d,]{0,14}(?:\.\d{1,9})?)([KM]?) tokens used")
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,4096})\) Files")
_MODEL = re.compile(r"<model>([^<\n]{1,200})</model>")
_UNITS = {"": 1, "K": 1_000, "M": 1_000_000}


def typed_texts(texts: Sequence[str]) -> list[str]:
    """Keep the words of a person among the texts of one message."""
    found: list[str] = []
    is_result = False  # the text before was the head of a result, so that this one is the result
    for text in texts:
        if is_result or (_HEADER.match(text) and _RESULT in text):
            found += _spoken(text)
            is_result = not is_result and text.rstrip().endswith(_RESULT)
        elif _SPOKEN.match(text) or _INTRODUCED.match(text):
            found += _spoken(text)
        elif not _NOTES.match(text) and not _SUMMARY.match(text):
            found.append(text.strip())
    return [typed for typed in found if typed]


def _spoken(text: str) -> Iterator[str]:
    """Give the words inside the tags of a text; one that is not closed ends with the text."""
    behind = 0
    for tag in _SPOKEN.finditer(text):
        if tag.start() >= behind:
            end = text.find(f"</{tag[1]}>", tag.end())
            behind = len(text) if end < 0 else end
            yield text[tag.end() : behind].strip()


class Environment(Struct, frozen=True):
    """What the newest notes in a chat tell of where it is held."""

    window: int | None = None
    workspace: str | None = None
    model: str | None = None


def environment_of(messages: Sequence[Message]) -> Environment:
    """Read the notes that come with the user's messages, the newest first."""
    held = (part for message in reversed(messages) if message.role == "user" for part in message.parts)
    texts = (result_text(part) if isinstance(part, ToolResult) else getattr(part, "text", "") for part in held)
    notes = [text[start:] for text in texts if (start := text.rfind(_DETAILS)) >= 0]
    used, folder, model = (next(filter(None, map(one.search, notes)), None) for one in (_USED, _FOLDER, _MODEL))
    window = round(float(used[1].replace(",", "")) * _UNITS[used[2]]) if used else 0
    return Environment(window or None, folder[1] if folder else None, model[1] if model else None)
