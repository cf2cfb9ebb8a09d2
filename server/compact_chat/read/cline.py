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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, islice, pairwise
from typing import Any

from msgspec import UNSET, Struct, field
from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    JsonObject,
    Message,
    OwnCompaction,
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
from compact_chat.read.apis import arguments_of, image_at, parts_of, result_of
from compact_chat.read.formats import Replacement
from compact_chat.read.loose import (
    fields,
    is_by_host,
    left_out,
    loose,
    objects,
    parsed,
    title_of,
    tokens,
    typed_title,
    usage_of,
    whole_number,
    with_own_ids,
)
from compact_chat.read.resolve import said, status_note, within
from compact_chat.read.source import Source
from compact_chat.text import outside
from compact_chat.tools import CLINE_FILES, CLINE_MORE_FILES, tool_named

API_HISTORY, *UI_MESSAGES = CLINE_FILES
CONTEXT_EDITS, TASK_METADATA = CLINE_MORE_FILES

# Records of the history and of the screen.


class _ModelInfo(Struct, rename="camel", frozen=True):
    model_id: str = ""
    provider_id: str = ""

    @property
    def counts_all(self) -> bool:
        """Return whether the provider counts cached tokens within the others."""
        return self.provider_id.startswith("openai")


class _Tokens(Struct, frozen=True):
    prompt: int = 0
    completion: int = 0
    cached: int = 0


class _Step(Struct, frozen=True):
    text: str = ""


class _Record(Struct, rename="camel", frozen=True):
    """What messages of the history and of the screen have in common."""

    type: str = ""
    text: str = ""
    ts: int | None = None

    @property
    def name(self) -> str:
        """The message's id, made from its time."""
        return "" if self.ts is None else str(self.ts)


class _Stored(_Record, rename="camel", frozen=True):
    """What messages of the history and blocks have in common: both may be reasoning, whole or in steps."""

    summary: list[_Step] = []

    @property
    def thought(self) -> Thinking:
        """Decode reasoning."""
        return Thinking(self.text or "\n\n".join(step.text for step in self.summary))


class _Block(_Stored, rename="camel", frozen=True):
    """A content block as the AI SDK writes it, or reasoning."""

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


class _Item(_Stored, rename="camel", frozen=True):
    """A message of the history, or reasoning by itself."""

    role: str = ""
    content: Any = None
    model_info: _ModelInfo = _ModelInfo()
    sizes: _Tokens | None = field(default=None, name="metrics.tokens")  # in newer versions
    reasoning_content: str = field(default="", name="reasoning_content")
    is_summary: bool | None = None  # what follows is Roo Code's
    truncation_id: str | None = None
    truncation_parent: str | None = None  # the marker that hides it
    is_truncation_marker: bool | None = None


class _Condensed(Struct, rename="camel", frozen=True):
    summary: str = ""
    prev_context_tokens: int = 0
    new_context_tokens: int = 0


class _Payload(Struct, rename="camel", frozen=True):
    """The JSON in the text of a screen message."""

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


class _Shown(_Record, rename="camel", frozen=True):
    """A screen message: something said or asked, of the kind that `say` or `ask` names."""

    say: str | None = None
    ask: str | None = None
    partial: bool = False
    model_info: _ModelInfo = _ModelInfo()
    conversation_history_index: int | None = None  # of the newest stored message
    conversation_history_deleted_range: list[Any] | None = None
    context_condense: _Condensed = _Condensed()
    context_truncation: _Condensed = _Condensed()

    @property
    def kind(self) -> str | None:
        """The message's kind."""
        return self.say if self.type == "say" else self.ask if self.type == "ask" else None

    @property
    def hidden_end(self) -> int | None:
        """The index of the last message hidden from now on."""
        bounds = self.conversation_history_deleted_range
        return whole_number(bounds[1]) if bounds and len(bounds) == 2 else None

    @property
    def json(self) -> JsonObject:
        """Parse the JSON in the text."""
        return fields(parsed(self.text)) if self.text.lstrip().startswith("{") else {}

    @property
    def payload(self) -> _Payload:
        """Decode the JSON in the text."""
        return loose(_Payload, self.json)

    @property
    def usage(self) -> Usage | None:
        """Return the size of a call; None before its answer is complete."""
        if self.kind != _STARTED:
            return None
        sizes, model = self.payload, self.model_info
        cached, is_whole = (sizes.cache_writes, sizes.cache_reads), sizes.api_protocol == "openai" or model.counts_all
        return usage_of(model.model_id, sizes.tokens_in, sizes.tokens_out, *cached, is_whole=is_whole)


