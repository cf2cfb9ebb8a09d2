"""The table of operations behind the wire, the shell, the documents and the TypeScript types; checks params."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

from compact_chat.chat import JsonObject
from compact_chat.convert import convert
from compact_chat.errors import InvalidParams
from compact_chat.read import MOST_PROBLEMS
from compact_chat.tools import FORMATS
from compact_chat.wire import FEATURES, FormatHint, Provider, Style

if TYPE_CHECKING:
    from compact_chat.operations.job import Job

# Each name is a function of a module in this room, imported on first use.
OPERATIONS = {
    "sessions": "chats.sessions",
    "countTokens": "count.count_tokens",
    "transcript": "review.transcript",
    "preview": "preview.preview",
    "summarize": "summarize.summarize",
    "draft": "draft.draft",
    "prompt": "own_model.prompt",
    "format": "own_model.format_reply",
    "continuation": "own_model.continuation",
    "check": "review.check",
    "export": "history.export",
    "restore": "history.restore",
    "history": "history.history",
    "watch": "watch.watch",
    "unwatch": "watch.unwatch",
}

# These read or write files, however small their params are.
ON_DISK = frozenset({"sessions", "watch", "summarize", "history", "restore", "export", "check", "transcript", "draft"})

SMALL = 40_000  # characters of params that are counted and planned within a millisecond or two
_LEVELS = 8  # no type on the wire is nested deeper
_UNTOUCHED = {"messages", "sections"}
_NAMES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    list: "a list",
    tuple: "a list",
}


class Operation(NamedTuple):
    """An operation's params, result and function, as its type hints say; one that calls a model is async."""

    params: type[Struct]
    result: type[Struct]
    run: Callable[[Any, Job], Any]


LOADED: dict[str, Operation] = {}


def operation(name: str) -> Operation:
    """Return the operation of this name; its first use imports its module, which takes a while."""
    if name not in LOADED:
        module, _, function = OPERATIONS[name].partition(".")
        run = getattr(import_module(f"compact_chat.operations.{module}"), function)
        types = get_type_hints(run)
        LOADED[name] = Operation(types["asked"], types["return"], run)
    return LOADED[name]


def card() -> JsonObject:
    """List the operations, formats, styles and providers, as `initialize` advertises them."""
    return {
        "version": 1,
        "features": list(FEATURES),
        "operations": list(OPERATIONS),
        "formats": list(FORMATS),
        "styles": list(get_args(Style)),
        "providers": [name for name in get_args(Provider) if name != "auto"],
    }


class ChatRef(Struct, frozen=True, rename="camel"):
    """Where a chat is: a file, its contents, or its messages."""

    uri: str | None = None
    text: str | None = None
    messages: list[Any] | None = None
    system: str | list[JsonObject] | None = None
    tools: list[JsonObject] | None = None
    format: Annotated[
        FormatHint | None, Meta(description="The chat's format, used where the chat itself does not show it.")
    ] = None
    tool: Annotated[Annotated[str, Meta(max_length=100)] | None, Meta(description="The tool that wrote the chat.")] = (
        None
    )


def is_small(params: object) -> bool:
    """Return whether params hold little text, and name no file, plan or compaction that may hold more."""
    left, waiting = SMALL, [params]
    while waiting and left >= 0:  # however large the params, only a little of them is examined
        left -= 20
        match waiting.pop():
            case str(text):
                left -= len(text)
            case {"uri": _} | {"planId": _} | {"compactionId": _} | {"draftId": _}:
                return False
            case dict(members):
                left -= 20 * len(members)
                waiting.extend(members.values())
            case list(items):
                left -= 20 * len(items)
                waiting.extend(items)
    return left >= 0


def without_nulls(value: object, levels: int = _LEVELS) -> object:
    """Drop null members of params: null means not given. The contents of chats and sections stay as they are.

    So do members whose name holds half a surrogate pair, which cannot even be compared with the names of params.
    """
    if isinstance(value, list) and levels:
        return [without_nulls(item, levels - 1) for item in value]
    if not isinstance(value, dict) or not levels:
        return value
    return {
        name: item if name in _UNTOUCHED else without_nulls(item, 1 if name == "chat" else levels - 1)
        for name, item in value.items()
        if item is not None and (name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name))
    }


def typed(kind: type[Struct], params: object) -> Any:
    """Check params against their type; every problem is reported with its path."""
    try:
        return convert(params, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        raise InvalidParams(list(islice(_problems(kind, params, "$"), MOST_PROBLEMS))) from None


def _problems(hint: Any, value: object, at: str) -> Iterator[dict[str, str]]:
    """Check a value, then what it contains: msgspec stops at the first problem, and its messages quote values."""
    if hint in (JsonObject, str):  # the elements of long lists
        fits = isinstance(value, get_origin(hint) or hint)
    else:
        try:
            msgspec.convert(value, hint)  # noqa: TID251 -- a part of a type that `typed` had compiled
            fits = True
        except (msgspec.ValidationError, UnicodeEncodeError):  # a choice with half a surrogate pair matches none
            fits = False
    if not fits:
        inner = _inner_problems(hint, value, at)
        yield next(inner, {"path": at, "message": f"expected {' or '.join(map(_described, _alternatives(hint)))}"})
        yield from inner


def _inner_problems(hint: Any, value: object, at: str) -> Iterator[dict[str, str]]:
    for kind in map(bare_type, _alternatives(hint)):
        if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, Struct):
            hints = get_type_hints(kind, include_extras=True)
            for field in structs.fields(kind):
                path = f"{at}.{field.encode_name}"
                if field.encode_name in value:
                    yield from _problems(hints[field.name], value[field.encode_name], path)
                elif field.required:
                    yield {"path": path, "message": "this member is required"}
        elif isinstance(value, list) and get_origin(kind) in (list, tuple):
            for place, item in enumerate(value):
                yield from _problems(get_args(kind)[0], item, f"{at}[{place}]")


def _alternatives(hint: Any) -> list[Any]:
    """Return the alternatives of a type, each with its bounds; null is implied."""
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(bare) in (Union, UnionType):
        return [part for part in get_args(bare) if part is not type(None)]
    return [hint]


def _described(hint: Any) -> str:
    """Describe what a value should be, without quoting it."""
    bare = bare_type(hint)
    kind = get_origin(bare) or bare
    if kind is Literal:
        return f"one of {', '.join(get_args(bare))}"
    bounds = []
    for mark in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
        if mark.ge is not None:
            bounds.append(f"at least {mark.ge}")
        if mark.le is not None:
            bounds.append(f"at most {mark.le}")
        if mark.max_length is not None:
            bounds.append(f"at most {mark.max_length}{' characters' if kind is str else ''}")
    return " of ".join(filter(None, (_NAMES.get(kind, "an object"), " and ".join(bounds))))


def bare_type(hint: Any) -> Any:
    """Strip `Annotated` and a None alternative from a type."""
    if get_origin(hint) is Annotated:
        return bare_type(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return bare_type(next(part for part in get_args(hint) if part is not type(None)))
    return hint
