"""Where each tool keeps its chats, by the rules of each platform and by what the user has moved elsewhere."""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from compact_chat.read.beside import API_HISTORY, UI_MESSAGES
from compact_chat.read.formats import tool_of

Join = Callable[..., str]
_CHATS = (".json", ".jsonl")
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "VSCodium - Insiders", "Cursor", "Windsurf")
_SERVERS = (
    ".vscode-server",
    ".vscode-server-insiders",
    ".vscode-remote",
    ".vscodium-server",
    ".cursor-server",
    ".windsurf-server",
)
# What editors keep below a user's folder: the format that is to be expected, and where.
_IN_EDITORS = (
    ("vscode-log", "workspaceStorage/*/chatSessions", _CHATS),
    ("vscode-log", "globalStorage/emptyWindowChatSessions", _CHATS),
    ("vscode", "globalStorage/transferredChatSessions", _CHATS),
    ("copilot-transcript", "workspaceStorage/*/GitHub.copilot-chat/transcripts", (".jsonl",)),
    ("cline", "globalStorage/saoudrizwan.claude-dev/tasks/*", (API_HISTORY, *UI_MESSAGES)),
    ("roo", "globalStorage/rooveterinaryinc.roo-cline/tasks/*", (API_HISTORY, *UI_MESSAGES)),
    ("roo", "globalStorage/kilocode.kilo-code/tasks/*", (API_HISTORY, *UI_MESSAGES)),
)


class Home(Struct, frozen=True):
    """A folder of one tool; chats lie in it by a path in which `*` is any folder, under names that end so."""

    format: str
    folder: str
    below: str
    endings: tuple[str, ...]

    @property
    def tool(self) -> str:
        """The tool, by its name on the wire."""
        return tool_of(self.format)


def homes(platform: str, env: Mapping[str, str], home: str) -> tuple[Home, ...]:
    """Name all places on a platform (`linux`, `darwin`, `win32`); `home` is the user's folder."""
    known = {name: value for name, value in env.items() if value.strip()}
    join = ntpath.join if platform == "win32" else posixpath.join
    users = dict.fromkeys(_users(platform, known, home, join))
    in_editors = [Home(name, user, below, endings) for user in users for name, below, endings in _IN_EDITORS]
    return (*in_editors, *_of_their_own(known, home, join))


def _users(platform: str, env: Mapping[str, str], home: str, join: Join) -> Iterator[str]:
    """The folders in which editors, on this machine or serving one elsewhere, keep what is a user's."""
    if "VSCODE_PORTABLE" in env:
        yield join(env["VSCODE_PORTABLE"], "user-data", "User")
    settings = env.get("VSCODE_APPDATA") or _settings(platform, env, home, join)
    yield from (join(settings, editor, "User") for editor in _EDITORS)
    servers = [join(home, server) for server in _SERVERS]
    if "VSCODE_AGENT_FOLDER" in env:
        servers.append(env["VSCODE_AGENT_FOLDER"])
    yield from (join(server, "data", "User") for server in servers)
    yield join(_data(platform, env, home, join), "User")


def _settings(platform: str, env: Mapping[str, str], home: str, join: Join) -> str:
    """Where programs keep their settings."""
    if platform == "win32":
        return env.get("APPDATA") or join(home, "AppData", "Roaming")
    if platform == "darwin":
        return join(home, "Library", "Application Support")
    return env.get("XDG_CONFIG_HOME") or join(home, ".config")


def _data(platform: str, env: Mapping[str, str], home: str, join: Join) -> str:
    """Where code-server keeps its data, on macOS too by the rules of Linux."""
    if platform == "win32":
        return join(env.get("LOCALAPPDATA") or join(home, "AppData", "Local"), "code-server", "Data")
    return join(env.get("XDG_DATA_HOME") or join(home, ".local", "share"), "code-server")


def _of_their_own(env: Mapping[str, str], home: str, join: Join) -> Iterator[Home]:
    """The folders of tools that need no editor."""
    for folder in _claude(env, home, join):
        yield Home("claude-code", folder, "projects/*", (".jsonl",))
    codex = env.get("CODEX_HOME") or join(home, ".codex")
    yield Home("codex", codex, "sessions/*/*/*", (".jsonl", ".jsonl.zst"))
    yield Home("codex", codex, "archived_sessions", (".jsonl", ".jsonl.zst"))
    yield Home("codex", codex, "sessions", _CHATS)
    cline = env.get("CLINE_DATA_DIR") or join(env.get("CLINE_DIR") or join(home, ".cline"), "data")
    yield Home("cline", cline, "tasks/*", (API_HISTORY, *UI_MESSAGES))
    yield Home("continue", env.get("CONTINUE_GLOBAL_DIR") or join(home, ".continue"), "sessions", (".json",))
    yield Home("gemini", join(env.get("GEMINI_CLI_HOME") or home, ".gemini"), "tmp/*/chats", _CHATS)
    copilot = env.get("COPILOT_HOME") or join(home, ".copilot")
    yield Home("copilot-cli", copilot, "session-state/*", ("events.jsonl",))
    yield Home("copilot-cli", copilot, "session-state", (".jsonl",))


def _claude(env: Mapping[str, str], home: str, join: Join) -> tuple[str, ...]:
    """Claude Code's folder; without a choice of the user's, the two that its versions have used."""
    if "CLAUDE_CONFIG_DIR" in env:
        return (env["CLAUDE_CONFIG_DIR"],)
    return join(home, ".claude"), join(env.get("XDG_CONFIG_HOME") or join(home, ".config"), "claude")
