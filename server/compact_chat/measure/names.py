"""Model names as people and programs write them: providers, dates and suffixes around the part that matters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")

LONGEST = 200  # characters; what is longer is no model's name, whatever it begins with
_VERSION = re.compile(r"(?<!\d)(\d{1,2})(?:-(\d{1,2}))?(?![a-z0-9])")
FIRST_JOINED = 30  # from here on, two digits are two numbers: `claude-37-sonnet` is 3.7


def plain_name(model: str) -> str:
    """The name in small letters, with dashes for dots and the like."""
    return re.sub(r"[^a-z0-9/]", "-", model[:LONGEST].lower()).strip("-/")


def lookup(table: Mapping[str, T], model: str) -> T | None:
    """What the table says of the longest of its keys that stands in the name as a whole."""
    return lookup_plain({plain_name(key): told for key, told in table.items()}, model)


def lookup_plain(table: Mapping[str, T], model: str) -> T | None:
    """The same for a table whose keys are plain names already."""
    name = plain_name(model)
    keys = [key for key in table if _stands_in(key, name)]
    return table[max(keys, key=len)] if keys else None


def _stands_in(key: str, name: str) -> bool:
    return bool(key) and key in name and re.search(rf"(?<![a-z0-9]){re.escape(key)}(?![a-z0-9])", name) is not None


def claude_version(model: str) -> tuple[int, int] | None:
    """The version of a Claude model; (0, 0) where the name has none, None for other models."""
    return version_of(model, "claude")


def version_of(model: str, line: str) -> tuple[int, int] | None:
    """The version of a model of this line; (0, 0) where the name has none, None for models of other lines."""
    _, found_line, version = plain_name(model).partition(line)
    if not found_line:
        return None
    found = _VERSION.search(version)
    if not found:
        return (0, 0)
    major, minor = int(found[1]), int(found[2] or 0)
    return divmod(major, 10) if major >= FIRST_JOINED and not found[2] else (major, minor)
