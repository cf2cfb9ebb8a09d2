"""A JSON document of which the end is missing: what stands before the break, closed where it broke off."""

from __future__ import annotations

import re

from compact_chat.read.json_text import parse

# A string that never ends runs to the end of the text; whatever else matters is a single sign.
_TOKEN = re.compile(r'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?|[\[{\]},]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


def before_the_break(text: str) -> dict[str, object] | list[object] | None:
    """Decode as much of a cut document as was written whole; None where that is nothing."""
    end, closing = last_whole(text)
    try:
        value = parse(text[:end] + closing) if closing else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and value else None


def last_whole(text: str) -> tuple[int, str]:
    """Find the end of the last value that is surely whole, and the brackets that close what is open there."""
    still_open: list[str] = []
    end = depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in _CLOSING:
            still_open.append(_CLOSING[sign])
            continue
        if sign in "]}":
            if still_open[-1:] != [sign]:
                break
            still_open.pop()
        if sign in "]},":
            end, depth = (token.start() if sign == "," else token.end()), len(still_open)
    return end, "".join(reversed(still_open[:depth]))
