"""Flags of the shell, made from the types of the wire: a field is a flag in kebab-case."""

from __future__ import annotations

import argparse
import re
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, json, structs

from compact_chat.chat import JsonObject
from compact_chat.operations.params import bare_type


def add_flags(parser: argparse.ArgumentParser, kind: type[Struct], without: frozenset[str]) -> None:
    """Give a parser a flag for each field of a type, but for those named."""
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        if field.encode_name not in without:
            _add(parser, field.encode_name, hints[field.name], field.default)


def given_flags(asked: argparse.Namespace, kind: type[Struct]) -> JsonObject:
    """Collect what the user gave of a type's fields, by their names on the wire."""
    named = {field.encode_name: getattr(asked, field.encode_name, None) for field in structs.fields(kind)}
    return {name: value for name, value in named.items() if value is not None}


def _add(parser: argparse.ArgumentParser, name: str, hint: Any, default: Any) -> None:
    told = f" ({default})" if isinstance(default, int | float | str) and default not in ("", False) else ""
    repeats = " Repeat it for more." if get_origin(bare_type(hint)) in (tuple, list) else ""
    sentence = _sentence(hint).removesuffix(".") + f"{told}.{repeats}"
    parser.add_argument(flag(name), dest=name, default=None, help=sentence, **_shape(bare_type(hint)))


def _shape(base: Any) -> dict[str, Any]:
    """Say how argparse takes a value of this type; what is no plain value is JSON."""
    origin = get_origin(base)
    if base is bool:
        return {"action": argparse.BooleanOptionalAction}
    if origin is Literal:
        return {"choices": get_args(base)}
    if base in (int, float, str):
        return {"type": base, "metavar": {int: "N", float: "N", str: "TEXT"}[base]}
    if origin in (tuple, list) and bare_type(get_args(base)[0]) is str:
        return {"action": "append", "metavar": "TEXT"}
    if origin in (tuple, list) and get_origin(bare_type(get_args(base)[0])) is Literal:
        return {"action": "append", "choices": get_args(bare_type(get_args(base)[0]))}
    return {"type": json_value, "metavar": "JSON"}


def json_value(text: str) -> Any:
    """Read a flag's JSON."""
    try:
        return json.decode(text)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(f"not JSON: {problem}") from None
    except RecursionError:
        raise argparse.ArgumentTypeError("nested too deeply") from None


def _sentence(hint: Any) -> str:
    marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    told = next((mark.description for mark in marks if isinstance(mark, Meta) and mark.description), "")
    return told.replace("%", "%%")


def flag(name: str) -> str:
    """Give the flag of a field."""
    return "--" + re.sub(r"([A-Z])", lambda upper: "-" + upper[0].lower(), name)
