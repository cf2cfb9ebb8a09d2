"""The files of workspaces with several folders name them in several ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.disk import workspace
from compact_chat.disk.files import small_text
from compact_chat.disk.workspace import folders_named

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


def test_people_write_such_files_too(tmp_path: Path) -> None:
    """Comments and commas behind the last item are passed over; paths go from the place of the file."""
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


@pytest.mark.parametrize("text", ["", "{", "[]", '{"folders": {}}', "[" * 60_000, '{"folders": [{"path": 5}]}'])
def test_what_is_broken_names_none(tmp_path: Path, text: str) -> None:
    """Whatever the file holds, there is an answer."""
    file = tmp_path / "all.code-workspace"
    file.write_text(text)

    assert folders_named(file.as_uri()) == ()


@pytest.mark.parametrize(
    "uri", ["file:///absent/all.code-workspace", "file://server/all", "vscode-remote://box/all", "x"]
)
def test_what_is_not_on_this_machine_is_not_read(uri: str) -> None:
    """A file that cannot be read names no folders."""
    assert folders_named(uri) == ()


@pytest.mark.parametrize(
    ("file", "place", "path"),
    [
        (r"C:\work\all.code-workspace", "shop/till", r"C:\work\shop\till"),
        (r"C:\work\all.code-workspace", r"..\shop", r"C:\shop"),
        (r"C:\work\all.code-workspace", "D:/shop", r"D:\shop"),
    ],
)
def test_windows_has_its_own_paths(monkeypatch: pytest.MonkeyPatch, file: str, place: str, path: str) -> None:
    """Either slash parts names there, and a path with a drive stands for itself."""
    monkeypatch.setattr(workspace, "path_of", lambda _: file)
    monkeypatch.setattr(workspace, "small_text", lambda *_: json.dumps({"folders": [{"path": place}]}))

    assert folders_named("file:///C:/") == (path,)


@pytest.mark.parametrize("piece", ["/*", "//", '"', ",", ", ", "\\", "*/", ",\n\t"])
def test_a_file_that_repeats_itself_names_none(tmp_path: Path, piece: str) -> None:
    """Whatever it repeats, there is an answer."""
    file = tmp_path / "all.code-workspace"
    file.write_text(piece * 20_000)

    assert folders_named(file.as_uri()) == ()


def test_only_a_small_file_is_read_as_text(tmp_path: Path) -> None:
    """A file beyond the limit is empty; a mark of the byte order is no part of the text."""
    file = tmp_path / "note"
    file.write_text("\ufeffab", "utf-8")

    assert [small_text(str(file), largest) for largest in (4, 5)] == ["", "ab"]
