"""The messages of the next chat: valid for model APIs, with the summary in its place, in the shapes of three APIs.

Rules V1 to V8, J1 to J6 and Z4.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from compact_chat.chat import (
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    PartPlace,
    ResultPart,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    find_links,
    raws,
    result_text,
    tool_parts,
    with_plain_results,
    words,
)
from compact_chat.errors import NoSummary, checkpoint
from compact_chat.facts import joined_records, record_blocks, recorded, summary_parts, without_records
from compact_chat.plan import Direction, front_length, open_end, visible, with_parts
from compact_chat.prompt import arguments_json
from compact_chat.styles import Summary
from compact_chat.text import SUMMARY_END, SUMMARY_END_LAST, SUMMARY_START, line_feeds, strip_summary_wrappers

INTERRUPTED = "[Tool call interrupted]"
AnyPart = TypeVar("AnyPart", bound=Part)


def paired(messages: Sequence[Message]) -> list[Message]:
    """Drop results that answer no call or an answered one, and give every call a unique id (rules V2 and V7)."""
    taken: Counter[str] = Counter()
    ids: dict[PartPlace, str] = {}  # each call's own id, numbered if it is taken
    for place, part in tool_parts(messages):
        if isinstance(part, ToolCall):
            wanted = name = part.id or "call"
            while taken[name]:
                taken[wanted] += 1
                name = f"{wanted}-{taken[wanted]}"
            taken[name] += 1
            ids[place] = name
    ids |= {result: ids[call] for result, call in find_links(messages).answers.items()}
    turns = []
    for index, message in enumerate(messages):
        parts: list[Part] = []
        for number, given in enumerate(message.parts):
            own = ids.get((index, number))
            match given:
                case ToolCall(id=old) if own and own != old:
                    parts.append(replace(given, id=own))
                case ToolResult(call_id=old) if own != old:
                    parts += [replace(given, call_id=own)] if own else []
                case _:
                    parts.append(given)
        turns.append(with_parts(message, tuple(parts)))
    return [turn for turn in turns if turn.parts]


def answered(messages: Sequence[Message], open_from: int) -> list[Message]:
    """Move all results of a turn right behind it; calls without one get one, except from `open_from` on."""
    given = {result.call_id: result for message in messages for result in message.results}
    order = {call_id: number for number, call_id in enumerate(given)}
    turns: list[Message] = []
    due: list[ToolResult] = []

    def reply() -> Message:
        return Message("results", "user", tuple(due), by_host=True)

    for index, message in enumerate(messages):
        checkpoint()
        parts: tuple[Part, ...] = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        if message.role == "system":
            turns.append(reply())
            due = []
        elif message.role == "user":
            parts, due = (*due, *parts), []
        turns.append(with_parts(message, parts))
        found = sorted((call.id for call in message.calls if call.id in order), key=order.__getitem__)
        due += [given[call_id] for call_id in found]
        lost = (call for call in message.calls if call.id not in order and index < open_from)
        due += [ToolResult(call.id, (Text(INTERRUPTED),), is_error=True, as_text=True) for call in lost]
    return [turn for turn in (*turns, reply()) if turn.parts]


def merged(messages: Iterable[Message]) -> list[Message]:
    """Merge each run of one role, with results first; system messages, which need not alternate, stay apart (V5)."""
    turns: list[Message] = []
    for role, group in groupby(messages, key=lambda message: message.role):
        checkpoint()
        run = list(group)
        if role == "system":
            turns += run
            continue
        said = tuple(part for message in run for part in message.parts)
        parts = tuple(sorted(said, key=lambda part: not isinstance(part, ToolResult)))
        if len(run) == 1:
            turns.append(with_parts(run[0], parts))
            continue
        typed = tuple(words for message in run for words in message.typed_words)
        as_it_came = parts == said and all(map(raws, run))
        turn = Message(
            id=run[0].id,
            role=role,
            parts=parts,
            raw=tuple(item for message in run for item in raws(message)) if as_it_came else None,
            is_summary=any(message.is_summary for message in run),
            by_host=all(message.by_host for message in run),
        )
        turns.append(turn if turn.typed_words == typed else replace(turn, typed=typed))
    return turns


_OMITTED = Message("omitted", "user", (Text("[Earlier messages omitted]"),), by_host=True)


def make_valid(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Make the chat acceptable to APIs, except for calls that the host has yet to answer; idempotent."""
    shown = [message for message in map(visible, messages) if message.parts]
    turns = merged(paired(list(map(with_plain_results, shown))))
    turns = merged(answered(turns, open_from=open_end(turns)))
    front = front_length(turns)
    if turns[front : front + 1] and turns[front].role == "assistant":  # a user line comes first (rule V4)
        turns.insert(front, _OMITTED)
    return tuple(turns)


