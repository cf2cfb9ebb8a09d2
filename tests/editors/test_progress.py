"""Editors hear how far an operation is as they declared it and asked for it, and never otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editors.driven import Driven
from tests.servers.wire_client import SERVE

WAYS = ["request", "command"]


def summarize(editor: Driven, way: str, params: dict[str, Any]) -> Any:
    """Summarize both ways that there are."""
    if way == "request":
        return editor.call("compactChat/summarize", params)
    return editor.command("compactChat.summarize", params)


@pytest.mark.parametrize("way", WAYS)
def test_progress_goes_to_the_token_that_was_given(editor: Driven, chat: Path, way: str) -> None:
    """Every editor can give a token, and hears of it from `begin` over rising shares to `end`, before the answer."""
    token = f"mine {way}"
    summarize(editor, way, {"chat": {"uri": chat.as_uri()}, "workDoneToken": token})

    told = editor.progress(token)
    shares = [one["percentage"] for one in told if "percentage" in one]
    assert [told[0]["kind"], told[-1]["kind"]] == ["begin", "end"]
    assert {one["kind"] for one in told[1:-1]} <= {"report"}
    assert shares == sorted(shares)


@pytest.mark.parametrize("way", WAYS)
def test_text_streams_to_whom_asked_for_it(editor: Driven, chat: Path, way: str) -> None:
    """A partial result token brings the text of the summary piece by piece, and disturbs no editor."""
    token = f"text {way}"
    done = summarize(editor, way, {"chat": {"uri": chat.as_uri()}, "partialResultToken": token})

    told = editor.progress(token)
    text = "".join(one["text"] for one in told)
    assert {one["kind"] for one in told} == {"text"}
    assert text.strip().splitlines()[-1] in done["summary"]


def test_short_work_does_not_flicker(editor: Driven) -> None:
    """Work that is done in a moment shows nothing that nobody asked for."""
    since = len(editor.wire.told())
    editor.call("compactChat/format", {"text": "<summary>Baked.</summary>"})

    assert [one for one in editor.wire.told()[since:] if "method" in one] == []


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
