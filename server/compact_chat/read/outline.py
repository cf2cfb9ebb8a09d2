"""Whether a file is JSON lines or one document, told from its beginning where that is enough."""

from __future__ import annotations

import json
import re

import msgspec

from compact_chat.read.held import MARK, Held

_EARLY = 2**16
_CLOSE = 100  # what breaks so close to where a text was cut may be whole in the file
_WORD = re.compile(rb"[^ \t\r\n]")
_ANY = msgspec.json.Decoder(msgspec.Raw)


def are_lines(held: Held) -> bool:
    """Whether the bytes are more than one JSON value: then they are no document, and need not be decoded to know it."""
    first, has_more = _first_line(held)
    if not has_more:
        return False
    try:
        _ANY.decode(first)
    except (ValueError, RecursionError):
        return _breaks_early(held)
    return True


def _first_line(held: Held) -> tuple[bytes, bool]:
    """The first line that is not blank, and whether another one follows it."""
    line: list[bytes] = []
    blocks = held.blocks()
    for block in blocks:
        begin = 0 if any(line) else _first_word(block)
        end = block.find(b"\n", begin)
        line.append(block[begin:] if end < 0 else block[begin:end])
        if end >= 0:
            has_more = bool(_WORD.search(block, end)) or any(map(_WORD.search, blocks))
            return b"".join(line) if has_more else b"", has_more
    return b"", False


def _first_word(block: bytes) -> int:
    found = _WORD.search(block, len(MARK) if block.startswith(MARK) else 0)
    return found.start() if found else len(block)


def _breaks_early(held: Held) -> bool:
    """Whether the beginning is broken in itself, and not for being cut off here."""
    text = next(held.blocks())[:_EARLY].decode("utf-8-sig", errors="replace")
    try:
        json.loads(text)
    except json.JSONDecodeError as problem:
        return problem.pos < len(text) - _CLOSE and not problem.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False
