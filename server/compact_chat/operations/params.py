"""What the operations are asked: params of the wire, checked and typed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams
from compact_chat.read import MOST_PROBLEMS
from compact_chat.wire import FormatHint

# Tell small params from those that are work, without looking at more than a little of them.


SMALL = 40_000  # characters; counted and planned within a millisecond or two


def is_small(params: object) -> bool:
    """Say whether params hold little text, and name no file, plan or compaction that may hold more."""
    left, waiting = SMALL, [params]
    while waiting and left >= 0:
        left -= 20
        match waiting.pop():
            case str(text):
                left -= len(text)
            case {"uri": _} | {"planId": _} | {"compactionId": _}:
                return False
            case dict(members):
                left -= 20 * len(members)
                waiting.extend(members.values())
            case list(items):
                left -= 20 * len(items)
                waiting.extend(items)
    return left >= 0


# What the operations are asked: params of the wire, checked and typed.


_LEVELS = 8  # no type of ours goes deeper
_UNTOUCHED = {"messages", "sections"}


class ChatRef(Struct, frozen=True, rename="camel"):
    """Where a chat is: a file, its contents, or its messages."""

    uri: str | None = None
    text: str | None = None
    messages: list[Any] | None = None
    system: str | list[JsonObject] | None = None
    tools: list[JsonObject] | None = None
    format: Annotated[FormatHint | None, Meta(description="A hint, where nothing in the chat tells.")] = None
    tool: Annotated[Annotated[str, Meta(max_length=100)] | None, Meta(description="The tool that wrote the chat.")] = (
        None
    )


def typed(kind: type[Struct], params: object) -> Any:
    """Check params against their type; everything that is wrong comes back with its path."""
    try:
        return msgspec.convert(params, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        raise InvalidParams(list(islice(_problems(kind, params, "$"), MOST_PROBLEMS))) from None


def _problems(hint: Any, value: object, at: str) -> Iterator[dict[str, str]]:
    """Look at a value, then at what stands in it: msgspec stops at the first fault, and its sentences quote values."""
    if not _fits(value, hint):
        inner = _inner_problems(hint, value, at)
        yield next(inner, {"path": at, "message": f"expected {' or '.join(map(_words, _alternatives(hint)))}"})
        yield from inner


def _inner_problems(hint: Any, value: object, at: str) -> Iterator[dict[str, str]]:
    for kind in map(bare_type, _alternatives(hint)):
        if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, Struct):
            yield from _member_problems(kind, value, at)
        elif isinstance(value, list) and get_origin(kind) in (list, tuple):
            for place, item in enumerate(value):
                yield from _problems(get_args(kind)[0], item, f"{at}[{place}]")


def _member_problems(kind: type[Struct], members: JsonObject, at: str) -> Iterator[dict[str, str]]:
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        path = f"{at}.{field.encode_name}"
        if field.encode_name in members:
            yield from _problems(hints[field.name], members[field.encode_name], path)
        elif field.required:
            yield {"path": path, "message": "this member is required"}


def _fits(value: object, hint: Any) -> bool:
    if hint in (JsonObject, str):  # what long lists are made of
        return isinstance(value, get_origin(hint) or hint)
    try:
        msgspec.convert(value, hint)
    except (msgspec.ValidationError, UnicodeEncodeError):  # a choice with half a surrogate pair is none
        return False
    return True


def _alternatives(hint: Any) -> list[Any]:
    """Give what a value may be, each with its bounds; that it may be null goes without saying."""
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(bare) in (Union, UnionType):
        return [part for part in get_args(bare) if part is not type(None)]
    return [hint]


def _words(hint: Any) -> str:
    """Say what a value should be, in words that tell nothing of what it is."""
    bare = bare_type(hint)
    kind = get_origin(bare) or bare
    if kind is Literal:
        return f"one of {', '.join(get_args(bare))}"
    bounds = [mark for mark in get_args(hint)[1:] if isinstance(mark, Meta)] if get_origin(hint) is Annotated else []
    least = [f"at least {mark.ge}" for mark in bounds if mark.ge is not None]
    most = [f"at most {mark.le}" for mark in bounds if mark.le is not None]
    most += [f"at most {mark.max_length}{_EACH.get(kind, '')}" for mark in bounds if mark.max_length is not None]
    return " of ".join(filter(None, (_NAMES.get(kind, "an object"), " and ".join(least + most))))


_NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    list: "a list",
    tuple: "a list",
}

_EACH = {str: " characters"}  # what the length of a value counts, where that does not go without saying


def bare_type(hint: Any) -> Any:
    """Take `Annotated` and an alternative of None off a type."""
    if get_origin(hint) is Annotated:
        return bare_type(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return bare_type(next(part for part in get_args(hint) if part is not type(None)))
    return hint


def without_nulls(value: object, levels: int = _LEVELS) -> object:
    """Leave out the null members of params: null means not given. What chats and sections hold stays as it is.

    So do members whose name holds half a surrogate pair: they are none of ours, and cannot even be compared.
    """
    if isinstance(value, list) and levels:
        return [without_nulls(item, levels - 1) for item in value]
    if not isinstance(value, dict) or not levels:
        return value
    known = {k: v for k, v in value.items() if v is not None and _is_sound(k)}
    return {k: v if k in _UNTOUCHED else without_nulls(v, 1 if k == "chat" else levels - 1) for k, v in known.items()}


def _is_sound(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)
