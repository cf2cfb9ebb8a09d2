"""Files that may be chats are found by location and name, without opening any."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from compact_chat.disk import Scan, chats
from compact_chat.disk.chats import Found, Home, chats_once, homes, session_id
from compact_chat.errors import checkpoints

UUID = "00000000-0000-4000-8000-00000000000a"
HOME = ("projects/*", (".jsonl",))
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few users make links")


def put(path: Path, text: str = "{}", changed: int = 0) -> Path:
    """Write a file of a certain age."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, ns=(changed, changed))
    return path


def at_home(folder: Path, below: str = HOME[0], endings: tuple[str, ...] = HOME[1]) -> list[str]:
    """List a tool's files, relative to its folder."""
    found = Scan().at_home(Home("claude-code", str(folder), below, endings))
    return sorted(Path(one.path).relative_to(folder).as_posix() for one in found)


def below(folder: Path) -> list[str]:
    """List the files of any tool, newest first."""
    return [Path(one.path).relative_to(folder).as_posix() for one in chats_once(list(Scan().below(str(folder))))]


def test_a_home_is_looked_at_where_its_chats_lie(tmp_path: Path) -> None:
    """Files at the right depth with the right ending are found; deeper ones, siblings and other names are not."""
    for name in ("projects/a/1.jsonl", "projects/b/2.jsonl", "projects/3.jsonl", "projects/a/x/4.jsonl", "a/5.jsonl"):
        put(tmp_path / name)
    put(tmp_path / "projects/a/6.txt")

    assert at_home(tmp_path) == ["projects/a/1.jsonl", "projects/b/2.jsonl"]


def test_what_is_no_chat_of_a_person_is_left_out(tmp_path: Path) -> None:
    """Empty files, folders named like files, and files of a chat's own agents are no chats."""
    put(tmp_path / "projects/a/empty.jsonl", "")
    put(tmp_path / "projects/a/agent-1.jsonl")
    (tmp_path / "projects/a/folder.jsonl").mkdir()
    put(tmp_path / "projects/a/s/subagents/agent-2.jsonl")
    put(tmp_path / "projects/a/s/subagents/3.jsonl")

    assert at_home(tmp_path) == below(tmp_path) == []


def test_roots_are_looked_at_to_their_ends(tmp_path: Path) -> None:
    """Below a root, files of all tools are found at any depth, except in installed packages."""
    for name in ("1.jsonl", "a/b/c/2.json", "a/3.traj", "a/4.jsonl.zst"):
        put(tmp_path / name)
    for name in ("a/node_modules/x/5.json", ".git/6.json", "a/7.md", "a/8"):
        put(tmp_path / name)

    assert sorted(below(tmp_path)) == ["1.jsonl", "a/3.traj", "a/4.jsonl.zst", "a/b/c/2.json"]


def test_what_is_not_there_holds_nothing(tmp_path: Path) -> None:
    """A missing folder, a file in its place and an invalid name are not errors."""
    put(tmp_path / "projects", "a file")

    assert at_home(tmp_path) == at_home(tmp_path / "absent") == []
    assert list(Scan().below("a\0b")) == list(Scan().below("\ud800")) == []


@posix
def test_pipes_and_loops_are_left_out(tmp_path: Path) -> None:
    """Pipes do not block, and links are neither followed in circles nor entered below a root."""
    project = tmp_path / "projects/a"
    put(project / "1.jsonl")
    os.mkfifo(project / "2.jsonl")
    (project / "3.jsonl").symlink_to(project / "3.jsonl")
    (project / "absent.jsonl").symlink_to(tmp_path / "absent")
    (project / "deep").symlink_to(tmp_path)
    (tmp_path / "projects/again").symlink_to(project)

    found = list(Scan().at_home(Home("claude-code", str(tmp_path), *HOME)))
    assert len(found) > len(chats_once(found)) == 1  # links to a folder do not list its chats twice
    assert below(tmp_path) == ["projects/a/1.jsonl"]