def sendable(messages: Sequence[Message], closing: str) -> tuple[Message, ...]:
    """Return the valid chat ending with a user message: `closing`, unless a call is still pending (rule V8)."""
    turns = make_valid(messages)
    if turns and (turns[-1].role == "user" or turns[-1].calls):
        return turns
    return (*turns, Message("closing", "user", (Text(closing),), by_host=True))


# A summary in place of the messages that it replaces.

_MARKERS = (SUMMARY_START, SUMMARY_END, SUMMARY_END_LAST)


def splice_summary(
    head: Sequence[Message],
    summary: Summary,
    tail: Sequence[Message],
    direction: Direction = "upTo",
) -> tuple[Message, ...]:
    """Build the new chat: the head, including system messages at the front, then the summary, then the tail.

    Earlier summaries among the messages that stay become a part of the new one, so that there is never a second.
    """
    text = _not_blank(summary.text)
    before, own_head = _parted(head)
    behind, own_tail = _parted(tail)
    if before or behind:  # merge several summaries, with the records of all their files at the end (rule T23)
        texts = (*before, strip_summary_wrappers(text), *behind)
        records = record_blocks(joined_records(*map(recorded, texts)))
        text = "\n\n".join(filter(None, (*map(without_records, texts), records)))
    return make_valid((*own_head, summary_message(summary.style.wrapped(text), direction), *own_tail))


def summary_message(text: str, direction: Direction = "upTo") -> Message:
    """Make the message that holds a summary, in its style's wrapper if it has one, between its markers (J2, P26)."""
    text = _not_blank(text)
    end = SUMMARY_END_LAST if direction == "from" else SUMMARY_END
    # Escape a line that is a marker, with or without blanks around it.
    lines = (f"\\{line}" if line.strip() in _MARKERS else line for line in text.split("\n"))
    framed = "\n".join((SUMMARY_START, *lines, end))
    return Message("summary", "user", (Text(framed),), is_summary=True, by_host=True)


def _not_blank(summary: str) -> str:
    text = line_feeds(summary).strip()
    if not text:
        raise NoSummary("The summary is empty, so the chat stays as it is.", kind="emptySummary")
    return text


def _parted(messages: Iterable[Message]) -> tuple[list[str], list[Message]]:
    """Separate the earlier summaries, unwrapped, from the other messages."""
    summaries: list[str] = []
    others: list[Message] = []
    for message in messages:
        checkpoint()
        found = summary_parts(message)
        texts = [part for part in message.parts if isinstance(part, Text)]
        summaries += (strip_summary_wrappers(part.text) for part in texts if part in found)
        own = tuple(part for part in message.parts if not isinstance(part, Text) or part not in found)
        others.append(replace(message, parts=own, raw=None, is_summary=False) if found else message)
    return [text for text in summaries if text], others


# The shapes of the three APIs.


def image_url(image: Image) -> str:
    """Return a picture's URL, which may be a data URL with all of it; empty if the chat does not contain it."""
    return f"data:{image.media_type or 'image/png'};base64,{image.data}" if image.data else image.url


def embedded(document: Document) -> tuple[str, str] | None:
    """Return a document's media type and base64 data, from whichever API's block it came."""
    match document.raw:
        case {"source": {"type": "base64", "media_type": str(media_type), "data": str(data)}}:
            return media_type, data
        case {"file": {"file_data": str(url)}} | {"file_data": str(url)} if ";base64," in url:
            head, _, data = url.partition(";base64,")
            return head.removeprefix("data:"), data
    return None


def document_words(document: Document) -> str:
    """Describe a document where its block is not allowed: its title, then its text or address."""
    match document.raw:
        case {"source": {"type": "text", "data": str(contents)} | {"url": str(contents)}}:
            return f"[document: {document.title}]\n{contents}".rstrip("\n")
    return f"[document: {document.title}]"


def with_words_for_attachments(message: Message) -> Message:
    """Use words for pictures and documents outside user messages: APIs accept them only there."""
    return message if message.role == "user" else with_parts(message, tuple(map(_spoken, message.parts)))


def _spoken(part: AnyPart) -> AnyPart | Text:
    if isinstance(part, Image):
        return Text(words(part))
    return Text(document_words(part)) if isinstance(part, Document) else part


# Messages as the Anthropic API takes them; system messages stay among them, as the caller had them.


def write_message(message: Message) -> JsonObject:
    """Write the message; its content is a string if it is one text."""
    is_text = len(message.parts) == 1 and message.texts
    return {"role": message.role, "content": message.text if is_text else list(map(_block_shape, message.parts))}


def is_sound(content: object) -> bool:
    """Return whether content has the form that the API requires; files may contain anything."""
    return isinstance(content, str) or (isinstance(content, list) and all(map(_is_sound_block, content)))


