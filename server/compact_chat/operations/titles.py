"""How the title of a chat is shown: masked first and cut then, since half a secret looks like none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from compact_chat.read import title_of
from compact_chat.redact import Redactor

if TYPE_CHECKING:
    from compact_chat.operations.desk import Desk

LONGEST = 80  # characters
_HEADING = re.compile(r"\A\s*#{1,6}\s+")  # what a first message begins with says how it looks, and not what it is about


def clean_title(title: str | None, desk: Desk) -> str | None:
    """Make a title ready to be shown, by the user's settings."""
    return shown_title(title, Redactor(desk.settings.redact_emails, desk.settings.redact))


def shown_title(title: str | None, clean: Callable[[str], str]) -> str | None:
    """Make one line of a title, with what `clean` leaves of it, cut at the end of a word where one is near."""
    line = title_of(_HEADING.sub("", clean(title))) if title else None
    return _whole_characters(_cut(line)) if line else None


def _cut(line: str) -> str:
    if len(line) <= LONGEST:
        return line
    end = line.rfind(" ", LONGEST * 3 // 4, LONGEST)
    return line[: LONGEST - 1 if end < 0 else end].rstrip() + "…"


def _whole_characters(text: str) -> str:
    """Replace halves of surrogate pairs, for which strict clients would refuse a whole answer."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
