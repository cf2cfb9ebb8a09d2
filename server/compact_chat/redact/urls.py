"""Passwords and signatures in addresses and in the connection strings of databases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compact_chat.redact.looks import is_placeholder, looks_random
from compact_chat.redact.spans import Span, anchored

_PASSWORD = re.compile(
    r"://[^\s/:@'\"<>`\\]{0,256}+:([^\s@'\"<>`\\]{1,256}+(?:@[^\s/@'\"<>`\\]{1,64}){0,2})@(?=[\w.\[-])"
)
_TOKEN = re.compile(r"://([\w-]{20,256})@(?=[\w.\[-])")
_PORT = re.compile(r"\d{1,5}/|/")
_DRIVER = re.compile(r"[\w.-]{1,64}:([^\s\"'`@]{1,128})\Z")
_SIGNATURE = re.compile(r"(?i:sig(?:nature)?=)([\w%+/=-]{24,}+)")
_LONGEST = 200


def urls(text: str, low: str) -> Iterator[Span]:
    """The secrets of the addresses in a text."""
    if "@" in text:
        yield from _logins(text)
        yield from _drivers(text)
    for match in anchored(text, "sig", _SIGNATURE, low):
        if match.start() and text[match.start() - 1] in "?&;-_" and looks_random(match[1]):
            yield Span(*match.span(1), "signature")


def _logins(text: str) -> Iterator[Span]:
    """Passwords and tokens before the host of an address."""
    for match in anchored(text, "://", _PASSWORD):
        if not is_placeholder(match[1]) and not _PORT.match(match[1]):
            yield Span(*match.span(1), "url-password")
    for match in anchored(text, "://", _TOKEN):
        if looks_random(match[1]):
            yield Span(*match.span(1), "url-password")


def _drivers(text: str) -> Iterator[Span]:
    """Passwords of `name:password@tcp(host)`."""
    for place in ("@tcp(", "@unix("):
        at = text.find(place)
        while at >= 0:
            sign = text.rfind("@", max(0, at - _LONGEST), at) + 1  # no login holds this sign
            login = _DRIVER.search(text, max(sign, at - _LONGEST, 0), at)
            if login and not is_placeholder(login[1]):
                yield Span(*login.span(1), "url-password")
            at = text.find(place, at + len(place))
