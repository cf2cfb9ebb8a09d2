"""Tasks of Roo Code and Kilo Code: API messages that tell themselves what a summary or a cut has replaced."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from typing import Literal

from msgspec import Struct
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
from compact_chat.read.loose import fields, left_out, objects, stable_ids, title_of, tokens, whole_number, word
from compact_chat.read.resolve import with_summary_marked
from compact_chat.read.source import Source
from compact_chat.tools import CLINE_FILES, CLINE_MORE_FILES

API_HISTORY, *UI_MESSAGES = CLINE_FILES
CONTEXT_EDITS, TASK_METADATA = CLINE_MORE_FILES

# What Cline and its kin write into the user's messages, and what a person typed among it.


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
_SUMMARIES = frozenset({"summarize_task", "condense"})  # the tools by which Cline writes a summary

_DETAILS = "<environment_details>"
_USED = re.compile(r"# Context Window Usage\n[\d,.]{1,15}[KM]? / ([\d,.]{1,15})([KM]?) tokens used")
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,4096})\) Files")
_MODEL = re.compile(r"<model>([^<\n]{1,200})</model>")
_UNITS = {"": 1, "K": 1_000, "M": 1_000_000}


class Environment(Struct, frozen=True):
    """What the newest notes in a chat tell of where it is held."""

    window: int | None = None
    workspace: str | None = None
    model: str | None = None


def typed_texts(texts: Sequence[str]) -> list[str]:
    """The words of a person among the texts of one message."""
    return [typed for typed in _typed(texts) if typed]


def holds_summary(message: Message, opens: bool) -> bool:
    """Whether the message is Cline's summary; one by the assistant counts where it `opens` what a cut left."""
    texts = (part.text for part in message.parts if isinstance(part, Text))
    written = message.role == "user" and any(map(_SUMMARY.match, texts))
    return written or (opens and any(call.name in _SUMMARIES for call in message.calls))


def environment_of(messages: Sequence[Message]) -> Environment:
    """What the notes tell, the newest first."""
    notes = [note for message in reversed(messages) if message.role == "user" for note in _notes(message)]
    used = next(filter(None, map(_USED.search, notes)), None)
    folder = next(filter(None, map(_FOLDER.search, notes)), None)
    model = next(filter(None, map(_MODEL.search, notes)), None)
    return Environment(
        window=_tokens(used[1], used[2]) if used else None,
        workspace=folder[1] if folder else None,
        model=model[1] if model else None,
    )


def _typed(texts: Sequence[str]) -> Iterator[str]:
    is_result = False  # the text before was the head of a result, so that this one is the result
    for text in texts:
        if is_result or (_HEADER.match(text) and _RESULT in text):
            yield from _spoken(text)
            is_result = not is_result and text.rstrip().endswith(_RESULT)
        elif _SPOKEN.match(text) or _INTRODUCED.match(text):
            yield from _spoken(text)
        elif not _NOTES.match(text) and not _SUMMARY.match(text):
            yield text.strip()


def _spoken(text: str) -> Iterator[str]:
    """The words inside the tags of a text; one that is not closed ends with the text."""
    behind = 0
    for tag in _SPOKEN.finditer(text):
        if tag.start() >= behind:
            end = text.find(f"</{tag[1]}>", tag.end())
            behind = len(text) if end < 0 else end
            yield text[tag.end() : behind].strip()


def _notes(message: Message) -> Iterator[str]:
    for part in message.parts:
        text = result_text(part) if isinstance(part, ToolResult) else part.text if isinstance(part, Text) else ""
        if (start := text.rfind(_DETAILS)) >= 0:
            yield text[start:]


def _tokens(number: str, unit: str) -> int | None:
    try:
        return round(float(number.replace(",", "")) * _UNITS[unit]) or None
    except ValueError:
        return None


# The files of a task of Cline or one of its kin: what went to the model, and what the screen shows.


_BROKEN = Warning("brokenFile", "The file itself cannot be read; the chat is made of what lies beside it.")
_LOOKED_AT_TASK = 20  # messages on the screen; the first may be damaged


class Task(Struct, frozen=True):
    """What the files of a task hold, each where it is there; `items` by their places in the history."""

    items: dict[int, JsonObject]
    ui: tuple[JsonObject, ...]
    edits: object = None
    metadata: object = None
    has_history: bool = False
    warnings: tuple[Warning, ...] = ()


