"""Type-tolerant access to untrusted JSON: a value of the wrong type reads as its default, or as empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Warning
from compact_chat.read.document import shortened

S = TypeVar("S", bound=Struct)
_Fit = Callable[[Any], Any]
_WRONG = object()  # what a value becomes that is not of the wanted type


def loose(shape: type[S], value: object) -> S:
    """Decode an untrusted JSON value as a Struct; a field that is absent or of the wrong type gets its default.

    >>> class Call(Struct, rename="camel"):
    ...     name: str = ""
    ...     max_tokens: int | None = None
    ...     args: list[str] = []
    >>> loose(Call, {"name": "ls", "maxTokens": True, "args": ["-l", 7], "other": {}})
    Call(name='ls', max_tokens=None, args=['-l'])

    Every field needs a default. A list or an object keeps its members of the right type. A bool is no int. It recurses
    no deeper than the types do (a type that holds itself, as deep as `parse` lets the data be): what a field of type
    `Any` holds is taken over as it is.
    """
    try:
        return msgspec.convert(value, shape)  # 0.3 ms for the 937 records of a session of 4 MB; by the plan 3.7 ms
    except (ValueError, RecursionError):
        filled: S = _struct(shape)(value if isinstance(value, dict) else {})
        return filled


@cache
def _struct(shape: type[Struct]) -> _Fit:
    """Compile how an object becomes a Struct: its keys, their fields, and what fits there."""
    from msgspec import inspect  # only damaged files need it

    info = inspect.type_info(shape)
    assert isinstance(info, inspect.StructType)
    if any(field.required for field in info.fields):
        raise TypeError(f"Every field of {shape.__name__} needs a default.")
    plan = [(field.encode_name, field.name, _fit(field.type)) for field in info.fields]

    def fit(value: Any) -> Any:
        if not isinstance(value, dict):
            return _WRONG
        found = {name: fit(value[key]) for key, name, fit in plan if key in value}
        return shape(**{name: one for name, one in found.items() if one is not _WRONG})

    return fit


def _fit(kind: Any) -> _Fit:
    """Compile what a value becomes that a field of this type is to hold; `_WRONG` where it does not fit."""
    from msgspec import inspect

    match kind:
        case inspect.AnyType():
            return lambda value: value
        case inspect.NoneType():
            return lambda value: value if value is None else _WRONG
        case inspect.BoolType():
            return lambda value: value if isinstance(value, bool) else _WRONG
        case inspect.StrType():
            return lambda value: value if isinstance(value, str) else _WRONG
        case inspect.IntType():
            return lambda value: value if isinstance(value, int) and not isinstance(value, bool) else _WRONG
        case inspect.StructType(cls):
            return lambda value: _struct(cls)(value)  # noqa: PLW0108 -- a type may hold itself: compile it when it is met
        case inspect.DictType(_, kind_of_member):
            fits = _fit(kind_of_member)
            return lambda value: (
                {key: one for key, member in value.items() if (one := fits(member)) is not _WRONG}
                if isinstance(value, dict)
                else _WRONG
            )
        case inspect.ListType(kind_of_item):
            fits = _fit(kind_of_item)
            return lambda value: (
                [one for item in value if (one := fits(item)) is not _WRONG] if isinstance(value, list) else _WRONG
            )
        case inspect.UnionType(types):
            options = list(map(_fit, types))
            return lambda value: next((one for fit in options if (one := fit(value)) is not _WRONG), _WRONG)
    raise TypeError(f"loose() cannot decode {kind}.")


def word(value: object) -> str:
    """The value where it is a string, else nothing."""
    return value if isinstance(value, str) else ""


def fields(value: object) -> JsonObject:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[JsonObject]:
    """The objects of a list; none where the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


# Numbers of tokens as tools record them: what cannot be one is none.


_MOST = 10**9  # tokens; more is a mistake


def tokens(value: object) -> int:
    """The value where it is a plausible count of tokens, else 0."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST
    return value if is_count and isinstance(value, int) else 0


def prompt_size(counted: int, cached: int, is_whole: bool) -> int:
    """Add cached tokens to a prompt unless `counted` has them: a part is never larger than the whole."""
    return counted if is_whole and cached <= counted else counted + cached


# What the records of tools have in common: ids, numbers, titles, and what is left out of them.


_LONGEST_TITLE = 2000  # characters: what shows a title cuts it, once its secrets are masked


def stable_ids(wanted: Sequence[str]) -> list[str]:
    """Give each message the id that its tool gave it, or one by its place where that is missing or taken."""
    taken: set[str] = set()
    ids: list[str] = []
    for place, name in enumerate(wanted):
        free = name if name and name not in taken else f"m{place}"
        while free in taken:
            free += "+"
        taken.add(free)
        ids.append(free)
    return ids


def whole_number(value: object) -> int | None:
    """The value where it is a whole number, and no truth value."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def title_of(text: str) -> str | None:
    """Make a title of the first line that says something; of a very long one only whole words are taken."""
    line = text.lstrip().partition("\n")[0].strip()
    if len(line) > _LONGEST_TITLE:
        start = line[:_LONGEST_TITLE]
        line = start.rpartition(" ")[0].rstrip() or start
    return line or None


def typed_title(messages: Iterable[Message], typed_texts: Callable[[list[str]], list[str]]) -> str | None:
    """Make a title of the first line that a person typed, by what `typed_texts` keeps of each message."""
    asked = (message.texts for message in messages if message.role == "user" and not message.by_host)
    return next((title for texts in asked for title in map(title_of, typed_texts(texts)) if title), None)


def left_out(faults: Sequence[str]) -> tuple[Warning, ...]:
    """Warn of messages that could not be read; each fault is a place and what is wrong there."""
    return shortened(faults, lambda fault: Warning("skippedMessage", f"A message was skipped; {fault}."))


# Names for the messages of logs that write one name twice.


def with_own_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages, each under a name of its own: where one is taken, a number goes behind it."""
    times: dict[str, int] = {}
    named: dict[str, Message] = {}
    for message in messages:
        name = message.id
        while name in named:
            times[message.id] = times.get(message.id, 1) + 1
            name = f"{message.id}#{times[message.id]}"
        named[name] = message if name == message.id else replace(message, id=name)
    return tuple(named.values())
