"""Each tool's folders are known on each platform, and where the user has moved them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from compact_chat.disk.scan import homes

TOOLS = {"vscode", "claude-code", "codex", "cline", "roo", "continue", "gemini", "copilot-cli", "qwen-code"}


class Machine(NamedTuple):
    """A platform, the user's folder there, and where editors keep what is a user's."""

    platform: str
    home: str
    user: str


LINUX = Machine("linux", "/home/me", "/home/me/.config/Code/User")
MACOS = Machine("darwin", "/Users/me", "/Users/me/Library/Application Support/Code/User")
WINDOWS = Machine("win32", r"C:\Users\me", r"C:\Users\me\AppData\Roaming\Code\User")
MACHINES = pytest.mark.parametrize("machine", [LINUX, MACOS, WINDOWS], ids=lambda one: one.platform)


def folders(machine: Machine, **env: str) -> dict[str, set[str]]:
    """Name the folders of each tool."""
    found: dict[str, set[str]] = {}
    for home in homes(machine.platform, env, machine.home):
        found.setdefault(home.tool, set()).add(home.folder)
    return found


@MACHINES
def test_each_tool_has_a_home(machine: Machine) -> None:
    """All tools that keep files of chats are known on every platform, by absolute paths."""
    found = folders(machine)

    assert set(found) == TOOLS
    assert [one for places in found.values() for one in places if not one.startswith((machine.home[:3], "/"))] == []


@MACHINES
def test_editors_keep_chats_below_the_users_folder(machine: Machine) -> None:
    """VS Code's stable and other builds have a folder each by the rules of the platform."""
    places = folders(machine)["vscode"]

    assert machine.user in places
    for name in ("Code - Insiders", "VSCodium", "Cursor", "Windsurf"):
        assert machine.user.replace("Code", name) in places


@MACHINES
def test_extensions_keep_tasks_beside_the_editors_chats(machine: Machine) -> None:
    """Cline, Roo Code and Kilo are looked for in every editor."""
    found = folders(machine)

    assert found["vscode"] <= found["cline"]
    assert found["vscode"] == found["roo"]


@pytest.mark.parametrize(
    ("machine", "place"),
    [
        (LINUX, "/home/me/.vscode-server/data/User"),
        (LINUX, "/home/me/.vscode-server-insiders/data/User"),
        (LINUX, "/home/me/.vscode-remote/data/User"),
        (LINUX, "/home/me/.local/share/code-server/User"),
        (MACOS, "/Users/me/.local/share/code-server/User"),
        (WINDOWS, r"C:\Users\me\.vscode-server\data\User"),
        (WINDOWS, r"C:\Users\me\AppData\Local\code-server\Data\User"),
    ],
)
def test_servers_of_remote_editors_have_users_too(machine: Machine, place: str) -> None:
    """What an editor elsewhere left on this machine is looked at like its own."""
    assert place in folders(machine)["vscode"]


@pytest.mark.parametrize(
    ("machine", "tool", "env", "place"),
    [
        (LINUX, "vscode", {"XDG_CONFIG_HOME": "/x"}, "/x/Code/User"),
        (LINUX, "vscode", {"XDG_DATA_HOME": "/x"}, "/x/code-server/User"),
        (LINUX, "vscode", {"VSCODE_PORTABLE": "/p"}, "/p/user-data/User"),
        (MACOS, "vscode", {"VSCODE_APPDATA": "/a"}, "/a/Code/User"),
        (LINUX, "vscode", {"VSCODE_AGENT_FOLDER": "/s"}, "/s/data/User"),
        (WINDOWS, "vscode", {"APPDATA": r"D:\a"}, r"D:\a\Code\User"),
        (WINDOWS, "vscode", {"LOCALAPPDATA": r"D:\l"}, r"D:\l\code-server\Data\User"),
        (LINUX, "claude-code", {"CLAUDE_CONFIG_DIR": "/c"}, "/c"),
        (LINUX, "claude-code", {"XDG_CONFIG_HOME": "/x"}, "/x/claude"),
        (WINDOWS, "claude-code", {}, r"C:\Users\me\.claude"),
        (MACOS, "codex", {"CODEX_HOME": "/c"}, "/c"),
        (LINUX, "cline", {"CLINE_DIR": "/c"}, "/c/data"),
        (LINUX, "cline", {"CLINE_DATA_DIR": "/d", "CLINE_DIR": "/c"}, "/d"),
        (LINUX, "cline", {"CLINE_DATA_DIR": "/d"}, "/d/sessions"),
        (LINUX, "cline", {"CLINE_SESSION_DATA_DIR": "/s", "CLINE_DATA_DIR": "/d"}, "/s"),
        (LINUX, "qwen-code", {"QWEN_RUNTIME_DIR": "/r", "QWEN_HOME": "/q"}, "/r"),
        (LINUX, "qwen-code", {"QWEN_HOME": "/q"}, "/q"),
        (LINUX, "continue", {"CONTINUE_GLOBAL_DIR": "/c"}, "/c"),
        (LINUX, "gemini", {"GEMINI_CLI_HOME": "/g"}, "/g/.gemini"),
        (LINUX, "copilot-cli", {"COPILOT_HOME": "/c"}, "/c"),
    ],
)
def test_the_environment_moves_a_home(machine: Machine, tool: str, env: dict[str, str], place: str) -> None:
    """A variable that the tool itself heeds is heeded."""
    assert place in folders(machine, **env)[tool]


@pytest.mark.parametrize("name", ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "VSCODE_PORTABLE"])
def test_blank_means_not_set(name: str) -> None:
    """G6: a variable of blanks moves nothing."""
    assert homes("linux", {name: "  "}, "/home/me") == homes("linux", {}, "/home/me")


def test_a_moved_claude_code_is_nowhere_else() -> None:
    """With a folder of the user's choice the usual ones are not looked at."""
    assert folders(LINUX, CLAUDE_CONFIG_DIR="/c")["claude-code"] == {"/c"}
    assert folders(LINUX)["claude-code"] == {"/home/me/.claude", "/home/me/.config/claude"}


def test_no_place_is_looked_at_twice() -> None:
    """Variables that name the usual places add none."""
    usual = {"XDG_CONFIG_HOME": "/home/me/.config", "VSCODE_AGENT_FOLDER": "/home/me/.vscode-server"}

    assert homes("linux", usual, "/home/me") == homes("linux", {}, "/home/me")