def task_of(source: Source) -> Task:
    """Take the files of the task apart."""
    history = history_of(source)
    entries = history or []
    return Task(
        items={place: fields(entry) for place, entry in enumerate(entries) if _is_item(entry)},
        ui=ui_of(source),
        edits=_beside(source, CONTEXT_EDITS),
        metadata=_beside(source, TASK_METADATA),
        has_history=history is not None,
        warnings=(*left_out(list(_faults(entries))), *_unreadable(source)),
    )


def said(message: JsonObject) -> str:
    """The kind of a message on the screen."""
    kind = message.get("type")
    return word(message.get(kind)) if kind in ("ask", "say") else ""


def inner(message: JsonObject) -> JsonObject:
    """The object that a message on the screen carries as its text."""
    text = word(message.get("text"))
    try:
        return fields(parse(text)) if text.lstrip()[:1] == "{" else {}
    except (ValueError, RecursionError):
        return {}


def history_of(source: Source) -> list[object] | None:
    """The messages as they went to the model: those of the source itself, or of the file beside it."""
    if _is_ui(source.document):
        return _items(_beside(source, API_HISTORY))
    return _items(source.document)


def ui_of(source: Source) -> tuple[JsonObject, ...]:
    """The messages on the screen: those of the source itself, or of the file beside it."""
    documents = [source.document, *(_beside(source, name) for name in UI_MESSAGES)]
    return tuple(next((objects(document) for document in documents if _is_ui(document)), ()))


def _beside(source: Source, name: str) -> object:
    return source.beside[name].document if name in source.beside else None


def _items(document: object) -> list[object] | None:
    """The entries of a history, in an envelope or not."""
    if isinstance(document, dict) and document.get("version") == 2:
        document = document.get("messages")
    return document if isinstance(document, list) and any(map(_is_item, document)) else None


def _is_item(entry: object) -> bool:
    item = fields(entry)
    return isinstance(item.get("role"), str) or item.get("type") == "reasoning"


def _is_ui(document: object) -> bool:
    return isinstance(document, list) and any(map(_is_shown, islice(document, _LOOKED_AT_TASK)))


def _is_shown(entry: object) -> bool:
    shown = fields(entry)
    kind = shown.get("type")
    return kind in ("ask", "say") and isinstance(shown.get(kind), str) and "ts" in shown


def _faults(entries: Sequence[object]) -> Iterator[str]:
    for place, entry in enumerate(entries):
        if not _is_item(entry):
            yield f"$[{place}] is no message"


def _unreadable(source: Source) -> Iterator[Warning]:
    """Say which files are broken: the chat may look other than it is, or longer."""
    if source.document is None:
        yield _BROKEN
    for name, held in source.beside.items():
        if held.document is None:
            yield Warning("brokenFile", f"{name} beside the chat cannot be read; what it tells of the chat is missing.")


# Which tool wrote a task: Cline, or Roo Code and what is made of it.


Tool = Literal["cline", "roo"]
_ROO_KEYS = frozenset({"condenseId", "condenseParent", "isTruncationMarker", "truncationId", "truncationParent"})
_ROO_EVENTS = frozenset({"condense_context", "condense_context_error", "sliding_window_truncation"})
_CLINE_UI_KEYS = frozenset({"conversationHistoryIndex", "conversationHistoryDeletedRange"})
_LOOKED_AT_EVIDENCE = 20  # messages in which the tool's own words are looked for
_OPENING, _CLOSING = "<environment_details>", "</environment_details>"


def tool_of(source: Source) -> Tool | None:
    """Tell which tool wrote the task; None where nothing says that one did."""
    if source.strict:
        return None
    history, ui = history_of(source), ui_of(source)
    if history is None and not ui:
        return None
    return _by_records(source, objects(history), ui) or _by_words(objects(history), known=bool(ui))


def _by_records(source: Source, items: Sequence[JsonObject], ui: Sequence[JsonObject]) -> Tool | None:
    """Tell the tool by keys and events that only one of the two has."""
    events = {said(message) for message in ui}
    if isinstance(source.document, dict) or any(map(_is_roos, items)) or events & _ROO_EVENTS:
        return "roo"
    if any(map(_is_clines, items)) or not all(map(_CLINE_UI_KEYS.isdisjoint, ui)):
        return "cline"
    return "roo" if any("apiProtocol" in inner(message) for message in islice(ui, _LOOKED_AT_EVIDENCE)) else None


