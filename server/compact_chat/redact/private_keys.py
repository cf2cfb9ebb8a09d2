"""Private key blocks, over several lines or with escaped line ends, whole or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.redact.spans import Span

HEAD = "-----BEGIN "
END = "-----END "
LONGEST = 20_000
KIND = "private-key"
_TITLE = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_TAIL = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_CUT_OFF = re.compile(
    r"(?:[\s\"'+,>]|\\[nr]|[A-Z][A-Za-z-]{1,20}: [^\n]{1,100}\n)*+(?:[A-Za-z0-9+/=]{16,}+(?:[\s\"'+,>]|\\[nr])*+)++"
)


def private_keys(text: str) -> Iterator[Span]:
    """The private key blocks of a text; each place is looked at once."""
    at, end = text.find(HEAD), -2
    while at >= 0:
        title = _TITLE.match(text, at)
        if title and -1 != end < at:
            end = text.find(END, at)
        stop = _stop(text, title.end(), end) if title else 0
        if stop:
            yield Span(at, stop, KIND)
        at = text.find(HEAD, max(stop, at + len(HEAD)))


def _stop(text: str, body: int, end: int) -> int:
    """Where the block whose body starts here ends; 0 where there is no key, only its title."""
    following = text.find(HEAD, body, body + LONGEST)
    if 0 <= end - body <= LONGEST and not 0 <= following < end and (tail := _TAIL.match(text, end)):
        return tail.end()
    cut = _CUT_OFF.match(text, body, body + LONGEST)
    return cut.end() if cut else 0
