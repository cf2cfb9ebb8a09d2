"""Tokens that are recognized by their own form (`kinds`), mostly in a text's long runs of letters and digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits

from compact_chat.redact.kinds import CENTERED, KINDS
from compact_chat.redact.spans import Span, anchored, branches, compiled
from compact_chat.redact.values import looks_random

LEAST_DIFFERENT = 5  # characters behind a head; `ghp_xxxxxxxx…` is a placeholder
FARTHEST = 80  # characters of a token before its literal
SHORTEST = 16  # characters of a run that may be a token
LONGEST_GLUED = 400  # characters of a run that may be a word and a token; in base64, any four letters occur
_WORD = f"{ascii_letters}{digits}_-"
_SIGNS = bytes(b"w"[0] if chr(one) in _WORD else b" "[0] for one in range(256))
_ESCAPE = re.compile(r"(?<=%)[\da-fA-F]{2}")  # is no part of the token behind it
_PARTNER = re.compile(r"[\s\"',:;|]{1,8}(?![a-f0-9]{40})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])")
_HEXES = re.compile(r"[a-f0-9]{32}-(?:[a-f0-9]{8}-[a-f0-9]{8}|us\d{1,2})(?![\w-])")


_FORMS: dict[str, list[tuple[str, str, str]]] = {}  # kind, head and rest, by the first three characters of the head
# Heads with a sign in them, which are not in a run but before it.
_LEADS = tuple(head for kind in KINDS for head in kind.heads if not re.fullmatch(r"[\w-]+", head))
for _kind in KINDS:
    for _head in _kind.heads:
        _FORMS.setdefault(_head[:3], []).append((_kind.name, _head, _kind.rest))
_SIZES = sorted({len(key) for key in _FORMS}, reverse=True)
_MAY_BEGIN = branches(key for key in _FORMS if not key.startswith(_LEADS)) + "|[a-f0-9]{32}-"
_FIRST, _INNER = re.compile(_MAY_BEGIN), re.compile(rf"[_-](?={_MAY_BEGIN})")
# Heads that begin no word's end, so that they are tokens in `tokenghp_…` too.
_GLUED = re.compile(
    branches(
        head
        for kind in KINDS
        for head in kind.heads
        if head == "eyJ" or (len(head) > 3 and not head.isalpha()) or (len(head) == 4 and not head.islower())
    )
)
_CENTERED = tuple(
    (
        kind.name,
        kind.literal,
        re.compile(rf"(?:{kind.before})\Z", re.ASCII),
        re.compile(re.escape(kind.literal) + kind.behind, re.ASCII),
    )
    for kind in CENTERED
)


def tokens(text: str, _low: str) -> Iterator[Span]:
    """Yield the tokens in a text, except placeholders, which repeat a few signs."""
    done = 0
    for start, is_glued in _starts(text):
        if start < done or (span := _token(text, start, is_glued)) is None:
            continue
        done = span.end
        if not span.kind:
            continue
        yield span
        # Tables and consoles show the secret behind the id of its key.
        if span.kind == "aws-access-key" and (secret := _PARTNER.match(text, done)):
            yield Span(*secret.span(1), "aws-secret-key")
    for name, literal, before, pattern in _CENTERED:
        for match in anchored(text, literal, pattern):
            head = before.search(text, max(0, match.start() - FARTHEST), match.start())
            if head and len(set(text[head.start() : match.end()])) >= LEAST_DIFFERENT:
                yield Span(head.start(), match.end(), name)


def may_begin(text: str, start: int) -> bool:
    """Return whether a token may begin here, by its first letters."""
    return _FIRST.match(text, start) is not None


def _starts(text: str) -> Iterator[tuple[int, bool]]:
    """Yield where a token may begin, and whether it is glued to a word there.

    That is at a long run of letters, digits, `_` and `-`, after a sign in it, and at a head that begins no word's end.
    Searching bytes for a run is faster than any pattern.
    """
    signs = text.encode("ascii", "replace").translate(_SIGNS)  # one byte per character
    start = signs.find(b"w" * SHORTEST)
    while start >= 0:
        end = signs.find(b" ", start)
        end = len(signs) if end < 0 else end
        if start and text[start - 1] in "./~" and text.endswith(_LEADS, max(0, start - 16), start):
            yield from ((start - len(lead), False) for lead in _LEADS if text.endswith(lead, 0, start))
        if may_begin(text, start):
            yield start, False
        if start and text[start - 1] == "%" and (escape := _ESCAPE.match(text, start)):
            yield escape.end(), False
        for sign in _INNER.finditer(text, start, end):
            yield sign.end(), False
        if end - start <= LONGEST_GLUED:
            for head in _GLUED.finditer(text, start + 1, end):
                yield head.start(), True
        start = signs.find(b"w" * SHORTEST, end)


def _token(text: str, start: int, is_glued: bool) -> Span | None:
    """Return the token that begins here, if its form matches; one that is glued to a word has to look random.

    A placeholder has no kind.
    """
    for kind, head, rest in (form for size in _SIZES for form in _FORMS.get(text[start : start + size], ())):
        match = compiled(rest, re.ASCII).match(text, start + len(head)) if text.startswith(head, start) else None
        if match and (not is_glued or looks_random(match[0])):
            return Span(start, match.end(), kind if len(set(match[0])) >= LEAST_DIFFERENT else "")
    hexes = None if is_glued else _HEXES.match(text, start)
    return Span(*hexes.span(), "mail-key") if hexes else None