_STARTED = "api_req_started"  # a model call


class _ModelUse(Struct, frozen=True):
    model_id: str = ""


class _Metadata(Struct, frozen=True):
    model_usage: list[_ModelUse] = []


# Detect which tool wrote a task: its files are the history and the screen, either of which may be missing.

# Keys that other arrays of messages lack; checked without decoding.
_OF_ROO = ("condenseId", "condenseParent", "truncationId", "truncationParent", "isTruncationMarker")
_SIGNS = frozenset({*_OF_ROO, "isSummary", "modelInfo", "metrics", "ts"})
_ROO_EVENTS = frozenset({"condense_context", "condense_context_error", "sliding_window_truncation"})
_SAMPLED = 20  # messages at either end that are searched for the tool's own words
_DETAILS, _DETAILS_END = "<environment_details>", "</environment_details>"


def _sniff(tool: str, source: Source) -> bool:
    """Return whether the source is a task's history, or what the screen shows of one, as the tool writes them."""
    return _tool(source) == tool


sniff, sniff_roo = partial(_sniff, "cline"), partial(_sniff, "roo")


def _tool(source: Source) -> str | None:
    """Detect the tool by keys, events and words that only one of the two writes; None without any."""
    history, ui = _history(source), _ui(source)
    if history is None and not ui:
        return None
    stored = objects(history)
    items = [loose(_Item, entry) for entry in stored if not _SIGNS.isdisjoint(entry)]
    is_marked = any(entry.get(key) is not None for entry in stored for key in _OF_ROO)
    is_summed_up = any(item.ts is not None and item.is_summary is not None for item in items)
    is_of_roo = isinstance(source.document, dict) or is_marked or is_summed_up
    if is_of_roo or any(one.kind in _ROO_EVENTS for one in ui):
        return "roo"
    if any(item.model_info.model_id or item.sizes for item in items):
        return "cline"
    if any(one.conversation_history_index is not None or one.conversation_history_deleted_range for one in ui):
        return "cline"
    if any(one.payload.api_protocol is not None for one in ui[:_SAMPLED]):
        return "roo"
    early = (loose(_Item, entry) for entry in stored[: 2 * _SAMPLED])
    parts = (part for item in early if item.role == "user" for part in parts_of(item.content))
    texts = [_words(part) for part in parts if isinstance(part, Text | ToolResult)]
    notes = [text for text in texts if text.lstrip().startswith(_DETAILS) or text.rstrip().endswith(_DETAILS_END)]
    if not ui and not notes:
        return None
    is_stamped = any(item.ts is not None for item in items)
    is_of_cline = any("# Visual Studio Code" in text for text in notes)
    return "roo" if any("<slug>" in text for text in notes) or (is_stamped and not is_of_cline) else "cline"


def _sibling(source: Source, name: str) -> object:
    return source.siblings[name].document if name in source.siblings else None


def _history(source: Source) -> list[object] | None:
    """Return the entries of the history, in Roo Code's envelope or not; the chat's own file may be the screen's."""
    document = _sibling(source, API_HISTORY) if _is_ui(source.document) else source.document
    if isinstance(document, dict) and document.get("version") == 2:
        document = document.get("messages")
    return document if isinstance(document, list) and any(map(_is_item, document)) else None


def _is_item(entry: object) -> bool:
    return isinstance(entry, dict) and (isinstance(entry.get("role"), str) or entry.get("type") == "reasoning")


