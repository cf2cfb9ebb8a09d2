"""Untrusted JSON: decoded leniently and within limits; a value of the wrong type reads as its default, or as empty."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Part, Text, Usage, Warning
from compact_chat.convert import convert, is_deeper
from compact_chat.read.blob import check_length

T = TypeVar("T")
S = TypeVar("S", bound=Struct)
_Fit = Callable[[Any], Any]
_WRONG = object()  # marks a value of the wrong type

MAX_DEPTH = 100
TOO_DEEP = "[nested too deeply]"
MOST_PROBLEMS = 1000  # a caller that fixes these is told the others
MOST_WARNINGS = 100

_PADDING = " \t\r\0"
_SPACE = re.compile(r"[ \t\r\n\0]*")
# An unclosed string runs to the end of the text, so that no quote is tried twice.
_STRING = r'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?'
_BRACKET = re.compile(_STRING + r"|[\[{]|[\]}]", re.DOTALL)
_BRACKET_OR_COMMA = re.compile(_STRING + r"|[\[{\]},]", re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_GLUED = json.JSONDecoder()


def shortened(found: Sequence[T], warn: Callable[[T], Warning]) -> tuple[Warning, ...]:
    """Report the first warnings, and the number of the others."""
    first = tuple(map(warn, found[:MOST_WARNINGS]))
    if len(found) == len(first):
        return first
    return (*first, Warning(first[0].code, f"There are {len(found) - len(first):,} more warnings of this kind."))


# Decode values.


def decode(text: str | bytes) -> object:
    """Decode one JSON value; raises ValueError, and RecursionError beyond a depth of about a thousand."""
    try:
        value: object = msgspec.json.decode(text)
    except ValueError:  # half a surrogate pair, NaN, a huge number: the standard library accepts them
        value = json.loads(text if isinstance(text, str) else text.decode())
    return value


def parse(text: str | bytes) -> object:
    """Decode one JSON value, replacing what is deeper than 100 levels by a short text; raises ValueError."""
    try:
        value = decode(text)
        if not (may_be_deep(text) and is_deeper(value, MAX_DEPTH)):
            return value
    except RecursionError:
        pass
    return decode(_flattened(text if isinstance(text, str) else text.decode()))


def parsed(text: str | bytes) -> object:
    """Decode one JSON value as `parse` does; None if it cannot be decoded."""
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None


def parse_line(line: str) -> tuple[list[object], bool]:
    """Decode the records on one line, even glued ones, and whether nothing was lost."""
    text = line.strip(_PADDING)
    if len(text) < 2 or text[0] != "{":
        return [], not text and "\0" not in line
    try:
        return [parse(text)], True
    except (ValueError, RecursionError):
        pass
    values: list[object] = []
    text = _flattened(text) if may_be_deep(text) else text
    offset = 0
    while offset < len(text):
        try:
            value, offset = _GLUED.raw_decode(text, offset)
        except (ValueError, RecursionError):
            return values, False
        values.append(value)
        if space := _SPACE.match(text, offset):
            offset = space.end()
    return values, True


def broken_line(text: str) -> int | None:
    """Return the number of the line on which a JSON document breaks, if it does."""
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return problem.lineno
    except (ValueError, RecursionError):
        return None
    return None


def may_be_deep(text: str | bytes) -> bool:
    """Return whether JSON has enough brackets to be nested too deeply."""
    brackets = text.count("{") + text.count("[") if isinstance(text, str) else text.count(b"{") + text.count(b"[")
    return brackets > MAX_DEPTH


def _flattened(text: str) -> str:
    """Replace what is nested too deeply."""
    pieces: list[str] = []
    depth = start = 0
    for token in _BRACKET.finditer(text):
        sign = token[0]
        if sign in "[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                pieces += (text[start : token.start()], f'"{TOO_DEEP}"')
        elif sign in "]}":
            if depth == MAX_DEPTH + 1:
                start = token.end()
            depth -= 1
    return "".join(pieces) + (text[start:] if depth <= MAX_DEPTH else "")


# Decode a truncated document: what precedes the break.


def before_the_break(text: str) -> dict[str, object] | list[object] | None:
    """Decode the complete part of a truncated document; None if there is none."""
    end, closing = last_whole(text)
    try:
        value = parse(text[:end] + closing) if closing else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def last_whole(text: str) -> tuple[int, str]:
    """Find the end of the last certainly complete value, and the brackets that close what is open there."""
    still_open: list[str] = []
    end = depth = 0
    for token in _BRACKET_OR_COMMA.finditer(text):
        sign = token[0]
        if sign in _CLOSING:
            still_open.append(_CLOSING[sign])
        elif sign in "]}":
            if still_open[-1:] != [sign]:
                break
            still_open.pop()
        if sign in "]},":
            end, depth = (token.start() if sign == "," else token.end()), len(still_open)
    return end, "".join(reversed(still_open[:depth]))


# Typed values.


def loose(shape: type[S], value: object) -> S:
    """Decode an untrusted JSON value as a Struct; a field that is absent or of the wrong type gets its default.

    >>> class Call(Struct, rename="camel"):
    ...     name: str = ""
    ...     max_tokens: int | None = None
    ...     args: list[str] = []
    >>> loose(Call, {"name": "ls", "maxTokens": True, "args": ["-l", 7], "other": {}})
    Call(name='ls', max_tokens=None, args=['-l'])

    Every field needs a default. A dot in its name leads into an object: `field(default="", name="model.id")`. A list or
    an object keeps its members of the right type. A bool is no int. It recurses no deeper than the types do (a type
    that holds itself, as deep as `parse` lets the data be): what a field of type `Any` holds is taken over as it is.
    """
    if not _has_paths(shape):
        with suppress(ValueError, RecursionError):
            return convert(value, shape)  # 0.3 ms for the 937 records of a session of 4 MB; without it 3.7 ms
    filled: S = _struct(shape)(value if isinstance(value, dict) else {})
    return filled


@cache
def _has_paths(shape: type[Struct]) -> bool:
    """Return whether the name of a field has a dot, here or in a Struct within this one."""
    waiting: list[Any] = [inspect.type_info(shape)]
    seen: set[type] = set()
    while waiting:
        match waiting.pop():
            case inspect.StructType(cls, fields) if cls not in seen:
                seen.add(cls)
                if any("." in field.encode_name for field in fields):
                    return True
                waiting += (field.type for field in fields)
            case inspect.UnionType(types):
                waiting += types
            case inspect.ListType(inner) | inspect.DictType(_, inner):
                waiting.append(inner)
    return False


@cache
def _struct(shape: type[Struct]) -> _Fit:
    """Compile the conversion of an object to a Struct: its keys, their fields, and their types."""
    info = inspect.type_info(shape)
    assert isinstance(info, inspect.StructType)
    if any(field.required for field in info.fields):
        raise TypeError(f"Every field of {shape.__name__} needs a default.")
    plan = [(field.encode_name.split("."), field.name, _fit(field.type)) for field in info.fields]

    def fit(value: Any) -> Any:
        if not isinstance(value, dict):
            return _WRONG
        found = {}
        for path, name, fit in plan:
            one: Any = value
            for key in path:
                one = one.get(key, _WRONG) if isinstance(one, dict) else _WRONG
            if one is not _WRONG and (one := fit(one)) is not _WRONG:
                found[name] = one
        return shape(**found)

    return fit


def _fit(kind: Any) -> _Fit:
    """Compile the conversion of a value to a field of this type; `_WRONG` if it does not fit."""
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

            def convert(value: Any) -> Any:
                return _struct(cls)(value)  # compiled on first use, since a type may contain itself

            return convert
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
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def fields(value: object) -> JsonObject:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[JsonObject]:
    """Return the objects in a list; empty if the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


