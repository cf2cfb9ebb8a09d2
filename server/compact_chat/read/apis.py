"""Messages as the three APIs take them, in an array or one per line: whose they are, and what is wrong with them.

Anthropic: strings or blocks, tool results inside user messages. OpenAI chat: calls next to the content, one message per
tool result. OpenAI Responses: reasoning, words, calls and outputs each an item of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby, islice
from typing import Any

from msgspec.structs import replace

from compact_chat.chat import (
    Chat,
    Document,
    Image,
    JsonObject,
    Message,
    Part,
    ResultPart,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    raws,
)
from compact_chat.errors import InvalidParams, checkpoint
from compact_chat.read.loose import MOST_PROBLEMS, check_length, fields, left_out, objects, parsed, word
from compact_chat.read.source import Source

_JSON_TYPES = {type(None): "null", bool: "boolean", int: "number", float: "number", list: "array"}
Problem = tuple[str, str]  # where, and what is wrong there

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
_SPEAKERS = {*ROLES, "tool", "function"}
# Items of the Responses API that are no message and so have no role.
ROLELESS_ITEMS = frozenset(
    {
        *("reasoning", "item_reference", "compaction", "web_search_call", "file_search_call", "code_interpreter_call"),
        *("function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "mcp_call"),
        *("local_shell_call", "local_shell_call_output", "computer_call", "computer_call_output"),
        "image_generation_call",
    }
)
_RESPONSES_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})
_CHAT_BLOCKS = frozenset({"image_url", "input_audio", "refusal", "file"})
_ANTHROPIC_BLOCKS = frozenset(
    {"thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document", "server_tool_use"}
)
# An object with one of these next to its messages, or on a line of its own, is another tool's session file.
_FOREIGN = frozenset({"sessionId", "session_id", "projectHash", "version"})
_TEXTS = ("text", "input_text", "output_text")
_MAY_BE_SILENT = ("assistant", "tool", "function")  # roles whose content may be null or absent


# Decode the content of a message (rules G1 and T7).


def parts_of(content: object) -> tuple[Part, ...]:
    """Decode content that is a string, a list of blocks, one block, or None."""
    checkpoint()
    return tuple(map(_part, _blocks(content)))


def result_of(call_id: object, content: object, is_error: bool = False) -> ToolResult:
    """Decode a tool result."""
    parts = tuple(map(_result_part, _blocks(content)))
    return ToolResult(word(call_id), parts, is_error, as_text=isinstance(content, str))


def text_parts(*texts: str) -> tuple[Text, ...]:
    """Make parts from texts, without the blank ones."""
    return tuple(Text(text) for text in texts if text.strip())


def arguments_of(value: object) -> JsonObject:
    """Decode the arguments of a call, which some APIs write as a JSON string."""
    if not isinstance(value, str):
        return fields(value)
    if not value.strip():
        return {}
    arguments = parsed(value)
    return arguments if isinstance(arguments, dict) else {"arguments": value}


def image_at(url: str) -> Image:
    """Make a picture from its URL, which may contain the data itself."""
    if not url.startswith("data:"):
        return Image(url=url)
    head, _, data = url.partition(",")
    return Image(media_type=head.removeprefix("data:").partition(";")[0], data=data)


def _blocks(content: object) -> list[object]:
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def _part(block: Any) -> Part:
    match block:
        case {"type": "tool_use"}:
            return ToolCall(word(block.get("id")), word(block.get("name")), fields(block.get("input")))
        case {"type": "tool_result"}:
            return result_of(block.get("tool_use_id"), block.get("content"), block.get("is_error") is True)
        case {"type": "thinking" | "redacted_thinking"}:
            return Thinking(word(block.get("thinking")))
    return _result_part(block)


def _result_part(block: Any) -> ResultPart:
    match block:
        case str():
            return Text(block)
        case {"type": "text" | "input_text" | "output_text"}:
            return Text(word(block.get("text")))
        case {"type": "refusal"}:
            return Text(word(block.get("refusal")))
        case {"type": "image"}:
            source = fields(block.get("source"))
            return Image(word(source.get("media_type")), word(source.get("data")), word(source.get("url")))
        case {"type": "image_url" | "input_image"}:
            url = block.get("image_url")
            return image_at(word(url) or word(fields(url).get("url")))
        case {"type": "document"}:
            return Document(word(block.get("title")), block)
        case {"type": "file" | "input_file"}:
            return Document(word((fields(block.get("file")) or block).get("filename")), block)
        case dict():
            kind = word(block.get("type"))
            return Unknown(kind or "block", block)
    return Unknown(_JSON_TYPES.get(type(block), "block"), {"value": block})


# Detect the API that messages were written for.


def sniff(api: str, source: Source) -> bool:
    """Return whether the source holds messages without a sign of another API."""
    holds_messages = source.strict or _is_array(source) or _is_lines(source)
    return holds_messages and detect_api(_document(source).get("messages")) in (api, None)


def detect_api(items: object) -> str | None:
    """Return the API whose signs the messages show; None if they would fit several."""
    strongest = min(map(_sign, objects(items)), default=-1)
    return ("openai-chat", "openai-responses", "openai-chat", "anthropic", None)[strongest]


def _sign(item: JsonObject) -> int:
    """Rank the signs in a message, the surest first: a developer message may be among responses items too."""
    checkpoint()
    if "tool_calls" in item or "function_call" in item or item.get("role") in ("tool", "function"):
        return 0
    blocks = {word(block.get("type")) for block in objects(item.get("content"))}
    kind = word(item.get("type"))
    is_message = kind == "message" and not blocks & _ANTHROPIC_BLOCKS
    if is_message or kind in ROLELESS_ITEMS or blocks & _RESPONSES_BLOCKS:
        return 1
    if item.get("role") == "developer" or blocks & _CHAT_BLOCKS:
        return 2
    return 3 if blocks & _ANTHROPIC_BLOCKS else 4


def _is_array(source: Source) -> bool:
    items = source.document if isinstance(source.document, list) else fields(source.document).get("messages")
    if not isinstance(items, list) or not _FOREIGN.isdisjoint(fields(source.document)):
        return False
    return not items or any(map(_is_message, items))


def _is_lines(source: Source) -> bool:
    """Return whether each line is a message: any other line marks the file of another tool."""
    records = source.records
    return source.is_json and bool(records) and all(_is_message(one) and _FOREIGN.isdisjoint(one) for one in records)


def _is_message(item: object) -> bool:
    message = fields(item)
    speaks = "content" in message or "tool_calls" in message
    return (speaks and word(message.get("role")) in _SPEAKERS) or word(message.get("type")) in ROLELESS_ITEMS


def _document(source: Source) -> JsonObject:
    """Return the messages, from lines too, and the members next to them."""
    document = source.document
    if isinstance(document, dict) and (source.strict or isinstance(document.get("messages"), list)):
        return document
    return {"messages": document if isinstance(document, list) else list(source.records)}


# Read messages.


def read(api: str, messages_of: Callable[[Sequence[JsonObject]], Sequence[Message]], source: Source) -> Chat:
    """Read the messages: a caller's faults are raised all at once, those of a file are skipped with a warning."""
    document = _document(source)
    given = document.get("messages")
    items = given if isinstance(given, list) else []
    check_length(len(items))
    has_typed_items = api == "openai-responses"
    faults = [_item_problems(item, f"$.messages[{place}]", has_typed_items) for place, item in enumerate(items)]
    skipped: list[Problem] = []
    if source.strict:
        problems = islice(chain(_document_problems(document), *faults), MOST_PROBLEMS)
        if found := [{"path": path, "message": message} for path, message in problems]:
            raise InvalidParams(found)
    else:
        first = [next(problems, None) for problems in faults]
        skipped = [fault for fault in first if fault]
        items = [item for item, fault in zip(items, first, strict=True) if fault is None]
    return Chat(
        format=api,
        tool="unknown",
        messages=tuple(messages_of(items)),
        system="\n".join(part.text for part in parts_of(document.get("system")) if isinstance(part, Text)),
        tools=tuple(objects(document.get("tools"))),
        model=word(document.get("model")) or None,
        warnings=(*source.damage, *left_out([f"{path}: {message}" for path, message in skipped])),
    )


