"""Installing and uninstalling: merged, shown, undone byte for byte, or refused with a sentence."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from compact_chat.agents.hosts import HOSTS
from compact_chat.agents.install import BACKUP, HOOK, STATUS, asked, install, overview, uninstall
from compact_chat.agents.memory import SETTINGS, recall
from compact_chat.cli import main
from compact_chat.errors import CompactChatError

FOLDERS = {"claude-code": ".claude", "codex": ".codex", "copilot-cli": ".copilot"}
OWN = {"type": "command", "command": "notify-send done"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the program on PATH, and no agent in it yet."""
    program = tmp_path / "bin" / "compact-chat"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (("PATH", program.parent), ("HOME", tmp_path), ("XDG_STATE_HOME", tmp_path / "state")):
        monkeypatch.setenv(name, str(value))
    return tmp_path


@pytest.fixture
def path(home: Path) -> Path:
    """The settings of Claude Code, which are not there yet, in its folder."""
    folder = home / ".claude"
    folder.mkdir()
    return folder / "settings.json"


def run(name: str, *, undo: bool = False, agree: bool = True, **settings: Any) -> str:
    """Install or uninstall; return what a person reads."""
    lines = uninstall(name, lambda _: agree) if undo else install(name, lambda _: agree, settings)
    return "\n".join(lines)


