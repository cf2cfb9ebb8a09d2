"""Sessions of terminal agents that grow as the agents write them, with a compaction by the agent itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


class ClaudeSession:
    """A session of Claude Code: records are appended one by one."""

    def __init__(self, path: Path, cwd: str = "/srv/shop") -> None:
        self.path, self.cwd = path, cwd
        self._number, self._parent = 0, ""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def user(self, content: object, **more: object) -> None:
        """What a person typed, or results of tools."""
        self._add({"type": "user", "message": {"role": "user", "content": content}, **more})

    def assistant(self, *blocks: Mapping[str, Any], tokens: int = 1000) -> None:
        """A reply of text and calls."""
        usage = {"input_tokens": 2, "cache_read_input_tokens": tokens, "output_tokens": 20}
        message = {"id": f"msg_{self._number}", "model": "claude-opus-5-5", "content": [*blocks], "usage": usage}
        self._add({"type": "assistant", "message": {"role": "assistant", **message}})

    def answer(self, text: str = "Done.", tokens: int = 1000) -> None:
        """A reply without calls."""
        self.assistant({"type": "text", "text": text}, tokens=tokens)

    def todos(self, *items: tuple[str, str]) -> None:
        """A call that writes the list of tasks, each with its status, and its result."""
        given = [{"content": text, "status": status, "activeForm": text} for text, status in items]
        call = f"toolu_{self._number}"
        self.assistant({"type": "tool_use", "id": call, "name": "TodoWrite", "input": {"todos": given}})
        self.user([{"type": "tool_result", "tool_use_id": call, "content": "Todos have been modified."}])

    def result(self, text: str) -> None:
        """A call that reads a file, and what is in the file."""
        call = f"toolu_{self._number}"
        self.assistant({"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": "/srv/shop/notes.md"}})
        self.user([{"type": "tool_result", "tool_use_id": call, "content": text}])

    def compact(self, summary: str, trigger: str = "auto") -> None:
        """What the agent writes when it has compacted: a boundary, and its summary."""
        parent, self._parent = self._parent, ""
        more = {"content": "Conversation compacted", "logicalParentUuid": parent}
        meta = {"trigger": trigger, "preTokens": 160_000, "postTokens": 3000}
        self._add({"type": "system", "subtype": "compact_boundary", "compactMetadata": meta, **more})
        words = f"This session is being continued from a previous conversation.\n\nSummary:\n{summary}"
        self.user(words, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _add(self, record: Mapping[str, Any]) -> None:
        self._number += 1
        envelope = {
            "parentUuid": self._parent or None,
            "isSidechain": False,
            "uuid": f"u{self._number}",
            "sessionId": self.path.stem,
            "cwd": self.cwd,
            "version": "2.1.327",
            "timestamp": f"2026-11-19T10:{self._number // 60 % 60:02}:{self._number % 60:02}.000Z",
        }
        append(self.path, [{**envelope, **record}])
        self._parent = f"u{self._number}"


def append(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Append records as agents write them: one to a line, without blanks."""
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one, separators=(",", ":"), ensure_ascii=False) + "\n" for one in records)
