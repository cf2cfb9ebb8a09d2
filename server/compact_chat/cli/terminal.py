"""Terminal output: width, colors if supported, truncating and wrapping text, a status line."""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from msgspec import Struct

from compact_chat.operations import ClientState, Job

_COLORS = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
_CLEAR = "\r\x1b[K"
_LONGEST = 70  # characters of a status
# Control characters, halves of surrogate pairs, and what overrides or isolates the direction of text (Unicode UAX 9).
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class Terminal(Struct, frozen=True):
    """The width to write for, whether a person is reading, and whether colors are on."""

    width: int
    interactive: bool
    color: bool

    def paint(self, text: str, *styles: str) -> str:
        """Color a text, if colors are on."""
        if not (self.color and text):
            return text
        return f"\033[{';'.join(_COLORS[style] for style in styles)}m{text}\033[0m"

    def page(self, text: str) -> Iterator[str]:
        """Yield a text unchanged for a program, wrapped for a person."""
        return wrapped(text, self.width) if self.interactive else iter([text])

    def heading(self, text: str) -> str:
        """Return a heading line."""
        return self.paint(f"{text} {'─' * max(0, self.width - columns(text) - 1)}", "bold", "cyan")

    def note(self, text: str, look: str) -> Iterator[str]:
        """Yield the lines of a sentence in one color."""
        return (self.paint(line, look) for line in wrapped(text, self.width))


def terminal_of(stream: TextIO) -> Terminal:
    """Inspect where the output goes: a pipe gets 100 plain columns, unless the environment says otherwise."""
    interactive = stream.isatty()
    color = interactive and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Terminal(max(40, shutil.get_terminal_size((100, 24)).columns), interactive, color)


def columns(text: str) -> int:
    """Count the columns of a text: two for wide characters, none for combining ones."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def visible(text: str) -> str:
    """Replace control characters, so that a chat cannot steer the terminal or turn the order of a line around."""
    return _CONTROLS.sub("�", text.replace("\t", "    "))


def one_line(text: str, width: int) -> str:
    """Fold a text into one line and truncate it to a width."""
    line = " ".join(visible(text[: width * 8].replace("\n", " ")).split())
    if columns(line) <= width and len(text) <= width * 8:
        return line
    return line[: _fit(line, width - 1)] + "…"


def path_line(path: str, width: int) -> str:
    """Truncate a path at its start, since its end says more."""
    line = visible(path.replace("\n", " "))
    if columns(line) <= width:
        return line
    start = max(1, len(line) - width + 1)
    while columns(line[start:]) >= width:
        start += 1
    return "…" + line[start:]


def pad(text: str, width: int) -> str:
    """Pad a text with blanks to a width."""
    return text + " " * (width - columns(text))


def wrapped(text: str, width: int) -> Iterator[str]:
    """Wrap a text to a width, at blanks if possible; each line keeps its indent."""
    for line in map(visible, text.split("\n")):
        indent = " " * min(len(line) - len(line.lstrip(" ")), width // 2)
        lead, start = "", 0  # what the next line begins with, and the place that it goes on from
        while (end := _fit(line, width - len(lead), start)) < len(line):
            first = start - len(lead)  # where the next line would begin without its lead
            blank = line.rfind(" ", first + len(indent) + 1, end + 1)
            end = blank if blank - first > width // 3 else end
            yield (lead + line[start:end]).rstrip(" ")
            lead, start = indent, end
            while line.startswith(" ", start):
                start += 1
        yield lead + line[start:]


def _fit(text: str, width: int, start: int = 0) -> int:
    """Return how far a text, from a place on, fits a width."""
    if text.isascii():
        return min(start + width, len(text))
    for place in range(start, len(text)):
        width -= _columns_of(text[place])
        if width < 0:
            return place
    return len(text)


@contextmanager
def status(client: ClientState) -> Iterator[Job]:
    """Provide an operation's job; progress is shown on one line of the terminal, cleared when done."""
    if not sys.stderr.isatty():
        yield Job(client)
        return
    state, characters = "", 0

    def write(text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def report(message: str, percentage: int | None) -> None:
        nonlocal state
        state = f"{message[:_LONGEST]}{'' if percentage is None else f' {percentage}%'} …"
        write(f"{_CLEAR}{state}")

    def stream(text: str) -> None:
        nonlocal characters
        characters += len(text)
        write(f"{_CLEAR}{state} {characters:,} characters")

    try:
        yield Job(client, report, stream)
    finally:
        write(_CLEAR)