def files(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def commands(path: Path) -> list[str]:
    """Every command line in a file of settings, in order."""
    found: list[str] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            found.extend(value[name] for name in ("command", "bash") if isinstance(value.get(name), str))
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    look(json.loads(path.read_bytes().decode("utf-8-sig")))
    return found


@pytest.mark.parametrize("name", HOSTS)
def test_an_agent_without_settings(name: str, home: Path) -> None:
    """The files are made, made once, and are gone again afterwards."""
    folder = home / FOLDERS[name]
    folder.mkdir()
    assert HOOK in run(name)
    first = files(folder)
    assert run(name) == f"It is already installed in {HOSTS[name].label}." or name == "codex"
    assert files(folder) == first
    assert sum(HOOK in commands(folder / path) for path in first) == 1
    run(name, undo=True)
    assert files(folder) == {}
    assert "is not installed" in run(name, undo=True)


def test_choices_are_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is remembered now is said, also where nothing else changes; without an agent it holds for all alike."""
    (home / ".claude").mkdir()
    run("claude-code")
    assert "--add-back more" in run("claude-code", addBack="more")
    assert main(["install", "--add-back", "off"]) == 0
    assert "--add-back off" in capsys.readouterr().out
    assert recall(SETTINGS)["addBack"] == "off"


def test_nothing_changes_without_consent(home: Path) -> None:
    """A person sees the change first, and may refuse."""
    assert "+++" in run("claude-code", agree=False)
    assert files(home) == {"bin/compact-chat": b"#!/bin/sh\n"}


def test_a_status_line_is_kept(path: Path) -> None:
    """Ours is called instead and calls the old one, which comes back; its other members stay."""
    path.write_text('{"statusLine": {"type": "command", "command": "mine", "padding": 2}}')
    run("claude-code")
    assert json.loads(path.read_text())["statusLine"] == {"type": "command", "command": STATUS, "padding": 2}
    assert recall(SETTINGS)["kept"] == {str(path): "mine"}
    path.write_text(path.read_text().replace('"padding": 2', '"padding": 3'))  # changed since
    run("claude-code", undo=True)
    assert json.loads(path.read_text()) == {"statusLine": {"type": "command", "command": "mine", "padding": 3}}
    assert recall(SETTINGS)["kept"] == {}


@pytest.mark.parametrize("mine", ["mine.sh; compact-chat statusline", "i=$(cat); echo $i | compact-chat statusline"])
def test_a_line_that_calls_ours_too_stays(mine: str, path: Path) -> None:
    """Somebody put ours into a line of their own: that line is not replaced, and not called by ours."""
    path.write_text(json.dumps({"statusLine": {"type": "command", "command": mine}}))
    run("claude-code")
    assert commands(path).count(HOOK) == 3
    assert json.loads(path.read_text())["statusLine"]["command"] == mine
    assert recall(SETTINGS).get("kept", {}) == {}


@pytest.mark.parametrize(
    "text",
    [
        """{
    "permissions" : {"allow": ["Bash(ls:*)",   "Read"], "deny": []},

    "statusLine": {"padding": 1.50, "command": "mine", "type": "command"},
    "hooks": {
        "PreCompact": [{"hooks": [{"command": "a\\/b", "type": "command", "timeout": 1.50}]}],
        "UserPromptSubmit": [
            {"hooks": [{"type": "command", "command": "notify-send \\u00fc"}]}
        ],
        "Stop": [ ]
    },
    "numbers": [1.0, 1e3, -0]
}
""",
        '{"hooks":{"SessionStart":[{"hooks":[]}]},"statusLine":{"command":"mine","padding":1.50},"numbers":[1e3,1.50]}',
        '\r{\r  "numbers":\r[1e3],\r  "hooks": {"Stop": [\r]}\r}\r',
        '{ "numbers": [ 1e3\n  , 2 ]\n, "hooks": { "Stop": []\n  , "Later": [] }\n}\n',
        '{\r\n\t"numbers": [1e3],\n\t"model" : "\\ud800"\r\n}',
    ],
)
def test_only_our_entries_change(text: str, path: Path) -> None:
    """All else is as somebody wrote it, to the blanks, also where the file was changed before we go."""
    path.write_bytes(text.encode())
    run("claude-code")
    assert commands(path).count(HOOK) == 3
    path.write_bytes(path.read_bytes().replace(b"1e3", b"1e4"))
    run("claude-code", undo=True)
    assert path.read_bytes() == text.replace("1e3", "1e4").encode()


def test_a_group_of_a_user_that_holds_ours(path: Path) -> None:
    """Ours is taken out of it, and the rest is as it was written."""
    theirs = '{"hooks": {"PreCompact": [{"hooks": [{"command": "a\\/b"}%s], "x": 1.50}]}}'
    path.write_text(theirs % f', {{"command": "{HOOK}"}}')
    run("claude-code", undo=True)
    assert path.read_text() == theirs % ""


def test_a_backup_goes_where_nothing_of_ours_is_left(path: Path) -> None:
    """Somebody took our entries out, or the file away, before uninstalling."""
    for later in ("{}", None):
        path.write_text('{"model": "opus", "statusLine": {"command": "mine"}}')
        run("claude-code")
        path.write_text(later) if later else path.unlink()
        assert path.with_name(path.name + BACKUP).exists()
        assert "is not installed" in run("claude-code", undo=True)
        assert not path.with_name(path.name + BACKUP).exists()
        assert recall(SETTINGS)["kept"] == {}


@pytest.mark.parametrize(
    ("mine", "is_kept"),
    [
        ("compact-chat statusline --template '{percent}'", False),
        ("'/home/me/my tools/compact-chat' statusline", False),
        ("uvx compact-chat@latest statusline", False),
        ("python3 -m compact_chat statusline", False),
        (r"C:\tools\compact-chat.exe statusline", False),
        ("~/compact-chat/line.sh statusline", True),
        ("echo " + "x" * 5000, True),
    ],
)
def test_a_line_of_ours_is_not_called_by_ours(mine: str, *, is_kept: bool, path: Path) -> None:
    """Another way to run this program is not kept beside it, any other line is, and both come back."""
    path.write_text(json.dumps({"statusLine": {"type": "command", "command": mine}}))
    run("claude-code")
    assert recall(SETTINGS).get("kept", {}) == ({str(path): mine} if is_kept else {})
    path.write_text(path.read_text().replace("{", '{"model": "opus", ', 1))
    run("claude-code", undo=True)
    assert json.loads(path.read_text())["statusLine"]["command"] == mine


def test_a_removed_line_does_not_come_back(path: Path) -> None:
    """Whoever removed their status line and installs again is rid of it, also when we go."""
    path.write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    run("claude-code")
    path.write_text("{}")
    run("claude-code")
    assert recall(SETTINGS)["kept"] == {str(path): ""}
    path.write_text(path.read_text().replace("{", '{"model": "opus", ', 1))
    run("claude-code", undo=True)
    assert json.loads(path.read_text()) == {"model": "opus"}


def test_settings_that_change_while_a_person_reads(path: Path) -> None:
    """What the agent wrote after the change was shown is not overwritten, neither by an install nor an uninstall."""
    path.write_text("{}")

    def agree(_question: str) -> bool:
        path.write_text(json.dumps({**json.loads(path.read_text()), "added": 1}))
        return True

    for change in (install("claude-code", agree, {}), uninstall("claude-code", agree)):
        with pytest.raises(CompactChatError, match="again"):
            list(change)
        assert json.loads(path.read_text())["added"] == 1
        path.write_text("{}")
        run("claude-code")


def test_what_was_changed_between_two_installs_stays(path: Path) -> None:
    """Whoever took our entries out, or some of them, and installs again does not get an older file back."""
    path.write_text('{"model": "opus"}')
    run("claude-code")
    path.write_text('{"model": "haiku"}')
    run("claude-code")
    run("claude-code", undo=True)
    assert path.read_text() == '{"model": "haiku"}'
    run("claude-code")
    mine = {**json.loads(path.read_text()), "statusLine": OWN, "model": "sonnet"}
    path.write_text(json.dumps(mine))
    run("claude-code")
    run("claude-code", undo=True)
    assert json.loads(path.read_text()) == {"model": "sonnet", "statusLine": OWN}


def test_our_own_file_with_hooks_of_a_user(home: Path) -> None:
    """What a user added to the file that is ours as a whole stays when we go."""
    run("copilot-cli")
    path = home / ".copilot" / "hooks" / "compact-chat.json"
    hooks = json.loads(path.read_text())
    hooks["hooks"]["preCompact"].append({"type": "command", "bash": "mine"})
    path.write_text(json.dumps(hooks))
    run("copilot-cli", undo=True)
    assert json.loads(path.read_text()) == {
        "version": 1,
        "hooks": {"preCompact": [{"type": "command", "bash": "mine"}]},
    }


def test_each_folder_of_an_agent_is_its_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for one folder of settings is not touched by installing into another, or uninstalling there."""
    data = '{"statusLine": {"type": "command", "command": "mine"}}'
    first = home / "a" / "settings.json"
    first.parent.mkdir()
    first.write_text(data)
    for folder, undo in (("a", False), ("b", False), ("b", True)):
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / folder))
        run("claude-code", undo=undo)
        assert recall(SETTINGS)["kept"][str(first)] == "mine"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "a"))
    run("claude-code", undo=True)
    assert first.read_text() == data