def _message(item: JsonObject, index: int) -> Message:
    """Decode a message that is a role and its content; an unknown role becomes the user's (T7)."""
    name = f"m{index}"
    role = ROLES.get(item["role"])
    if role is None:
        return Message(name, "user", (Unknown(item["role"], item),), raw=item)
    return Message(name, role, parts_of(item.get("content")), raw=item)


def _anthropic(items: Sequence[JsonObject]) -> list[Message]:
    return [_message(item, index) for index, item in enumerate(items)]


def _openai_chat(items: Sequence[JsonObject]) -> list[Message]:
    messages: list[Message] = []
    open_call = ""  # the older form of a call has no id: its result is the next one
    for index, item in enumerate(items):
        old = item.get("function_call")
        if isinstance(old, dict):
            open_call = f"call_m{index}"
        if item["role"] in ("tool", "function"):
            call_id = word(item.get("tool_call_id")) if item["role"] == "tool" else open_call
            messages.append(Message(f"m{index}", "user", (result_of(call_id, item.get("content")),), raw=item))
            continue
        message = _message(item, index)
        refusal = (Text(item["refusal"]),) if word(item.get("refusal")) else ()
        calls: list[Part] = []
        for call in item.get("tool_calls") or ():
            custom = call.get("custom")
            made = custom if isinstance(custom, dict) else fields(call.get("function"))
            calls.append(_call(call.get("id"), made, is_custom=made is custom))
        if isinstance(old, dict):
            calls.append(_call(open_call, old))
        messages.append(replace(message, parts=(*message.parts, *refusal, *calls)))
    return messages


