"""The place of a file tells where its chat was held, as far as each tool lets it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from compact_chat.disk.workspace import ELSEWHERE, INSIDE, LIKELY, UNKNOWN, Clue, Clues, workspace_of

SHOP = "/demo/the shop"


def clue(path: Path | str, workspace: str = Path(SHOP).as_uri()) -> Clue:
    """Ask for one file."""
    return Clues(workspace_of(workspace, "linux")).of(str(path))


def stored(tmp_path: Path, name: str, told: object, chats: str = "chatSessions") -> Path:
    """Make a storage of VS Code."""
    (tmp_path / chats).mkdir(parents=True)
    (tmp_path / name).write_text(told if isinstance(told, str) else json.dumps(told))
    return tmp_path / chats / "1.jsonl"


@pytest.mark.parametrize(
    ("name", "told", "expected"),
    [
        ("workspace.json", {"folder": "file:///demo/the%20shop"}, INSIDE),
        ("workspace.json", {"folder": "file:///demo/the%20shop/till"}, INSIDE),
        ("workspace.json", {"folder": "vscode-remote://wsl%2Bubuntu/demo/the%20shop"}, INSIDE),
        ("workspace.json", {"workspace": "file:///demo/the%20shop/all.code-workspace"}, INSIDE),
        ("workspace.json", {"folder": "file:///demo"}, ELSEWHERE),
        ("meta.json", {"id": "1", "name": "the shop"}, LIKELY),
        ("meta.json", {"id": "1", "name": "other"}, UNKNOWN),
        ("meta.json", {"configuration": "file:///demo/the%20shop/all.code-workspace"}, INSIDE),
        ("workspace.json", "{", UNKNOWN),
        ("workspace.json", [], UNKNOWN),
        ("workspace.json", "[" * 100_000, UNKNOWN),
        ("absent.json", {}, UNKNOWN),
    ],
)
def test_an_editor_notes_the_folder_beside_its_chats(tmp_path: Path, name: str, told: object, expected: Clue) -> None:
    """VS Code's note is sure; a mere name is likely; a broken note tells nothing."""
    assert clue(stored(tmp_path, name, told)) == expected


def test_a_transcript_is_held_where_its_storage_is(tmp_path: Path) -> None:
    """What Copilot Chat writes lies two folders deeper than the chats."""
    told = {"folder": "file:///demo/the%20shop"}

    assert clue(stored(tmp_path, "workspace.json", told, "GitHub.copilot-chat/transcripts")) == INSIDE


def test_a_window_without_a_folder_is_elsewhere() -> None:
    """Its chats were held in no folder."""
    assert clue("/u/globalStorage/emptyWindowChatSessions/1.jsonl") == ELSEWHERE


@pytest.mark.parametrize(
    ("held_in", "expected"),
    [(SHOP, LIKELY), (f"{SHOP}/till", UNKNOWN), ("/demo/the-shop", LIKELY), ("/demo/other", ELSEWHERE)],
)
def test_claude_codes_folders_tell_what_they_cannot_hold(held_in: str, expected: Clue) -> None:
    """The name of a folder rules others out; what it may be, the chat itself has to say."""
    assert clue(f"/home/me/.claude/projects/{re.sub('[^A-Za-z0-9]', '-', held_in)}/1.jsonl") == expected


@pytest.mark.parametrize("asked", ["/demo/caf\u00e9", "/demo/cafe\u0301"])
def test_letters_with_accents_are_found_in_both_forms(tmp_path: Path, asked: str) -> None:
    """A name on macOS is written in one form or the other, and tools name their folders after either."""
    for held_in in ("/demo/caf\u00e9", "/demo/cafe\u0301"):
        slug = re.sub("[^A-Za-z0-9]", "-", held_in)
        chats = tmp_path / hashlib.sha256(held_in.encode()).hexdigest() / "chats"
        chats.mkdir(parents=True, exist_ok=True)
        assert clue(f"/me/.claude/projects/{slug}/1.jsonl", Path(asked).as_uri()) == LIKELY
        assert clue(chats / "session-1.json", Path(asked).as_uri()) == INSIDE


def test_a_chat_of_several_folders_is_held_in_each(tmp_path: Path) -> None:
    """What counts is which folders a workspace has, not where the file lies that names them."""
    file = tmp_path / "Workspaces" / "17" / "workspace.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"folders": [{"path": "/demo/the shop"}, {"path": "../../till"}]}))
    path = stored(tmp_path, "workspace.json", {"workspace": file.as_uri()})

    assert clue(path) == INSIDE
    assert clue(path, (tmp_path / "till").as_uri()) == INSIDE
    assert clue(path, "file:///demo/other") == clue(path, file.parent.as_uri()) == ELSEWHERE
    file.unlink()
    assert clue(path) == UNKNOWN


def test_a_long_path_is_cut_in_the_name_of_a_folder() -> None:
    """Claude Code keeps the first 200 characters, and a hash behind them."""
    long = "/demo/" + "a" * 300
    place = f"/home/me/.claude/projects/{long.replace('/', '-')[:200]}-x1y2z3/1.jsonl"

    assert clue(place, f"file://{long}").inside or not clue(place, f"file://{long}").sure


def test_gemini_names_folders_after_hashes(tmp_path: Path) -> None:
    """A hash that is ours is sure; another may be that of a folder below ours; newer versions note the path."""
    for name, noted, expected in (
        (hashlib.sha256(SHOP.encode()).hexdigest(), "", INSIDE),
        (hashlib.sha256(b"/demo").hexdigest(), "", UNKNOWN),
        ("the-shop", f"{SHOP}\n", INSIDE),
        ("other", "/demo/other", ELSEWHERE),
    ):
        chats = tmp_path / name / "chats"
        chats.mkdir(parents=True)
        if noted:
            (tmp_path / name / ".project_root").write_text(noted)
        assert clue(chats / "session-1.json") == expected


def test_other_places_tell_nothing() -> None:
    """Where a tool sorts its chats by day or by id, the chat itself has to say."""
    assert clue("/home/me/.codex/sessions/2026/01/02/rollout-1.jsonl") == UNKNOWN
    assert clue("1.jsonl") == UNKNOWN
