"""The chats on this machine as a person reads them: when, which tool, how large, about what, and where."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from compact_chat.chat import JsonObject
from compact_chat.cli.terminal import Terminal, one_line, pad, visible, wrapped
from compact_chat.disk.names import path_of

_NONE = "No such chats were found where tools keep them; --roots FOLDER looks elsewhere."
_MORE = "There was too much to look at, so chats may be missing; --roots FOLDER looks at less."
_HINT = "--workspace . lists only the chats of this folder; count, preview and summarize take a path from here."
_UNITS = ("B", "kB", "MB", "GB", "TB")
_BESIDE = 37  # columns in front of a title


def show_sessions(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """Two lines for each chat; the path stands alone on the second, whole, to be copied."""
    for one in found["sessions"]:
        yield _row(one, terminal)
        yield terminal.paint(f"  {visible(path_of(one['uri']))}", "dim")
    if not found["complete"]:
        yield from wrapped(_MORE, terminal.width)
    if terminal.shown or not found["sessions"]:
        yield from wrapped(_HINT if found["sessions"] else _NONE, terminal.width)


def _row(one: JsonObject, terminal: Terminal) -> str:
    when = datetime.fromisoformat(one["updatedAt"]).astimezone()
    start = f"{when:%Y-%m-%d %H:%M} {pad(one['tool'][:11], 11)} {_size(one['bytes']):>7} "
    title = one_line(one["title"] or "(no title)", max(2, terminal.width - _BESIDE))
    return start + terminal.paint(title, "bold" if one["title"] else "dim")


def _size(size: float) -> str:
    """Write a size in three digits."""
    steps = 0
    while size >= 999.5 and steps < len(_UNITS) - 1:
        size, steps = size / 1000, steps + 1
    return f"{size:.{int(steps > 0 and size < 9.95)}f} {_UNITS[steps]}"
