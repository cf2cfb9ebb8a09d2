"""Items as the OpenAI Responses API takes them: reasoning, words, calls and outputs each an item of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, islice

from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import Chat, JsonObject, Message, Part, Role, Text, Thinking, ToolCall, Unknown, Warning, raws
from compact_chat.errors import InvalidParams
from compact_chat.read.blocks import arguments_of, parts_of, result_of
from compact_chat.read.document import MOST_PROBLEMS, check_length, shortened
from compact_chat.read.loose import fields, objects, word
from compact_chat.read.resolve import with_summary_marked
from compact_chat.read.source import Source, Watch

# Which API an array of messages was written for, as far as the messages themselves tell.


# Items that are no message and so have no role.
ROLELESS_ITEMS = frozenset(
    {
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "web_search_call",
        "file_search_call",
        "computer_call",
        "computer_call_output",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "item_reference",
        "compaction",
    }
)
_RESPONSES_BLOCKS = frozenset({"input_text", "output_text", "input_image", "input_file"})
_CHAT_BLOCKS = frozenset({"image_url", "input_audio", "refusal", "file"})
_ANTHROPIC_BLOCKS = frozenset(
    {"thinking", "redacted_thinking", "tool_use", "tool_result", "image", "document", "server_tool_use"}
)


def told(items: object, watch: Watch = tuple) -> str | None:
    """Name the format that the messages give away; None where they would fit several."""
    messages = watch(objects(items))
    return next((name for name, gives_away in _SIGNS if any(map(gives_away, messages))), None)


def _calls_the_chat_way(item: JsonObject) -> bool:
    checkpoint()
    return "tool_calls" in item or "function_call" in item or item.get("role") in ("tool", "function")


def _is_responses_item(item: JsonObject) -> bool:
    blocks = set(_block_types(item))
    kind = word(item.get("type"))
    is_message = kind == "message" and not blocks & _ANTHROPIC_BLOCKS
    return is_message or kind in ROLELESS_ITEMS or bool(blocks & _RESPONSES_BLOCKS)


def _speaks_the_chat_way(item: JsonObject) -> bool:
    return item.get("role") == "developer" or not _CHAT_BLOCKS.isdisjoint(_block_types(item))


def _has_anthropic_blocks(item: JsonObject) -> bool:
    return not _ANTHROPIC_BLOCKS.isdisjoint(_block_types(item))


def _block_types(item: JsonObject) -> Iterator[str]:
    return (word(block.get("type")) for block in objects(item.get("content")))


# The strongest sign first: a developer message alone may stand among responses items too.
_SIGNS: tuple[tuple[str, Callable[[JsonObject], bool]], ...] = (
    ("openai-chat", _calls_the_chat_way),
    ("openai-responses", _is_responses_item),
    ("openai-chat", _speaks_the_chat_way),
    ("anthropic", _has_anthropic_blocks),
)


# What is wrong with an array of messages, each problem with its path (rule G4).


Problem = dict[str, str]
_TEXTS = ("text", "input_text", "output_text")
_MAY_BE_SILENT = ("assistant", "tool", "function")  # a role whose content may be null or absent


def document_problems(document: JsonObject) -> Iterator[Problem]:
    """Check what stands beside the messages, and that they are a list."""
    if not isinstance(document.get("messages"), list):
        yield _problem("$.messages", "expected a list of messages")
    yield from _text_or_blocks(document.get("system", ""), "$.system", nullable=True)
    yield from _objects(document.get("tools"), "$.tools")
    if not isinstance(document.get("model"), str | None):
        yield _problem("$.model", "expected a string")


def item_problems(item: object, path: str, typed: bool) -> Iterator[Problem]:
    """Check one message; `typed` allows items that have a type in place of a role."""
    checkpoint()
    if not isinstance(item, dict):
        yield _problem(path, "expected an object")
        return
    role = item.get("role")
    if "role" not in item and typed and isinstance(item.get("type"), str) and item["type"] != "message":
        return
    if not isinstance(role, str):
        yield _problem(f"{path}.role", "expected a string" if "role" in item else "the role is missing")
    yield from _text_or_blocks(item.get("content"), f"{path}.content", nullable=role in _MAY_BE_SILENT)
    yield from _objects(item.get("tool_calls"), f"{path}.tool_calls")


def _text_or_blocks(content: object, path: str, nullable: bool) -> Iterator[Problem]:
    if isinstance(content, list):
        for place, block in enumerate(content):
            yield from _block_problems(block, f"{path}[{place}]")
    elif not (isinstance(content, str) or (content is None and nullable)):
        yield _problem(path, "expected a string or a list of blocks")


def _block_problems(block: object, path: str) -> Iterator[Problem]:
    if not isinstance(block, dict):
        yield _problem(path, "expected an object")
        return
    kind = block.get("type")
    if not isinstance(kind, str):
        yield _problem(f"{path}.type", "expected a string")
    elif kind in _TEXTS and not isinstance(block.get("text"), str):
        yield _problem(f"{path}.text", "expected a string")
    elif kind == "tool_result":
        yield from _result_problems(block.get("content"), f"{path}.content")


def _result_problems(content: object, path: str) -> Iterator[Problem]:
    for place, block in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(block, dict):
            yield _problem(f"{path}[{place}]", "expected an object")
        elif block.get("type") in _TEXTS and not isinstance(block.get("text"), str):
            yield _problem(f"{path}[{place}].text", "expected a string")


def _objects(value: object, path: str) -> Iterator[Problem]:
    if not isinstance(value, list | None):
        yield _problem(path, "expected a list")
        return
    for place, one in enumerate(value or ()):
        if not isinstance(one, dict):
            yield _problem(f"{path}[{place}]", "expected an object")


def _problem(path: str, message: str) -> Problem:
    return {"path": path, "message": message}


# Messages as APIs take them, in an array or a line each: whose they are, what is wrong, and the Chat they make.


MessagesOf = Callable[[Sequence[JsonObject]], Sequence[Message]]
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
# An object with one of these beside its messages, or in a line of its own, is another tool's session file.
_FOREIGN = frozenset({"sessionId", "session_id", "projectHash", "version"})
_SPEAKERS = {*ROLES, "tool", "function"}


def fits(source: Source, format_name: str) -> bool:
    """Whether the source holds messages, and nothing in them tells of another format."""
    is_ours = source.strict or _is_array(source) or _is_lines(source)
    return is_ours and told(_document(source).get("messages"), source.watch) in (format_name, None)


def read_array(source: Source, format_name: str, messages_of: MessagesOf) -> Chat:
    """Read the messages: a caller's faults are raised all at once, those of a file are skipped and told."""
    document = _document(source)
    good, faults = _sound(document, format_name == "openai-responses", source)
    return Chat(
        format=format_name,
        tool="unknown",
        messages=with_summary_marked(messages_of(source.watch(good))),
        system="\n".join(part.text for part in parts_of(document.get("system")) if isinstance(part, Text)),
        tools=tuple(objects(document.get("tools"))),
        model=word(document.get("model")) or None,
        warnings=(*source.damage, *shortened(faults, _skipped)),
    )


