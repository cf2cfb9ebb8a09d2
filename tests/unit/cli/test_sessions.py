"""The list of chats in a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.cli import main
from compact_chat.cli.terminal import Terminal, columns
from compact_chat.cli.views import show_sessions, size_text
from compact_chat.disk import scan
from compact_chat.operations import ClientState, Job, run_alone
from tests.samples.alone import perform_alone
from tests.samples.session_files import age, claude, codex


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with two chats."""
    age(claude(tmp_path, 1, "Count the trays of the first shelf " * 3, "/demo/shop"), 0)
    age(codex(tmp_path, 2, "Bake", "/demo/bakery"), 60)
    return tmp_path


def test_json_is_the_result_of_the_wire(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints exactly what the operation answers; folders come as paths or as URIs."""
    wire = perform_alone("sessions", {"roots": [kept.as_uri()]}, Job(ClientState()))

    assert main(["sessions", "--json", "--roots", str(kept)]) == 0
    assert main(["sessions", "--json", "--roots", kept.as_uri(), "--workspace", "vscode-remote://box/demo"]) == 0
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == second == json.loads(json.dumps(wire))
    assert len(wire["sessions"]) == 2


def test_a_folder_is_given_as_a_path(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--workspace .` is the folder that the shell is in."""
    folder = kept / "shop"
    folder.mkdir()
    claude(kept, 3, "Here", str(folder))
    monkeypatch.chdir(folder)

    assert main(["sessions", "--json", "--roots", "..", "--workspace", "."]) == 0
    assert [one["title"] for one in json.loads(capsys.readouterr().out)["sessions"]] == ["Here"]


def test_a_person_reads_when_what_and_where(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each chat has a line with its time, tool, size and title, and its path on a line of its own, to be copied."""
    assert main(["sessions", "--roots", str(kept), "--tools", "codex"]) == 0
    first, second = capsys.readouterr().out.splitlines()

    assert first.startswith("2026-09-21 ")
    assert "codex" in first
    assert first.endswith("kB Bake")
    assert Path(second.strip()).is_file()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_titles_are_cut_to_the_terminal(kept: Path, width: int) -> None:
    """Lines fit, but for paths, which are of use only whole."""
    found = run_alone("sessions", {"roots": [kept.as_uri()]}, Job(ClientState()))
    page = list(show_sessions(found, Terminal(width=width, interactive=True, color=False)))

    assert [line for line in page if columns(line) > width and not line.startswith("  /")] == []


def test_nothing_found_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a chat there is a sentence, not silence."""
    assert main(["sessions", "--roots", str(tmp_path)]) == 0
    assert "No such chats were found" in capsys.readouterr().out


def test_a_list_that_is_not_complete_says_so(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there was too much to look at, a person reads that chats may be missing."""
    assert main(["sessions", "--roots", str(kept)]) == 0
    assert "may be missing" not in capsys.readouterr().out
    monkeypatch.setattr(scan, "MOST_ENTRIES", 2)
    assert main(["sessions", "--roots", str(kept)]) == 0
    assert "chats may be missing" in capsys.readouterr().out.replace("\n", " ")


def test_an_unknown_tool_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """The flag is named, and the tools that there are."""
    assert main(["sessions", "--tools", "claude"]) == 2
    told = capsys.readouterr().err
    assert "--tools" in told
    assert "claude-code" in told


def test_wrong_flags_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be a folder is told by its flag."""
    assert main(["sessions", "--workspace", "https://example.com/"]) == 2
    assert "--workspace" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (12_345, "12 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (4_200_000, "4.2 MB"),
        (7 * 10**15, "7000 TB"),
    ],
)
def test_sizes_have_three_digits(size: int, text: str) -> None:
    """A size is written in the unit that suits it."""
    assert size_text(size) == text
