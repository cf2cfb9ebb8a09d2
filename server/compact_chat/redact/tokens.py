"""Tokens that tell by their own form what they are, among the long stretches of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from string import ascii_letters, digits
from typing import NamedTuple

from compact_chat.redact.kinds import CENTRED, KINDS, PARTED, Kind
from compact_chat.redact.spans import Span, anchored

LEAST_DIFFERENT = 8  # characters; `ghp_xxxxxxxx…` is a placeholder
FARTHEST = 80  # characters of a token before its middle
SHORTEST = 16  # characters of a stretch that may be a token
_WORD = f"{ascii_letters}{digits}_-"
_SIGNS = bytes(b"w"[0] if chr(one) in _WORD else b" "[0] for one in range(256))
# What is written for one sign before it, or colours a terminal, is no part of a token.
_ESCAPE = re.compile(r"(?<=\\)(?:[nrtbf]|u[\da-fA-F]{4}|x[\da-fA-F]{2})|(?<=%)[\da-fA-F]{2}|(?<=[\[;])\d{1,3}m")
_PARTNER = re.compile(r"[\s\"',:;|]{1,8}(?![a-f0-9]{40})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])")
_HEXES = re.compile(r"[a-f0-9]{32}-(?:[a-f0-9]{8}-[a-f0-9]{8}|us\d{1,2})(?![\w-])")


class Form(NamedTuple):
    """How a token goes on that begins with a head."""

    name: str
    head: str
    pattern: re.Pattern[str]


def _forms(kinds: tuple[Kind, ...]) -> tuple[Form, ...]:
    return tuple(
        Form(name, head, re.compile(re.escape(head) + rest, re.ASCII)) for name, heads, rest in kinds for head in heads
    )


def _by_beginning(forms: tuple[Form, ...]) -> dict[str, tuple[Form, ...]]:
    """Put the forms under their first three characters, or as many as they have."""
    return {key: tuple(form for form in forms if form.head[:3] == key) for key in {form.head[:3] for form in forms}}


_FORMS = _by_beginning(_forms(KINDS))
_SIZES = sorted({len(key) for key in _FORMS}, reverse=True)
_PARTED = _forms(PARTED)
_LEADS = tuple(form.head for form in _PARTED)


def _any_of(beginnings: Iterable[str]) -> str:
    """A pattern of beginnings, with a branch for each first letter: more branches would be tried one by one."""
    by_letter = groupby(sorted(set(beginnings)), key=lambda one: one[0])
    return "|".join(f"{letter}(?:{'|'.join(one[1:] for one in found)})" for letter, found in by_letter)


_MAY_BEGIN = _any_of((*_FORMS, *(re.split(r"\W", lead)[0] for lead in _LEADS))) + "|[a-f0-9]{32}-"
_FIRST, _INNER = re.compile(_MAY_BEGIN), re.compile(rf"[_-](?={_MAY_BEGIN})")
_CENTRED = tuple(
    (name, re.compile(rf"(?:{before})\Z", re.ASCII), middle, re.compile(re.escape(middle) + behind, re.ASCII))
    for name, middle, before, behind in CENTRED
)


def tokens(text: str, low: str) -> Iterator[Span]:  # noqa: ARG001 -- all finders take both forms of the text
    """The tokens in a text."""
    done = 0
    for stretch in _stretches(text):
        for start in _starts(text, *stretch):
            span = _token(text, start) if start >= done else None
            if span:
                done = span.end  # what repeats a few signs is no token, and holds none
                yield from _genuine(text, span)
    yield from _centred(text)


def may_begin(text: str, start: int) -> bool:
    """Whether a token may begin here, by its first letters."""
    return _FIRST.match(text, start) is not None


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where letters, digits, `_` and `-` stand together for long; to search bytes for a run is faster than patterns."""
    signs = text.encode("ascii", "replace").translate(_SIGNS)  # a byte for each character
    start = signs.find(b"w" * SHORTEST)
    while start >= 0:
        end = signs.find(b" ", start)
        end = len(signs) if end < 0 else end
        yield start, end
        start = signs.find(b"w" * SHORTEST, end)


def _starts(text: str, start: int, end: int) -> Iterator[int]:
    """The places in a stretch where a token may begin: at its own start, behind an escape, behind `_` and `-`."""
    if text.endswith(_LEADS, max(0, start - 8), start):
        yield from (start - len(lead) for lead in _LEADS if text.endswith(lead, 0, start))
    if may_begin(text, start):
        yield start
    if start and text[start - 1] in "\\%[;" and (escape := _ESCAPE.match(text, start)):
        yield escape.end()
    for sign in _INNER.finditer(text, start, end):
        yield sign.end()


def _token(text: str, start: int) -> Span | None:
    """What has the form of a token and begins here."""
    for form in _possible(text, start):
        match = form.pattern.match(text, start)
        if match:
            return Span(start, match.end(), form.name)
    hexes = _HEXES.match(text, start)
    return Span(*hexes.span(), "mail-key") if hexes else None


def _possible(text: str, start: int) -> Iterator[Form]:
    for size in _SIZES:
        yield from _FORMS.get(text[start : start + size], ())
    if text.startswith(_LEADS, start):
        yield from _PARTED


def _genuine(text: str, span: Span) -> Iterator[Span]:
    """The token, unless it is a placeholder, and the secret that tables and consoles show behind the id of its key."""
    if len(set(text[span.start : span.end])) < LEAST_DIFFERENT:
        return
    yield span
    if span.kind == "aws-access-key" and (secret := _PARTNER.match(text, span.end)):
        yield Span(*secret.span(1), "aws-secret-key")


def _centred(text: str) -> Iterator[Span]:
    """The tokens that are told by their middle."""
    for name, before, middle, pattern in _CENTRED:
        for match in anchored(text, middle, pattern):
            start = before.search(text, max(0, match.start() - FARTHEST), match.start())
            if start:
                yield Span(start.start(), match.end(), name)
