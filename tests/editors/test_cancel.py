"""What an editor cancels ends at once: its answer, its progress and the work behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.editors.driven import Driven
from tests.servers.processes import children, needs_proc, seconds_until_quiet

CANCELLED = (-32800, {"kind": "cancelled"})
DECLARING = ["neovim", "node"]  # eglot 1.9 shows no progress, so there is no progress bar to cancel


def begin(editor: Driven, large: Path, way: str = "request", **tokens: str) -> tuple[int, Any]:
    """Have the editor request long work; return its number, and the progress token once work is reported on it."""
    before = len(editor.seen("progress"))
    params = {"chat": {"uri": large.as_uri()}, **tokens}
    command = {"command": "compactChat.summarize", "arguments": [params]}
    ways: dict[str, tuple[str, Any]] = {
        "request": ("compactChat/summarize", params),
        "command": ("workspace/executeCommand", command),
    }
    number = editor.ask(*ways[way])
    editor.until(lambda _: any(one["value"]["kind"] == "report" for one in editor.seen("progress")[before:]))
    return number, editor.seen("progress")[-1]["token"]


def check_cancelled(editor: Driven, token: Any) -> None:
    """Check that the last request has one answer, after its progress, that work stops, and the next request runs."""
    under = [one["id"] for one in editor.wire.asked() if "id" in one and "method" in one][-1]
    [answer] = editor.wire.until(lambda: editor.wire.answers(under))
    assert (answer["error"]["code"], answer["error"]["data"]) == CANCELLED

    [tap] = children(editor.process.pid)
    [server] = children(tap)
    seconds_until_quiet(server)
    assert "Baked" in editor.call("compactChat/format", {"text": "<summary>Baked.</summary>"})["summary"]

    messages = editor.wire.reported()
    at = messages.index(answer)
    reported = [one["params"] for one in messages[:at] if one.get("method") == "$/progress"]
    assert reported[-1] == {"token": token, "value": {"kind": "end"}}
    assert [one.get("method") for one in messages[at + 1 :]] == [None]
    assert len(editor.wire.answers(under)) == 1


@needs_proc
@pytest.mark.parametrize("way", ["request", "command"])
def test_cancelling_ends_the_work(editor: Driven, large: Path, way: str) -> None:
    """`$/cancelRequest`, as each editor sends it, cancels a request and a command."""
    number, token = begin(editor, large, way, workDoneToken=f"cancel {way}")
    editor.say("cancel", number=number)

    check_cancelled(editor, token)


@needs_proc
def test_the_progress_bar_cancels_too(editor: Driven, large: Path) -> None:
    """`window/workDoneProgress/cancel` with the editor's own token does the same."""
    _, token = begin(editor, large, workDoneToken="bar")
    editor.say("notify", method="window/workDoneProgress/cancel", params={"token": token})

    check_cancelled(editor, token)


@needs_proc
@pytest.mark.parametrize("name", DECLARING, indirect=True)
def test_a_bar_of_the_servers_cancels_too(editor: Driven, large: Path) -> None:
    """Without a token from the editor, long work shows on a token of the server, which can be cancelled too."""
    _, token = begin(editor, large)
    assert token in editor.wire.tokens("window/workDoneProgress/create")
    assert editor.progress(token)[0]["kind"] == "begin"
    editor.say("notify", method="window/workDoneProgress/cancel", params={"token": token})

    check_cancelled(editor, token)