def _ui(source: Source) -> list[_Shown]:
    documents = [source.document, *(_sibling(source, name) for name in UI_MESSAGES)]
    return [loose(_Shown, one) for one in objects(next(filter(_is_ui, documents), None))]


def _is_ui(document: object) -> bool:
    first = [loose(_Shown, one) for one in document[:_SAMPLED]] if isinstance(document, list) else []
    return any(one.kind is not None and one.ts is not None for one in first)


# Cline: the first two messages and what follows the range that is hidden, with the newest text of each block.

_KEPT = 2  # the task and the first answer
_Items = dict[int, _Item]  # by index in the history, in order


def _task(source: Source) -> tuple[_Items, list[_Shown]]:
    """Read the messages of the history, and those of the screen."""
    history = enumerate(_history(source) or ())
    return {place: loose(_Item, entry) for place, entry in history if _is_item(entry)}, _ui(source)


def read(source: Source) -> Chat:
    """Read the history with the files next to it."""
    items, ui = _task(source)
    cut = _hidden_end(ui)
    edits = _map(_sibling(source, CONTEXT_EDITS))
    kept = {place: item for place, item in items.items() if place < _KEPT or place > cut}
    live = {place: _edited(item, edits.get(place)) for place, item in kept.items()}
    cutting = (one.conversation_history_index for one in ui if cut > 0 and one.hidden_end == cut)
    since = next(cutting, None)  # answers up to here measured a longer prompt
    usages = {place: usage for place, usage in _usages(items, ui).items() if since is None or place > since}
    messages = _with_summaries(_live_messages(items, live, usages), (cut,))
    return _chat("cline", source, items, ui, list(messages.values()))


def earlier(source: Source, name: str) -> Iterator[Replacement]:
    """Read what each cut hid, as it was before Cline rewrote it, or what each summary replaced."""
    items, ui = _task(source)
    return (_cuts if name == "cline" else _condensed)(items, ui)


def _cuts(items: _Items, ui: Sequence[_Shown]) -> Iterator[Replacement]:
    last = _hidden_end(ui)
    ends = sorted({end for one in ui if (end := one.hidden_end) and end <= last})  # a cut may be taken back
    messages = _with_summaries(_live_messages(items, items, {}), frozenset(ends))
    places, decoded = list(messages), list(messages.values())
    for start, end in reversed([*pairwise([_KEPT - 1, *ends])]):
        cut, opening = (bisect_left(places, place + 1) for place in (end, end + 2))
        summary = [message for message in decoded[cut:opening] if message.is_summary]
        yield decoded[bisect_left(places, start + 1) : cut], summary


def _with_summaries(messages: dict[int, Message], cuts: Collection[int]) -> dict[int, Message]:
    """Mark Cline's summaries; a call that writes one opens what a cut left."""
    marked = {}
    for place, message in messages.items():
        wrote = (
            place > 0
            and place - 1 in cuts
            and any(call.name in ("summarize_task", "condense") for call in message.calls)
        )
        is_summary = wrote or (message.role == "user" and any(map(_SUMMARY.match, message.texts)))
        marked[place] = replace(message, is_summary=True, by_host=message.role == "user") if is_summary else message
    return marked


def _hidden_end(ui: Sequence[_Shown]) -> int:
    """Return the index of the last hidden message, or -1."""
    return next(filter(None, (one.hidden_end for one in reversed(ui))), -1)


def _map(stored: object) -> dict[int, object]:
    """Decode a map that is stored as a list of pairs."""
    pairs = [one for one in stored if isinstance(one, list) and len(one) == 2] if isinstance(stored, list) else []
    return {key: value for key, value in pairs if whole_number(key) is not None}


def _edited(item: _Item, edits: object) -> _Item:
    """Put the newest text of each block in its place; `edits` are a kind and a map of blocks to all their changes."""
    if not isinstance(edits, list) or len(edits) != 2 or not isinstance(item.content, list):
        return item
    blocks = item.content[:]
    for number, changes in _map(edits[1]).items():
        match changes, blocks[number : number + 1]:
            case [*_, [_, "text", [str(text), *_], *_]], [{"type": "text"} as block] if text and number >= 0:
                blocks[number] = {**block, "text": text}
    return replace(item, content=blocks)


