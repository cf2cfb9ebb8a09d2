"""JSON as a model gets it, however deep it is nested."""

from __future__ import annotations

import json
from typing import Any

_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def json_text(value: Any) -> str:
    """The value as compact JSON; where it is nested too deeply for that, its names and values line by line."""
    try:
        return _encoder.encode(value)
    except RecursionError:
        return "\n".join(_leaves(value))


def _leaves(value: Any) -> list[str]:
    found: list[str] = []
    waiting = [value]
    while waiting:
        match waiting.pop():
            case dict() as fields:
                found += map(str, fields)
                waiting += fields.values()
            case list() as items:
                waiting += items
            case leaf:
                found.append(str(leaf))
    return found
