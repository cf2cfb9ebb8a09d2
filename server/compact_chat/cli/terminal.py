"""Ids of messages as short as they can be told apart."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TextIO

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.operations import ClientState, Job

# What a terminal can show: its width, colours where it has them, text cut and wrapped to columns.


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


# What a command is doing, in one line of the terminal that is gone when it is done.


_CLEAR = "\r\x1b[K"
_LONGEST = 70


@contextmanager
def status(client: ClientState) -> Iterator[Job]:
    """Give the job of an operation; it reports in the terminal if there is one."""
    if not sys.stderr.isatty():
        yield Job(client)
        return
    shown = _Shown()
    try:
        yield Job(client, shown.report, shown.tell)
    finally:
        _write(_CLEAR)


class _Shown:
    """The state of an operation, and how much text a model has written."""

    def __init__(self) -> None:
        self._state, self._characters = "", 0

    def report(self, message: str, percentage: int | None) -> None:
        """Show a state."""
        share = "" if percentage is None else f" {percentage}%"
        self._state = f"{message[:_LONGEST]}{share} …"
        _write(f"{_CLEAR}{self._state}")

    def tell(self, text: str) -> None:
        """Show that there is more text."""
        self._characters += len(text)
        _write(f"{_CLEAR}{self._state} {self._characters:,} characters")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


# What is said aside in a terminal: explanations, and what a person should know of a result.


def notes(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The warnings of a result."""
    for warning in found["warnings"]:
        where = f" (line {warning['line']})" if "line" in warning else ""
        yield from aside(f"note: {warning['message']}{where}", terminal, "yellow")


def aside(text: str, terminal: Terminal, look: str) -> Iterator[str]:
    """A sentence in a look of its own."""
    return (terminal.paint(line, look) for line in wrapped(text, terminal.width))


# Ids of messages as short as they can be told apart.


_SHORTEST = 8


def shortest(ids: Sequence[str]) -> list[str]:
    """Give of each id the beginning that no other shares, of eight characters at least: it names the message too."""
    needed = dict.fromkeys(ids, _SHORTEST)
    for one, other in pairwise(sorted(needed)):
        shared = _shared(one, other)
        needed[one], needed[other] = max(needed[one], shared + 1), max(needed[other], shared + 1)
    return [id[: needed[id]] for id in ids]


def _shared(one: str, other: str) -> int:
    """Count the characters with which both begin."""
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))
