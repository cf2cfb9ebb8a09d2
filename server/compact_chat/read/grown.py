"""The records on whole lines that have come to the end of a file."""

from __future__ import annotations

from compact_chat.chat import JsonObject
from compact_chat.read.held import InMemory
from compact_chat.read.scanning import record_of, scan, slim


def grown_records(lines: bytes) -> list[JsonObject] | None:
    """The records; None where a line is damaged, since of that the whole file is to tell."""
    found = scan(InMemory(lines), tuple, "replace", record_of, slim)
    return None if found.damaged or found.broken else [record for _, record in found.kept]
