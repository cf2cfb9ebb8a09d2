"""Secrets in the headers of requests: authorization and cookies."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from compact_chat.redact.looks import looks_random
from compact_chat.redact.spans import Span, anchored

_BEARER = re.compile(r"(?i:bearer)(?:\s|%20|\\t){1,4}([\w.~+/=-]{16,}+)")
_SCHEME = re.compile(
    r"(?i:authorization)[\\\"'`\]\s:=,]{1,8}(?!(?i:basic)\b)[A-Za-z][\w-]{1,20}[\s:=]{1,4}([\w.~+/=-]{12,}+)"
)
_BASIC = re.compile(r"(?i:basic)\s{1,4}([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/])")
_AUTH = re.compile(r"(?i:auth)\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"']?([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/=])")
_COOKIE = re.compile(r"(?i:cookie)\\?[\"']?\s{0,4}[:=]?\s{0,4}\\?[\"']?([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)")
_JAR = re.compile(r"-b\s{1,4}[\"']([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)")
_JUDGED = 4096  # characters of a line of cookies
_LONG_VALUE = re.compile(r"=([^;\s]{8,})")


def headers(text: str, low: str) -> Iterator[Span]:
    """The secrets of the headers in a text."""
    for word, pattern in (("bearer", _BEARER), ("authorization", _SCHEME)):
        for match in anchored(text, word, pattern, low):
            if looks_random(match[1]):
                yield Span(*match.span(1), "bearer-token")
    yield from _logins(text, low)
    yield from _cookies(text, low)


def _logins(text: str, low: str) -> Iterator[Span]:
    """Names and passwords that are only written in base64."""
    for word, pattern in (("basic", _BASIC), ("auth", _AUTH)):
        for match in anchored(text, word, pattern, low):
            if _is_login(match[1]):
                yield Span(*match.span(1), "basic-auth")


def _cookies(text: str, low: str) -> Iterator[Span]:
    for word, pattern in (("cookie", _COOKIE), ("-b", _JAR)):
        for match in anchored(text, word, pattern, low):
            if any(looks_random(value) for value in _LONG_VALUE.findall(match[1][:_JUDGED])):
                yield Span(*match.span(1), "cookie")


def _is_login(encoded: str) -> bool:
    """Whether base64 says `name:password`, in signs that can be typed."""
    try:
        plain = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return False
    return b":" in plain and all(32 <= sign < 127 for sign in plain[:64])
