"""Flags of the shell, made from the types of the wire: a field is a flag in kebab-case."""

from __future__ import annotations

import argparse
import re
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, json, structs

from compact_chat.chat import JsonObject
from compact_chat.operations import bare_type


def add_flags(parser: argparse.ArgumentParser, kind: type[Struct], without: frozenset[str] = frozenset()) -> None:
    """Add a flag for each field of a type, except those named."""
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        if field.encode_name in without:
            continue
        hint, default = hints[field.name], field.default
        base, marks = bare_type(hint), get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        sentence = next((mark.description for mark in marks if isinstance(mark, Meta) and mark.description), "")
        shown = f" ({default})" if isinstance(default, int | float | str) and default not in ("", False) else ""
        repeats = " Repeat it for more." if get_origin(base) in (tuple, list) else ""
        told = sentence.replace("%", "%%").removesuffix(".") + f"{shown}.{repeats}"
        parser.add_argument(flag(field.encode_name), dest=field.encode_name, default=None, help=told, **_shape(base))


def given_flags(asked: argparse.Namespace, kind: type[Struct]) -> JsonObject:
    """Collect what the user gave of a type's fields, by their names on the wire."""
    named = {field.encode_name: getattr(asked, field.encode_name, None) for field in structs.fields(kind)}
    return {name: value for name, value in named.items() if value is not None}


def flag(name: str) -> str:
    """Return the flag of a field."""
    return "--" + re.sub(r"([A-Z])", lambda upper: "-" + upper[0].lower(), name)


def json_value(text: str) -> Any:
    """Read a flag's JSON."""
    try:
        return json.decode(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"not JSON: {problem}") from None
    except RecursionError:
        raise argparse.ArgumentTypeError("nested too deeply") from None


def _shape(base: Any) -> dict[str, Any]:
    """Return how argparse takes a value of this type; other than plain values and lists of them, it is JSON."""
    if base is bool:
        return {"action": argparse.BooleanOptionalAction}
    if base in (int, float, str):
        return {"type": base, "metavar": "TEXT" if base is str else "N"}
    if get_origin(base) is Literal:
        return {"choices": get_args(base)}
    item = bare_type(get_args(base)[0]) if get_origin(base) in (tuple, list) else None
    if item is str:
        return {"action": "append", "metavar": "TEXT"}
    if get_origin(item) is Literal:
        return {"action": "append", "choices": get_args(item)}
    return {"type": json_value, "metavar": "JSON"}
