"""Messages as APIs take them, in an array or a line each: whose they are, what is wrong, and the Chat they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice

from compact_chat.chat import Chat, JsonObject, Message, Role, Text, Unknown, Warning
from compact_chat.errors import InvalidParams
from compact_chat.read.blocks import parts_of
from compact_chat.read.evidence import ROLELESS_ITEMS, told
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.limits import MOST_PROBLEMS, check_length, shortened
from compact_chat.read.problems import Problem, document_problems, item_problems
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

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