def test_the_newest_come_first(tmp_path: Path) -> None:
    """Chats are sorted by modification time, then by name."""
    for name, changed in (("b.jsonl", 5), ("a.jsonl", 5), ("c.jsonl", 9), ("d.jsonl", 1)):
        put(tmp_path / name, changed=changed * 10**9)

    assert below(tmp_path) == ["c.jsonl", "a.jsonl", "b.jsonl", "d.jsonl"]


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        (("w/chatSessions/1.json", "w/chatSessions/1.jsonl"), "w/chatSessions/1.jsonl"),
        (("w/chatSessions/1.json", "w/GitHub.copilot-chat/transcripts/1.jsonl"), "w/chatSessions/1.json"),
        (("d/rollout-1.jsonl.zst", "d/rollout-1.jsonl"), "d/rollout-1.jsonl"),
        (("t/ui_messages.json", "t/api_conversation_history.json"), "t/api_conversation_history.json"),
    ],
)
def test_of_the_forms_of_a_chat_the_fullest_counts(tmp_path: Path, files: tuple[str, str], kept: str) -> None:
    """An older form, a packed one, a transcript or the screen of the same chat is not another chat."""
    for name in files:
        put(tmp_path / name)
    found = list(Scan().below(str(tmp_path)))
    for listed in (found, found[::-1]):
        assert [Path(one.path).relative_to(tmp_path).as_posix() for one in chats_once(listed)] == [kept]


@pytest.mark.parametrize(
    "files",
    [
        ("a.json", "a.jsonl", "a.1.jsonl", "x/a.json"),
        ("a/transcripts/chat.jsonl", "b/transcripts/chat.jsonl", "b/chatSessions/chat.jsonl"),
        ("transcripts/run.1.jsonl", "transcripts/run.2.jsonl"),
        ("chatSessions/run.1.jsonl", "chatSessions/run.2.jsonl", "chatSessions/run.jsonl"),
        ("GitHub.copilot-chat/transcripts/run.1.jsonl", "GitHub.copilot-chat/transcripts/run.2.jsonl"),
    ],
)
def test_names_that_are_alike_are_not_the_same(tmp_path: Path, files: tuple[str, ...]) -> None:
    """Elsewhere, two files are two chats, whatever they and their folders are called."""
    for name in files:
        put(tmp_path / name)

    assert len(below(tmp_path)) == len(files)


def test_where_files_have_no_numbers_their_paths_tell_them_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows returns no file ids when listing: two files are still two."""
    reported = SimpleNamespace(st_mode=stat.S_IFREG, st_size=1, st_mtime_ns=0, st_dev=0, st_ino=0)
    files = [SimpleNamespace(name=name, path=f"/a/{name}", stat=lambda: reported) for name in ("1.jsonl", "2.jsonl")]
    monkeypatch.setattr(Scan, "_entries", lambda *_: files)

    assert len(chats_once(list(Scan().at_home(Home("claude-code", "/a", "b", HOME[1]))))) == 2


@pytest.mark.parametrize(
    ("path", "expected", "name"),
    [
        ("/u/a/chatSessions/x.jsonl", "vscode-log", "x"),
        ("/u/emptyWindowChatSessions/x.json", "vscode-log", "x"),
        (f"/any/chatSessions/{UUID}.json", None, UUID),
        ("/any/chatSessions/x.jsonl", None, None),
        (f"/any/{UUID}.json", None, None),
        (f"/u/a/GitHub.copilot-chat/transcripts/{UUID}.jsonl", "copilot-transcript", None),
    ],
)
def test_vscode_names_files_by_the_ids_of_chats(path: str, expected: str | None, name: str | None) -> None:
    """Copies are recognized by that name; elsewhere a name is an id only if it looks like one."""
    assert session_id(Found(path, 1, 0, (0, 0), expected)) == name


def test_a_look_around_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of examined names is bounded; the nearest come first."""
    for n in range(20):
        put(tmp_path / f"{n}.jsonl")
        put(tmp_path / f"deep/{n}.jsonl")
    monkeypatch.setattr(chats, "MOST_ENTRIES", 25)
    look = Scan()

    assert len(list(look.below(str(tmp_path)))) == 24
    assert not look.is_complete
    monkeypatch.setattr(chats, "MOST_ENTRIES", 41)
    look = Scan()
    assert len(list(look.below(str(tmp_path)))) == 40
    assert look.is_complete