def message_of(item: JsonObject, index: int) -> Message:
    """Decode a message that is a role and its content; a role we do not know becomes the user's (T7)."""
    name = f"m{index}"
    role = ROLES.get(item["role"])
    if role is None:
        return Message(name, "user", (Unknown(item["role"], item),), raw=item)
    return Message(name, role, parts_of(item.get("content")), raw=item)


def _is_array(source: Source) -> bool:
    items = source.document if isinstance(source.document, list) else fields(source.document).get("messages")
    if not isinstance(items, list) or not _FOREIGN.isdisjoint(fields(source.document)):
        return False
    return not items or any(map(_is_message, items))


def _is_lines(source: Source) -> bool:
    """Whether each line is a message: a line of anything else gives away the file of another tool."""
    records = source.records
    return source.is_json and bool(records) and all(_is_message(one) and _FOREIGN.isdisjoint(one) for one in records)


def _is_message(item: object) -> bool:
    message = fields(item)
    speaks = "content" in message or "tool_calls" in message
    return (speaks and word(message.get("role")) in _SPEAKERS) or word(message.get("type")) in ROLELESS_ITEMS


def _document(source: Source) -> JsonObject:
    """The messages, from lines too, and what stands beside them."""
    document = source.document
    if isinstance(document, dict) and (source.strict or isinstance(document.get("messages"), list)):
        return document
    return {"messages": document if isinstance(document, list) else list(source.records)}


def _sound(document: JsonObject, typed: bool, source: Source) -> tuple[list[JsonObject], list[Problem]]:
    """The sound messages, and what is wrong with each other one; in a caller's document all faults are raised."""
    given = document.get("messages")
    items = given if isinstance(given, list) else []
    check_length(len(items))
    faults = [item_problems(item, f"$.messages[{place}]", typed) for place, item in enumerate(source.watch(items))]
    if source.strict:
        if problems := list(islice(chain(document_problems(document), *faults), MOST_PROBLEMS)):
            raise InvalidParams(problems)
        return items, []
    first = [next(found, None) for found in faults]
    good = [item for item, fault in zip(items, first, strict=True) if fault is None]
    return good, [fault for fault in first if fault]


def _skipped(problem: Problem) -> Warning:
    return Warning("skippedMessage", f"A message was skipped; {problem['path']}: {problem['message']}.")


# Messages as the Anthropic API takes them: strings or blocks, tool results inside user messages.


_NAME_ANTHROPIC = "anthropic"


def sniff_anthropic(source: Source) -> bool:
    """Whether the source may be an array of Anthropic messages."""
    return fits(source, _NAME_ANTHROPIC)


def read_anthropic(source: Source) -> Chat:
    """Read the array, one Message per item."""
    return read_array(source, _NAME_ANTHROPIC, _messages_anthropic)


def _messages_anthropic(items: Sequence[JsonObject]) -> list[Message]:
    return [message_of(item, index) for index, item in enumerate(items)]


# Messages as the OpenAI chat API takes them: calls beside the content, one message per tool result.


_NAME_OPENAI_CHAT = "openai-chat"