def _call(call_id: object, made: JsonObject, is_custom: bool = False) -> ToolCall:
    """Decode a call; the input of a custom tool is a text."""
    given = {"input": made.get("input")} if is_custom else arguments_of(made.get("arguments"))
    return ToolCall(word(call_id), word(made.get("name")), given)


def _openai_responses(items: Sequence[JsonObject]) -> list[Message]:
    """Merge neighboring items of the assistant into one Message, and likewise neighboring outputs."""

    def turn(message: Message) -> str:
        if message.role == "assistant":
            return "assistant"
        return "outputs" if message.results else message.id

    messages: list[Message] = []
    for index, (_, items_of_turn) in enumerate(groupby(map(item_message, items, range(len(items))), key=turn)):
        first, *rest = items_of_turn
        if rest:
            parts = tuple(part for message in (first, *rest) for part in message.parts)
            raw = tuple(item for message in (first, *rest) for item in raws(message))
            first = Message(first.id, first.role, parts, raw=raw)
        messages.append(replace(first, id=f"m{index}"))
    return messages


def item_message(item: JsonObject, place: int) -> Message:
    """Decode an item of the Responses API as a Message of its own; its `role`, if any, is a string."""
    if "role" in item:
        return _message(item, place)
    kind, call_id = word(item.get("type")), item.get("call_id")
    part: Part = Unknown(kind, item)
    match kind:
        case "reasoning":
            steps = objects(item.get("summary")) or objects(item.get("content"))
            part = Thinking("\n\n".join(word(step.get("text")) for step in steps))
        case "function_call" | "custom_tool_call":
            part = _call(call_id, item, is_custom=kind == "custom_tool_call")
        case "local_shell_call":
            part = ToolCall(word(call_id), "local_shell", arguments_of(item.get("action")))
        case "tool_search_call":
            part = ToolCall(word(call_id), "tool_search", arguments_of(item.get("arguments")))
        case "tool_search_output":
            part = result_of(call_id, item.get("tools"))
        case "function_call_output" | "custom_tool_call_output" | "local_shell_call_output":
            part = result_of(call_id or item.get("id"), item.get("output"))
    return Message(f"m{place}", "user" if isinstance(part, ToolResult) else "assistant", (part,), raw=item)


sniff_anthropic = partial(sniff, "anthropic")
sniff_openai_chat = partial(sniff, "openai-chat")
sniff_openai_responses = partial(sniff, "openai-responses")
read_anthropic = partial(read, "anthropic", _anthropic)
read_openai_chat = partial(read, "openai-chat", _openai_chat)
read_openai_responses = partial(read, "openai-responses", _openai_responses)


# Validate messages, reporting each problem with its path (rule G4).


def _document_problems(document: JsonObject) -> Iterator[Problem]:
    """Check the members next to the messages, and that the messages are a list."""
    if not isinstance(document.get("messages"), list):
        yield "$.messages", "expected a list of messages"
    yield from _content_problems(document.get("system"), "$.system", nullable=True)
    yield from _list_problems(document.get("tools"), "$.tools")
    if not isinstance(document.get("model"), str | None):
        yield "$.model", "expected a string"


def _item_problems(item: object, path: str, has_typed_items: bool) -> Iterator[Problem]:
    """Check one message; items of the Responses API may have a type in place of a role."""
    checkpoint()
    if not isinstance(item, dict):
        yield path, "expected an object"
        return
    role = item.get("role")
    if "role" not in item and has_typed_items and isinstance(item.get("type"), str) and item["type"] != "message":
        return
    if not isinstance(role, str):
        yield f"{path}.role", "expected a string" if "role" in item else "the role is missing"
    yield from _content_problems(item.get("content"), f"{path}.content", nullable=role in _MAY_BE_SILENT)
    yield from _list_problems(item.get("tool_calls"), f"{path}.tool_calls")


def _content_problems(content: object, path: str, nullable: bool) -> Iterator[Problem]:
    if isinstance(content, list):
        yield from _block_problems(content, path, is_inner=False)
    elif not (isinstance(content, str) or (content is None and nullable)):
        yield path, "expected a string or a list of blocks"


def _block_problems(blocks: list[object], path: str, is_inner: bool) -> Iterator[Problem]:
    """Check blocks; those in a tool result need no type."""
    for place, block in enumerate(blocks):
        at = f"{path}[{place}]"
        if not isinstance(block, dict):
            yield at, "expected an object"
            continue
        kind, content = block.get("type"), block.get("content")
        if not is_inner and not isinstance(kind, str):
            yield f"{at}.type", "expected a string"
        elif kind in _TEXTS and not isinstance(block.get("text"), str):
            yield f"{at}.text", "expected a string"
        if not is_inner and kind == "tool_result" and isinstance(content, list):
            yield from _block_problems(content, f"{at}.content", is_inner=True)


def _list_problems(value: object, path: str) -> Iterator[Problem]:
    if not isinstance(value, list | None):
        yield path, "expected a list"
        return
    for place, one in enumerate(value or ()):
        if not isinstance(one, dict):
            yield f"{path}[{place}]", "expected an object"
