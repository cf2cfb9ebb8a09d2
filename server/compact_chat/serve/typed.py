"""LSP's own params, typed; what is wrong with them is told with its path."""

from __future__ import annotations

import re
from typing import TypeVar

from cattrs import BaseValidationError, Converter, transform_error

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams

T = TypeVar("T")


def typed(converter: Converter, params: JsonObject, kind: type[T]) -> T:
    """Structure params; pygls 2.1.1 leaves a request unanswered where they do not fit (no upstream issue known)."""
    try:
        return converter.structure(params, kind)
    except BaseValidationError as error:
        raise InvalidParams([_problem(line) for line in transform_error(error)]) from None


def _problem(line: str) -> dict[str, str]:
    """Keep the path of cattrs' line, in the names of the wire; its message may quote what was sent."""
    message, _, path = line.rpartition(" @ ")
    missing = message.startswith("required field missing")
    camel = re.sub("_([a-z])", lambda found: found[1].upper(), path)
    return {"path": camel, "message": "is missing" if missing else "has the wrong type"}
