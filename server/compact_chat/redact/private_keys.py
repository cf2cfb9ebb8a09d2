"""Private key blocks, over several lines or with escaped line ends, whole or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.redact.spans import Span

KIND = "private-key"
LONGEST = 20_000
_HEAD = "-----BEGIN "
_TITLE = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BREAK = r"(?:[\s\"'+,>]|\\[nr])"
_FIELD = r"[A-Z][A-Za-z-]{1,20}: [^\n]{1,100}\n"  # such as `Proc-Type: 4,ENCRYPTED`
_LINE = r"[A-Za-z0-9+/=]{16,}+"
_BODY = re.compile(rf"(?:{_BREAK}|{_FIELD})*+{_LINE}(?:{_BREAK}*+{_LINE})*+")
_TAIL = re.compile(rf"{_BREAK}*+[A-Za-z0-9+/=]{{0,15}}{_BREAK}*+-----END [A-Z0-9 ]{{0,40}}PRIVATE KEY(?: BLOCK)?-----")


def private_keys(text: str) -> Iterator[Span]:
    """The private keys of a text with their titles; a title without a key is no secret."""
    at = text.find(_HEAD)
    while at >= 0:
        end = _end(text, at)
        if end:
            yield Span(at, end, KIND)
        at = text.find(_HEAD, end or at + len(_HEAD))


def _end(text: str, at: int) -> int:
    """Where the key block that begins here ends; 0 where there is none. A body ends before any other title."""
    title = _TITLE.match(text, at)
    body = _BODY.match(text, title.end(), title.end() + LONGEST) if title else None
    if body is None:
        return 0
    tail = _TAIL.match(text, body.end())
    return tail.end() if tail else body.end()
