"""Private key blocks, over several lines or with escaped line ends, numbered, quoted, whole or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.redact.spans import Span

KIND = "private-key"
LONGEST = 20_000
_HEAD, _FOOT = "-----BEGIN ", "-----END "
_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
TITLE = re.compile(rf"-----BEGIN {_NAME}-----")
# Between two lines: line ends, also escaped, what quotes or marks a line, and its number where a tool numbers lines.
_BREAK = r"(?:[\s\"'+,>|]|\\[nr]|\d{1,6}[→│:\t])"
_FIELD = r"[A-Z][A-Za-z-]{1,20}: [^\n]{1,100}\n"  # such as `Proc-Type: 4,ENCRYPTED`
_LINE = r"[A-Za-z0-9+/=]{16,}+"
_BODY = re.compile(rf"(?>{_BREAK}|{_FIELD})*+{_LINE}(?>(?>{_BREAK})*+{_LINE})*+")
_TAIL = re.compile(rf"(?:(?>{_BREAK})*+[A-Za-z0-9+/=]{{1,15}}){{0,2}}(?>{_BREAK})*+-----END {_NAME}-----")
_CLOSING = re.compile(rf"-----END {_NAME}-----")
_REST = re.compile(
    rf"(?>[A-Za-z0-9+/]{{40,}}={{0,2}}{_BREAK}{{1,12}})++(?:[A-Za-z0-9+/=]{{1,80}}{_BREAK}{{1,12}}){{0,2}}\Z"
)
_PUTTY = "Private-Lines: "
_PUTTY_BODY = re.compile(rf"Private-Lines: \d+(?>(?>{_BREAK})*+{_LINE})++")


def private_keys(text: str) -> Iterator[Span]:
    """The private keys of a text with their titles; a title without a key is no secret."""
    at, done = text.find(_HEAD), 0
    while at >= 0:
        end = _end(text, at)
        if end:
            yield from _cut_off(text, done, at)
            yield Span(at, end, KIND)
            done = end
        at = text.find(_HEAD, end or at + len(_HEAD))
    yield from _cut_off(text, done, len(text))
    yield from _putty(text)


def _end(text: str, at: int) -> int:
    """Where the key block that begins here ends; 0 where there is none. A body ends before any other title."""
    title = TITLE.match(text, at)
    body = _BODY.match(text, title.end(), title.end() + LONGEST) if title else None
    if body is None:
        return 0
    tail = _TAIL.match(text, body.end())
    return tail.end() if tail else body.end()


def _cut_off(text: str, start: int, end: int) -> Iterator[Span]:
    """The rest of a key whose title was cut off, before its closing line."""
    at = text.find(_FOOT, start, end)
    while at >= 0:
        closing = _CLOSING.match(text, at)
        rest = _REST.search(text, max(start, at - LONGEST), at) if closing else None
        if closing and rest:
            yield Span(rest.start(), closing.end(), KIND)
        start = at + len(_FOOT)
        at = text.find(_FOOT, start, end)


def _putty(text: str) -> Iterator[Span]:
    at = text.find(_PUTTY)
    while at >= 0:
        body = _PUTTY_BODY.match(text, at, at + LONGEST)
        if body:
            yield Span(*body.span(), KIND)
        at = text.find(_PUTTY, body.end() if body else at + len(_PUTTY))