def sniff_openai_chat(source: Source) -> bool:
    """Whether the source may be an array of OpenAI chat messages."""
    return fits(source, _NAME_OPENAI_CHAT)


def read_openai_chat(source: Source) -> Chat:
    """Read the array, one Message per item."""
    return read_array(source, _NAME_OPENAI_CHAT, _messages_openai_chat)


def _messages_openai_chat(items: Sequence[JsonObject]) -> list[Message]:
    messages: list[Message] = []
    open_call = ""  # the older form of a call has no id: its result is the next one
    for index, item in enumerate(items):
        if isinstance(item.get("function_call"), dict):
            open_call = f"call_m{index}"
        messages.append(_message(item, index, open_call))
    return messages


def _message(item: JsonObject, index: int, open_call: str) -> Message:
    if item["role"] == "tool":
        return _answer(item, index, word(item.get("tool_call_id")))
    if item["role"] == "function":
        return _answer(item, index, open_call)
    plain = message_of(item, index)
    refused = (Text(item["refusal"]),) if word(item.get("refusal")) else ()
    return replace(plain, parts=(*plain.parts, *refused, *_calls(item, open_call)))


def _answer(item: JsonObject, index: int, call_id: str) -> Message:
    return Message(f"m{index}", "user", (result_of(call_id, item.get("content")),), raw=item)


def _calls(item: JsonObject, open_call: str) -> list[ToolCall]:
    calls = [_call(call) for call in item.get("tool_calls") or ()]
    old = item.get("function_call")
    if isinstance(old, dict):
        calls.append(ToolCall(open_call, word(old.get("name")), arguments_of(old.get("arguments"))))
    return calls


def _call(call: JsonObject) -> ToolCall:
    custom, function = call.get("custom"), fields(call.get("function"))
    if isinstance(custom, dict):
        return ToolCall(word(call.get("id")), word(custom.get("name")), {"input": custom.get("input")})
    return ToolCall(word(call.get("id")), word(function.get("name")), arguments_of(function.get("arguments")))


# Items as the OpenAI Responses API takes them: reasoning, words, calls and outputs each an item of its own.


_NAME_OPENAI_RESPONSES = "openai-responses"


def sniff_openai_responses(source: Source) -> bool:
    """Whether the source may be an array of Responses items."""
    return fits(source, _NAME_OPENAI_RESPONSES)


def read_openai_responses(source: Source) -> Chat:
    """Read the array; neighbouring items of the assistant are one Message, and so are neighbouring outputs."""
    return read_array(source, _NAME_OPENAI_RESPONSES, _messages_openai_responses)


def item_message(item: JsonObject, place: int) -> Message:
    """Decode one item as a Message of its own; a `role`, where it has one, is a string."""
    if "role" in item:
        return message_of(item, place)
    kind = word(item.get("type"))
    part = _ITEMS[kind](item) if kind in _ITEMS else Unknown(kind, item)
    role: Role = "user" if kind in _OUTPUTS else "assistant"
    return Message(f"m{place}", role, (part,), raw=item)


def _messages_openai_responses(items: Sequence[JsonObject]) -> list[Message]:
    single = [item_message(item, place) for place, item in enumerate(items)]
    turns = [list(turn) for _, turn in groupby(single, key=_turn)]
    return [_merged(turn, index) for index, turn in enumerate(turns)]


def _turn(message: Message) -> str:
    """What neighbours must share to be one Message; a message of the user or system stands alone."""
    if message.role == "assistant":
        return "assistant"
    return "outputs" if message.results else message.id


def _merged(turn: Sequence[Message], index: int) -> Message:
    name = f"m{index}"
    if len(turn) == 1:
        return replace(turn[0], id=name)
    parts = tuple(part for message in turn for part in message.parts)
    return Message(name, turn[0].role, parts, raw=tuple(item for message in turn for item in raws(message)))


def _reasoning(item: JsonObject) -> Part:
    steps = objects(item.get("summary")) or objects(item.get("content"))
    return Thinking("\n\n".join(word(step.get("text")) for step in steps))


def _function_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), word(item.get("name")), arguments_of(item.get("arguments")))


def _custom_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), word(item.get("name")), {"input": item.get("input")})


def _shell_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), "local_shell", arguments_of(item.get("action")))


def _search_call(item: JsonObject) -> Part:
    return ToolCall(word(item.get("call_id")), "tool_search", arguments_of(item.get("arguments")))


def _search_output(item: JsonObject) -> Part:
    return result_of(item.get("call_id"), item.get("tools"))


def _output(item: JsonObject) -> Part:
    return result_of(item.get("call_id") or item.get("id"), item.get("output"))


_PLAIN_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output")
_OUTPUTS = (*_PLAIN_OUTPUTS, "tool_search_output")
_ITEMS: dict[str, Callable[[JsonObject], Part]] = {
    "reasoning": _reasoning,
    "function_call": _function_call,
    "custom_tool_call": _custom_call,
    "local_shell_call": _shell_call,
    "tool_search_call": _search_call,
    "tool_search_output": _search_output,
    **dict.fromkeys(_PLAIN_OUTPUTS, _output),
}
