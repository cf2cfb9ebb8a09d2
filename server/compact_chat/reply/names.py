"""Names of entries: one line, without marks around it and without its own label (rule R7)."""

from __future__ import annotations

import re

from compact_chat.reply.escapes import escaped_line, unescaped_line
from compact_chat.reply.reply import BLANKS
from compact_chat.reply.values import is_none

NAMELESS = "\n"  # what a heading that says `None` is read as; no name holds a line feed

_AROUND = re.compile(r"(`+)(?P<code>[^`]+)\1|\*\*(?P<bold>(?:(?!\*\*).)+)\*\*|__(?P<line>(?:(?!__).)+)__", re.DOTALL)


def read_name(text: str, label: str) -> str:
    """The name behind the signs of a heading."""
    name = _bare(text, label)
    if is_none(name):
        return NAMELESS
    return unescaped_line(name, lambda rest: _is_dressed(rest, label))


def write_name(name: str, label: str) -> str:
    """The name on one line; where it would be read as another one, it is escaped."""
    line = _bare(name.replace("\n", " "), label)
    return escaped_line(line, lambda rest: _is_dressed(rest, label))


def _is_dressed(name: str, label: str) -> bool:
    return is_none(name) or _bare(name, label) != name


def _bare(text: str, label: str) -> str:
    """The name without its label and without marks around all of it, again until nothing changes."""
    labels = re.compile(rf"(?>{label}[ \t]*+:[ \t]*+|\*\*{label}(?::\*\*|\*\*[ \t]*+:)[ \t]*+)++", re.IGNORECASE)
    before, name = "", text.strip(BLANKS)
    while name != before:
        before = name
        name = labels.sub("", name, count=1) if labels.match(name) else name
        if around := _AROUND.fullmatch(name):
            name = around["code"] or around["bold"] or around["line"]
        name = name.strip(BLANKS)
    return name
