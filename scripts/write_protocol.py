"""Write what PROTOCOL.md and the VS Code client have from the server: types of the wire, tools and their folders.

Run it after a change of a type or of a tool's row: python scripts/write_protocol.py. A test fails while these disagree.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from compact_chat.operations import card, operation
from compact_chat.tools import TOOLS
from compact_chat.wire import CLASS_NAMES

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "PROTOCOL.md"
MODULE = ROOT / "vscode-client" / "src" / "wire.ts"
TABLE = ROOT / "vscode-client" / "src" / "tools.ts"
TABLE_HEAD = """\
/** Tools by name, where their chats lie, and classes of facts, written by scripts/write_protocol.py from the server. */

/** A folder of chats below the first of `roots` whose variable is set; in `below`, `*` is any folder. */
export interface Folder {
  readonly tool: string;
  readonly roots: readonly string[];
  readonly below: string;
  readonly endings: readonly string[];
}

/** Where the end of a tool's file says how full a chat is: behind a mark, keys to add up, and that of the window. */
export interface Recorded {
  readonly behind: string;
  readonly used: readonly string[];
  readonly window: string;
  /** The limit where no key has the window. */
  readonly usual: number;
}
"""
HEAD = "/** The types of the wire, written by scripts/write_protocol.py from the server's table of operations. */\n\n"
WIDTH = 120  # of a line; what is longer stands as the client's formatter would have it
UNUSED = {"format", "continuation"}  # operations that the client never asks for
BLOCK = re.compile(r"<!-- types [0-9a-f]{64} -->\n```ts\n.*?```\n", re.DOTALL)
_UNSET = type(inspect.type_info(msgspec.UnsetType))
SCALARS = {
    inspect.StrType: "string",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "unknown",
}


def block() -> str:
    """Give the block of types for the document, with the hash of what it says."""
    text = "\n".join(_interfaces(card()["operations"]))
    return f"<!-- types {hashlib.sha256(text.encode()).hexdigest()} -->\n```ts\n{text}```\n"


def module() -> str:
    """Give the client's module: the types of what it asks for, and which of them belong to which operation."""
    names = [name for name in card()["operations"] if name not in UNUSED]
    return HEAD + "\n".join(f"export {one}" for one in (*_interfaces(names), _operations(names)))


def table() -> str:
    """Give the client's table of tools: what people call them, and their folders but those of VS Code itself.

    The client looks for its window's own chats in one folder, and the server finds those of other windows.
    """
    labels = (f"  {_key(tool.name)}: {json.dumps(tool.label)},\n" for tool in TOOLS)
    recorded = (
        _row(
            f"{_key(tool.name)}: ",
            behind=_quoted(tool.recorded.behind),
            used=json.dumps(tool.recorded.used),
            window=json.dumps(tool.recorded.window),
            usual=str(tool.recorded.usual),
        )
        for tool in TOOLS
        if tool.recorded
    )
    folders = (
        _row(
            "",
            tool=json.dumps(tool.name),
            roots=json.dumps(folder.roots),
            below=json.dumps(folder.below),
            endings=json.dumps(folder.endings),
        )
        for tool in TOOLS
        for folder in tool.folders
        if not folder.below.startswith("workspaceStorage/") and "hatSessions" not in folder.below
    )
    classes = (f"  {name}: {json.dumps(names)},\n" for name, names in CLASS_NAMES.items())
    return (
        f"{TABLE_HEAD}\nexport const LABELS: Readonly<Record<string, string>> = {{\n{''.join(labels)}}};\n"
        f"\nexport const FOLDERS: readonly Folder[] = [\n{''.join(folders)}];\n"
        f"\nexport const RECORDED: Readonly<Record<string, Recorded>> = {{\n{''.join(recorded)}}};\n"
        "\n/** The class of a fact: one of it, many of it. */\n"
        f"export const CLASSES: Readonly<Record<string, readonly [string, string]>> = {{\n{''.join(classes)}}};\n"
    )


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)


def _quoted(text: str) -> str:
    """Quote as the client's formatter does."""
    return f"'{text}'" if '"' in text else json.dumps(text)


def _row(key: str, **members: str) -> str:
    """Write an object on one line, or its members and longer lists on several, as the client's formatter does."""
    parts = [f"{name}: {value}," for name, value in members.items()]
    line = f"  {key}{{ {' '.join(parts).removesuffix(',')} }},\n"
    if len(line) <= WIDTH:
        return line
    long = (
        one
        if len(one) + 4 <= WIDTH
        else one.replace("[", "[\n      ").replace(", ", ",\n      ").replace("]", ",\n    ]")
        for one in parts
    )
    return f"  {key}{{\n{''.join(f'    {one}{chr(10)}' for one in long)}  }},\n"


def _operations(names: list[str]) -> str:
    lines = (f"  {name}: {{ params: {_params(name)}; result: {operation(name).result.__name__} }};\n" for name in names)
    return f"interface Operations {{\n{''.join(lines)}}}\n"


def _interfaces(names: list[str]) -> Iterator[str]:
    seen: set[type] = set()
    for name in names:
        story = operation(name)
        yield from _structs(story.params, _params(name), seen)
        yield from _structs(story.result, story.result.__name__, seen)


def _params(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}Params"


def _structs(kind: type, name: str, seen: set[type]) -> Iterator[str]:
    """Describe a struct and, behind it, those that it holds."""
    if kind in seen:
        return
    seen.add(kind)
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    lines = "".join(map(_line, described.fields))
    yield f"interface {name} {{\n{lines}}}\n" if lines else f"type {name} = Record<string, never>;\n"
    for inner in _inner(described):
        yield from _structs(inner, inner.__name__, seen)


def _line(field: inspect.Field) -> str:
    """Write one member; a choice that is too long for a line has a line for each of its words."""
    optional = not field.required or _has(field.type, _UNSET)
    begin, kind = f"  {field.encode_name}{'?' if optional else ''}:", _type(field.type)
    if len(begin) + len(kind) + 2 > WIDTH:
        kind = "".join(f"\n    | {word}" for word in kind.split(" | "))
        return f"{begin}{kind};\n"
    told = f" // {_default(field)}" if _default(field) else ""
    return f"{begin} {kind};{told}\n"


def _default(field: inspect.Field) -> str:
    if field.required or field.default in (None, msgspec.NODEFAULT, msgspec.UNSET):
        return ""
    plain = msgspec.to_builtins(field.default)
    return msgspec.json.encode(plain).decode() if isinstance(plain, bool | int | float | str) and plain != "" else ""


def _type(kind: inspect.Type) -> str:
    match kind:
        case inspect.Metadata(type=inner, extra=extra):
            return str(extra["type"]) if extra and "type" in extra else _type(inner)
        case inspect.StructType(cls=cls):
            return cls.__name__
        case inspect.LiteralType(values=values):
            return " | ".join(msgspec.json.encode(value).decode() for value in values)
        case inspect.UnionType(types=types):
            return " | ".join(_type(one) for one in types if not isinstance(one, _UNSET))
        case inspect.DictType(value_type=value):
            return f"{{ [key: string]: {_type(value)} }}"
        case inspect.TupleType(item_types=items):
            return f"[{', '.join(map(_type, items))}]"
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
        case inspect.UnionType(types=types) | inspect.TupleType(item_types=types):
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
    MODULE.write_text(module(), "utf-8")
    TABLE.write_text(table(), "utf-8")