def test_settings_that_only_name_the_program_are_backed_up(path: Path) -> None:
    """A permission to run it is no entry of ours: the file comes back byte for byte."""
    path.write_text('{"permissions":{"allow":["Bash(compact-chat:*)"]}, "model" : "opus"}')
    before = path.read_bytes()
    run("claude-code")
    assert Path(f"{path}{BACKUP}").read_bytes() == before
    run("claude-code", undo=True)
    assert files(path.parent) == {"settings.json": before}


@pytest.mark.parametrize("name", HOSTS)
@pytest.mark.parametrize(
    "data",
    [
        b'{\n  "model": "opus",\n  "hooks": {}\n}\n',
        b'{\n  "hooks": {\n  },\n  "model": "opus"\n}\n',
        b'{"hooks": {"PreCompact": []}}\n',
        b'{"hooks": {"PreCompact": [ ], "Stop": []}}\n',
        b'{"model":"opus","hooks":{}}',
        b'\xef\xbb\xbf{\r\n\t"hooks": {}\r\n}',
        b"",
    ],
)
def test_empty_hooks_come_back(data: bytes, name: str, home: Path) -> None:
    """What was empty before us was filled, and comes back as it was written."""
    path = home / FOLDERS[name] / ("hooks.json" if name == "codex" else "settings.json")
    path.parent.mkdir()
    path.write_bytes(data)
    for _ in range(2):
        run(name)
    run(name, undo=True)
    assert files(path.parent) == {path.name: data}

    run(name)
    installed = json.loads(path.read_bytes().decode("utf-8-sig"))
    path.write_text(json.dumps({**installed, "added": 1}))
    run(name, undo=True)
    assert json.loads(path.read_text())["added"] == 1
    assert not {HOOK, STATUS} & set(commands(path))


