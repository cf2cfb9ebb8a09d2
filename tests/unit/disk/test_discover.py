"""The chats of all tools are found, newest first, and no more is opened than is asked for."""

from __future__ import annotations

import json
import os
import sys
from itertools import islice
from pathlib import Path

import pytest

from compact_chat.cancel import checkpoints
from compact_chat.disk import Heads, Scan, Wanted, list_chats
from compact_chat.disk import chats as discover
from compact_chat.disk import chats as heads
from compact_chat.disk.files import ends_of
from compact_chat.errors import Cancelled, InvalidParams
from compact_chat.read import Heading
from tests.samples.session_files import WRITERS, age, cline_sdk, lines, of_one_user, put, vscode_state

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fakes lie where tools keep chats on Linux")
SHOP, INSIDE, OTHER = "/demo/shop", "/demo/shop/till", "/demo/shop-2"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, in which each tool has a chat in each of three folders, the newest first in this order."""
    for name in list(os.environ):
        monkeypatch.delenv(name)
    for name, value in of_one_user(tmp_path).items():
        monkeypatch.setenv(name, value)
    for number, (folder, tool) in enumerate((folder, tool) for folder in (SHOP, INSIDE, OTHER) for tool in WRITERS):
        age(WRITERS[tool](tmp_path, number, f"{tool} in {folder}", folder), number * 60)
    return tmp_path


def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are opened from now on."""
    paths: list[str] = []

    def noted(path: str, first: int, last: int) -> tuple[bytes, bytes]:
        paths.append(path)
        return ends_of(path, first, last)

    monkeypatch.setattr(heads, "ends_of", noted)
    return paths


def listed(wanted: Wanted, seen: Heads | None = None) -> list[Heading]:
    """List all chats."""
    return [told for _, told in list_chats(wanted, seen or Heads(), Scan())]


def titles(**wanted: object) -> list[str | None]:
    """Name all chats that are wanted."""
    return [one.title for one in listed(Wanted(**wanted))]  # type: ignore[arg-type]  # each test gives what fits


def test_all_tools_chats_are_found_newest_first(home: Path) -> None:
    """Each tool's chats are there, in the order in which they changed."""
    assert titles() == [f"{tool} in {folder}" for folder in (SHOP, INSIDE, OTHER) for tool in WRITERS]
    assert [one.tool for one in listed(Wanted())] == list(WRITERS) * 3
    assert home.is_dir()


@pytest.mark.usefixtures("home")
def test_a_workspace_has_its_chats_and_those_below() -> None:
    """Every tool tells in its own way where a chat was held; a folder whose name begins the same is another."""
    assert titles(workspace=f"file://{SHOP}") == [f"{tool} in {at}" for at in (SHOP, INSIDE) for tool in _told(at)]
    assert titles(workspace=f"file://{INSIDE}") == [f"{tool} in {INSIDE}" for tool in WRITERS]
    assert titles(workspace=f"vscode-remote://ssh-remote+box{OTHER}/") == [f"{tool} in {OTHER}" for tool in WRITERS]
    assert titles(workspace="file:///demo/absent") == []


def _told(folder: str) -> list[str]:
    """A hash tells of one folder only: Gemini CLI's chats are not known to lie below another."""
    return [tool for tool in WRITERS if folder == SHOP or tool != "gemini"]


