"""The agents that we plug into: where their settings are, what they send, and how their files record a compaction.

Imports little, like all that a status line needs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from compact_chat.disk import home_folder


class Host(NamedTuple):
    """An agent: its tool's name in tools.py, its program, its folder, and bytes that only a compaction's record has.

    Quotes inside a JSON string are escaped, so a chat that quotes such a record does not contain these bytes; without
    a colon, they are the same however the JSON is spaced.
    """

    name: str
    label: str
    program: str
    variable: str  # names its folder
    folder: str  # else this one in the user's home
    mark: bytes
    record: tuple[str, str]  # the member of a compaction's record that has this value
    summary: bytes = b""  # and bytes of its summary's, where that is another record
    instructions: tuple[str, ...] = ()  # the user's own for all projects, in its folder


CLAUDE_CODE = Host(
    "claude-code",
    "Claude Code",
    "claude",
    "CLAUDE_CONFIG_DIR",
    ".claude",
    b'"compact_boundary"',
    ("subtype", "compact_boundary"),
    b'"isCompactSummary"',
    ("CLAUDE.md",),
)
CODEX = Host(
    "codex",
    "Codex",
    "codex",
    "CODEX_HOME",
    ".codex",
    b'"compacted"',
    ("type", "compacted"),
    instructions=("AGENTS.md",),
)
COPILOT_CLI = Host(
    "copilot-cli",
    "Copilot CLI",
    "copilot",
    "COPILOT_HOME",
    ".copilot",
    b'"session.compaction_complete"',
    ("type", "session.compaction_complete"),
    instructions=("copilot-instructions.md",),
)
HOSTS = {host.name: host for host in (CLAUDE_CODE, CODEX, COPILOT_CLI)}
EDITOR = "vscode", "vs-code", "code"  # names of what has an extension instead


def host_of(payload: Mapping[str, Any]) -> Host:
    """Tell which agent sent this, by where its transcript is and by what only one of them sends; else Claude Code."""
    path = (text_of(payload, "transcript_path") or text_of(payload, "transcriptPath")).replace("\\", "/")
    context = payload.get("context_window")
    if (
        "sessionId" in payload
        or "/session-state/" in path
        or (isinstance(context, dict) and _COPILOTS & context.keys())
    ):
        return COPILOT_CLI
    return CODEX if "turn_id" in payload or path.rpartition("/")[2].startswith("rollout-") else CLAUDE_CODE


def is_of_vscode(path: str) -> bool:
    """Whether a transcript is a chat of VS Code, which runs the hooks of Claude Code too and adds nothing they say."""
    path = path.replace("\\", "/")
    return "/GitHub.copilot-chat/" in path or "/chatSessions/" in path


def folder_of(host: Host) -> str:
    """Return the folder with an agent's settings, which need not exist."""
    return os.environ.get(host.variable, "") or os.path.join(home_folder(), host.folder)


def settings_path(host: Host) -> str:
    """Return the file with its status line; a link to it is followed."""
    return os.path.realpath(os.path.join(folder_of(host), "settings.json"))


_COPILOTS = {"current_context_tokens", "displayed_context_limit"}


def text_of(value: object, *path: str) -> str:
    """Read a string at a path of members; empty for anything else, and for text that no file name can have."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and "\0" not in value and len(value) <= 4096 else ""


def number_of(value: object, *path: str) -> int | None:
    """Read a number of tokens at a path of members; None for anything else."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= 10**9 else None
