"""What is beyond the limits comes back to the editor that sent it, and disturbs no other."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editors.driven import Driven, check
from tests.servers.wire_client import SERVE


@pytest.mark.parametrize("name", ["neovim", "node"], indirect=True)
def test_a_request_beyond_a_limit_is_answered(editor: Driven) -> None:
    """Wherever an editor writes a request's id, Neovim from 0.10 on behind the params, the refusal comes under it."""
    deep: Any = []
    for _ in range(200):
        deep = [deep]

    assert editor.error("compactChat/countTokens", {"chat": {"messages": deep}})["data"] == {"kind": "tooLarge"}
    assert editor.wire.answers(None) == []


@pytest.mark.parametrize("name", ["emacs", "neovim"], indirect=True)
def test_a_huge_file_may_be_open(name: str, run: Callable[..., Driven], tmp_path: Path) -> None:
    """An editor that tells the text of the file that it has open, beyond a limit, gets no answer to that."""
    huge = tmp_path / "huge.jsonl"
    huge.write_text(json.dumps({"role": "user", "content": "," * 4_200_000}))
    editor = run(name)
    editor.start(huge, editor.wire.tapped(SERVE))

    assert editor.call("compactChat/countTokens", {"chat": {"text": "One oven."}})["used"] > 0
    editor.close()
    check(editor.wire)
    assert "rror" not in editor.log()
