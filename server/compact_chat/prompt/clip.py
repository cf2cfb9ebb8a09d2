"""Cut a text in its middle, so that its beginning and its end survive."""

from __future__ import annotations


def clip(text: str, limit: int | None) -> str:
    """The text, or if longer than `limit`, its first three quarters and its end around a marker (rule T6)."""
    if limit is None or len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit - head
    marker = f"\n[... {len(text) - limit} characters omitted ...]\n"
    clipped = text[:head] + marker + text[len(text) - tail :]
    return clipped if len(clipped) < len(text) else text
