"""What is expected of a text, in a file of its own."""

from __future__ import annotations

from pathlib import Path


def check_snapshot(found: str, snapshot: Path, *, accept: bool) -> None:
    """Compare a text with its file; `pytest --accept` writes the file anew, for review."""
    if accept:
        snapshot.write_text(found, "utf-8")
    assert found == snapshot.read_text("utf-8")
