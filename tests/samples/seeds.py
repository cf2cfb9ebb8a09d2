"""What a handmade chat file for the readers' tests is made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple


class Seed(NamedTuple):
    """The JSON of a file: one document, or a list of records with a line each; a string is a file of plain text."""

    format: str
    value: Any
    is_lines: bool = False
    beside: Mapping[str, Any] = {}


def lines(format_name: str, *records: Any) -> Seed:
    """A file with a line for each record."""
    return Seed(format_name, list(records), is_lines=True)


def bytes_of(value: Any, is_lines: bool = False) -> bytes:
    """The file of such a value; one that is nested too deeply to be written is an empty file."""
    if isinstance(value, str):
        return value.encode(errors="surrogatepass")
    records = value if is_lines and isinstance(value, list) else [value]
    try:
        return b"\n".join(json.dumps(record).encode() for record in records)
    except RecursionError:
        return b""