def _is_roos(item: JsonObject) -> bool:
    return not _ROO_KEYS.isdisjoint(item) or ("isSummary" in item and "ts" in item)


def _is_clines(item: JsonObject) -> bool:
    return "modelId" in fields(item.get("modelInfo")) or "tokens" in fields(item.get("metrics"))


def _by_words(items: Sequence[JsonObject], known: bool) -> Tool | None:
    """Tell the tool by what it writes into the user's messages; `known` says that it is one of the two anyway."""
    texts = list(chain.from_iterable(_texts(item) for item in islice(items, 2 * _LOOKED_AT_EVIDENCE)))
    notes = [text for text in texts if text.lstrip().startswith(_OPENING) or text.rstrip().endswith(_CLOSING)]
    if not known and not notes:
        return None
    if any("<slug>" in text for text in notes):
        return "roo"
    stamped = any(whole_number(item.get("ts")) is not None for item in items)
    return "roo" if stamped and not any("# Visual Studio Code" in text for text in notes) else "cline"


def _texts(item: JsonObject) -> Iterator[str]:
    content = item.get("content") if item.get("role") == "user" else None
    if isinstance(content, str):
        yield content
    for block in objects(content):
        yield word(block.get("text")) or word(block.get("content"))


# Which messages of a task of Cline are live: it hides a stretch of them, and rewrites blocks of others.


_KEPT = 2  # the task and the first answer are never hidden
_RANGE = "conversationHistoryDeletedRange"


def live_items_live(task: Task) -> dict[int, JsonObject]:
    """The messages that are sent, with the newest text of each block."""
    cut = hidden_end(task.ui)
    edits = _edits(task.edits)
    return {
        place: _edited(item, edits.get(place, {})) for place, item in task.items.items() if place < _KEPT or place > cut
    }


def hidden_end(ui: Sequence[JsonObject]) -> int:
    """The place of the last hidden message, or -1."""
    return next(filter(None, (_end(message) for message in reversed(ui))), -1)


def measured_from(ui: Sequence[JsonObject]) -> int:
    """The place behind which answers were given to the messages that are live now."""
    cut = hidden_end(ui)
    first = next((message for message in ui if cut > 0 and _end(message) == cut), {})
    place = whole_number(first.get("conversationHistoryIndex"))
    return -1 if place is None else place


def _end(message: JsonObject) -> int | None:
    bounds = message.get(_RANGE)
    return whole_number(bounds[1]) if isinstance(bounds, list) and len(bounds) == 2 else None


def _edits(stored: object) -> dict[int, dict[int, str]]:
    """The newest text of each block, by the places of message and block."""
    found: dict[int, dict[int, str]] = {}
    for place, about in _pairs(stored):
        blocks = about[1] if isinstance(about, list) and len(about) == 2 else None
        found[place] = {number: text for number, updates in _pairs(blocks) for text in _newest(updates)}
    return found


def _pairs(stored: object) -> list[tuple[int, object]]:
    """The entries of a map that was stored as a list of pairs."""
    entries = stored if isinstance(stored, list) else []
    pairs = [entry for entry in entries if isinstance(entry, list) and len(entry) == 2]
    return [(key, value) for key, value in pairs if whole_number(key) is not None]


def _newest(updates: object) -> list[str]:
    """The text of the last update, if it is one of a text."""
    last = updates[-1] if isinstance(updates, list) and updates else None
    if not isinstance(last, list) or len(last) < 3 or last[1] != "text" or not isinstance(last[2], list):
        return []
    return last[2][:1] if word(last[2][0] if last[2] else None) else []


def _edited(item: JsonObject, texts: Mapping[int, str]) -> JsonObject:
    content = item.get("content")
    if not texts or not isinstance(content, list):
        return item
    return {**item, "content": [_with_text(block, texts.get(number)) for number, block in enumerate(content)]}


def _with_text(block: object, text: str | None) -> object:
    held = fields(block)
    return {**held, "text": text} if text is not None and held.get("type") == "text" else block


# Which messages of a task of Roo Code are live: it marks what a summary or a cut replaced, and deletes nothing.


_EVENTS = ("condense_context", "sliding_window_truncation")


