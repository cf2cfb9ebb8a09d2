"""Editors receive progress exactly as they declared and requested it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editors.driven import Driven
from tests.servers.wire_client import SERVE


@pytest.mark.parametrize("way", ["request", "command"])
def test_progress_and_text_go_to_the_tokens_that_were_given(editor: Driven, chat: Path, way: str) -> None:
    """Every editor can supply tokens: one for work from `begin` to `end`, one for the summary's text."""
    params = {"chat": {"uri": chat.as_uri()}, "workDoneToken": f"mine {way}", "partialResultToken": f"text {way}"}
    if way == "request":
        done = editor.call("compactChat/summarize", params)
    else:
        done = editor.command("compactChat.summarize", params)

    reported = editor.progress(f"mine {way}")
    shares = [one["percentage"] for one in reported if "percentage" in one]
    assert [reported[0]["kind"], reported[-1]["kind"]] == ["begin", "end"]
    assert {one["kind"] for one in reported[1:-1]} <= {"report"}
    assert shares == sorted(shares)
    text = editor.progress(f"text {way}")
    assert {one["kind"] for one in text} == {"text"}
    assert "".join(one["text"] for one in text).strip().splitlines()[-1] in done["summary"]


@pytest.mark.parametrize("name", ["neovim"], indirect=True)
def test_neovim_shows_what_is_being_done(editor: Driven, chat: Path) -> None:
    """Neovim's status line shows the name of the operation."""
    before = len(editor.seen("shown"))
    editor.call("compactChat/summarize", {"chat": {"uri": chat.as_uri()}, "workDoneToken": "shown"})

    assert any("Compact Chat: summarize" in one["text"] for one in editor.seen("shown")[before:])


def test_who_declared_nothing_is_asked_nothing(run: Callable[..., Driven], chat: Path, large: Path) -> None:
    """A client without progress support, which would refuse to create a token, is sent none for long work."""
    editor = run("node")
    editor.start(chat, editor.wire.tapped(SERVE), capabilities={})
    editor.call("compactChat/countTokens", {"chat": {"uri": large.as_uri()}})

    assert [one for one in editor.wire.reported() if "method" in one] == []