# Roo Code: what follows the last summary, without what a cut has hidden; nothing is deleted.


def read_roo(source: Source) -> Chat:
    """Read the history with the sizes of its calls, which the screen shows."""
    items, ui = _task(source)
    start = max((place for place, item in items.items() if item.is_summary), default=-1)
    behind = {place: item for place, item in items.items() if place >= start}
    cuts = _truncations(behind.values())
    live = {place: item for place, item in behind.items() if item.truncation_parent not in cuts}
    if _keeps_task(items, start):
        live = {(first := min(items)): items[first], **live}
    times = (one.ts for one in ui if one.kind in ("condense_context", "sliding_window_truncation"))
    since = max((time for time in times if time is not None), default=-1)
    return _chat("roo", source, items, ui, list(_live_messages(items, live, _usages(items, ui, since)).values()))


def _truncations(items: Iterable[_Item]) -> set[str]:
    return {item.truncation_id for item in items if item.is_truncation_marker and item.truncation_id}


def _keeps_task(items: _Items, start: int) -> bool:
    """Return whether the first message is kept: older versions wrote a summary as the assistant's behind it."""
    first = next(iter(items), start)
    return first < start and items[start].role != "user" and items[first].role == "user"


def _condensed(items: _Items, _: Sequence[_Shown]) -> Iterator[Replacement]:
    decoded = list(_live_messages(items, items, {}).values())
    summaries = [(number, place) for number, (place, item) in enumerate(items.items()) if item.is_summary]
    newest = summaries[-1][0] if summaries else 0
    cuts = _truncations(islice(items.values(), newest, None))
    behind = list(zip(decoded[newest:], islice(items.values(), newest, None), strict=True))
    if any(item.truncation_parent in cuts for _, item in behind):
        yield decoded[newest:], [message for message, item in behind if item.truncation_parent not in cuts]
    for before, (number, place) in zip([0, *(number for number, _ in summaries)][-2::-1], summaries[::-1], strict=True):
        task = decoded[: _keeps_task(items, place)]
        yield [*task[: before > 0], *decoded[before:number]], [*task, decoded[number]]


# The live part of a history becomes messages.

_FAILED = "[ERROR]"  # how Roo Code begins an error result, for blocks without an error flag


def _chat(name: str, source: Source, items: _Items, ui: Sequence[_Shown], live: Sequence[Message]) -> Chat:
    """Make the chat; without a history, from the screen."""
    messages = live if items else _messages_of_screen(ui)
    opening = [_message(item, "", None) for item in islice(items.values(), 1)]
    users = (message for message in reversed([*opening, *messages]) if message.role == "user")
    texts = (_words(part) for message in users for part in message.parts)
    notes = [text[start:] for text in texts if (start := text.rfind(_DETAILS)) >= 0]  # newest first
    used, folder, model = (next(filter(None, map(one.search, notes)), None) for one in (_USED, _FOLDER, _MODEL))
    metadata = loose(_Metadata, _sibling(source, TASK_METADATA))
    models = [item.model_info.model_id for item in reversed(items.values())]
    models += [one.model_info.model_id for one in reversed(ui)]
    models += [use.model_id for use in reversed(metadata.model_usage)]
    shown = [one.text for one in ui[:1] if one.kind in ("task", "text")]
    places = range(len(_history(source) or ()))
    warnings = [*left_out([f"$[{place}] is no message" for place in places if place not in items])]
    if source.document is None:
        sentence = "The file itself cannot be read; the chat is made of what lies beside it."
        warnings.append(Warning("brokenFile", sentence))
    return Chat(
        format=name,
        tool=name,
        messages=with_own_ids(messages),
        model=next(filter(None, models), model[1] if model else None),
        title=next(filter(None, map(title_of, shown)), None) or typed_title([*opening, *messages], typed_texts),
        workspace=folder[1] if folder else None,
        compactions=tuple(_compactions(ui)),
        window=(round(float(used[1].replace(",", "")) * _UNITS[used[2]]) or None) if used else None,
        warnings=(*warnings, *source.broken_siblings),
    )