def live_items_roo_live(task: Task) -> dict[int, JsonObject]:
    """The messages that are sent: those from the last summary on, without what a cut has hidden."""
    start = next((place for place, item in reversed(task.items.items()) if item.get("isSummary") is True), -1)
    behind = {place: item for place, item in task.items.items() if place >= start}
    marks = (item for item in behind.values() if item.get("isTruncationMarker") is True)
    cuts = {word(mark.get("truncationId")) for mark in marks} - {""}
    shown = {place: item for place, item in behind.items() if word(item.get("truncationParent")) not in cuts}
    return _opening(task.items, start) | shown


def measured_since(ui: Sequence[JsonObject]) -> int:
    """When the task was last shortened, in the tool's own time; -1 where it never was."""
    times = (whole_number(message.get("ts")) for message in ui if said(message) in _EVENTS)
    return max((time for time in times if time is not None), default=-1)


def _opening(items: dict[int, JsonObject], start: int) -> dict[int, JsonObject]:
    """Older versions wrote the summary as the assistant's, and kept the user's first message in front of it."""
    first = min(items, default=start)
    is_kept = first < start and items[start].get("role") != "user" and items[first].get("role") == "user"
    return {first: items[first]} if is_kept else {}


# What one message on the screen of Cline or its kin stands for.


Shown = Text | Thinking | ToolCall | ToolResult


def part_of(message: JsonObject, call_id: str, caller: str, is_first: bool) -> tuple[Role, Shown | None]:
    """Who sent what: a call gets the id `call_id`, and a result answers the call `caller`; None where it only shows."""
    kind, text = said(message), word(message.get("text"))
    if kind in _RESULTS:
        return "user", result_of(caller, text) if text.strip() else None
    if kind in _USERS or (is_first and kind == "text"):
        return "user", Text(text) if text.strip() else None
    reader = _READERS_SHOWN.get(kind)
    return "assistant", reader(message, text, call_id) if reader and text.strip() else None


def _words_shown(message: JsonObject, text: str, _: str) -> Shown:
    told = inner(message)
    return Text(word(told.get("question")) or word(told.get("response")) or text)


def _thought_shown(_: JsonObject, text: str, __: str) -> Shown:
    return Thinking(text)


def _tool(message: JsonObject, _: str, call_id: str) -> Shown:
    told = inner(message)
    return ToolCall(call_id, word(told.get("tool")), {key: value for key, value in told.items() if key != "tool"})


def _command(_: JsonObject, text: str, call_id: str) -> Shown:
    return ToolCall(call_id, "execute_command", {"command": text})


def _server(message: JsonObject, _: str, call_id: str) -> Shown:
    told = inner(message)
    return ToolCall(call_id, word(told.get("toolName")), arguments_of(told.get("arguments")))


def _browser(message: JsonObject, text: str, call_id: str) -> Shown:
    return ToolCall(call_id, "browser_action", inner(message) or {"url": text})


_USERS = frozenset({"task", "user_feedback", "user_feedback_diff"})
_RESULTS = frozenset({"command_output", "mcp_server_response", "browser_action_result"})
_READERS_SHOWN: dict[str, Callable[[JsonObject, str, str], Shown]] = {
    **dict.fromkeys(("text", "completion_result", "followup", "plan_mode_respond", "plan_mode_response"), _words_shown),
    "reasoning": _thought_shown,
    "tool": _tool,
    "command": _command,
    "use_mcp_server": _server,
    "browser_action": _browser,
    "browser_action_launch": _browser,
}


# Stored messages of Cline and its kin become messages: blocks of the Anthropic API, or of the AI SDK.


_FAILED = "[ERROR]"  # how Roo begins a result that is an error, where a block has no flag for it


def message_of(item: JsonObject, name: str) -> Message:
    """Decode a stored message; encrypted reasoning stands alone, and is the assistant's."""
    role = item.get("role", "assistant")
    if role == "assistant":
        return Message(name, "assistant", _assistant_parts(item), is_summary=item.get("isSummary") is True)
    if role == "system":
        return Message(name, "system", _parts(item.get("content")))
    parts = _parts(item.get("content")) if role in ("user", "tool") else (Unknown(word(role), item),)
    return with_origin(Message(name, "user", parts, is_summary=item.get("isSummary") is True))


def with_origin(message: Message) -> Message:
    """Mark what no person typed a word of."""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    return replace(message, by_host=message.is_summary or (bool(texts) and not typed_texts(texts)))


def without_orphans(messages: Mapping[int, Message]) -> dict[int, Message]:
    """Leave out results whose calls are not live, and messages of which nothing remains."""
    called = {call.id for message in messages.values() for call in message.calls}
    left = {place: _without_orphans(message, called) for place, message in messages.items()}
    return {place: message for place, message in left.items() if message.parts or not messages[place].parts}


