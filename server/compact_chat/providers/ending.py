"""The line that ends the reply of a model whose stop reason nobody tells (rule L10)."""

from __future__ import annotations

import re

from compact_chat.marks import line_feeds
from compact_chat.options import Style
from compact_chat.reply.blocks import find_blocks

_START = re.compile(r"\s*+<summary[^\S\n]*+>[^\S\n]*+\n", re.IGNORECASE)
_FENCED = re.compile(r"\s*+(```+|~~~+)[^\n`]*+\n(.*)\n\1\Z", re.DOTALL)
_END = re.compile(r"</summary[^\S\n]*+>\Z", re.IGNORECASE)


def finished(text: str, style: Style) -> str | None:
    """Give a reply without the line `</summary>` at its end; None where it does not end so: it is cut off then.

    In the detailed style the tag is the end of the summary's own block as well. There it stays once it has proved what
    it had to, also behind words on its line: without it the block would count as cut off (rule F7). It goes where the
    block was closed before it. In the other styles it is a line beside the summary, and always goes, and with it a line
    `<summary>` at the beginning: a model that is to close a tag likes to open it. So does a fence around all of it.
    """
    text = line_feeds(text).rstrip()
    if fenced := _FENCED.match(text):
        text = fenced[2].rstrip()
    end = _END.search(text)
    if end is None:
        return None
    before = text[: end.start()]
    if style == "detailed" and find_blocks(before).cut_off:
        return text
    if before.rpartition("\n")[2].strip():
        return None
    opening = None if style == "detailed" else _START.match(before)
    return before[opening.end() :] if opening else before
