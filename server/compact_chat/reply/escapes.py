r"""Content that reads like structure gets a `\` in front, and loses it when it is read (rule R12)."""

from __future__ import annotations

import re
from collections.abc import Callable

from compact_chat.reply.code import marked_lines
from compact_chat.reply.reply import BLANKS

IsStructure = Callable[[str], bool]

_ESCAPED = re.compile(r"([ \t]*+)(\\*+)(.*)", re.DOTALL)


def escaped(text: str, is_structure: IsStructure, *, fences_protect: bool = True) -> str:
    r"""The text with one `\` more before each line that would be structure, but for the lines of closed fences."""
    return "\n".join(
        line if fenced and fences_protect else escaped_line(line, is_structure) for line, fenced in marked_lines(text)
    )


def escaped_line(line: str, is_structure: IsStructure) -> str:
    r"""The line with one `\` more if what stands behind those that it begins with is structure."""
    indent, run, rest = _split(line)
    return f"{indent}\\{run}{rest}" if is_structure(rest) else line


def unescaped_line(line: str, is_structure: IsStructure) -> str:
    r"""The line with one `\` less if what stands behind them is structure."""
    if not line.lstrip(BLANKS).startswith("\\"):
        return line
    indent, run, rest = _split(line)
    return f"{indent}{run[1:]}{rest}" if is_structure(rest) else line


def _split(line: str) -> tuple[str, str, str]:
    r"""The indentation of a line, the run of `\` that begins it, and the rest."""
    parts = _ESCAPED.match(line)
    assert parts, "every line matches"
    return parts[1], parts[2], parts[3]
