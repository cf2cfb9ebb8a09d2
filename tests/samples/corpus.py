"""The chats of `tests/corpus/`, and the expectation for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from compact_chat.tools import TOOLS, files_with

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
SNAPSHOT = ".chat.json"


def cases() -> Iterator[Path]:
    """List the first file of each chat; of a chat of several files, the one that its tool reads first."""
    for path in sorted(CORPUS.glob("*/*")):
        if path.is_dir():
            names = [file.name for file in sorted(path.iterdir())]
            endings = {tool: tuple(name for name in names if name.endswith(tool.endings[:1])) for tool in TOOLS}
            yield path / next(name for tool in TOOLS for name in (*tool.files, *endings[tool]) if name in names)
        elif not path.name.endswith(SNAPSHOT):
            yield path


def snapshot_of(case: Path) -> Path:
    """Return the snapshot file of a case."""
    whole = case.parent if case.parent.parent != CORPUS else case
    return whole.with_name(whole.name.partition(".")[0] + SNAPSHOT)


def siblings(case: Path) -> dict[str, bytes]:
    """Return the other files that are read with a case."""
    others = [case.with_name(name) for name in files_with(case.name)]
    return {other.name: other.read_bytes() for other in others if other.is_file()}
