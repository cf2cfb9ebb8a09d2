"""Secrets in their usual places: authorization headers, cookies, passwords in URLs."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from compact_chat.redact.looks import is_placeholder, looks_chosen, looks_random
from compact_chat.redact.spans import Span, anchored

_BEARER = re.compile(r"(?i:bearer)(?:\s|%20|\\t){1,4}([\w.~+/=-]{16,}+)")
_TOKEN = re.compile(r"(?i:authorization)[\\\"'\s:=]{1,8}(?i:token)\s{1,4}([\w.~+/=-]{16,}+)")
_LOGIN = re.compile(r"-u\s{1,4}[\"']?[\w.@-]{1,64}:([^\s\"'`]{6,128}+)")
_BASIC = re.compile(r"(?i:basic)\s{1,4}([A-Za-z0-9+/]{8,4096}={0,2})(?![A-Za-z0-9+/])")
_URL = re.compile(r"://[^\s/:@'\"<>`]{0,256}:([^\s/@'\"<>`]{1,256})@")
_COOKIE = re.compile(r"(?i:cookie)\\?[\"']?\s{0,4}:\s{0,4}\\?[\"']?([\w.$-]{1,64}=[^\r\n\"'\\]{8,}+)")
_JUDGED = 4096  # characters of a line of cookies
_LONG_VALUE = re.compile(r"=([^;\s]{8,})")


def headers(text: str, low: str) -> Iterator[Span]:
    """The secrets of headers and URLs in a text."""
    yield from _bearer(text, low)
    yield from _basic(text, low)
    yield from _logins(text)
    yield from _url_passwords(text)
    yield from _cookies(text, low)


def _bearer(text: str, low: str) -> Iterator[Span]:
    for word, pattern in (("bearer", _BEARER), ("authorization", _TOKEN)):
        for match in anchored(text, word, pattern, low):
            if looks_random(match[1]):
                yield Span(*match.span(1), "bearer-token")


def _logins(text: str) -> Iterator[Span]:
    """Passwords of a command such as `curl -u name:password`."""
    for match in anchored(text, "-u", _LOGIN):
        if looks_chosen(match[1]):
            yield Span(*match.span(1), "password")


def _basic(text: str, low: str) -> Iterator[Span]:
    for match in anchored(text, "basic", _BASIC, low):
        if _is_login(match[1]):
            yield Span(*match.span(1), "basic-auth")


def _url_passwords(text: str) -> Iterator[Span]:
    for match in anchored(text, "://", _URL):
        if not is_placeholder(match[1]):
            yield Span(*match.span(1), "url-password")


def _cookies(text: str, low: str) -> Iterator[Span]:
    for match in anchored(text, "cookie", _COOKIE, low):
        if any(looks_random(value) for value in _LONG_VALUE.findall(match[1][:_JUDGED])):
            yield Span(*match.span(1), "cookie")


def _is_login(encoded: str) -> bool:
    try:
        return b":" in base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return False
