"""Summary instructions in a project's files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compact_chat.disk import find_instructions, instruction_text
from compact_chat.disk.settings import LARGEST_FILE
from compact_chat.wire import Instructions

NOWHERE = (
    *("//host/share", "\\\\host\\share", "file://host/share", "http://host/x", "vscode-remote://x", "C:\\shop"),
    *("/\0", "/nowhere/at/all", "/\ud800", "file:///%00", "file:", "/" + "x" * 70_000),
)
SECTION = "# About\nx\n## Compact Instructions\n{}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that is the top of a repository, with a folder in it."""
    (tmp_path / "outer" / "project" / "shop" / "src").mkdir(parents=True)
    (tmp_path / "outer" / "project" / ".git").mkdir()
    write(tmp_path / "outer" / "AGENTS.md", "of another project")
    return tmp_path / "outer" / "project"


def write(path: Path, words: str) -> Path:
    """Write an instruction file with these words in its section."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SECTION.format(words))
    return path


def texts(workspace: Path | str) -> list[str]:
    """Return the sections found for a folder."""
    return [found.text for found in find_instructions(str(workspace))]


def test_the_files_of_a_project_are_looked_at(project: Path) -> None:
    """P8: from the chat's folder up to the top of its repository, nearest first, and nothing above it."""
    near = write(project / "shop" / "CLAUDE.md", "near")
    write(project / ".github" / "copilot-instructions.md", "sixth")
    write(project / "AGENTS.md", "fifth")
    write(project / "AGENTS.override.md", "fourth")
    write(project / ".claude" / "CLAUDE.md", "third")
    write(project / "CLAUDE.local.md", "second")

    assert find_instructions(str(project / "shop" / "src"))[0] == Instructions(near.as_uri(), "near")
    assert texts(project / "shop" / "src") == ["near", "second", "third", "fourth", "fifth", "sixth"]


def test_a_folder_outside_a_repository_stands_alone(tmp_path: Path) -> None:
    """P8: if no folder above has `.git`, only the chat's own folder is read."""
    write(tmp_path / "AGENTS.md", "above")
    write(tmp_path / "shop" / "AGENTS.md", "here")

    assert texts(tmp_path / "shop") == ["here"]


def test_a_worktree_is_a_repository_too(project: Path) -> None:
    """P8: `.git` may be a file."""
    write(project / "AGENTS.md", "above")
    (project / "shop" / ".git").write_text("gitdir: elsewhere")

    assert texts(project / "shop" / "src") == []


def test_all_that_claude_code_sends_is_known(project: Path, tmp_path: Path) -> None:
    """Rules in a folder, imports within the project, and its own files at any height; nothing out of it."""
    (project / ".claude" / "rules" / "api").mkdir(parents=True)
    (project / ".claude" / "rules" / "api" / "names.md").write_text("in a rule")
    (project / "docs").mkdir()
    (project / "docs" / "style.md").write_text("imported, with @deeper.md")
    (project / "docs" / "deeper.md").write_text("deeper")
    (tmp_path / "secret.md").write_text("secret")
    (project / "CLAUDE.md").write_text(f"See @docs/style.md.\n- @../../secret.md and @{tmp_path}/secret.md, not a@b.c")
    (tmp_path / "CLAUDE.md").write_text("far above")
    (tmp_path / "AGENTS.md").write_text("not read there")
    known = instruction_text(str(project / "shop"), climb=True)

    assert [words in known for words in ("in a rule", "imported", "far above")] == [True] * 3
    assert [words in known for words in ("deeper\n", "\nsecret", "not read there")] == [False] * 3
    assert "far above" not in instruction_text(str(project / "shop"))


def test_a_text_counts_once(project: Path) -> None:
    """P8: the same section in two files, or one file under two names, is found once."""
    write(project / "AGENTS.md", "same")
    write(project / "shop" / "AGENTS.md", "same")
    (project / "CLAUDE.md").symlink_to(project / "AGENTS.md")

    assert texts(project / "shop") == ["same"]


def test_no_link_leads_out_of_the_project(project: Path) -> None:
    """G7: a file elsewhere is not treated as one of the project."""
    (project / "AGENTS.md").symlink_to(write(project.parent / "secret.md", "out"))
    (project / "CLAUDE.md").symlink_to(write(project / "docs" / "rules.md", "in"))

    assert texts(project) == ["in"]


def test_only_small_regular_files_are_read(project: Path) -> None:
    """P8: folders, pipes, broken links and huge files are skipped, and nothing waits for them."""
    (project / "CLAUDE.md").mkdir()
    os.mkfifo(project / "AGENTS.md")
    (project / ".claude").mkdir()
    (project / ".claude" / "CLAUDE.md").symlink_to(project / "nowhere")
    write(project / ".github" / "copilot-instructions.md", "x\n" * (LARGEST_FILE // 2))

    assert texts(project) == []


def test_a_path_that_no_system_has_is_not_climbed(monkeypatch: pytest.MonkeyPatch) -> None:
    """G6: a chat may name a folder of any length, and nothing above such a one is looked at."""
    looked_at: list[str] = []

    def lexists(path: str) -> bool:
        looked_at.append(path)
        return False

    monkeypatch.setattr(os.path, "lexists", lexists)

    assert texts("/a" * 10_000) == []
    assert looked_at == []


@pytest.mark.parametrize("name", ["My Shop", "käse", "a#b"])
def test_a_folder_may_come_as_a_uri(tmp_path: Path, name: str) -> None:
    """P8: hosts name the folder by its path, or by a `file:` or remote URI."""
    write(tmp_path / name / "AGENTS.md", "here")
    uri = (tmp_path / name).as_uri()

    assert texts(tmp_path / name) == ["here"]
    assert texts(uri) == ["here"]
    assert texts(uri.replace("file://", "vscode-remote://ssh-remote%2Bbox")) == ["here"]


@pytest.mark.parametrize("workspace", [None, "", " ", ".", "shop", *NOWHERE])
def test_a_folder_that_is_none_has_no_instructions(workspace: str | None) -> None:
    """G6: blank, relative, on the network, or impossible: nothing is found and nothing raised."""
    assert find_instructions(workspace) == ()
