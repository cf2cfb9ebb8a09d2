"""The configuration that docs/editors.md gives for each editor works as written."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editors.driven import DRIVERS, Driven, require
from tests.servers.wire_client import SERVE

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "editors.md"


def snippets(language: str, page: Path = PAGE) -> list[str]:
    """Find a page's code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def neovim_minor() -> int:
    """Return the minor version of the installed Neovim."""
    shown = subprocess.run(["nvim", "--version"], capture_output=True, text=True, check=True).stdout
    return int(shown.partition("v0.")[2].partition(".")[0])


@pytest.fixture(autouse=True)
def installed(tmp_path: Path) -> None:
    """The installed command `compact-chat`, as the editors' user has it."""
    command = tmp_path / "bin" / "compact-chat"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {shlex.join(SERVE[:-1])} "$@"\n')
    command.chmod(0o755)


def test_neovim_is_configured_as_the_page_says(run: Callable[..., Driven], tmp_path: Path, chat: Path) -> None:
    """The block for this version of Neovim, as the user's `init.lua`, connects, and a request is answered."""
    require("neovim")
    newer, older = snippets("lua")
    (tmp_path / "init.lua").write_text(snippet := newer if neovim_minor() >= 11 else older)
    driver = f"luafile {DRIVERS / 'neovim.lua'}"
    editor = run("neovim", "nvim", "--headless", "-u", str(tmp_path / "init.lua"), str(chat), "-c", driver)
    editor.adopt(chat)

    question = snippet.rpartition("-- :")[2].strip()
    assert re.search(r"used = \d+", editor.evaluate(f"vim.fn.execute([[{question}]])"))


def test_emacs_is_configured_as_the_page_says(run: Callable[..., Driven], tmp_path: Path, chat: Path) -> None:
    """The block as the user's `init.el` connects Emacs with `M-x eglot`, and a request is answered."""
    [snippet] = snippets("elisp")
    (tmp_path / "init.el").write_text(snippet)
    editor = run("emacs", "emacs", "--batch", "--load", str(tmp_path / "init.el"), "--load", str(DRIVERS / "emacs.el"))
    editor.adopt(chat)

    command = snippet.rpartition("M-x ")[2].strip()
    assert re.fullmatch(r"\d+ of \d+ tokens", editor.evaluate(f"(call-interactively #'{command})"))


def test_the_readme_shows_the_block_for_the_newest_neovim() -> None:
    """The README repeats the first block, so it is tested too."""
    assert snippets("lua", ROOT / "README.md") == snippets("lua")[:1]