# Token counts as tools record them; an impossible one is dropped.


_MOST = 10**9  # tokens; a larger value is an error


def tokens(value: object) -> int:
    """Return the value if it is a plausible token count, else 0."""
    number = whole_number(value) or 0
    return number if 0 < number <= _MOST else 0


def usage_of(model: str, prompt: object, output: object, *cached: object, is_whole: bool = True) -> Usage | None:
    """Return the size of a call; None without a prompt.

    Cached tokens are added to the prompt unless it includes them: a part is never larger than the whole.
    """
    size, stored = tokens(prompt), sum(map(tokens, cached))
    size = size if is_whole and stored <= size else size + stored
    return Usage(size, tokens(output), model) if size else None


# Helpers for the ids, numbers and titles of tools' records, and for skipped messages.


_LONGEST_TITLE = 2000  # characters: views truncate titles, once secrets are masked


def whole_number(value: object) -> int | None:
    """Return the value if it is an int (bool excluded), else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def title_of(text: str) -> str | None:
    """Make a title from the first line with content; a very long one is cut."""
    return text.lstrip().partition("\n")[0][:_LONGEST_TITLE].strip() or None


def typed_title(messages: Iterable[Message], typed_texts: Callable[[list[str]], list[str]]) -> str | None:
    """Make a title from the first line that a person typed, as `typed_texts` finds it in each message."""
    asked = (message.texts for message in messages if message.role == "user" and not message.by_host)
    return next((title for texts in asked for title in map(title_of, typed_texts(texts)) if title), None)


def is_by_host(parts: Iterable[Part], typed_texts: Callable[[list[str]], list[str]]) -> bool:
    """Return whether a user message has texts, and a person typed none of them."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    return bool(texts) and not typed_texts(texts)


def left_out(faults: Sequence[str]) -> tuple[Warning, ...]:
    """Warn of skipped messages; each fault is a position and a description."""
    return shortened(faults, lambda fault: Warning("skippedMessage", f"A message was skipped; {fault}."))


# Unique names for messages in logs that repeat names.


def with_own_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Give each message a unique name: a number is appended to a name that is taken."""
    taken: dict[str, int] = {}
    named: list[Message] = []
    for message in messages:
        name = own_name(message.id, taken)
        named.append(message if name == message.id else replace(message, id=name))
        check_length(len(named))
    return tuple(named)


def own_name(name: str, taken: dict[str, int]) -> str:
    """Return a name that is not taken yet, and note how often it was asked for."""
    unique = name
    while unique in taken:
        taken[name] += 1
        unique = f"{name}#{taken[name]}"
    taken[unique] = 1
    return unique
