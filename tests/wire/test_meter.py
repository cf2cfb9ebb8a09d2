"""The meter over the wire: whose window, the host's own meter, the biggest things, and what is remembered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers.wire_client import WireClient

COUNT = "compactChat/countTokens"
CHAT = {
    "messages": [
        {"role": "user", "content": "Count the shelves. " * 40},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": "src/shelf.py"}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "trays = 4\n" * 90}]},
    ]
}


def test_the_biggest_things_come_where_they_are_asked_for(real: WireClient) -> None:
    """As a request and as a command: four lists, each of which sums to `used`."""
    report = real.call(COUNT, {"chat": CHAT, "biggest": 2})
    command = {"command": "compactChat.countTokens", "arguments": [{"chat": CHAT, "biggest": 2}]}

    assert real.call("workspace/executeCommand", command) == report
    assert list(report["breakdown"]) == ["biggest", "messages", "tools", "files"]
    for things in report["breakdown"].values():
        assert sum(thing["tokens"] for thing in things) == report["used"]
    assert report["breakdown"]["files"][0] | {"tokens": 0, "percent": 0} == {
        "kind": "file",
        "name": "src/shelf.py",
        "tokens": 0,
        "percent": 0,
        "messages": report["breakdown"]["tools"][0]["messages"],
    }


@pytest.mark.parametrize("wrong", [0, -3, 1001, 2.5, "12", [], True])
def test_a_number_of_things_is_checked(real: WireClient, wrong: Any) -> None:
    """What is no whole number from 1 to 1,000 is told by its path."""
    error = real.error(COUNT, {"chat": CHAT, "biggest": wrong})

    assert error["code"] == -32602
    assert [problem["path"] for problem in error["data"]["problems"]] == ["$.biggest"]


def test_nulls_are_written(real: WireClient) -> None:
    """A chat of no tool has no meter of the host's, and an unknown window says so."""
    report = real.call(COUNT, {"chat": CHAT, "biggest": None})

    assert (report["hostMeter"], report["window"], report["windowBasis"]) == (None, 200_000, "default")
    assert "breakdown" not in report


def test_a_window_comes_from_whoever_may_tell_it(own: WireClient) -> None:
    """A setting beats the table, and a param the setting; a setting of a wrong shape is none."""

    def window(**params: Any) -> tuple[int, str]:
        report = own.call(COUNT, {"chat": CHAT, "model": "openai/gpt-5", **params})
        return report["window"], report["windowBasis"]

    assert window() == (272_000, "table")
    own.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {"windows": {"gpt-5": 90_000}}}})
    assert window() == (90_000, "setting")
    assert window(window=5_000) == (5_000, "setting")
    own.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {"windows": {"gpt-5": "wide"}}}})
    assert window() == (272_000, "table")


def test_what_is_remembered_is_switched_on_by_a_setting(own: WireClient, bakery: Path) -> None:
    """Off, counting a recorded chat writes nothing; on, two numbers for its family."""
    from compact_chat.disk import state_folder

    folder, chat = state_folder(), {"chat": {"uri": bakery.as_uri()}}
    assert folder is not None
    file = folder / "ratios.json"
    file.unlink(missing_ok=True)
    cold = own.call(COUNT, chat)
    assert not file.exists()

    own.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {"rememberRatio": True}}})
    own.call(COUNT, chat)
    assert list(json.loads(file.read_text("utf-8"))) == ["claude"]

    own.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {"rememberRatio": "yes"}}})
    assert own.call(COUNT, chat) == cold