def _compactions(ui: Sequence[_Shown]) -> Iterator[OwnCompaction]:
    """Find what the screen shows of compactions: messages hidden, or condensed, which a person may have asked for."""
    hidden = call = 0
    model = ""
    is_asked = False
    for one in ui:
        if usage := one.usage:
            call, model = usage.prompt_tokens + usage.output_tokens, usage.model
        is_asked |= one.kind in ("condense", "summarize_task")
        told = one.context_condense if one.kind == "condense_context" else one.context_truncation
        if one.kind in ("condense_context", "sliding_window_truncation"):
            before, after = tokens(told.prev_context_tokens), tokens(told.new_context_tokens)
            yield OwnCompaction(one.kind != "condense_context", before or call, after, call, model)
        elif (end := one.hidden_end or 0) > hidden:
            yield OwnCompaction(not is_asked, call, 0, call, model)
            hidden, is_asked = end, False


def _words(part: Part) -> str:
    return result_text(part) if isinstance(part, ToolResult) else getattr(part, "text", "")


def _live_messages(items: _Items, live: Mapping[int, _Item], usages: Mapping[int, Usage]) -> dict[int, Message]:
    """Decode messages by index in the history; results of removed calls are dropped."""
    found = {place: _message(item, item.name or f"m{place}", usages.get(place)) for place, item in live.items()}
    if len(live) == len(items):
        return found
    called = {call.id for message in found.values() for call in message.calls}
    kept: dict[int, Message] = {}
    for place, message in found.items():
        parts = tuple(part for part in message.parts if not isinstance(part, ToolResult) or part.call_id in called)
        if parts or not message.parts:
            kept[place] = replace(message, parts=parts)
    return kept


def _message(item: _Item, name: str, usage: Usage | None) -> Message:
    """Decode a message; reasoning by itself has no role, and is the assistant's."""
    parts = tuple(_parts(item.content))
    role: Role = "user"
    match item.role:
        case "assistant" | "":
            role = "assistant"
            if item.type == "reasoning":
                parts = (item.thought, *parts)
            elif item.reasoning_content and not any(isinstance(part, Thinking) for part in parts):
                parts = (Thinking(item.reasoning_content), *parts)  # some models expect it back
        case "system":
            role = "system"
        case "user" | "tool":
            pass
        case _:
            parts = (Unknown(item.role, {"role": item.role, "content": item.content}),)
    is_summary = bool(item.is_summary)
    by_host = role == "user" and (is_summary or is_by_host(parts, typed_texts))
    return Message(name, role, parts, usage=usage, is_summary=is_summary, by_host=by_host)


def _parts(content: object) -> Iterator[Part]:
    """Decode blocks of the Anthropic API, or of the AI SDK."""
    for stored in content if isinstance(content, list) else [content]:
        block = loose(_Block, stored)
        match block.type:
            case "tool-call":
                yield ToolCall(block.tool_call_id, block.tool_name, arguments_of(block.input))
            case "tool-result":
                output = loose(_Output, block.output)
                value = block.output if output.value is UNSET else output.value
                output_text = value if isinstance(value, str | list | None) else json.dumps(value, ensure_ascii=False)
                result = result_of(block.tool_call_id, output_text)
                failed = output.type.startswith("error") or result_text(result).lstrip().startswith(_FAILED)
                yield replace(result, is_error=failed)
            case "reasoning" | "thoughtSignature":
                yield block.thought
            case "image" if block.image:
                is_address = block.image.startswith(("data:", "http:", "https:"))
                yield image_at(block.image) if is_address else Image(block.media_type or "", block.image)
            case "file" if block.media_type is not None and isinstance(stored, dict):
                yield Document(block.filename, stored)
            case _:
                yield from parts_of(stored)