def _without_orphans(message: Message, called: set[str]) -> Message:
    parts = tuple(part for part in message.parts if not isinstance(part, ToolResult) or part.call_id in called)
    return message if len(parts) == len(message.parts) else replace(message, parts=parts)


def _assistant_parts(item: JsonObject) -> tuple[Part, ...]:
    parts = _parts(item.get("content"))
    if item.get("type") == "reasoning":
        return (_thought_messages(item), *parts)
    kept = word(item.get("reasoning_content"))  # what some models want back beside the content
    has_thought = any(isinstance(part, Thinking) for part in parts)
    return (Thinking(kept), *parts) if kept and not has_thought else parts


def _parts(content: object) -> tuple[Part, ...]:
    blocks = content if isinstance(content, list) else [content]
    return tuple(part for block in blocks for part in _decoded(block))


def _decoded(block: object) -> tuple[Part, ...]:
    reader = _READERS_MESSAGES.get(word(fields(block).get("type")))
    part = reader(fields(block)) if reader else None
    return parts_of(block) if part is None else (part,)


def _thought_messages(block: JsonObject) -> Part:
    summary = "\n\n".join(word(step.get("text")) for step in objects(block.get("summary")))
    return Thinking(word(block.get("text")) or summary)


def _call(block: JsonObject) -> Part:
    return ToolCall(word(block.get("toolCallId")), word(block.get("toolName")), arguments_of(block.get("input")))


def _result(block: JsonObject) -> Part:
    output = block.get("output")
    kind, value = word(fields(output).get("type")), fields(output).get("value", output)
    content = value if isinstance(value, str | list | None) else json.dumps(value, ensure_ascii=False)
    result = result_of(block.get("toolCallId"), content)
    failed = kind.startswith("error") or result_text(result).lstrip().startswith(_FAILED)
    return replace(result, is_error=failed)


def _image(block: JsonObject) -> Part | None:
    data = word(block.get("image"))
    if not data:
        return None  # one of the Anthropic API
    is_address = data.startswith(("data:", "http:", "https:"))
    return image_at(data) if is_address else Image(word(block.get("mediaType")), data)


def _file(block: JsonObject) -> Part | None:
    return Document(word(block.get("filename")), block) if "mediaType" in block else None


_READERS_MESSAGES: dict[str, Callable[[JsonObject], Part | None]] = {
    "tool-call": _call,
    "tool-result": _result,
    "reasoning": _thought_messages,
    "thoughtSignature": lambda _: Thinking(""),
    "image": _image,
    "file": _file,
}


# The size of each call of a task, from the answers themselves or from what the screen shows of the calls.


STARTED = "api_req_started"  # a call of the model, as the screen shows it


def usage_of_calls(items: Mapping[int, JsonObject], ui: Sequence[JsonObject], since: int = -1) -> dict[int, Usage]:
    """The usage of each answer, by its place; calls that were shown before the time `since` count no more."""
    answers = [place for place, item in items.items() if item.get("role") == "assistant"]
    stored = ((place, _stored(items[place])) for place in answers)
    return dict(_shown(items, answers, ui, since)) | {place: usage for place, usage in stored if usage is not None}


def shown_usage(message: JsonObject) -> Usage | None:
    """What the screen tells of one call; None before its answer is complete."""
    told = inner(message) if said(message) == STARTED else {}
    model = fields(message.get("modelInfo"))
    cached = tokens(told.get("cacheWrites")) + tokens(told.get("cacheReads"))
    is_whole = told.get("apiProtocol") == "openai" or _counts_all(model)
    prompt = _prompt(tokens(told.get("tokensIn")), cached, is_whole)
    return Usage(prompt, tokens(told.get("tokensOut")), word(model.get("modelId"))) if prompt else None


def _stored(item: JsonObject) -> Usage | None:
    told, model = fields(fields(item.get("metrics")).get("tokens")), fields(item.get("modelInfo"))
    prompt = _prompt(tokens(told.get("prompt")), tokens(told.get("cached")), _counts_all(model))
    return Usage(prompt, tokens(told.get("completion")), word(model.get("modelId"))) if prompt else None


def _counts_all(model: JsonObject) -> bool:
    return word(model.get("providerId")).startswith("openai")


