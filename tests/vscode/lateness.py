"""How late the meter is: a chat's file and the status bar are noted from moment to moment, and compared afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path

from tests.vscode.extension import Extension

REST = 1.5  # seconds without a write, after which none is to be expected


class Lateness:
    """What was written to one chat's file, by the file's own time, and what the meter showed meanwhile."""

    def __init__(self, file: Path, extension: Extension) -> None:
        self._file, self._extension = file, extension
        self._writes: list[tuple[float, bytes]] = []
        self._shown: list[tuple[float, int | None]] = []
        self._note()

    def holds(self, text: str) -> bool:
        """Note what is new, and tell whether the file has had this text in it for a while."""
        self._note()
        at, content = self._writes[-1]
        return text.encode() in content and time.time() - at > REST

    def seconds(self, figure: Callable[[bytes], int]) -> float:
        """From the write that brought the file's last figure to the moment since when the meter shows that one."""
        figures = [figure(content) for _, content in self._writes]
        since, shown = self._shown[-1]
        assert figures[0] != figures[-1], "nothing that was written should have moved the meter"
        assert shown == figures[-1], f"the meter shows {shown} of {figures}"
        same = len(list(takewhile(lambda one: one == figures[-1], reversed(figures))))
        return since - self._writes[-same][0]

    def _note(self) -> None:
        at = self._file.stat().st_mtime
        if not self._writes or self._writes[-1][0] != at:
            self._writes.append((at, self._file.read_bytes()))
        percent = self._extension.percent
        if not self._shown or self._shown[-1][1] != percent:
            self._shown.append((time.time(), percent))
