"""What a terminal can show: its width, colours where it has them, text cut and wrapped to columns."""

from __future__ import annotations

import os
import shutil
import unicodedata
from collections.abc import Iterator
from typing import TextIO

from msgspec import Struct

_COLOURS = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}


class Terminal(Struct, frozen=True):
    """The width to write for, whether a person is looking, and whether colours show."""

    width: int
    shown: bool
    colour: bool

    def paint(self, text: str, *looks: str) -> str:
        """Give a text its looks, where colours show."""
        if not (self.colour and text):
            return text
        return f"\033[{';'.join(_COLOURS[look] for look in looks)}m{text}\033[0m"

    def page(self, text: str) -> Iterator[str]:
        """Give a text to a program as it is, and to a person wrapped."""
        return wrapped(text, self.width) if self.shown else iter([text])

    def heading(self, text: str) -> str:
        """A line that opens a part of the page."""
        return self.paint(f"{text} {'─' * max(0, self.width - columns(text) - 1)}", "bold", "cyan")


def terminal_of(stream: TextIO) -> Terminal:
    """Look at where the output goes: a pipe gets 100 plain columns, unless it says otherwise."""
    shown = stream.isatty()
    colour = shown and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Terminal(width=max(40, shutil.get_terminal_size((100, 24)).columns), shown=shown, colour=colour)


def columns(text: str) -> int:
    """Count the columns that a text takes: wide characters two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def visible(text: str) -> str:
    """Show control characters as what they are, so that a chat cannot steer the terminal."""
    return "".join(
        c if c >= " " and not "\x7f" <= c <= "\x9f" and not "\ud800" <= c <= "\udfff" else "�"
        for c in text.replace("\t", "    ")
    )


def one_line(text: str, width: int) -> str:
    """Fold a text into one line and cut it to a width."""
    line = " ".join(visible(text[: width * 8].replace("\n", " ")).split())
    if columns(line) <= width and len(text) <= width * 8:
        return line
    return _cut(line, width - 1) + "…"


def path_line(path: str, width: int) -> str:
    """Cut a path at its start, since its end tells more."""
    line = visible(path.replace("\n", " "))
    if columns(line) <= width:
        return line
    start = max(1, len(line) - width + 1)
    while columns(line[start:]) >= width:
        start += 1
    return "…" + line[start:]


def pad(text: str, width: int) -> str:
    """Fill a text with blanks to a width."""
    return text + " " * (width - columns(text))


def wrapped(text: str, width: int) -> Iterator[str]:
    """Break a text into lines of at most a width, at blanks where there are any; a line's indent is kept."""
    for line in text.split("\n"):
        yield from _wrapped_line(visible(line), width)


def _wrapped_line(line: str, width: int) -> Iterator[str]:
    indent = " " * min(len(line) - len(line.lstrip(" ")), width // 2)
    while columns(line) > width:
        head = _cut(line, width)
        blank = line[: len(head) + 1].rfind(" ", len(indent) + 1)
        end = blank if blank > width // 3 else len(head)
        yield line[:end].rstrip(" ")
        line = indent + line[end:].lstrip(" ")
    yield line


def _cut(text: str, width: int) -> str:
    taken = 0
    for place, character in enumerate(text):
        taken += _columns_of(character)
        if taken > width:
            return text[:place]
    return text