def _is_sound_block(block: object) -> bool:
    match block:
        case {"type": "tool_use", "input": dict(), "name": str()} | {"type": "text", "text": str()}:
            return True
        case {"type": "tool_result", "content": content}:
            return is_sound(content)
        case {"type": str(kind)}:
            return kind not in ("tool_use", "text")
    return False


def _block_shape(part: Part) -> JsonObject:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text} if text else {"type": "redacted_thinking", "data": ""}
        case Image(media_type, data) if data:
            source = {"type": "base64", "media_type": media_type or "image/png", "data": data}
            return {"type": "image", "source": source}
        case Image(url=url) if url:
            return {"type": "image", "source": {"type": "url", "url": url}}
        case Document(raw=raw) if raw.get("type") == "document":
            return raw
        case Document(title) if inside := embedded(part):
            source = {"type": "base64", "media_type": inside[0], "data": inside[1]}
            return {"type": "document", "source": source, **({"title": title} if title else {})}
        case Unknown(raw=raw) if isinstance(raw.get("type"), str):
            return raw
        case ToolCall():
            return {"type": "tool_use", "id": part.id, "name": part.name, "input": part.input}
        case ToolResult():
            content = result_text(part) if part.as_text else [_block_shape(inner) for inner in part.content]
            failed = {"is_error": True} if part.is_error else {}
            return {"type": "tool_result", "tool_use_id": part.call_id, "content": content, **failed}
    return {"type": "text", "text": document_words(part) if isinstance(part, Document) else words(part)}


# Messages as the two OpenAI APIs take them: chat messages, or the items of the Responses API.


class _Names(NamedTuple):
    """An API's names for kinds of content, and whether it nests their values."""

    text: str
    image: str
    file: str
    nested: bool


_CHAT = _Names("text", "image_url", "file", nested=True)
_INPUT = _Names("input_text", "input_image", "input_file", nested=False)
_OUTPUT = _Names("output_text", "input_image", "input_file", nested=False)


def chat_messages(message: Message) -> list[JsonObject]:
    """Write the message's tool results, each a message, then the rest; nothing if empty."""
    items: list[JsonObject] = []
    attached: list[ResultPart] = []  # a tool message allows only text, so this follows as the user's
    for result in message.results:
        texts = [Text(words(part)) if _is_attached(part) else part for part in result.content]
        content: object = result_text(result) if result.as_text else _content(texts, _CHAT)
        items.append({"role": "tool", "tool_call_id": result.call_id, "content": content or ""})
        attached += filter(_is_attached, result.content)
    blocks = _content((*attached, *message.parts), _CHAT)
    content = blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == _CHAT.text else blocks
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _arguments(call)}}
        for call in message.calls
    ]
    if calls:
        items.append({"role": message.role, "content": content or None, "tool_calls": calls})
    elif content:
        items.append({"role": message.role, "content": content})
    return items


def response_items(message: Message) -> list[JsonObject]:
    """Write the items of the message in order: calls and outputs one by one, adjacent texts in one.

    Unknown blocks of the assistant are items too, such as calls of built-in tools.
    """
    names = _OUTPUT if message.role == "assistant" else _INPUT
    kinds = ToolCall | ToolResult | Unknown if message.role == "assistant" else ToolCall | ToolResult
    items: list[JsonObject] = []
    for alone, run in groupby(message.parts, key=lambda part: isinstance(part, kinds)):
        if not alone:
            if content := _content(run, names):
                items.append({"type": "message", "role": message.role, "content": content})
            continue
        for part in run:
            match part:
                case ToolCall(call_id, name):
                    given = _arguments(part)
                    items.append({"type": "function_call", "call_id": call_id, "name": name, "arguments": given})
                case ToolResult(call_id, content_parts):
                    output = result_text(part) if part.as_text else _content(content_parts, _INPUT)
                    items.append({"type": "function_call_output", "call_id": call_id, "output": output})
                case _:
                    items += _content([part], _OUTPUT)
    return items


def _is_attached(part: Part) -> bool:
    return isinstance(part, Document) or (isinstance(part, Image) and bool(image_url(part)))


def _arguments(call: ToolCall) -> str:
    """Write a call's arguments as compact JSON, truncated only if JSON cannot represent them."""
    return arguments_json(call.input, sys.maxsize)


def _content(parts: Iterable[Part], names: _Names) -> list[JsonObject]:
    """Write the parts as content; calls and results go elsewhere, and thinking is not allowed in these shapes."""
    return [_block(part, names) for part in parts if not isinstance(part, ToolCall | ToolResult | Thinking)]


