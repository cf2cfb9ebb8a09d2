"""What the ends of chats' files told, remembered for as long as the files stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from compact_chat.disk.ends import ends_of, line_end
from compact_chat.disk.scan import Found
from compact_chat.read.head import Told, folder_named, may_be_chat, tell
from compact_chat.read.held import InMemory
from compact_chat.read.packed import PACKED, Unpacking

T = TypeVar("T")
# Bytes of the beginning, of it where that does not do, as where Codex puts its instructions first, and of the end.
FIRST, MORE, LAST = 2**13, 2**17, 2**16
MOST = 50_000  # files that are remembered
_MORE_FOLLOWS = b"\n"
_NAMES_ITS_FOLDER = ("claude-code", "codex")  # before anything that was said
# VS Code writes a log anew as one line with the whole state, and the name of the chat at the end of that.
_STATE, _LONGEST_STATE = b'{"kind":0', 2**24


class Heads:
    """What was told so far; nothing of it is kept but in memory."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[object, Any]] = {}  # each look has its own keys
        self._lock = Lock()  # two requests may ask at once

    def told(self, one: Found) -> Told | None:
        """What a chat tells of itself; None where it is none, or cannot be read any more."""
        return self._once(one, _told)

    def folder(self, one: Found) -> str | None:
        """The folder in which a chat was held, as the chat itself tells it."""
        if one.expected in _NAMES_ITS_FOLDER and (named := self._once(one, _folder)):
            return named
        told = self.told(one)
        return (told.workspace or self._once(one, _folder_in_more)) if told else None

    def _once(self, one: Found, look: Callable[[Found], T]) -> T:
        key, stamp = (one.path, one.expected, look), (one.bytes, one.changed, one.identity)
        with self._lock:
            known = self._known.pop(key, (None, None))
        value: T = known[1] if known[0] == stamp else look(one)
        with self._lock:
            self._known[key] = (stamp, value)
            if len(self._known) > MOST:
                del self._known[next(iter(self._known))]
        return value


def _told(one: Found) -> Told | None:
    """Read the beginning, more of it where it gives no title yet, and take what breaks off there only then."""
    told = None
    for first, guess in ((FIRST, False), (MORE, False), (MORE, True)):
        if not guess:
            head, tail = _ends(one.path, first, LAST)
            tail = _end_of_state(one, head, tail) + tail
        told = tell(head, tail, one.expected, guess=guess) if b"{" in head else None
        if not tail or (told and told.title) or not (told or may_be_chat(head)):
            break
    return told


def _end_of_state(one: Found, head: bytes, tail: bytes) -> bytes:
    """The end of a long first line, where it lies between the two ends of the file."""
    is_between = head.startswith(_STATE) and b"\n" not in head and b"\n" in tail.rstrip(b"\n")
    if not is_between or len(head) + len(tail) >= one.bytes:
        return b""
    try:
        return line_end(one.path, len(head), LAST, _LONGEST_STATE) + b"\n"
    except (OSError, ValueError):
        return b""


def _folder(one: Found) -> str | None:
    head, _ = _ends(one.path, FIRST, 0)
    return folder_named(head)


def _folder_in_more(one: Found) -> str | None:
    """The folder that a chat tells of behind its title."""
    head, tail = _ends(one.path, MORE, LAST) if one.bytes > FIRST else (b"", b"")
    told = tell(head, tail, one.expected) if b"{" in head else None
    return told.workspace if told else None


def _ends(path: str, first: int, last: int) -> tuple[bytes, bytes]:
    """Read both ends of a file; of a packed one the end cannot be told, and of one that is gone there is none."""
    try:
        head, tail = ends_of(path, first, last)
    except (OSError, ValueError):
        return b"", b""
    return (_unpacked(head, first), _MORE_FOLLOWS) if head.startswith(PACKED) else (head, tail)


def _unpacked(packed: bytes, room: int) -> bytes:
    held = b""
    for block in Unpacking(InMemory(packed)).blocks():
        held += block
        if len(held) >= room:
            break
    return held[:room]
