"""What the Copilot CLI puts around the words of a person."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OPENING = re.compile(r"\s*<(current_datetime|system_reminder|system_notification|tagged_files)>")


def typed_texts(texts: Iterable[str]) -> list[str]:
    """The texts of a message without those wrappers, which stand in front of the words or in texts of their own."""
    return list(filter(None, map(_unwrapped, texts)))


def _unwrapped(text: str) -> str:
    start = 0
    while opening := _OPENING.match(text, start):
        end = text.find(f"</{opening[1]}>", opening.end())
        if end < 0:
            break
        start = end + len(opening[1]) + 3
    return text[start:].strip() if start else text
