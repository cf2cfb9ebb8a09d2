"""Claude Code on a workbench's machine: its chats in the private home, and a program of its name."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.vscode.machine import Places

BAKERY = Path(__file__).parents[2] / "examples/bakery.jsonl"
PROGRAM = """#!/bin/sh
pwd -P > "$HOME/claude-calls.new"
printf '%s\\n' "$@" >> "$HOME/claude-calls.new"
mv "$HOME/claude-calls.new" "$HOME/claude-calls"
"""


def sessions(places: Places) -> Path:
    """The folder in which Claude Code keeps the sessions of the workspace."""
    return places.home / ".claude/projects" / re.sub(r"[^a-zA-Z0-9]", "-", str(places.workspace))


def put_session(places: Places) -> Path:
    """Put the example session among those of the workspace, as one that was held in it."""
    records = [_moved(line, places.workspace) for line in BAKERY.read_text("utf-8").splitlines() if line.strip()]
    session = next(record["sessionId"] for record in records if record.get("sessionId"))
    folder = sessions(places)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{session}.jsonl"
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")
    return file


def _moved(line: str, folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(line)
    return {**record, "cwd": str(folder)} if "cwd" in record else record


class FakeClaude:
    """A program `claude` of the user's own, which writes down where it was called, and with what."""

    def __init__(self, places: Places) -> None:
        self._calls = places.home / "claude-calls"
        program = places.home / "bin/claude"
        program.parent.mkdir()
        program.write_text(PROGRAM)
        program.chmod(0o755)
        # The host of the extensions has the environment of a login shell.
        (places.home / ".profile").write_text('PATH="$HOME/bin:$PATH"\n')

    @property
    def called(self) -> list[str]:
        """The folder of the last call and its arguments; nothing before the first."""
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    def forget(self) -> None:
        """Leave no call on record."""
        self._calls.unlink(missing_ok=True)
