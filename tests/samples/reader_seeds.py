"""The cases of the corpus that hold every kind of record of a format, as JSON that tests can change."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.oracles.reader_checks import Files
from tests.samples.corpus import beside, cases, snapshot_of


class Seed(NamedTuple):
    """The JSON of a file: one document, or a list of records with a line each; a string is a file of plain text."""

    format: str
    value: Any
    is_lines: bool = False
    beside: Mapping[str, Any] = {}


def _seeds() -> Iterator[Seed]:
    for case in cases():
        snapshot = snapshot_of(case)
        if "every-kind-of-record" in snapshot.name:
            text = case.read_text("utf-8")
            is_lines = case.suffix == ".jsonl"
            others = {name: json.loads(data) for name, data in beside(case).items()}
            value = [json.loads(line) for line in text.splitlines()] if is_lines else text
            value = json.loads(text) if case.suffix == ".json" else value
            yield Seed(json.loads(snapshot.read_text("utf-8"))["format"], value, is_lines, others)


SEEDS: tuple[Seed, ...] = tuple(_seeds())


def bytes_of(value: Any, is_lines: bool = False) -> bytes:
    """The file of such a value; one that is nested too deeply to be written is an empty file."""
    if isinstance(value, str):
        return value.encode(errors="surrogatepass")
    records = value if is_lines and isinstance(value, list) else [value]
    try:
        return b"\n".join(json.dumps(record).encode() for record in records)
    except RecursionError:
        return b""


def files_of(seed: Seed) -> Files:
    """The files that a seed stands for."""
    return Files(bytes_of(seed.value, seed.is_lines), {name: bytes_of(value) for name, value in seed.beside.items()})


def name_of(format_name: str) -> str:
    """A name for a file of a format; only plain text is told by its name."""
    return "chat.txt" if format_name in ("markdown", "text") else "chat"
