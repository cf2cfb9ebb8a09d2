"""A text as it reads: without terminal colors, escapes, entities and percent codes, which may be anywhere in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from html import unescape
from itertools import accumulate

from compact_chat.redact.spans import Span

# A charset first, which is what a pattern is searched for quickly by.
_CODE = re.compile(
    r"([\x1b\\\[&%](?:"
    r"(?:(?<=\x1b)|(?<=\\)\\{0,3}(?:x1[bB]|u001[bB]|033|e))\[[\d;?]{0,24}[A-Za-z]"  # a color
    r"|(?<=\[)\d{1,3}(?:;\d{1,3}){0,5}m"  # a color whose first sign was lost
    r"|(?<=\\)\\{0,7}(?:u00[2-7][\da-fA-F]|x[2-7][\da-fA-F]|[\"'`nrt/])"
    r"|(?<=&)(?:quot|apos|lt|gt|amp|#34|#39|#x22|#x27|#60|#62);"
    r"|(?<=%)(?:25){0,3}(?:2[27]|3[ADad]|7[BDbd])"  # of no sign that separates values in a URL
    r"))"
)
_BLANKS = {"n": "\n", "r": "\n", "t": "\t"}


class Unescaped:
    """A text without its codes; `spans` tells where in the original a span of it is."""

    def __init__(self, original: str) -> None:
        parts = _CODE.split(original)  # every second one is a code
        plain = [*parts]
        plain[1::2] = map(_decoded, parts[1::2])
        self.text = "".join(plain)
        self._plain = [0, *accumulate(map(len, plain))]
        self._original = [0, *accumulate(map(len, parts))]

    def span(self, span: Span) -> Span:
        """Return where a span is in the original; codes at its ends are not part of it."""
        if len(self._plain) == 2:
            return span
        first, last = (bisect_right(self._plain, at) - 1 for at in (span.start, span.end - 1))
        start = self._original[first] + (0 if first % 2 else span.start - self._plain[first])
        end = self._original[last + 1] if last % 2 else self._original[last] + span.end - self._plain[last]
        return Span(start, end, span.kind)


@cache
def _decoded(code: str) -> str:
    """Return what a code stands for: nothing for a color."""
    if code[0] == "&":
        return unescape(code)
    if code[0] == "%":
        return chr(int(code[-2:], 16))
    name = code.lstrip("\\")
    if name[0] in "ux" and code[0] == "\\" and "[" not in name:
        return chr(int(name[-2:], 16))
    return "" if "[" in name else _BLANKS.get(name, name)
