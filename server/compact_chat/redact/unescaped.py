"""The text that finders read: without colors, escapes and entities, and without quotes inside a value."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import unescape
from itertools import accumulate, islice

from compact_chat.redact.assignments import NAMES
from compact_chat.redact.spans import Span, compiled
from compact_chat.text import UNSEEN

_EDGE = r"[^\s\0=:,;(){}\[\]<>+\"'`\\]"
# Where two parts of a value are joined, or a quote in it is doubled.
_SEAMS = ('""', "''", '"+"', "'+'", '" + "', "' + '", "'\\''")
# Each branch begins with a literal, which is what a pattern is searched for quickly by.
_CODE = re.compile(
    r"(\\\\{0,7}(?:u00[2-7][\da-fA-F]|x[2-7][\da-fA-F]|[\"'`nrt/])"
    r"|\\\\{0,3}(?:x1[bB]|u001[bB]|033|e)\[[\d;?]{0,24}[A-Za-z]"  # a color
    r"|\x1b\[[\d;?]{0,24}[A-Za-z]"
    r"|\[\d{1,3}(?:;\d{1,3}){0,5}m"  # a color whose first sign was lost
    r"|&(?:quot|apos|lt|gt|amp|#34|#39|#x22|#x27|#60|#62);"
    r"|%(?:25){0,3}(?:2[27]|3[ADad]|7[BDbd])"  # of no sign that separates values in a URL
    rf"|{'|'.join(rf'{seam}(?<={_EDGE}{seam})(?={_EDGE})' for seam in map(re.escape, _SEAMS))})"
)
# Signs that nobody sees, and that a pipe drops: what they stand in is whole then.
# One class of characters, which is searched for quickly.
_UNSEEN, _ESCAPE = re.compile(rf"([{UNSEEN}\x1b](?<!\x1b(?=\[)))"), re.compile(r"\x1b(?!\[)")
_SEEN = bytes(range(32, 127)) + b"\t\n\r"
_LONGEST_CODE = 64  # characters, more than it can have
_STRETCH = 2**16  # characters that are split at once
_BLANKS = {"n": "\n", "r": "\n", "t": "\t"}
# A sign that is part of any value. The text keeps its length, so that its spans stay where they are.
_FILLER = "!"
_ESCAPED, _QUOTE = re.compile(r"\\\\{0,15}([\"'])"), re.compile(r"\\{0,16}[\"'`]")
_FORMS = "|".join(name.form.replace(" ", r"\ ") for name in NAMES)
_NAMED = rf"(?xi:(?:{_FORMS})[\w-]{{0,40}}[\"'`\]\\]{{0,16}}\s{{0,4}}(?:[:=]=?>?|,|\()\s{{0,4}}[bru@$]?)\Z"
# Text in a value that has names and values of its own, or is in quotes twice.
_NESTED = re.compile(r"\A\\+[\"'].*\\+[\"']\Z|[\[{:=]\s?\\+[\"']|\\+[\"']\s?[:=](?:\s|[\\\[\"'{\d])")
_LINE, _BLANK = re.compile(r"[^\n\0]*+"), re.compile(r"\s")
_FARTHEST = 300  # characters from the beginning of a value to its end


class Unescaped:
    """A text without its codes; `spans` tells where in the original a span of it is."""

    text: str

    def __init__(self, original: str, code: re.Pattern[str] = _CODE) -> None:
        self._seen = None
        if code is _CODE and (seen := without_unseen(original)):
            self._seen = seen
            original = seen.text
        self._plain, self._original = array("I", [0]), array("I", [0])
        pieces = []
        for parts in _parted(original, code):
            self._original.extend(_ends(parts, self._original[-1]))
            parts[1::2] = map(_decoded, parts[1::2])
            self._plain.extend(_ends(parts, self._plain[-1]))
            pieces.append("".join(parts))
        self.text = "".join(pieces)

    def span(self, span: Span) -> Span:
        """Return where a span is in the original; codes at its ends are not part of it."""
        if len(self._plain) > 2:
            span = self._before(span)
        return self._seen.span(span) if self._seen else span

    def _before(self, span: Span) -> Span:
        first, last = (bisect_right(self._plain, at) - 1 for at in (span.start, span.end - 1))
        start = self._original[first] + (0 if first % 2 else span.start - self._plain[first])
        end = self._original[last + 1] if last % 2 else self._original[last] + span.end - self._plain[last]
        return Span(start, end, span.kind)


def without_unseen(text: str) -> Unescaped | None:
    """Return a text without the signs that nobody sees; None if it has none."""
    return Unescaped(text, _UNSEEN) if _has_unseen(text) else None


def _has_unseen(text: str) -> bool:
    """Return whether a text has signs that nobody sees; dropping all others first takes an eighth of the time."""
    rest = text.encode(errors="surrogatepass").translate(None, _SEEN).decode(errors="surrogatepass")
    has_escape = "\x1b" in rest and _ESCAPE.search(text) is not None
    return has_escape or _UNSEEN.search(rest.replace("\x1b", "")) is not None


def _parted(text: str, code: re.Pattern[str]) -> Iterator[list[str]]:
    """Yield what is around codes and each code, in turn; a stretch at a time, since a text may be all codes."""
    start = 0
    while len(text) - start > _STRETCH:
        parts = code.split(text[start : start + _STRETCH])
        last, rest = "", 0  # at the end a code may be cut off
        while rest < _LONGEST_CODE:
            last = parts.pop()
            rest += len(last)
        if len(parts) % 2 == 0:  # it stood around codes
            parts.append(last[: rest - _LONGEST_CODE])
            rest = _LONGEST_CODE
        parts.append("")  # in place of a code, since the next stretch begins with what is around codes
        start += _STRETCH - rest
        yield parts
    yield code.split(text[start:])


def _ends(parts: Iterable[str], start: int) -> Iterable[int]:
    return islice(accumulate(map(len, parts), initial=start), 1, None)


@lru_cache(4096)
def _decoded(code: str) -> str:
    """Return what a code stands for: nothing for a color, and for quotes inside a value what is part of any."""
    if code[:1] in ("", "&"):
        return unescape(code)
    if code[0] == "%":
        return chr(int(code[-2:], 16))
    if code[0] in "\"'":
        return _FILLER * len(code)
    if _UNSEEN.match(code):
        return ""
    name = code.lstrip("\\")
    if name[0] in "ux" and code[0] == "\\" and "[" not in name:
        return chr(int(name[-2:], 16))
    return "" if "[" in name else _BLANKS.get(name, name)


# Escaped quotes inside a value: what is found does not end at them.


def without_inner_quotes(text: str) -> str:
    """Return a text of the same length in which no escaped quote is inside a value given to a secret's name.

    It may be several texts with a zero byte between them.
    """
    parts, done = [], 0
    for code in _ESCAPED.finditer(text):
        if code.start() < done:
            continue
        start, end = _value_around(text, code)
        if start < end:
            inner = _ESCAPED.sub(lambda quote: _FILLER * len(quote[0]), text[start:end])
            parts += [text[done:start], inner]
            done = end
    return "".join([*parts, text[done:]]) if parts else text


@lru_cache(1024)
def _is_named(before: str) -> bool:
    """Return whether a text ends with a secret's name and a sign."""
    return compiled(_NAMED).search(before) is not None


def _value_around(text: str, code: re.Match[str]) -> tuple[int, int]:
    """Return where the value is that an escaped quote is in: after a secret's name and a less escaped quote."""
    nearest = max(0, code.start() - _FARTHEST)
    start = text.rfind(code[1], nearest, code.start()) + 1
    if not start or text.endswith(code[0][:-1], 0, start - 1):
        return 0, 0
    opening = text[:start][-17:-1]
    level = len(opening) - len(opening.rstrip("\\"))
    head = start - 1 - level
    if text[max(0, head - 8) : head].rstrip(" bru@$")[-1:] not in (*":=>,(",):
        return 0, 0
    if not _is_named(text[max(0, head - 80) : head]):
        return 0, 0
    line = _LINE.match(text, start, start + _FARTHEST)
    end = last = line.end() if line else start
    for quote in _QUOTE.finditer(text, start, last):
        if quote[0][-1] == code[1] and len(quote[0]) - 1 <= level:
            end = quote.start()
            break
    value = text[start:end]
    is_cut = end == last and (_BLANK.search(value) or last == start + _FARTHEST)  # and no closing quote is in the line
    return (0, 0) if is_cut or _NESTED.search(value) else (start, end)