def test_a_status_line_of_after_the_backup_comes_back(path: Path) -> None:
    """The file is as installing left it, but called another line than the backup has."""
    path.write_text('{"statusLine": {"type": "command", "command": "mine"}, "hooks": {}}')
    run("claude-code")
    path.write_text(path.read_text().replace(STATUS, "newer"))
    run("claude-code")
    run("claude-code", undo=True)
    assert json.loads(path.read_text())["statusLine"] == {"type": "command", "command": "newer"}


def test_a_lost_state_folder(home: Path, path: Path) -> None:
    """The settings come back from the backup."""
    path.write_text('{"statusLine": {"command": "mine"}}')
    run("claude-code")
    shutil.rmtree(home / "state")
    run("claude-code", undo=True)
    assert files(path.parent) == {"settings.json": b'{"statusLine": {"command": "mine"}}'}


def test_a_pipe_instead_of_settings_is_not_waited_for(home: Path) -> None:
    """What is no regular file is refused with a sentence."""
    (home / ".claude").mkdir()
    os.mkfifo(home / ".claude" / "settings.json")
    with pytest.raises(CompactChatError, match="regular file"):
        run("claude-code")


def test_settings_of_another_do_not_stop_the_installation(home: Path) -> None:
    """Codex keeps no settings in the file that others have, so that one is not read."""
    (home / ".codex" / "settings.json").mkdir(parents=True)
    assert "installed in Codex" in run("codex")
    assert HOOK in commands(home / ".codex" / "hooks.json")


def test_the_end_of_input_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-D at the question changes nothing."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert not asked("Change it?")


def test_choices_are_remembered() -> None:
    """What comes back, and what the line says, may be chosen later too."""
    run("codex", addBack="more")
    run("codex", template="{used}")
    assert recall(SETTINGS) == {"addBack": "more", "template": "{used}"}


