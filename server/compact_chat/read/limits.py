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
MAX_OBJECTS = 500_000  # in a document: a decoded one takes hundreds of bytes
MAX_VALUES = 10_000_000  # lines, commas and brackets: a value may take a hundred bytes

_SEPARATORS = (b"\n", b",", b"[", b"{")  # of JSON lines and values
_OBJECT = re.compile(rb'"[^"\\]*+(?>\\.?[^"\\]*+)*+"?|(\{)', re.DOTALL)  # a string, or the start of an object


def beyond(limit: int, things: str, of: str = "chat") -> TooLarge:
    """Make the error for a chat, or a part of one, that has more of something than is read."""
    return TooLarge(f"The {of} has more than {limit:,} {things}; give the part of it that matters.")


def check_length(messages: int) -> None:
    """Refuse a chat with too many messages."""
    if messages > MAX_MESSAGES:
        raise beyond(MAX_MESSAGES, "messages")


def check_lines(blocks: Iterable[bytes]) -> None:
    """Refuse bytes with too many records, or with a line that is too long, before anything is decoded."""
    records = length = 0
    for block in blocks:
        checkpoint()
        if not block.strip(b"\0"):  # a crash may leave millions of NULs in a file
            continue
        records += block.count(b"\n{")
        end = block.find(b"\n")
        check_records(records, 0)
        check_size(length + (end if end >= 0 else len(block)), "line")
        length = length + len(block) if end < 0 else len(block) - block.rfind(b"\n") - 1


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


def check_values(blocks: Iterable[bytes]) -> None:
    """Refuse bytes that would take many times their size once they are decoded."""
    values = 0
    for block in blocks:
        values += sum(map(block.count, _SEPARATORS))
        if values > MAX_VALUES:
            raise beyond(MAX_VALUES, "lines and values")


def check_objects(document: bytes) -> None:
    """Refuse a document with too many objects, not counting those in its texts."""
    left = MAX_OBJECTS
    for found in _OBJECT.finditer(document) if document.count(b"{") > left else ():
        left -= found[1] is not None
        if left < 0:
            raise beyond(MAX_OBJECTS, "objects", "document")