def _prompt(counted: int, cached: int, is_whole: bool) -> int:
    """Anthropic counts cached tokens apart, OpenAI within the rest: but a part is never larger than the whole."""
    return counted if is_whole and cached <= counted else counted + cached


def _shown(
    items: Mapping[int, JsonObject], answers: Sequence[int], ui: Sequence[JsonObject], since: int
) -> Iterator[tuple[int, Usage]]:
    times = _times(items, answers)
    for message in ui:
        time = whole_number(message.get("ts"))
        usage = shown_usage(message) if time is None or time > since else None
        place = _answer(message, time, answers, times) if usage else None
        if usage and place is not None:
            yield place, usage


def _times(items: Mapping[int, JsonObject], answers: Sequence[int]) -> list[int]:
    """When the answers were stored, never earlier than the one before; empty where the file does not tell."""
    times: list[int] = []
    for place in answers:
        time = whole_number(items[place].get("ts"))
        if time is None:
            return []
        times.append(max(time, times[-1] if times else time))
    return times


def _answer(message: JsonObject, time: int | None, answers: Sequence[int], times: Sequence[int]) -> int | None:
    """The first answer behind the call; where nothing tells, the newest, so that the last call wins."""
    index = whole_number(message.get("conversationHistoryIndex"))
    if index is not None:
        found = bisect_left(answers, index + 1)
    elif times and time is not None:
        found = bisect_left(times, time)
    else:
        found = len(answers) - 1
    return answers[found] if 0 <= found < len(answers) else None


# A task of Cline or its kin of which only the screen is left: what was said, called and answered there.


_MOST_COMPARED = 20  # pieces of one message that may be told again in the request behind them


class _Piece(Struct, frozen=True):
    turn: int  # how many calls of the model were made before
    role: Role
    shown: Shown
    name: str
    is_request: bool = False  # all that the user's side sent with a call, as one text


def messages_of(ui: Sequence[JsonObject]) -> list[Message]:
    """Put the messages together as they went to the model, as far as the screen shows them."""
    last = next((place for place in reversed(range(len(ui))) if _condensed(ui[place])), -1)
    live = [message for message in _live(ui[last + 1 :]) if message.get("partial") is not True]
    pieces = list(_pieces(live))
    calls = [shown_usage(message) for message in live if said(message) == STARTED]
    groups = [list(group) for _, group in groupby(pieces, key=lambda piece: (piece.turn, piece.role))]
    names = stable_ids([group[0].name for group in groups])
    opening = [_summary(ui[last])] if last >= 0 else []
    return [*opening, *_merged(groups, names, calls)]


def _condensed(message: JsonObject) -> str:
    """The summary that Roo Code puts in place of all before it."""
    return word(fields(message.get("contextCondense")).get("summary"))


def _summary(message: JsonObject) -> Message:
    return Message(f"summary-{_name(message)}", "user", (Text(_condensed(message)),), is_summary=True, by_host=True)