def _usages(items: _Items, ui: Sequence[_Shown], since: int = -1) -> dict[int, Usage]:
    """Return the size of each answer by index; calls shown up to the time `since` count no more."""
    answers = [place for place, item in items.items() if item.role == "assistant"]
    stamps = [stamp for place in answers if (stamp := items[place].ts) is not None]
    times = list(accumulate(stamps, max)) if len(stamps) == len(answers) else []
    found: dict[int, Usage] = {}
    for one in ui:
        usage = one.usage if one.ts is None or one.ts > since else None
        if one.conversation_history_index is not None:
            number = bisect_left(answers, one.conversation_history_index + 1)
        elif times and one.ts is not None:
            number = bisect_left(times, one.ts)
        else:
            number = len(answers) - 1  # without a position or a time: the last call belongs to the newest answer
        if usage and 0 <= number < len(answers):
            found[answers[number]] = usage
    for place in answers:  # newer versions store it with the answer
        sizes, model = items[place].sizes or _Tokens(), items[place].model_info
        if own := usage_of(model.model_id, sizes.prompt, sizes.completion, sizes.cached, is_whole=model.counts_all):
            found[place] = own
    return found


# A task without a history: what the screen shows was said, called and answered.

_MOST_COMPARED = 20  # parts of one message that its request may repeat
_RESULTS = ("command_output", "mcp_server_response", "browser_action_result")
_OF_THE_USER = frozenset({"task", "user_feedback", "user_feedback_diff", *_RESULTS})


class _Turn(Struct):
    """Consecutive parts of one role, before the next model call."""

    role: Role
    name: str
    usage: Usage | None
    parts: list[Part] = []


def _messages_of_screen(ui: Sequence[_Shown]) -> list[Message]:
    """Reconstruct the messages as they went to the model, as far as the screen shows them."""
    last = max((place for place, one in enumerate(ui) if one.context_condense.summary), default=-1)
    live: list[_Shown] = []
    cut, is_hidden = _hidden_end(ui[last + 1 :]), False
    for one in ui[last + 1 :]:  # a screen message names the newest stored message at its time
        if one.conversation_history_index is not None:
            is_hidden = 1 <= one.conversation_history_index < cut
        live += [] if is_hidden or one.partial else [one]
    messages: list[Message] = []
    if last >= 0:  # Roo Code puts a summary in place of all before it
        text = Text(ui[last].context_condense.summary)
        messages.append(Message(f"summary-{ui[last].name}", "user", (text,), is_summary=True, by_host=True))
    for place, turn in enumerate(_turns(live)):
        name = turn.name or f"m{place}"
        by_host = turn.role == "user" and is_by_host(turn.parts, typed_texts)
        messages.append(Message(name, turn.role, tuple(turn.parts), usage=turn.usage, by_host=by_host))
    return messages


def _turns(live: Sequence[_Shown]) -> list[_Turn]:
    turns: list[_Turn] = []
    is_open = False  # the last turn goes on
    usage: Usage | None = None  # of the call that is answered next
    caller = ""  # the newest call of a tool: a result on the screen names no call

    def parts_of_turn(role: Role, one: _Shown) -> list[Part]:
        nonlocal is_open, usage
        if not is_open or turns[-1].role != role:
            turns.append(_Turn(role, one.name, usage if role == "assistant" else None))
            usage, is_open = usage if role == "user" else None, True
        return turns[-1].parts

    for number, one in enumerate(live):
        if one.kind == _STARTED:
            if (request := one.payload.request).strip():
                parts = parts_of_turn("user", one)
                if len(parts) < _MOST_COMPARED:
                    parts[:] = [part for part in parts if _words(part).strip() not in request]
                parts.append(Text(request))
            is_open, usage = False, one.usage
        elif one.kind in _OF_THE_USER or (number == 0 and one.kind == "text"):
            if one.text.strip():
                part = result_of(caller, one.text) if one.kind in _RESULTS else Text(one.text)
                parts_of_turn("user", one).append(part)
        elif shown := _of_the_assistant(one, f"ui-{number}"):
            caller = shown.id if isinstance(shown, ToolCall) else caller
            parts_of_turn("assistant", one).append(shown)
    return turns