@pytest.mark.parametrize("tool", WRITERS)
def test_a_tool_has_its_own(home: Path, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tools are named, nothing of others is even opened."""
    paths = opened(monkeypatch)

    assert titles(tools=[tool]) == [f"{tool} in {folder}" for folder in (SHOP, INSIDE, OTHER)]
    assert len(set(paths)) == 3
    assert titles(tools=["no such tool"]) == []
    assert home.is_dir()


def test_a_session_of_clines_sdk_is_found_without_its_helpers(home: Path) -> None:
    """The system prompt tells its folder; a helper's chat beside it, its manifest and its compaction are none."""
    path = cline_sdk(home, 5, "Count trays", SHOP, more=200)
    put(path.with_name("agent_1.messages.json"), path.read_text().replace('"lead"', '"subagent"'))
    put(path.with_name(path.name.replace(".messages.", ".compaction.")), '{"version": 1, "messages": []}')

    assert "Count trays" in titles(tools=["cline"], workspace=f"file://{SHOP}")
    assert titles(tools=["cline"]).count("Count trays") == 1
    assert titles(roots=[str(path.parent)]) == ["Count trays"]


def test_roots_are_looked_at_instead(home: Path) -> None:
    """With roots, the chats in them are told by what they hold, whatever they lie in, and no others."""
    kept = home.parent / "kept"
    (home / ".codex").rename(kept)

    assert titles(roots=[str(kept)]) == [f"codex in {folder}" for folder in (SHOP, INSIDE, OTHER)]
    assert len(titles(roots=[str(kept), str(home)])) == 3 * len(WRITERS)
    assert titles(roots=[str(kept)], tools=["claude-code"]) == []
    assert titles(roots=[str(home)], workspace=f"file://{INSIDE}") == [
        f"{tool} in {INSIDE}" for tool in WRITERS if tool != "codex"
    ]


@pytest.mark.usefixtures("home")
def test_no_more_is_opened_than_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who takes three chats has three files opened, and the second time none."""
    paths, seen = opened(monkeypatch), Heads()

    for _ in range(2):
        assert len(list(islice(list_chats(Wanted(), seen, Scan()), 3))) == 3
        assert len(paths) == 3


@pytest.mark.usefixtures("home")
def test_what_its_place_rules_out_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder's name or a note beside it tells enough, a chat of another folder stays closed."""
    paths = opened(monkeypatch)
    titles(workspace="file:///elsewhere", tools=["vscode", "claude-code"])

    assert paths == []


def test_one_listing_looks_into_so_many_chats_at_most(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chats without end do not keep us for ever, and files that are none do not hide them."""
    for number in range(5):
        age(put(home / f".claude/projects/-demo-shop/noise-{number}.jsonl", '{"a": 1}'), -100)
    for most, complete in ((2, False), (3 * len(WRITERS) - 1, False), (3 * len(WRITERS), True)):
        monkeypatch.setattr(discover, "MOST_CHATS", most)
        look = Scan()

        assert len(list(list_chats(Wanted(), Heads(), look))) == most
        assert look.is_complete is complete


@pytest.mark.usefixtures("home")
def test_a_blank_workspace_is_none() -> None:
    """Who names a folder gets the chats of that folder, or is told that there is none."""
    with pytest.raises(InvalidParams):
        titles(workspace="")


@pytest.mark.parametrize("given", [".", "server", "/somewhere/else"])
def test_where_a_command_ran_is_not_where_the_chat_was_held(tmp_path: Path, home: Path, given: str) -> None:
    """A tool's argument, however near to the beginning, says nothing of the workspace."""
    call = {"type": "tool_use", "id": "t", "name": "execute_command", "input": {"command": "ls", "cwd": given}}
    for tool in ("cline", "roo"):
        path = WRITERS["cline"](tmp_path / tool, 90, f"{tool} runs", SHOP)
        records = [*json.loads(path.read_text()), {"role": "assistant", "content": [call]}]
        text = json.dumps(records).replace("Working", "Workspace" if tool == "roo" else "Working")
        place = path.relative_to(tmp_path / tool).as_posix()
        task = "rooveterinaryinc.roo-cline" if tool == "roo" else "saoudrizwan.claude-dev"
        age(put(home / place.replace("saoudrizwan.claude-dev", task), text), -300 if tool == "cline" else -200)
    path = WRITERS["continue"](home, 91, "continue runs", SHOP)
    session = json.loads(path.read_text())
    session["history"].append(
        {"message": {"role": "assistant", "content": ""}, "toolCallStates": [{"parsedArgs": call}]}
    )
    age(put(path, json.dumps({"history": session.pop("history"), **session})), -100)

    assert titles(workspace=f"file://{SHOP}")[:3] == ["cline runs", "roo runs", "continue runs"]


def test_a_chat_without_a_request_is_none(home: Path) -> None:
    """VS Code writes a file for each new window; only those that were used are chats."""
    chats = next(home.glob(".config/Code/User/workspaceStorage/*/chatSessions"))
    for ending, requests in ((".jsonl", {"kind": 0, "v": {**vscode_state(""), "requests": []}}), (".json", None)):
        put(chats / f"empty{ending}", lines(requests or {**vscode_state(""), "requests": []}))
    put(chats / "long.jsonl", lines({"kind": 0, "v": {**vscode_state(""), "requests": [], "more": "x" * 20_000}}))

    assert len(titles(tools=["vscode"])) == 3


def test_a_copy_of_a_chat_is_listed_once(home: Path) -> None:
    """Where a folder is saved as a workspace VS Code copies its chats: the newest copy counts, for each folder."""
    original = next(home.glob(".config/Code/User/workspaceStorage/*/chatSessions/*.jsonl"))
    elsewhere = home / ".config/Code/User/workspaceStorage/abc"
    put(elsewhere / "workspace.json", json.dumps({"folder": "file:///other"}))
    age(put(elsewhere / "chatSessions" / original.name, original.read_text()), -100)
    folder = json.loads((original.parent.parent / "workspace.json").read_text())["folder"]

    (newest, *others) = [one.path for one, _ in list_chats(Wanted(tools=["vscode"]), Heads(), Scan())]
    assert Path(newest).parent.parent == elsewhere
    assert str(original) not in others
    assert len(others) == 2
    held = [one.path for one, _ in list_chats(Wanted(folder, tools=["vscode"]), Heads(), Scan())]
    assert str(original) in held


def test_a_place_tells_more_than_the_file_alone(home: Path) -> None:
    """A task that looks like anybody's when it is met in some folder is Cline's where Cline keeps it."""
    task = home / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/7/api_conversation_history.json"
    put(
        task,
        json.dumps([{"role": role, "content": [{"type": "text", "text": "plain"}]} for role in ("user", "assistant")]),
    )
    seen = Heads()

    assert {one.tool for one in listed(Wanted(roots=[str(task.parent)]), seen)} == {"unknown"}
    assert "plain" in [one.title for one in listed(Wanted(tools=["cline"]), seen)]


def test_between_two_files_it_can_be_stopped(home: Path) -> None:
    """A cancelled listing ends at once."""
    asked: list[int] = []

    def stop_soon() -> None:
        asked.append(1)
        if len(asked) > 60:
            raise Cancelled

    assert home.is_dir()
    with pytest.raises(Cancelled), checkpoints(stop_soon):
        listed(Wanted())


def test_nothing_is_written(home: Path) -> None:
    """Looking changes nothing: no file more, no file newer, none ever opened for writing."""

    def state() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in home.rglob("*")}

    before = state()
    listed(Wanted())
    listed(Wanted(workspace=f"file://{SHOP}"))

    assert state() == before


def test_a_chat_in_a_remote_editor_is_told_by_its_name(home: Path) -> None:
    """Where only the name of the folder is noted, and the chat tells nothing, a folder of that name has it."""
    storage = home / ".local/share/code-server/User/workspaceStorage/abc"
    put(storage / "meta.json", json.dumps({"id": "abc", "name": "counter"}))
    put(storage / "chatSessions/x.jsonl", lines({"kind": 0, "v": vscode_state("In a browser")}))

    assert titles(workspace="file:///any/counter") == ["In a browser"]
    assert titles(workspace="file:///any/other") == []


def test_what_is_broken_is_left_out(home: Path) -> None:
    """Noise, other files and chats that nobody may read are skipped without a word."""
    project = home / ".claude/projects/-demo-shop"
    (project / "noise.jsonl").write_bytes(bytes(range(256)) * 300)
    (project / "other.jsonl").write_text('{"a": 1}\n')
    (project / "cut.jsonl").write_text('{"type": "us')
    (home / ".continue/sessions/sessions.json").write_text('[{"sessionId": "1", "title": "a"}]')
    os.mkfifo(project / "pipe.jsonl")

    assert len(titles()) == 3 * len(WRITERS)
