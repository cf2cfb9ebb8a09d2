"""One small file, or a few, for each format that can be read; none is a copy of anybody's chat."""

from __future__ import annotations

from tests.oracles.reader_checks import Files
from tests.samples import seeds_logs, seeds_plain, seeds_tasks, seeds_vscode
from tests.samples.seeds import Seed, bytes_of

SEEDS: tuple[Seed, ...] = (*seeds_vscode.SEEDS, *seeds_logs.SEEDS, *seeds_tasks.SEEDS, *seeds_plain.SEEDS)


def files_of(seed: Seed) -> Files:
    """The files that a seed stands for."""
    beside = {name: bytes_of(value) for name, value in seed.beside.items()}
    return Files(bytes_of(seed.value, seed.is_lines), beside)


def name_of(format_name: str) -> str:
    """A name for a file of a format; only plain text is told by its name."""
    return "chat.txt" if format_name in ("markdown", "text") else "chat"
