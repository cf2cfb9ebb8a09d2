"""Names and paths of the caller that stand within a line of our text (rules C3, C14 and G6)."""

from __future__ import annotations

import unicodedata

from msgspec import Struct

from compact_chat.errors import InvalidParams
from compact_chat.options import HostCapabilities

_BREAKS = {"Cc", "Zl", "Zp"}


class Host(Struct, frozen=True):
    """What the host of the next chat can do, as words to be written; blank is absent."""

    search: str = ""
    search_hint: str = ""
    plan: str = ""
    plan_start: str = ""
    standards: str = ""
    notes: tuple[str, ...] = ()


def host_of(given: HostCapabilities | None) -> Host:
    """The capabilities with each name trimmed and in backticks (rule C14)."""
    if given is None:
        return Host()
    at = "$.capabilities"
    search, plan, standards = given.search_older, given.plan, given.standards
    notes = [_quoted(note.file, f"{at}.notes[{index}].file") for index, note in enumerate(given.notes)]
    return Host(
        search=_quoted(search.name, f"{at}.searchOlder.name") if search else "",
        search_hint=" ".join((search.hint or "").split()) if search else "",
        plan=_quoted(plan.name, f"{at}.plan.name") if plan else "",
        plan_start=_quoted(plan.start, f"{at}.plan.start") if plan else "",
        standards=_quoted(standards.file, f"{at}.standards.file") if standards else "",
        notes=tuple(filter(None, notes)),
    )


def within_line(text: str | None, path: str) -> str:
    """The text, trimmed, unless a control character in it would leave the line."""
    words = (text or "").strip()
    if any(unicodedata.category(character) in _BREAKS for character in words):
        raise InvalidParams.at(path, "expected no control characters")
    return words


def _quoted(name: str | None, path: str) -> str:
    words = within_line(name, path)
    if "`" in words:
        raise InvalidParams.at(path, "expected no backticks")
    return f"`{words}`" if words else ""