def _live(ui: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Leave out what was shown of hidden messages; each is shown while the one before it is the newest stored."""
    cut = hidden_end(ui)
    is_hidden = False
    for message in ui:
        index = whole_number(message.get("conversationHistoryIndex"))
        if index is not None:
            is_hidden = 1 <= index < cut
        if not is_hidden:
            yield message


def _pieces(live: Sequence[JsonObject]) -> Iterator[_Piece]:
    turn = 0
    caller = ""  # the newest call of a tool: what is shown of a result names none
    for number, message in enumerate(live):
        name = _name(message)
        if said(message) == STARTED:
            request = word(inner(message).get("request"))
            if request.strip():
                yield _Piece(turn, "user", Text(request), name, is_request=True)
            turn += 1
            continue
        role, shown = part_of(message, f"ui-{number}", caller, is_first=number == 0)
        caller = shown.id if isinstance(shown, ToolCall) else caller
        if shown is not None:
            yield _Piece(turn, role, shown, name)


def _merged(groups: Sequence[list[_Piece]], names: Sequence[str], calls: Sequence[Usage | None]) -> Iterator[Message]:
    measured = 0
    for group, name in zip(groups, names, strict=True):
        turn = group[0].turn
        message = Message(name, group[0].role, tuple(piece.shown for piece in _once(group)))
        if group[0].role == "user":
            yield with_origin(message)
        else:
            usage = calls[turn - 1] if turn > measured else None
            measured = turn
            yield Message(name, "assistant", message.parts, usage=usage)


def _once(group: list[_Piece]) -> list[_Piece]:
    """Leave out what the request behind it tells again."""
    if not group[-1].is_request or len(group) > _MOST_COMPARED:
        return group
    request = group[-1].shown.text if isinstance(group[-1].shown, Text) else ""
    return [piece for piece in group if piece.is_request or _words_ui(piece.shown).strip() not in request]


def _words_ui(shown: Shown) -> str:
    return result_text(shown) if isinstance(shown, ToolResult) else getattr(shown, "text", "")


def _name(message: JsonObject) -> str:
    time = whole_number(message.get("ts"))
    return "" if time is None else str(time)


# The chat that a task of Cline or its kin makes, once it is known which of its messages are live.


def live_messages(task: Task, live: Mapping[int, JsonObject], usages: Mapping[int, Usage]) -> dict[int, Message]:
    """Decode the live part of the history, by the places in it; what was cut in two goes."""
    wanted = (whole_number(item.get("ts")) for item in task.items.values())
    names = dict(zip(task.items, stable_ids(["" if time is None else str(time) for time in wanted]), strict=True))
    found = {place: replace(message_of(item, names[place]), usage=usages.get(place)) for place, item in live.items()}
    return found if len(live) == len(task.items) else without_orphans(found)


def chat_of(name: str, task: Task, messages: Sequence[Message]) -> Chat:
    """Make the chat; without a history, of what the screen shows."""
    shown = messages if task.has_history else messages_of(task.ui)
    first = [message_of(item, "") for item in list(task.items.values())[:1]]
    told = environment_of([*first, *shown])
    return Chat(
        format=name,
        tool=name,
        messages=with_summary_marked(shown),
        model=next(filter(None, _models(task)), told.model),
        title=next(filter(None, _titles(task, [*first, *shown])), None),
        workspace=told.workspace,
        window=told.window,
        warnings=task.warnings,
    )


def _models(task: Task) -> Iterator[str]:
    """The models that were called, the newest first; what stands beside the history is asked last."""
    for record in (*reversed(task.items.values()), *reversed(task.ui)):
        yield word(fields(record.get("modelInfo")).get("modelId"))
    for use in reversed(objects(fields(task.metadata).get("model_usage"))):
        yield word(use.get("model_id"))


def _titles(task: Task, messages: Sequence[Message]) -> Iterator[str | None]:
    shown = (word(message.get("text")) for message in task.ui[:1] if said(message) in ("task", "text"))
    yield from map(title_of, shown)
    for message in messages:
        if message.role == "user" and not message.by_host:
            yield from map(title_of, typed_texts([part.text for part in message.parts if isinstance(part, Text)]))


# Tasks of Cline: API messages in one file, and in others what of them is hidden, rewritten and measured.


_NAME_CLINE = "cline"


def sniff(source: Source) -> bool:
    """Whether the source is a task's history, or what the screen shows of one, as Cline keeps them."""
    return tool_of(source) == _NAME_CLINE


def read(source: Source) -> Chat:
    """Read the history with what the files beside it tell of it; without a history, what the screen shows."""
    task = task_of(source)
    return chat_of(_NAME_CLINE, task, _messages(task))


def _messages(task: Task) -> list[Message]:
    since, behind_cut = measured_from(task.ui), hidden_end(task.ui) + 1
    usages = {place: usage for place, usage in usage_of_calls(task.items, task.ui).items() if place > since}
    live = live_messages(task, live_items_live(task), usages)
    return [_marked(message, place == behind_cut > 0) for place, message in live.items()]


def _marked(message: Message, opens: bool) -> Message:
    """Mark a summary of Cline's own."""
    if not holds_summary(message, opens):
        return message
    return replace(message, is_summary=True, by_host=message.role == "user")


# Tasks of Roo Code and Kilo Code: API messages that tell themselves what a summary or a cut has replaced.


_NAME_ROO = "roo"


def sniff_roo(source: Source) -> bool:
    """Whether the source is a task's history, or what the screen shows of one, as Roo Code keeps them."""
    return tool_of(source) == _NAME_ROO


def read_roo(source: Source) -> Chat:
    """Read the history with what the screen tells of its calls; without a history, what the screen shows."""
    task = task_of(source)
    usages = usage_of_calls(task.items, task.ui, measured_since(task.ui))
    return chat_of(_NAME_ROO, task, list(live_messages(task, live_items_roo_live(task), usages).values()))