def test_a_large_folder_can_be_left(tmp_path: Path) -> None:
    """Cancellation is checked not only between folders, but also at each name within one."""
    for n in range(35):
        put(tmp_path / f"{n}.txt")
    asked: list[int] = []
    with checkpoints(lambda: asked.append(1)):
        list(Scan().below(str(tmp_path)))

    assert len(asked) == 1 + 35


KEEPING = {"vscode", "claude-code", "codex", "cline", "roo", "continue", "gemini", "copilot-cli", "qwen-code"}


class Machine(NamedTuple):
    """A platform, the user's folder there, and where editors store user data."""

    platform: str
    home: str
    user: str


LINUX = Machine("linux", "/home/me", "/home/me/.config/Code/User")
MACOS = Machine("darwin", "/Users/me", "/Users/me/Library/Application Support/Code/User")
WINDOWS = Machine("win32", r"C:\Users\me", r"C:\Users\me\AppData\Roaming\Code\User")


def folders(machine: Machine, **env: str) -> dict[str, set[str]]:
    """List the folders of each tool."""
    found: dict[str, set[str]] = {}
    for home in homes(machine.platform, env, machine.home):
        found.setdefault(home.tool, set()).add(home.folder)
    return found


@pytest.mark.parametrize("machine", [LINUX, MACOS, WINDOWS], ids=lambda one: one.platform)
def test_each_tool_has_a_home(machine: Machine) -> None:
    """All tools that store chat files are listed on every platform, with absolute paths; editors have several."""
    found = folders(machine)

    assert set(found) == KEEPING
    assert [one for places in found.values() for one in places if not one.startswith((machine.home[:3], "/"))] == []
    assert machine.user in found["vscode"]
    for name in ("Code - Insiders", "VSCodium", "Cursor", "Windsurf"):
        assert machine.user.replace("Code", name) in found["vscode"]
    assert found["vscode"] == found["roo"] <= found["cline"]


@pytest.mark.parametrize(
    ("machine", "tool", "env", "place"),
    [
        (LINUX, "vscode", {}, "/home/me/.vscode-server/data/User"),
        (LINUX, "vscode", {}, "/home/me/.local/share/code-server/User"),
        (MACOS, "vscode", {}, "/Users/me/.local/share/code-server/User"),
        (WINDOWS, "vscode", {}, r"C:\Users\me\.vscode-server\data\User"),
        (WINDOWS, "vscode", {}, r"C:\Users\me\AppData\Local\code-server\Data\User"),
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
        (LINUX, "cline", {"CLINE_SESSION_DATA_DIR": "/s", "CLINE_DATA_DIR": "/d"}, "/s"),
        (LINUX, "qwen-code", {"QWEN_RUNTIME_DIR": "/r", "QWEN_HOME": "/q"}, "/r"),
        (LINUX, "qwen-code", {"QWEN_HOME": "/q"}, "/q"),
        (LINUX, "continue", {"CONTINUE_GLOBAL_DIR": "/c"}, "/c"),
        (LINUX, "gemini", {"GEMINI_CLI_HOME": "/g"}, "/g/.gemini"),
        (LINUX, "copilot-cli", {"COPILOT_HOME": "/c"}, "/c"),
    ],
)
def test_the_environment_moves_a_home(machine: Machine, tool: str, env: dict[str, str], place: str) -> None:
    """A tool's own variables apply; data of remote editors on this machine is searched."""
    assert place in folders(machine, **env)[tool]


@pytest.mark.parametrize("name", ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "VSCODE_PORTABLE"])
def test_blank_means_not_set(name: str) -> None:
    """G6: a variable of blanks moves nothing."""
    assert homes("linux", {name: "  "}, "/home/me") == homes("linux", {}, "/home/me")


def test_a_moved_claude_code_is_nowhere_else() -> None:
    """If the user chose a folder, the default ones are not searched."""
    assert folders(LINUX, CLAUDE_CONFIG_DIR="/c")["claude-code"] == {"/c"}
    assert folders(LINUX)["claude-code"] == {"/home/me/.claude", "/home/me/.config/claude"}


def test_no_place_is_looked_at_twice() -> None:
    """Variables that name the default folders add none."""
    usual = {"XDG_CONFIG_HOME": "/home/me/.config", "VSCODE_AGENT_FOLDER": "/home/me/.vscode-server"}

    assert homes("linux", usual, "/home/me") == homes("linux", {}, "/home/me")
