"""Limits on what is read, so that no file takes more than seconds and some hundred megabytes (rule G10)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compact_chat.cancel import checkpoint
from compact_chat.errors import TooLarge

_MIB = 2**20
MAX_FILE_BYTES = 256 * _MIB  # also of what a packed file holds
MAX_WHOLE = 64 * _MIB  # bytes of what is decoded at once: a line, a document, a text
MAX_RECORDS, MAX_DAMAGED = 250_000, 2_000_000  # JSON lines
MAX_MESSAGES = 100_000
MAX_VALUES = 2_500_000  # of JSON, by its commas and brackets: each may become a part of a message
MAX_LINES = 10_000_000  # of a text

_SEPARATORS = (b",", b"[", b"{")
_VALUE = re.compile(rb'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?|([,\[{])', re.DOTALL)  # a string, or the start of a value


def beyond(limit: int, things: str, of: str = "chat") -> TooLarge:
    """Make the error for a chat, or a part of one, that has more of something than is read."""
    return TooLarge(f"The {of} has more than {limit:,} {things}; give the part of it that matters.")


def check_length(messages: int) -> None:
    """Refuse a chat with too many messages."""
    if messages > MAX_MESSAGES:
        raise beyond(MAX_MESSAGES, "messages")


def check_lines(blocks: Iterable[bytes]) -> int:
    """Refuse bytes with too many records, or with a line that is too long, before anything is decoded.

    Returns the most values that they may hold, if they are JSON.
    """
    lines = records = values = length = 0
    is_json = False
    for number, block in enumerate(blocks):
        checkpoint()
        if not block.strip(b"\0"):  # a crash may leave millions of NULs in a file
            continue
        is_json = is_json or (not number and block.lstrip()[:1] in (b"{", b"["))
        lines += block.count(b"\n")
        records += block.count(b"\n{")
        values += sum(map(block.count, _SEPARATORS))
        check_records(records, 0)
        if lines > MAX_LINES:
            raise beyond(MAX_LINES, "lines")
        end = block.find(b"\n")
        check_size(length + (end if end >= 0 else len(block)), "line")
        length = length + len(block) if end < 0 else len(block) - block.rfind(b"\n") - 1
    return values if is_json or records else 0


def check_records(records: int, damaged: int) -> None:
    """Refuse lines with too many records, or too many that hold none."""
    if records > MAX_RECORDS:
        raise beyond(MAX_RECORDS, "records")
    if damaged > MAX_DAMAGED:
        raise beyond(MAX_DAMAGED, "damaged lines")


def check_size(size: int, of: str) -> None:
    """Refuse what is too large to be decoded at once."""
    if size > MAX_WHOLE:
        raise TooLarge(f"A {of} of the chat is larger than {MAX_WHOLE // _MIB} MiB; give the part of it that matters.")


def check_values(lines: Iterable[bytes]) -> None:
    """Refuse lines of JSON with too many values, not counting what looks like one in their texts."""
    left = MAX_VALUES
    for line in lines:
        checkpoint()
        for found in _VALUE.finditer(line) if sum(map(line.count, _SEPARATORS)) else ():
            left -= found[1] is not None
            if left < 0:
                raise beyond(MAX_VALUES, "values")
