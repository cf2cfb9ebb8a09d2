"""Terminal output: width, colors if supported, truncating and wrapping text, a status line."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from msgspec import Struct, structs

from compact_chat.errors import InvalidParams
from compact_chat.operations import ClientState, Job
from compact_chat.text import UNSAFE, visible

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
_LONGEST = 70  # columns of a status
MOST_LEFT = 9  # columns that a truncated line leaves to end at a word

# A line with right-to-left text is isolated (Unicode UAX 9), so that it cannot reorder what is next to it.
_ISOLATE, _END = "\u2068", "\u2069"
_RIGHT_TO_LEFT = re.compile(
    r"^( *+)(.*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff].*)$", re.MULTILINE
)


def shown(text: str) -> str:
    """Make a text safe to show on a terminal: escaped, and its right-to-left lines isolated."""
    return _RIGHT_TO_LEFT.sub(rf"\1{_ISOLATE}\2{_END}", escaped(text))


def escaped(text: str) -> str:
    """Escape what a text must not do to a terminal, so that it is seen."""
    return visible(text.replace("\r\n", "\n")).replace("\t", "    ")


def piped(text: str) -> str:
    """Drop what a text must not do to the terminal that a pipe may end in."""
    return UNSAFE.sub(lambda found: found[1] or " " * found[0].isspace(), text.replace("\r\n", "\n"))


def printable(value: Any, safe: Callable[[str], str]) -> Any:
    """Make every text of a result safe to print, with `shown` or `piped`."""
    match value:
        case str():
            return safe(value)
        case Struct():
            return structs.replace(value, **{name: printable(one, safe) for name, one in structs.asdict(value).items()})
        case dict():
            return {safe(key): printable(one, safe) for key, one in value.items()}
        case list() | tuple():
            return type(value)(printable(one, safe) for one in value)
    return value


class Terminal(Struct, frozen=True):
    """The size to write for, whether a person is reading, and whether colors are on."""

    width: int
    interactive: bool
    color: bool
    rows: int = 24

    def paint(self, text: str, *styles: str) -> str:
        """Color a text, if colors are on."""
        if not (self.color and text):
            return text
        return f"\033[{';'.join(_COLORS[style] for style in styles)}m{text}\033[0m"

    def safe(self, text: str) -> str:
        """Make a text safe to print."""
        return shown(text) if self.interactive else piped(text)

    def place(self, uri: str | None) -> str:
        """Return a path for a file on this machine, safe to print, else the URI."""
        return self.safe(place_of(uri or ""))

    def page(self, text: str) -> Iterator[str]:
        """Yield a text unchanged for a program, wrapped for a person."""
        return wrapped(text, self.width) if self.interactive else iter([text])

    def heading(self, text: str) -> str:
        """Return a heading line."""
        return self.paint(f"{text} {'─' * max(0, self.width - columns(text) - 1)}", "bold", "cyan")

    def note(self, text: str, look: str) -> Iterator[str]:
        """Yield the lines of a sentence in one color."""
        return (self.paint(line, look) for line in wrapped(text, self.width))


def place_of(uri: str) -> str:
    """Return a path for a file on this machine, else the URI."""
    from compact_chat.disk import path_of

    with suppress(InvalidParams):
        return path_of(uri)
    return uri


def terminal_of(stream: TextIO) -> Terminal:
    """Inspect where the output goes: a pipe gets 100 plain columns, unless the environment says otherwise."""
    interactive = stream.isatty()
    color = interactive and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    size = shutil.get_terminal_size((100, 24))
    return Terminal(max(40, size.columns), interactive, color, max(24, size.lines) if interactive else 24)


NAME = "compact-chat"


def program() -> str:
    """Return how to call this program from here, as it was called itself."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py":
        return f"{shlex.quote(_from_here(sys.executable))} -m compact_chat"
    found = shutil.which(NAME)
    if called.stem != NAME or (found and Path(found).resolve() == called.resolve()):
        return NAME
    return shlex.quote(_from_here(sys.argv[0]))


def _from_here(path: str) -> str:
    """Shorten the path of a file below the current folder."""
    return path.removeprefix(f"{Path.cwd()}{os.sep}")


def columns(text: str) -> int:
    """Count the columns of a text: two for wide characters, none for combining ones."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def one_line(text: str, width: int) -> str:
    """Fold a text into one line and truncate it to a width, between words if possible."""
    line = " ".join(text[: width * 8].split())
    if columns(line) <= width and len(text) <= width * 8:
        return line
    end = _fit(line, width - 1)
    blank = line.rfind(" ", 0, end + 1)
    return _isolated(line[: blank if blank > max(end // 2, end - MOST_LEFT) else end]) + "…"


def path_line(path: str, width: int) -> str:
    """Truncate a path at its start, since its end says more."""
    line = path.replace("\n", " ")
    if columns(line) <= width:
        return line
    start = max(1, len(line) - width + 1)
    while columns(line[start:]) >= width:
        start += 1
    return "…" + _isolated(line[start:])


def _isolated(piece: str) -> str:
    """Isolate the part of a line whose isolation was cut off."""
    start = _ISOLATE if (end := piece.find(_END)) >= 0 and piece.find(_ISOLATE, 0, end) < 0 else ""
    return start + piece + (_END if piece.rfind(_ISOLATE) > piece.rfind(_END) else "")


def pad(text: str, width: int) -> str:
    """Pad a text with blanks to a width."""
    return text + " " * (width - columns(text))


def wrapped(text: str, width: int) -> Iterator[str]:
    """Wrap a text to a width, at blanks if possible; each line keeps its indent."""
    for line in text.split("\n"):
        indent = " " * min(len(line) - len(line.lstrip(" ")), width // 2)
        lead, start = "", 0  # what the next line begins with, and the place that it goes on from
        while (end := _fit(line, width - len(lead), start)) < len(line):
            first = start - len(lead)  # where the next line would begin without its lead
            blank = line.rfind(" ", first + len(indent) + 1, end + 1)
            end = blank if blank - first > width // 3 else end
            yield (lead + _isolated(line[start:end])).rstrip(" ")
            lead, start = indent, end
            while line.startswith(" ", start):
                start += 1
        yield lead + _isolated(line[start:])


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
        state = f"{one_line(escaped(message), _LONGEST)}{'' if percentage is None else f' {percentage}%'} …"
        write(f"{_CLEAR}{state}")

    def stream(text: str) -> None:
        nonlocal characters
        characters += len(text)
        write(f"{_CLEAR}{state} {characters:,} characters")

    try:
        yield Job(client, report, stream)
    finally:
        write(_CLEAR)
