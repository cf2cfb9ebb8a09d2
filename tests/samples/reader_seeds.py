"""The cases of the corpus with every kind of record of a format, as JSON that tests can modify."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.oracles.reader_checks import Files
from tests.samples.corpus import cases, siblings, snapshot_of


class Seed(NamedTuple):
    """The JSON of a file: one document, or a list of records, one per line; a string is a plain text file."""

    format: str
    value: Any
    is_lines: bool = False
    siblings: Mapping[str, Any] = {}


def _seeds() -> Iterator[Seed]:
    for case in cases():
        snapshot = snapshot_of(case)
        if "every-kind-of-record" in snapshot.name:
            text = case.read_text("utf-8")
            is_lines = case.suffix == ".jsonl"
            others = {name: json.loads(data) for name, data in siblings(case).items()}
            value = [json.loads(line) for line in text.splitlines()] if is_lines else text
            value = json.loads(text) if case.suffix == ".json" else value
            yield Seed(json.loads(snapshot.read_text("utf-8"))["format"], value, is_lines, others)


SEEDS: tuple[Seed, ...] = tuple(_seeds())


def bytes_of(value: Any, is_lines: bool = False) -> bytes:
    """Return the file of such a value; empty if it is nested too deeply to be written."""
    if isinstance(value, str):
        return value.encode(errors="surrogatepass")
    records = value if is_lines and isinstance(value, list) else [value]
    try:
        return b"\n".join(json.dumps(record).encode() for record in records)
    except RecursionError:
        return b""


def files_of(seed: Seed) -> Files:
    """Return the files that a seed describes."""
    return Files(bytes_of(seed.value, seed.is_lines), {name: bytes_of(value) for name, value in seed.siblings.items()})


def name_of(format_name: str) -> str:
    """Return a file name for a format; only plain text is recognized by its name."""
    return "chat.txt" if format_name in ("markdown", "text") else "chat"
