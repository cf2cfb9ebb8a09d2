"""Arrays of messages as APIs take them: whose they are, what is wrong with them, and the Chat they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compact_chat.chat import Chat, JsonObject, Message, Role, Text, Unknown, Warning
from compact_chat.errors import InvalidParams
from compact_chat.read.blocks import parts_of, word
from compact_chat.read.evidence import ROLELESS_ITEMS, told
from compact_chat.read.finish import finished
from compact_chat.read.problems import document_problems, item_problems
from compact_chat.read.source import Source

MessagesOf = Callable[[Sequence[JsonObject]], Sequence[Message]]
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
# An object with one of these beside its messages is another tool's own session file.
_FOREIGN = ("sessionId", "session_id", "projectHash", "version")


def fits(source: Source, format_name: str) -> bool:
    """Whether the source holds messages, and nothing in them tells of another format."""
    return _is_array(source) and told(_items(source)) in (format_name, None)


def read_array(source: Source, format_name: str, messages_of: MessagesOf) -> Chat:
    """Read the messages: a caller's faults are raised all at once, those of a file are skipped and told."""
    document, typed = _document(source), format_name == "openai-responses"
    good, warnings = _checked(document, typed) if source.strict else _readable(document, typed)
    return Chat(
        format=format_name,
        tool="unknown",
        messages=finished(messages_of(good)),
        system=_system(document.get("system")),
        tools=tuple(tool for tool in _list(document.get("tools")) if isinstance(tool, dict)),
        model=word(document.get("model")) or None,
        warnings=tuple(warnings),
    )


def message_of(item: JsonObject, index: int) -> Message:
    """Decode a message that is a role and its content; a role we do not know becomes the user's (T7)."""
    name = f"m{index}"
    role = ROLES.get(item["role"])
    if role is None:
        return Message(name, "user", (Unknown(item["role"], item),), raw=item)
    return Message(name, role, parts_of(item.get("content")), raw=item)


def _is_array(source: Source) -> bool:
    if source.strict:
        return True
    if isinstance(source.document, dict) and any(key in source.document for key in _FOREIGN):
        return False
    items = _items(source)
    return items is not None and (not items or any(_is_message(item) for item in items))


def _is_message(item: object) -> bool:
    if not isinstance(item, dict):
        return False
    speaks = "content" in item or "tool_calls" in item
    return (speaks and word(item.get("role")) in ROLES) or word(item.get("type")) in ROLELESS_ITEMS


def _document(source: Source) -> JsonObject:
    document = source.document
    return document if isinstance(document, dict) else {"messages": document}


def _items(source: Source) -> list[object] | None:
    items = _document(source).get("messages")
    return items if isinstance(items, list) else None


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _checked(document: JsonObject, typed: bool) -> tuple[list[JsonObject], list[Warning]]:
    problems = list(document_problems(document))
    items = _list(document.get("messages"))
    for place, item in enumerate(items):
        problems += item_problems(item, f"$.messages[{place}]", typed)
    if problems:
        raise InvalidParams(problems)
    return [item for item in items if isinstance(item, dict)], []


def _readable(document: JsonObject, typed: bool) -> tuple[list[JsonObject], list[Warning]]:
    good: list[JsonObject] = []
    warnings: list[Warning] = []
    for place, item in enumerate(_list(document.get("messages"))):
        problem = next(item_problems(item, f"$.messages[{place}]", typed), None)
        if problem is None and isinstance(item, dict):
            good.append(item)
        elif problem is not None:
            warnings.append(_skipped(problem))
    return good, warnings


def _skipped(problem: dict[str, str]) -> Warning:
    return Warning("skippedMessage", f"A message was skipped; {problem['path']}: {problem['message']}.")


def _system(content: object) -> str:
    return "\n".join(_texts(content))


def _texts(content: object) -> Iterator[str]:
    return (part.text for part in parts_of(content) if isinstance(part, Text))
