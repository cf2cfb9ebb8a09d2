"""Whether a chat was held in a folder: paths are compared by platform rules, and locations are interpreted."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from pathlib import Path

import pytest

from compact_chat.disk import workspace
from compact_chat.disk.workspace import (
    ELSEWHERE,
    INSIDE,
    LIKELY,
    UNKNOWN,
    Clue,
    Clues,
    folders_named,
    workspace_of,
)
from compact_chat.errors import InvalidParams

SHOP = "/demo/the shop"
WRITTEN = """\ufeff{
  // "folders": [{"path": "/no"}],
  "folders": [
    {"path": "shop"}, /* {"path": "/nor this"}, */
    {"path": "../till", "name": "// the till, /* not the shop */"},
    {"path": "/demo/a\\\\b"}, {"path": "."},
    {"uri": "vscode-remote://box/demo/far"},
    {"name": "nothing"}, 5,
  ],
  "settings": {},
}
"""


@pytest.mark.parametrize(
    ("place", "held"),
    [
        ("/demo/shop", True),
        ("/demo/shop/till/deep", True),
        ("vscode-remote://wsl%2Bubuntu/demo/shop", True),
        ("/demo/shop-2", False),
        ("/demo", False),
        ("relative", False),
        ("", False),
    ],
)
def test_a_folder_holds_what_is_below_it(place: str, held: bool) -> None:
    """A chat counts if it was held in the folder or below it; the root contains everything."""
    for uri in ("file:///demo/shop", "file:///demo/shop/", "vscode-remote://ssh-remote+box/demo/shop"):
        assert workspace_of(uri, "linux").holds(place) is held
    assert workspace_of("file:///", "linux").holds(place) is place.startswith(("/", "vscode-remote:"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few users make links")
def test_links_are_followed_both_ways(tmp_path: Path) -> None:
    """A link to a folder and the folder itself are the same, whichever is asked for."""
    real, link = tmp_path / "real" / "shop", tmp_path / "link"
    real.mkdir(parents=True)
    link.symlink_to(tmp_path / "real")

    assert workspace_of((link / "shop").as_uri(), sys.platform).holds(str(real / "till"))
    assert workspace_of(real.as_uri(), sys.platform).holds(str(link / "shop" / "till"))
    assert not workspace_of(real.as_uri(), sys.platform).holds(str(link / "other"))


@pytest.mark.parametrize("uri", ["file:///a%00b", "file:///\ud800", "vscode-remote://h/a%00b"])
def test_odd_names_hold_nothing(uri: str) -> None:
    """A name that is invalid on the system is no folder, and no error."""
    assert not workspace_of(uri, "linux").holds("/demo")


@pytest.mark.parametrize("uri", ["/demo/shop", "https://example.com/x", "file://server/share", ""])
def test_other_places_are_refused(uri: str) -> None:
    """Anything but a folder on this machine or of a remote editor is refused by its path in the request."""
    with pytest.raises(InvalidParams) as caught:
        workspace_of(uri, "linux")

    assert caught.value.data["problems"][0]["path"] == "$.workspace"


@pytest.mark.parametrize("uri", ["file:///demo/%FFshop", "vscode-remote://box/demo/%FFshop"])
def test_a_folder_may_have_any_bytes_in_its_name(uri: str) -> None:
    """A name that is no UTF-8 is the same in every form."""
    shop = workspace_of(uri, "linux")

    assert all(map(shop.holds, ("file:///demo/%FFshop", "vscode-remote://box/demo/%ffshop/till", "/demo/\udcffshop")))
    assert not shop.holds("file:///demo/%FEshop")


@pytest.mark.parametrize("place", ["//server/shop", "\\\\server\\shop", "\\\\server\\x\\shop\\till"])
def test_other_machines_are_never_asked(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """A chat may name any network path: following links there would be slow, and reveal the user."""
    shop = workspace_of("file:///demo/shop", "linux")
    touched: list[str] = []
    monkeypatch.setattr(os.path, "realpath", touched.append)

    assert not shop.holds(place)
    assert touched == []


def clue(path: Path | str, folder: str = Path(SHOP).as_uri()) -> Clue:
    """Ask for one file."""
    return Clues(workspace_of(folder, "linux")).of(str(path))


def stored(tmp_path: Path, name: str, noted: object, chats: str = "chatSessions") -> Path:
    """Make a storage of VS Code."""
    (tmp_path / chats).mkdir(parents=True)
    (tmp_path / name).write_text(noted if isinstance(noted, str) else json.dumps(noted))
    return tmp_path / chats / "1.jsonl"


@pytest.mark.parametrize(
    ("name", "noted", "expected"),
    [
        ("workspace.json", {"folder": "file:///demo/the%20shop/till"}, INSIDE),
        ("workspace.json", {"folder": "vscode-remote://wsl%2Bubuntu/demo/the%20shop"}, INSIDE),
        ("workspace.json", {"workspace": "file:///demo/the%20shop/all.code-workspace"}, INSIDE),
        ("workspace.json", {"folder": "file:///demo"}, ELSEWHERE),
        ("meta.json", {"id": "1", "name": "the shop"}, LIKELY),
        ("meta.json", {"id": "1", "name": "other"}, UNKNOWN),
        ("meta.json", {"configuration": "file:///demo/the%20shop/all.code-workspace"}, INSIDE),
        ("workspace.json", {"configuration": "file:///demo/the%20shop/all.code-workspace"}, INSIDE),
        ("workspace.json", "{", UNKNOWN),
        ("workspace.json", [], UNKNOWN),
        ("workspace.json", "[" * 60_000, UNKNOWN),
    ],
)
def test_an_editor_notes_the_folder_next_to_its_chats(tmp_path: Path, name: str, noted: object, expected: Clue) -> None:
    """VS Code's note is certain, a mere name likely; a broken note says nothing. Transcripts are two folders deeper."""
    for chats in ("chatSessions", "GitHub.copilot-chat/transcripts"):
        assert clue(stored(tmp_path, name, noted, chats)) == expected


