"""The program's memory is bounded by a chat's text, and what is beyond a limit is refused in little (rule G10)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.bench.bench_limits import MEGABYTE, Spent, growth, refusal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows tells no peak of a process")


@pytest.mark.parametrize("run", ["letters", "blanks"])
def test_the_memory_grows_with_the_text(run: str, tmp_path: Path) -> None:
    """An unbroken run takes no more than a few bytes of memory for each of its own."""
    for name, measured, limit, _ in growth(run, "count", tmp_path, MEGABYTE):
        assert "memory" not in name or measured <= limit, name


@pytest.mark.parametrize(
    "file",
    [
        "a million messages",
        "ten million values",
        "150,000 messages of Codex",
        "150,000 messages of Copilot CLI",
    ],
)
def test_too_much_is_refused_in_little_memory(file: str, tmp_path: Path) -> None:
    """What would take gigabytes once it is decoded is refused by its bytes."""
    for name, measured, limit, _ in refusal(file, tmp_path, Spent(1, 0, 0)):
        assert "time" in name or measured <= limit, name
