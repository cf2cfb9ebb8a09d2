"""Write the types of the wire into PROTOCOL.md, as TypeScript, from the table of operations.

Run it after a change of a type: python scripts/write_protocol.py. A test fails while document and types disagree.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from compact_chat.operations.table import OPERATIONS, operation

DOCUMENT = Path(__file__).resolve().parents[1] / "PROTOCOL.md"
BLOCK = re.compile(r"<!-- types [0-9a-f]{64} -->\n```ts\n.*?```\n", re.DOTALL)
_UNSET = type(inspect.type_info(msgspec.UnsetType))
SCALARS = {
    inspect.StrType: "string",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "any",
}


def block() -> str:
    """Give the block of types, with the hash of what it says."""
    text = "\n".join(_interfaces())
    return f"<!-- types {hashlib.sha256(text.encode()).hexdigest()} -->\n```ts\n{text}```\n"


def _interfaces() -> Iterator[str]:
    seen: dict[type, str] = {}
    for name in OPERATIONS:
        story = operation(name)
        yield from _structs(story.params, name[0].upper() + name[1:] + "Params", seen)
        yield from _structs(story.result, story.result.__name__, seen)


def _structs(kind: type, name: str, seen: dict[type, str]) -> Iterator[str]:
    """Describe a struct and, behind it, those that it holds."""
    if kind in seen:
        return
    seen[kind] = name
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    yield f"interface {name} {{"
    for field in described.fields:
        yield f"  {_line(field)}"
    yield "}\n"
    for inner in _inner(described):
        yield from _structs(inner, inner.__name__, seen)


def _line(field: inspect.Field) -> str:
    optional = not field.required or _has(field.type, _UNSET)
    told = f"  // {_default(field)}" if _default(field) else ""
    return f"{field.encode_name}{'?' if optional else ''}: {_type(field.type)}{told}"


def _default(field: inspect.Field) -> str:
    if field.required or field.default in (None, msgspec.NODEFAULT, msgspec.UNSET):
        return ""
    plain = msgspec.to_builtins(field.default)
    return msgspec.json.encode(plain).decode() if isinstance(plain, bool | int | float | str) and plain != "" else ""


def _type(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata(type=inner):
            return _type(inner)
        case inspect.StructType(cls=cls):
            return cls.__name__
        case inspect.LiteralType(values=values):
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case inspect.UnionType(types=types):
            return " | ".join(_type(one) for one in types if not isinstance(one, _UNSET))
        case inspect.DictType(value_type=value):
            return f"{{ [key: string]: {_type(value)} }}"
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            return f"({_type(item)})[]" if " | " in _type(item) else f"{_type(item)}[]"
    return SCALARS[type(kind)]


def _inner(kind: Any) -> Iterator[type]:
    match kind:
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from _held(field.type)


def _held(kind: inspect.Type) -> Iterator[type]:
    match kind:
        case inspect.StructType(cls=cls):
            yield cls
        case inspect.Metadata(type=inner):
            yield from _held(inner)
        case inspect.UnionType(types=types):
            for one in types:
                yield from _held(one)
        case inspect.VarTupleType(item_type=item) | inspect.ListType(item_type=item):
            yield from _held(item)


def _has(kind: inspect.Type, wanted: type) -> bool:
    return isinstance(kind, wanted) or (
        isinstance(kind, inspect.UnionType) and any(_has(one, wanted) for one in kind.types)
    )


if __name__ == "__main__":
    DOCUMENT.write_text(BLOCK.sub(lambda _: block(), DOCUMENT.read_text("utf-8")), "utf-8")