def test_a_program_that_agents_would_not_find(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program on PATH, or with one that only this shell's environment has, installing is refused."""
    monkeypatch.setenv("VIRTUAL_ENV", str(home))
    with pytest.raises(CompactChatError, match="from PATH and would not find it"):
        run("codex")
    monkeypatch.delenv("VIRTUAL_ENV")
    cached = home / "uv" / "archive-v0" / "x1"  # as `uvx` runs it
    (cached / "bin").mkdir(parents=True)
    (cached / "bin" / "compact-chat").write_text("#!/bin/sh\n")
    (cached / "bin" / "compact-chat").chmod(0o755)
    monkeypatch.setenv("PATH", str(cached / "bin"))
    monkeypatch.setattr(sys, "prefix", str(cached))
    with pytest.raises(CompactChatError, match="from PATH and would not find it"):
        run("codex")
    monkeypatch.setattr(sys, "prefix", "/elsewhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CompactChatError, match="from PATH and would not find it"):
        run("codex")


def test_what_is_advised_to_install_is_here(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No package of this name is published: the newest wheel in the tree, else the tree, else this program."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("compact_chat.agents.install.__file__", str(home / "a tree/server/compact_chat/agents/x.py"))

    def advised() -> str:
        with pytest.raises(CompactChatError) as refused:
            run("codex")
        return refused.value.sentence

    assert f"{Path(sys.executable).parent}, on your PATH" in advised()
    (home / "a tree/dist").mkdir(parents=True)
    (home / "a tree/pyproject.toml").write_text("")
    assert f"`pipx install '{home}/a tree'`" in advised()
    (home / "a tree/dist/compact_chat-1-py3-none-any.whl").write_text("")
    assert f"`pipx install '{home}/a tree/dist/compact_chat-1-py3-none-any.whl'`" in advised()


def test_the_overview_names_what_is_there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each agent: not found, what would change, or that it is installed; or that it would not find the program."""
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    run("codex")
    assert [line.split(": ", 1)[1] for line in overview()] == [
        f"`compact-chat install claude-code` would change {home}/.claude/settings.json",
        "installed",
        "not found",
    ]
    monkeypatch.setenv("PATH", "/nowhere")
    lines = list(overview())
    assert all("would not find it" in line and "compact-chat install" not in line for line in lines[:2])
    assert lines[2:] == ["Copilot CLI: not found"]


def settings_like(seed: int) -> tuple[str, bytes]:
    """Settings as somebody might have them, and what is odd about them."""
    choose = random.Random(seed)
    event = choose.choice(["PreCompact", "SessionStart", "UserPromptSubmit", "Stop", "Later"])
    hooks: dict[str, Any] = {
        event: [{"matcher": choose.choice(["", "compact", "startup"]), "hooks": [OWN] * choose.randint(1, 3)}]
    }
    found: dict[str, Any] = {"model": "opus", "ratio": 0.25, "größe": "ä\u2028", "env": {"A": "1"}, "list": [1, [], {}]}
    found |= {"hooks": hooks} if choose.random() < 0.7 else {}
    found |= {"statusLine": {"type": "command", "command": "mine --x", "padding": 0}} if choose.random() < 0.4 else {}
    found = dict(choose.sample(sorted(found.items()), len(found)))
    indent = choose.choice([None, 1, 2, 4, "\t"])
    text = json.dumps(found, indent=indent, ensure_ascii=choose.random() < 0.5) + choose.choice(["", "\n", "\n\n"])
    odd = choose.choice(
        ["", "", "", "", "crlf", "bom", "link", "comment", "comma", "twice", "read-only", "latin", "list", "shape"]
    )
    if odd == "crlf":
        text = text.replace("\n", "\r\n")
    elif odd == "comment":
        text = f"// mine\n{text}"
    elif odd == "comma":
        text = text.rstrip().removesuffix("}") + ",}\n"
    elif odd == "twice":
        text = text.replace("{", '{"model": "haiku", ', 1)
    elif odd == "list":
        text = "[]"
    elif odd == "shape":
        text = json.dumps({**found, "hooks": {"PreCompact": {"command": "mine"}}})
    data = text.encode("latin-1", "replace") + b"\xe4" if odd == "latin" else text.encode()
    return odd, b"\xef\xbb\xbf" + data if odd == "bom" else data


REFUSED = {"comment", "comma", "twice", "read-only", "latin", "list", "shape"}


@pytest.mark.parametrize("seed", range(200))
def test_settings_come_back_byte_for_byte(seed: int, home: Path) -> None:
    """Or the agent's settings are refused with a sentence that names the file, and nothing at all was changed."""
    name = ("claude-code", "codex", "copilot-cli")[seed % 3]
    odd, data = settings_like(seed)
    folder = home / FOLDERS[name]
    folder.mkdir()
    path = folder / ("hooks.json" if name == "codex" else "settings.json")
    if odd == "link":
        (home / "dotfiles").mkdir()
        path.symlink_to(home / "dotfiles" / "own.json")
    path.write_bytes(data)
    path.chmod(0o444 if odd == "read-only" else 0o640)
    before = files(home)
    if odd in REFUSED - ({"shape"} if name == "copilot-cli" else set()):
        with pytest.raises(CompactChatError, match=str(path)):
            run(name)
        assert files(home) == before
        return

    run(name)
    installed = commands(path)
    assert set(commands_of(data)) - {"mine --x"} <= set(installed)
    assert [name == "codex" or STATUS in installed, name == "copilot-cli" or HOOK in installed] == [True, True]
    assert (path.is_symlink(), path.stat().st_mode & 0o777) == (odd == "link", 0o640)
    run(name)
    assert commands(path) == installed
    if seed % 2:
        changed = json.loads(path.read_bytes().decode("utf-8-sig"))
        path.write_bytes(json.dumps({**changed, "added": 1}).encode())
        run(name, undo=True)
        assert json.loads(path.read_bytes()) == {**json.loads(data.decode("utf-8-sig")), "added": 1}
        assert not path.with_name(path.name + BACKUP).exists()
    else:
        run(name, undo=True)
        after = {path: kept for path, kept in files(home).items() if not path.startswith("state/")}
        assert after == before


def commands_of(data: bytes) -> list[str]:
    """The command lines of the hooks in settings."""
    groups = json.loads(data.decode("utf-8-sig")).get("hooks", {}).values()
    return [entry["command"] for some in groups if isinstance(some, list) for one in some for entry in one["hooks"]]


def test_a_folder_that_cannot_be_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failing disk is a sentence, and leaves no half of a file."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (home / ".claude").mkdir()
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CompactChatError, match="No space left"):
        run("claude-code")
    assert files(home / ".claude") == {}
