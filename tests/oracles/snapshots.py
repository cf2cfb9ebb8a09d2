"""What is expected of a text, in a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

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
