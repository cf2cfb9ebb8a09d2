"""Values of JSON that nobody vouches for: what is not of the wanted type is empty."""

from __future__ import annotations

from compact_chat.chat import JsonObject


def word(value: object) -> str:
    """The value where it is a string, else nothing."""
    return value if isinstance(value, str) else ""


def fields(value: object) -> JsonObject:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[JsonObject]:
    """The objects of a list; none where the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
