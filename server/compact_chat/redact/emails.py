"""E-mail addresses, masked only where asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.redact.spans import Span, anchored

LONGEST_NAME = 64
_DOMAIN = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
_NAME_END = re.compile(r"[A-Za-z0-9._%+-]")


def emails(text: str, low: str) -> Iterator[Span]:  # noqa: ARG001 - all finders take both forms of the text
    """The addresses in a text; `git@host` is the login of a repository and no address."""
    for match in anchored(text, "@", _DOMAIN):
        start = _name_start(text, match.start())
        if start < match.start() and text[start : match.start()] != "git":
            yield Span(start, match.end(), "email")


def _name_start(text: str, at: int) -> int:
    start = at
    while start > max(0, at - LONGEST_NAME) and _NAME_END.match(text, start - 1):
        start -= 1
    return start
