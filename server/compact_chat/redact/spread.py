"""Secrets found by their name or form, wherever else they occur: also escaped, encoded, or without that name."""

from __future__ import annotations

import html
import json
import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from itertools import compress, count
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from compact_chat.errors import checkpoint
from compact_chat.redact.spans import Span, compiled
from compact_chat.redact.unescaped import without_unseen
from compact_chat.redact.values import JUDGED, is_placeholder, oddness

# Which values are searched for.


SHORTEST = 8  # characters: a shorter value may well be something else elsewhere
# The least oddness of a value that means nothing else. Of 27,000 words of real chats one in 200 has more, mostly ids.
_ODD, _ODD_LETTERS, _LONG_LETTERS = 0.35, 0.45, 12
_SPACED = 3  # blanks in a passphrase; fewer may be a phrase of the chat
_HEX = re.compile(r"[a-f0-9]+(?:[-.^]+[a-f0-9]*)*\Z", re.IGNORECASE)  # digests, commits and ranges of them, UUIDs
_DIGIT, _SIGN_INSIDE = re.compile(r"\d"), re.compile(r".*\w[!#$%^&*]\w", re.DOTALL)
_IN_NAMES = re.compile(r"[\w./:-]+\Z")
# Hosts with ports, addresses, dates and times, epochs, round numbers, versions, e-mail addresses, paths, file names.
_NEVER = re.compile(
    r"[\w-]+(?:\.[\w-]+)*:\d{1,5}\Z|[\^~v<>=]*[\d.:T/+-]+Z?\Z(?<!\d{8})|(?:19|20)\d{6}\Z|1[4-9]\d{8}(?:\d{3})?\Z|\d+000\Z"
    r"|[\^~v<>=]*\d+\.\d+\S*\Z|[\w.+-]+@[\w-]+(?:\.[\w-]+)+\Z|(?:[~.]{0,2}/|[A-Za-z]:\\)[\w.-]+[/\\]|[^/\\]*[/\\].*\.\w{1,5}\Z"
    r"|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,5}\Z",
    re.ASCII,
)
_LAST = ".,;:!?)"  # signs that may end a sentence rather than the value
# What is a secret by itself in one of several lines or values.
_PARTS = {"cookie": re.compile(r"=([^;\s]+)"), "private-key": re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")}


def is_unmistakable(value: str) -> bool:
    """Return whether a value can mean nothing else in any chat."""
    head = value[:JUDGED].rstrip(_LAST)
    if head.count(" ") >= _SPACED:
        return True
    if _HEX.match(head) or _NEVER.match(head):
        return False
    least, shortest = (_ODD, SHORTEST) if _DIGIT.search(head) else (_ODD_LETTERS, _LONG_LETTERS)
    return len(head) >= shortest and oddness(head) >= least


def may_be_secret(value: str) -> bool:
    """Return whether a value is a secret unless the chat shows it to be a word, a path or an identifier.

    Letters alone are words: `production` stays where it occurs without the name of a password.
    """
    head = value[:JUDGED].rstrip(_LAST)
    if _NEVER.match(head):
        return False
    blanks = head.count(" ")
    is_mixed = _DIGIT.search(head) or (_SIGN_INSIDE.match(head) and not blanks)
    return bool(is_mixed) or blanks >= _SPACED or oddness(head) >= _ODD_LETTERS


_LONG, _RUN = re.compile(rf"\S{{{SHORTEST},}}"), re.compile(r"[^\W_]+")


def unusual(text: str, judge: Callable[[str], bool]) -> set[str]:
    """Return what a text that holds a secret has in common with any text that names it; {} if it holds none."""
    words = filter(judge, _LONG.findall(text))
    return {max(runs, key=len) for word in words if (runs := _RUN.findall(word))}


# The forms that a value has elsewhere: as it is, and in any of these encodings.


def _escaped(value: str) -> str:
    return json.dumps(value)[1:-1]


def _as_typed(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _for_markup(value: str) -> str:
    return re.sub("[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", _as_typed(value))


def _by_code(value: str) -> str:
    return re.sub(r"[<>&'\"+`]", lambda sign: f"\\u{ord(sign[0]):04X}", value.replace("\\", "\\\\"))


def _in_url(value: str) -> str:
    return quote(value, safe="")


# By the signs that they change.
ENCODINGS: tuple[tuple[str, tuple[Callable[[str], str], ...]], ...] = (
    (
        r"[\x00-\x1f\x7f-\U0010ffff\"\\]",
        (
            _escaped,
            lambda value: _escaped(_escaped(value)),
            _as_typed,
            lambda value: _as_typed(_as_typed(value)),
        ),
    ),
    ("/", (lambda value: _as_typed(value).replace("/", "\\/"),)),
    ("[<>&]", (_for_markup, lambda value: html.escape(value, quote=False))),
    (
        "[<>&\"'+`]",
        (
            _by_code,
            lambda value: re.sub("[<>&\"']", lambda sign: f"&#{ord(sign[0])};", value),
            lambda value: re.sub("[<>&\"']", lambda sign: f"&#x{ord(sign[0]):x};", value),
            html.escape,
            lambda value: html.escape(value).replace("&#x27;", "&#39;"),
            lambda value: html.escape(value).replace("&#x27;", "&apos;").replace("&quot;", "&#34;"),
        ),
    ),
    (
        "[^A-Za-z0-9_.~-]",
        (
            _in_url,
            lambda value: _in_url(_in_url(value)),
            lambda value: re.sub("%..", lambda sign: sign[0].lower(), _in_url(value)),
            lambda value: quote(value, safe="!'()*/:@$&+,;="),  # what paths and some encoders leave
            lambda value: quote(value, safe="!'()*"),
            quote,
            quote_plus,
        ),
    ),
)
_MOST_LAYERS = 2


def forms(value: str) -> set[str]:
    """Return a value as it is, decoded if it was found encoded, and in every encoding."""
    plain = {value}
    for _ in range(_MOST_LAYERS):
        plain |= {decoded for one in plain for decoded in _decoded(one)}
    found = set(plain)
    for one in plain:
        for signs, encodings in ENCODINGS:
            if compiled(signs).search(one):
                with suppress(UnicodeEncodeError):  # half a surrogate pair has no URL encoding
                    found |= {encode(one) for encode in encodings}
    return {form for form in found if len(form) >= SHORTEST}


def _decoded(value: str) -> Iterator[str]:
    if "%" in value:
        yield from (unquote(value), unquote_plus(value))
    if "&" in value:
        yield html.unescape(value)
    if "\\" in value:
        with suppress(ValueError):
            yield json.loads(f'"{value}"')


def candidates(found: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the values to search for, with the secret that each belongs to; of some kinds also its parts."""
    for secret, kind in found.items():
        values = [value for value in _PARTS[kind].findall(secret) if is_unmistakable(value)] if kind in _PARTS else []
        if kind == "basic-auth":
            with suppress(ValueError):
                values.append(b64decode(secret).decode().partition(":")[2])
        values = [secret, secret.rstrip(_LAST), *(value for value in values if not is_placeholder(value))]
        yield from ((value, secret) for value in values if len(value) >= SHORTEST and may_be_secret(value))


# Searching.


_GROUP = 4  # characters that are looked up together
_HELD_BACK = 600  # characters at most of a stream, other than of one word
_FARTHEST_STEP = 16  # characters from one group that is looked up to the next


class Values:
    """Values to search for, many at once, in time that does not depend on how many there are.

    Of a text's groups of four characters only some are looked up: within any value, one of them is. At a known group
    the values that begin nearby are compared, in a sorted list. If one value begins another, the longer one is masked
    as far as it goes on.
    """

    def __init__(self, kinds: Mapping[str, str], apart: Collection[str] = ()) -> None:
        """Prepare a search for values, given with their kinds; those `apart` are not found in a longer word."""
        self._kinds, self._apart = kinds, apart
        self._sorted = sorted(kinds)
        self._first: list[str] = []  # those that no other value begins
        self._begun: set[str] = set()  # of these, those that begin another
        for value in self._sorted:
            if self._first and value.startswith(self._first[-1]):
                self._begun.add(self._first[-1])
            else:
                self._first.append(value)
        sizes = [len(value) for value in self._sorted]
        self._longest = max(sizes)
        self._step = min((min(sizes) - _GROUP + 1) // _GROUP * _GROUP, _FARTHEST_STEP)
        self._heads = {value[:SHORTEST] for value in self._first}
        self._groups = frozenset(
            group
            for value in self._first
            for at in range(self._step)
            for group in _groups(value[at : at + _GROUP], _GROUP)
        )

    def search(self, text: str) -> Iterator[Span]:
        """Yield where a value occurs, also with signs in it that nobody sees."""
        checkpoint()
        if seen := without_unseen(text):
            yield from (seen.span(span)._replace(again=True) for span in self._search(seen.text))
        else:
            yield from self._search(text)

    def _search(self, text: str) -> Iterator[Span]:
        groups, done = _groups(text, self._step), 0
        if self._groups.isdisjoint(groups):
            return
        for at in compress(count(0, self._step), map(self._groups.__contains__, groups)):
            for start in range(max(done, at - self._step + 1), at + 1):
                if text[start : start + SHORTEST] in self._heads and (span := self._at(text, start)):
                    done = span.end
                    yield span
                    break

    def unfinished(self, text: str) -> int:
        """Return where a value may begin that the text breaks off; the end of the text if none does."""
        for start in range(max(0, len(text) - min(self._longest, _HELD_BACK) + 1), len(text)):
            begun = text[start:]
            place = bisect_right(self._sorted, begun)
            if self._sorted[place : place + 1] and self._sorted[place].startswith(begun):
                return start
        return len(text)

    def _at(self, text: str, start: int) -> Span | None:
        ahead = text[start : start + self._longest]
        place = bisect_right(self._first, ahead) - 1
        if not ahead.startswith(self._first[place]):
            return None
        value = self._first[place]
        end = start + len(value)
        if value in self._begun:
            next_one = bisect_right(self._sorted, ahead)
            end = start + max(_in_common(ahead, near) for near in self._sorted[next_one - 1 : next_one + 1])
            value = text[start:end] if text[start:end] in self._kinds else value
        if value in self._apart and _is_glued(text, start, end):
            return None
        return Span(start, end, self._kinds[value], again=True)


def _in_common(first: str, second: str) -> int:
    """Return how many characters two texts begin with in common."""
    different = (size for size, (one, other) in enumerate(zip(first, second, strict=False)) if one != other)
    return next(different, min(len(first), len(second)))


def _groups(text: str, step: int) -> memoryview:
    """Read groups of four characters as numbers, one at each step; the rest of the text is left out."""
    data = text.encode("latin-1", "replace")  # one byte per character
    return memoryview(data)[: len(data) // _GROUP * _GROUP].cast("I")[:: step // _GROUP]


# What shows that a value is a word, a path or an identifier of the chat.


_FARTHEST = 24  # characters before a value
_WORD_BEFORE, _WORD_BEHIND = re.compile(r"\w\Z", re.ASCII), re.compile(r"\w", re.ASCII)
_ESCAPE = re.compile(r"(?:\\[nrtbfv]|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|%[\da-fA-F]{2}|\[[\d;]*[mK]|(?<!\w)-p)\Z")
_JOINED_BEFORE, _JOINED_BEHIND = re.compile(r"[./]\Z|\w-\Z", re.ASCII), re.compile(r"[./-]\w|\(|\s?=[^=]", re.ASCII)
_LABEL = re.compile(
    r"(?i:(?<![A-Za-z])(?:commit|checkout|cherry-pick|revert|reset|rebase|merge|show|diff|tree|blob|object|parent|head"
    r"|rev(?:ision)?|ref|branch|tag|sha-?\d{0,3}|md5|hash|digest|checksum|integrity|etag|version|[ug]?uid|guid|id"
    r"|(?:user|host|file|path)?name|host|user|path|file|dir|folder|image|package|module|class|def|function|import"
    r"|const|var|region|zone|cluster|namespace|pod|container|service|bucket|table|database|schema|repo|project))[\"'`\])]{0,2}[\s:=/@]{1,3}[\"'`]?\Z"
)


def is_name(text: str, span: Span) -> bool:
    """Return whether a text uses a value as a name: after a word such as `commit`, or in a longer word or a path."""
    before = text[max(0, span.start - _FARTHEST) : span.start]
    if _LABEL.search(before):
        return True
    value = text[span.start : span.end]
    if _HEX.match(value) or not _IN_NAMES.match(value):
        return False
    is_joined = _JOINED_BEFORE.search(before) or _JOINED_BEHIND.match(text, span.end)
    return bool(is_joined) or _is_glued(text, span.start, span.end)


def _is_glued(text: str, start: int, end: int) -> bool:
    """Return whether a value is part of a longer word; an escape sequence before it is not."""
    if _WORD_BEHIND.match(text, end):
        return True
    before = text[max(0, start - 8) : start]
    return bool(_WORD_BEFORE.search(before)) and not _ESCAPE.search(before)