def _of_the_assistant(one: _Shown, call_id: str) -> Text | Thinking | ToolCall | None:
    """Decode a screen message as part of a reply; None if it is only for the user."""
    if not one.text.strip():
        return None
    match one.kind:
        case "text" | "completion_result" | "followup" | "plan_mode_respond" | "plan_mode_response":
            return Text(one.payload.question or one.payload.response or one.text)
        case "reasoning":
            return Thinking(one.text)
        case "tool":
            given = {key: value for key, value in one.json.items() if key != "tool"}
            return ToolCall(call_id, one.payload.tool, given)
        case "command":
            return ToolCall(call_id, "execute_command", {"command": one.text})
        case "use_mcp_server":
            return ToolCall(call_id, one.payload.tool_name, arguments_of(one.payload.arguments))
        case "browser_action" | "browser_action_launch":
            return ToolCall(call_id, "browser_action", one.json or {"url": one.text})
    return None


# What both tools write into user messages, and what a person typed among it.

_HEADER = re.compile(r"\s*\[([a-z_]{2,60})(?:\]| for ')")
_RESULT = "] Result:"
_WRAPPER = re.compile(r"<(environment_details|file_content|explicit_instructions|system-reminder)\b[^<>]{0,500}>")
_NOTES = re.compile(
    r"\s*(?:<(?:environment_details|file_content|explicit_instructions|system-reminder)\b"
    r"|\[(?:ERROR|TASK RESUMPTION|Response interrupted|NOTE|\[NOTE|Sliding window truncation)|# task_progress"
    r"|The user denied this operation\.\s*\Z|\(The user did not provide a new message)"
)
# A person's words are in one of these tags, at the start or behind a line that introduces them.
_SPOKEN = re.compile(r"(?:\A\s*|:\s?\n)<(task|user_message|feedback|answer)>")
_INTRODUCED = re.compile(
    r"\s*(?:New (?:instructions|message)|The user|\[The user|You seem to be having trouble)\b(?:[^\n]{0,400}\n){1,3}"
    r"<(?:user_message|feedback)>"
)
_ROW = tool_named("cline")  # of worded results, which newer versions of Roo Code do not write
_SUMMARY = re.compile(r"(?:\[summarize_task\] Result:)?\s*This session is being continued from a previous conversation")

_USED = re.compile(r"# Context Window Usage\n[\d,.]{1,15}[KM]? / (\d[\d,]{0,14}(?:\.\d{1,9})?)([KM]?) tokens used")
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,4096})\) Files")
_MODEL = re.compile(r"<model>([^<\n]{1,200})</model>")
_UNITS = {"": 1, "K": 1_000, "M": 1_000_000}


def typed_texts(texts: Sequence[str]) -> list[str]:
    """Return a person's words from the texts of one message."""
    found: list[str] = []
    answered: ToolCall | None = None  # the previous text was the head of its result, so this is the result
    for text in texts:
        head = None if answered else _HEADER.match(text)
        if answered or (head and _RESULT in text):
            call = answered or ToolCall("", head[1] if head else "", {})
            result = text if answered else text.partition(_RESULT)[2].lstrip()
            found += said(result, call, is_error=False, tool=_ROW)
            answered = None if answered or result else call
        elif _SPOKEN.match(text) or _INTRODUCED.match(text):
            found += within(text, _SPOKEN)
        elif (note := status_note(text)) is not None:
            found += note
        elif not _SUMMARY.match(text):
            for piece in outside(text, _WRAPPER):
                found += within(piece, _SPOKEN) if _SPOKEN.match(piece) else [] if _NOTES.match(piece) else [piece]
    return [typed for words in found for piece in outside(words, _WRAPPER) if (typed := piece.strip())]
