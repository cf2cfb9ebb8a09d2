"""Where the secrets of a text stand: the same for the same text, whoever asks and whenever."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from compact_chat.redact.assignments import assignments
from compact_chat.redact.commands import commands
from compact_chat.redact.emails import emails as addresses
from compact_chat.redact.headers import headers
from compact_chat.redact.private_keys import private_keys
from compact_chat.redact.spans import Finder, Span, merged
from compact_chat.redact.tokens import tokens
from compact_chat.redact.urls import urls

SLICE = 65_536
SHORTEST = 8  # characters that a text needs to hold a secret and what tells it
FINDERS: tuple[Finder, ...] = (tokens, headers, urls, commands, assignments)  # the more telling kind first


def find(text: str, emails: bool = False, check: Callable[[], None] = lambda: None) -> tuple[Span, ...]:
    """The secrets of a text, in order and apart; `check` is called before each step, and may raise to end the work."""
    if len(text) < SHORTEST:
        return ()
    if text.isascii() and text.isidentifier():  # one word, as ids and names are: nothing is given to a name in it
        check()
        return tuple(merged(tokens(text, text)))
    finders = (*FINDERS, addresses) if emails else FINDERS
    spans = list(private_keys(text))
    text = _without(text, spans)
    for start, end in _slices(text):
        piece = text[start:end]
        low = piece.replace("İ", "i").lower()  # the one character that gets longer in lower case
        for finder in finders:
            check()
            spans += (Span(span.start + start, span.end + start, span.kind) for span in finder(piece, low))
    return tuple(merged(spans))


def _without(text: str, spans: list[Span]) -> str:
    """The text with blanks in the place of keys, so that nothing more is found there and each stands apart."""
    pieces, at = [], 0
    for span in merged(spans):
        pieces += [text[at : span.start], " " * (span.end - span.start)]
        at = span.end
    return "".join([*pieces, text[at:]]) if pieces else text


def _slices(text: str) -> Iterator[tuple[int, int]]:
    """Cut the text behind lines, so that no step holds the interpreter for long."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + SLICE) + 1 or len(text)
        yield start, end
        start = end