@pytest.mark.parametrize(
    ("held_in", "expected"),
    [(SHOP, LIKELY), (f"{SHOP}/till", UNKNOWN), ("/demo/the-shop", LIKELY), ("/demo/other", ELSEWHERE)],
)
def test_claude_codes_folders_say_what_they_cannot_hold(held_in: str, expected: Clue) -> None:
    """A folder's name rules others out; among the possible ones, the chat itself decides."""
    assert clue(f"/home/me/.claude/projects/{re.sub('[^A-Za-z0-9]', '-', held_in)}/1.jsonl") == expected


@pytest.mark.parametrize("asked", ["/demo/caf\u00e9", "/demo/cafe\u0301"])
def test_letters_with_accents_are_found_in_both_forms(tmp_path: Path, asked: str) -> None:
    """On macOS a name has either form, and tools name their folders after either."""
    for held_in in ("/demo/caf\u00e9", "/demo/cafe\u0301"):
        slug = re.sub("[^A-Za-z0-9]", "-", held_in)
        chats = tmp_path / hashlib.sha256(held_in.encode()).hexdigest() / "chats"
        chats.mkdir(parents=True, exist_ok=True)
        assert clue(f"/me/.claude/projects/{slug}/1.jsonl", Path(asked).as_uri()) == LIKELY
        assert clue(chats / "session-1.json", Path(asked).as_uri()) == INSIDE


def test_a_chat_of_several_folders_is_held_in_each(tmp_path: Path) -> None:
    """What counts is the workspace's list of folders, not the location of its file."""
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
    found = clue(f"/home/me/.claude/projects/{long.replace('/', '-')[:200]}-x1y2z3/1.jsonl", f"file://{long}")

    assert found.inside or not found.sure


@pytest.mark.parametrize(
    ("name", "noted", "expected"),
    [
        (hashlib.sha256(SHOP.encode()).hexdigest(), "", INSIDE),
        (hashlib.sha256(b"/demo").hexdigest(), "", UNKNOWN),
        ("the-shop", f"{SHOP}\n", INSIDE),
        ("other", "/demo/other", ELSEWHERE),
    ],
)
def test_gemini_names_folders_after_hashes(tmp_path: Path, name: str, noted: str, expected: Clue) -> None:
    """A hash of our folder is certain; others may be of a folder below it; newer versions record the path."""
    (tmp_path / name / "chats").mkdir(parents=True)
    (tmp_path / name / ".project_root").write_text(noted)

    assert clue(tmp_path / name / "chats" / "session-1.json") == expected


def test_other_places_say_nothing() -> None:
    """A window without a folder is elsewhere; if a tool sorts its chats by day, the chat itself decides."""
    assert clue("/u/globalStorage/emptyWindowChatSessions/1.jsonl") == ELSEWHERE
    assert clue("/home/me/.codex/sessions/2026/01/02/rollout-1.jsonl") == UNKNOWN
    assert clue("1.jsonl") == UNKNOWN


def test_people_write_files_of_folders_too(tmp_path: Path) -> None:
    """Comments and trailing commas are ignored; relative paths start at the file's folder."""
    file = tmp_path / "a b" / "all.code-workspace"
    file.parent.mkdir()
    file.write_text(WRITTEN, "utf-8")

    assert folders_named(file.as_uri()) == (
        str(file.parent / "shop"),
        str(tmp_path / "till"),
        "/demo/a\\b",
        str(file.parent),
        "vscode-remote://box/demo/far",
    )


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"folders": {}}', "[" * 60_000, '{"folders": [{"path": 5}]}']
    + [piece * 20_000 for piece in ("/*", "//", '"', ", ", "\\", ",\n\t")],
    ids=lambda text: text[:9],
)
def test_what_is_broken_names_no_folders(tmp_path: Path, text: str) -> None:
    """Any content gets an answer; an unreadable file lists none."""
    file = tmp_path / "all.code-workspace"
    file.write_text(text)

    for uri in (file.as_uri(), "file:///absent/all", "file://server/all", "vscode-remote://box/all", "x"):
        assert folders_named(uri) == ()


@pytest.mark.parametrize(
    ("place", "path"), [("shop/till", r"C:\work\shop\till"), (r"..\shop", r"C:\shop"), ("D:/shop", r"D:\shop")]
)
def test_windows_has_its_own_paths(monkeypatch: pytest.MonkeyPatch, place: str, path: str) -> None:
    """Either slash parts names there, and a path with a drive is whole."""
    monkeypatch.setattr(workspace, "path_of", lambda _: r"C:\work\all.code-workspace")
    monkeypatch.setattr(workspace, "small_text", lambda *_: json.dumps({"folders": [{"path": place}]}))

    assert folders_named("file:///C:/") == (path,)
