"""What one server kept, another one finds, by requests and by commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compact_chat.disk import path_of
from tests.servers.wire_client import SERVE, WireClient


def test_another_server_finds_what_one_that_was_killed_has_kept(own: WireClient, bakery: Path, tmp_path: Path) -> None:
    """History, restore, transcript and export need nothing of the server that compacted the chat."""
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(bakery.read_bytes())
    killed = WireClient(SERVE)
    killed.initialize()
    made = killed.call("compactChat/summarize", {"chat": {"uri": chat.as_uri()}, "provider": "offline"})
    killed.process.kill()
    killed.close()

    (past,) = own.call("compactChat/history", {"chat": {"uri": chat.as_uri()}})["compactions"]
    restored = own.call("compactChat/restore", {"compactionId": past["compactionId"]})
    target = tmp_path / "page.md"
    wanted = {"compactionId": past["compactionId"], "as": "markdown", "uri": target.as_uri()}
    exported = own.call("workspace/executeCommand", {"command": "compactChat.export", "arguments": [wanted]})

    shown = own.call("compactChat/restore", {"compactionId": past["compactionId"], "include": ["compaction"]})
    text = own.call("compactChat/transcript", {"compactionId": past["compactionId"]})

    assert past["compactionId"] == made["compactionId"]
    assert shown["compaction"] == made
    assert text == own.call("compactChat/transcript", {"chat": {"uri": bakery.as_uri()}})
    assert restored["archive"] == made["archive"]
    assert Path(path_of(restored["archive"])).read_bytes() == bakery.read_bytes()
    assert exported == {"uri": target.as_uri(), "bytes": target.stat().st_size}
    assert error(own, "export", wanted) == (-32048, {"kind": "fileExists", "uri": target.as_uri()})


def test_failures_have_their_codes(real: WireClient, bakery: Path) -> None:
    """−32049 for an id of nothing, −32044 where a chat records no compaction, −32602 for a form that is none."""
    unknown = {"compactionId": "none"}

    assert error(real, "restore", unknown) == (-32049, {"kind": "compactionNotFound"})
    assert error(real, "transcript", unknown) == (-32049, {"kind": "compactionNotFound"})
    assert error(real, "export", {**unknown, "as": "json"}) == (-32049, {"kind": "compactionNotFound"})
    nothing = {"kind": "nothingToCompact", "recorded": False}
    assert error(real, "check", {"chat": {"uri": bakery.as_uri()}}) == (-32044, nothing)
    code, data = error(real, "export", {**unknown, "as": "pdf"})
    assert (code, [problem["path"] for problem in data["problems"]]) == (-32602, ["$.as"])


def test_a_check_over_the_wire(real: WireClient, bakery: Path) -> None:
    """A summary is held against a chat; all three members of the result are there."""
    found = real.call("compactChat/check", {"chat": {"uri": bakery.as_uri()}, "summary": "Summary:\nDiscount codes."})

    assert set(found) == {"survival", "warnings", "continuation"}
    assert 0 <= found["survival"]["kept"] < 1


def error(client: WireClient, name: str, params: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """The code and the data of the error that a request gets."""
    found = client.error(f"compactChat/{name}", params)
    return found["code"], found["data"]
