"""Editors hear how far an operation is as they declared it and asked for it, and never otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editors.driven import Driven
from tests.servers.wire_client import SERVE


@pytest.mark.parametrize("way", ["request", "command"])
def test_progress_and_text_go_to_the_tokens_that_were_given(editor: Driven, chat: Path, way: str) -> None:
    """Every editor can give tokens: one for work from `begin` to `end`, one for the summary's text."""
    params = {"chat": {"uri": chat.as_uri()}, "workDoneToken": f"mine {way}", "partialResultToken": f"text {way}"}
    if way == "request":
        done = editor.call("compactChat/summarize", params)
    else:
        done = editor.command("compactChat.summarize", params)

    told = editor.progress(f"mine {way}")
    shares = [one["percentage"] for one in told if "percentage" in one]
    assert [told[0]["kind"], told[-1]["kind"]] == ["begin", "end"]
    assert {one["kind"] for one in told[1:-1]} <= {"report"}
    assert shares == sorted(shares)
    text = editor.progress(f"text {way}")
    assert {one["kind"] for one in text} == {"text"}
    assert "".join(one["text"] for one in text).strip().splitlines()[-1] in done["summary"]


@pytest.mark.parametrize("name", ["neovim"], indirect=True)
def test_neovim_shows_what_is_being_done(editor: Driven, chat: Path) -> None:
    """What a status line of Neovim shows names the operation."""
    before = len(editor.seen("shown"))
    editor.call("compactChat/summarize", {"chat": {"uri": chat.as_uri()}, "workDoneToken": "shown"})

    assert any("Compact Chat: summarize" in one["text"] for one in editor.seen("shown")[before:])


def test_who_declared_nothing_is_asked_nothing(run: Callable[..., Driven], chat: Path, large: Path) -> None:
    """A client that knows no progress, and would refuse to make a token for it, hears nothing of long work."""
    editor = run("node")
    editor.start(chat, editor.wire.tapped(SERVE), capabilities={})
    editor.call("compactChat/countTokens", {"chat": {"uri": large.as_uri()}})

    assert [one for one in editor.wire.told() if "method" in one] == []
