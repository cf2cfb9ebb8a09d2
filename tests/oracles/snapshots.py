"""What is expected of a text, in a file of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.samples.scenes import parts


def check_snapshot(found: str, snapshot: Path, *, accept: bool) -> None:
    """Compare a text with its file; `pytest --accept` writes the file anew, for review."""
    if accept:
        snapshot.write_text(found, "utf-8")
    assert found == snapshot.read_text("utf-8")


def check_parts(source: Path, rows: Callable[[str, list[str]], Iterable[str]], *, accept: bool) -> None:
    """Compare what comes of each part of a file, by its name and its lines, with `NAME-found.txt` beside it."""
    found = (row for name, *lines in parts(source.read_text("utf-8")) for row in (f"= {name}", *rows(name, lines)))
    check_snapshot("\n".join(found) + "\n", source.with_name(f"{source.stem}-found.txt"), accept=accept)


def check_functions(source: Path, functions: Mapping[str, Callable[[Any], object]], *, accept: bool) -> None:
    """Compare what a function returns of each line, which is JSON; parts begin with their function's name."""

    def rows(name: str, lines: list[str]) -> list[str]:
        function = functions[name.partition(":")[0]]
        return [f"{line}\n  {function(json.loads(line))!r}" for line in lines]

    check_parts(source, rows, accept=accept)