def _block(part: Text | Image | Document | Unknown, names: _Names) -> JsonObject:
    match part:
        case Unknown(kind, raw):
            return {"type": kind, **raw}
        case Image() if url := image_url(part):
            return {"type": names.image, "image_url": {"url": url} if names.nested else url}
        case Document(raw=raw) if raw.get("type") == names.file:
            return raw
        case Document(title) if inside := embedded(part):
            file = {"filename": title or "document", "file_data": f"data:{inside[0]};base64,{inside[1]}"}
            return {"type": names.file, **({"file": file} if names.nested else file)}
    return {"type": names.text, "text": document_words(part) if isinstance(part, Document) else words(part)}


# Messages of another tool, for an API that would refuse some of their parts (rules T3, T7).


_PICTURES = frozenset({"", "image/png", "image/jpeg", "image/gif", "image/webp"})
_PDF = "application/pdf"
_ODD = re.compile(r"[^A-Za-z0-9_-]")  # in ids and names of calls
_LONGEST_NAME = 64


def acceptable(messages: Iterable[Message]) -> list[Message]:
    """Use words for what only the tool's own API takes, and valid ids and names; different ids stay different."""
    turns = list(messages)
    ids = dict.fromkeys((call.id for message in turns for call in message.calls), "")
    taken = set(ids)
    for name in ids:
        plain = _ODD.sub(lambda odd: f"_{ord(odd[0]):x}_", name)
        while name != plain and plain in taken:
            plain += "_"
        ids[name] = plain
        taken.add(plain)
    return [replace(message, parts=tuple(_acceptable(part, ids) for part in message.parts)) for message in turns]


def _acceptable(part: Part, ids: Mapping[str, str]) -> Part:
    match part:
        case ToolCall(name, tool):
            return replace(part, id=ids[name], name=_ODD.sub("_", tool)[:_LONGEST_NAME] or "unknown")
        case ToolResult(name, content):
            return replace(part, call_id=ids.get(name, name), content=tuple(map(_attachment, content)))
        case Text() | Image() | Document() | Unknown():
            return _attachment(part)
    return part


def _attachment(part: ResultPart) -> ResultPart:
    """Return the part, or words for it if only words are allowed."""
    match part:
        case Image(media_type, data, url) if media_type in _PICTURES if data else url.startswith("https://"):
            return part
        case Document() if (inside := embedded(part)) and inside[0] == _PDF:
            return part
    return Text(words(part)) if isinstance(part, Unknown) else _spoken(part)


# The messages of a chat in the shapes of the three APIs.

Items = tuple[JsonObject, ...]


def as_anthropic(messages: Sequence[Message], *, foreign: bool = False) -> list[JsonObject]:
    """Write the messages for the Anthropic API; those that came in this shape are reused.

    `foreign` ones, which were never meant for the API, are written anew, and what it would refuse becomes words.
    """

    def came(turn: Message) -> Items:
        items = raws(turn)
        sound = len(items) == 1 and items[0].get("role") == turn.role and is_sound(items[0].get("content"))
        return items if sound else ()

    turns = _prepared(messages, foreign)
    return [item for turn in turns for item in ((not foreign and came(turn)) or (write_message(turn),))]


def as_openai_chat(messages: Sequence[Message], *, foreign: bool = False) -> list[JsonObject]:
    """Write the messages for the OpenAI chat API, likewise."""

    def came(turn: Message) -> Items:
        items = raws(turn)  # one message behind any number of results
        return items if all(item.get("role") == "tool" for item in items[:-1]) else ()

    turns = _prepared(messages, foreign)
    # In this shape, attachments of results would follow as a user message, before the results that the
    # host has yet to add: https://platform.openai.com/docs/guides/function-calling wants all results first.
    asked = {call.id for turn in turns[-2:-1] for call in turn.calls}
    if asked and not asked <= {result.call_id for result in turns[-1].results}:
        parts = (
            replace(part, content=tuple(map(_spoken, part.content))) if isinstance(part, ToolResult) else part
            for part in turns[-1].parts
        )
        turns[-1] = with_parts(turns[-1], tuple(parts))
    return _written(turns, chat_messages, [() if foreign else came(turn) for turn in turns])


def as_openai_responses(messages: Sequence[Message], *, foreign: bool = False) -> list[JsonObject]:
    """Write the items for the OpenAI Responses API, likewise."""
    turns = _prepared(messages, foreign)
    return _written(turns, response_items, [() if foreign else raws(turn) for turn in turns])


def _prepared(messages: Sequence[Message], foreign: bool) -> list[Message]:
    return list(map(with_words_for_attachments, acceptable(messages) if foreign else messages))


def _written(
    turns: Sequence[Message], write: Callable[[Message], list[JsonObject]], came: list[Items]
) -> list[JsonObject]:
    """Use what came, unless it has only the calls or only the results: each kind of call has its own kind of result."""
    for place, (asked, answer) in enumerate(pairwise(turns)):
        if asked.calls and answer.results and not (came[place] and came[place + 1]):
            came[place] = came[place + 1] = ()
    return [item for turn, items in zip(turns, came, strict=True) for item in (items or write(turn))]
