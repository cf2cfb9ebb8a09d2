"""JSON of our own without its secrets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def masked_values(value: Any, clean: Callable[[str], str]) -> Any:
    """Mask the strings of what we wrote ourselves, which is never nested deeply."""
    match value:
        case str():
            return clean(value)
        case list():
            return [masked_values(one, clean) for one in value]
        case dict():
            return {name: masked_values(one, clean) for name, one in value.items()}
    return value
