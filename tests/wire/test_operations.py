"""The operations of the server as it is shipped, as requests and as commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compact_chat.disk import path_of
from tests.samples.odd_files import ODD_FILES, uri_of
from tests.servers.processes import needs_proc
from tests.servers.wire_client import SERVE, WireClient


def chat(rounds: int) -> dict[str, Any]:
    """A chat that is worth compacting, of about a kilobyte a round."""
    messages = [{"role": "user", "content": "Count the shelves."}]
    for n in range(rounds):
        messages += [
            {"role": "assistant", "content": f"Shelf {n} holds {n * 7} trays. " * 30},
            {"role": "user", "content": f"Good, now shelf {n + 1}, and keep the limit of {n + 40} trays."},
        ]
    return {"messages": messages}


def ways(name: str, params: Any) -> list[tuple[str, Any]]:
    """An operation as the request and as the command."""
    return [
        (f"compactChat/{name}", params),
        ("workspace/executeCommand", {"command": f"compactChat.{name}", "arguments": [params]}),
    ]


def test_request_and_command_give_the_same(real: WireClient) -> None:
    """Both ways to ask have one answer, plan included."""
    asked, reported = (real.call(*way) for way in ways("preview", {"chat": chat(8), "options": {"minKeep": 2}}))

    assert asked == reported
    for way in ways("transcript", {"chat": chat(8), "ids": ["m5"]}):
        assert [one["index"] for one in real.call(*way)["messages"]] == [5]
    for way in ways("summarize", {"planId": asked["planId"]}):
        assert real.call(*way)["planId"] == asked["planId"]


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
    restored = own.call("compactChat/restore", {"compactionId": past["compactionId"], "include": ["compaction"]})
    target = tmp_path / "page.md"
    wanted = {"compactionId": past["compactionId"], "as": "markdown", "uri": target.as_uri()}
    exported = own.call("workspace/executeCommand", {"command": "compactChat.export", "arguments": [wanted]})
    text = own.call("compactChat/transcript", {"compactionId": past["compactionId"]})

    assert restored["compaction"] == made
    assert text == own.call("compactChat/transcript", {"chat": {"uri": bakery.as_uri()}})
    assert Path(path_of(restored["archive"])).read_bytes() == bakery.read_bytes()
    sizes = {"bytes": target.stat().st_size, "tokens": None, "messages": None}
    assert exported == {"uri": target.as_uri(), **sizes}
    assert own.error("compactChat/export", wanted)["data"] == {"kind": "fileExists", "uri": target.as_uri()}


@needs_proc
def test_files_that_are_no_chats_are_refused_and_hold_up_nothing(real: WireClient, tmp_path: Path) -> None:
    """Pipes, devices, folders, loops, lying and endless files at once: one answer each, of the right kind."""
    names = ("absent", "pipe", "socket", "folder", "/dev/zero", "link-loop", "a-terabyte", "/proc/self/status", "empty")
    uris = {name: uri_of(name, tmp_path) for name in names}
    asked = {real.start("compactChat/preview", {"chat": {"uri": uri}}): name for name, uri in list(uris.items()) * 3}
    sound = real.start("compactChat/countTokens", {"chat": chat(5)})

    assert real.answer(sound)["result"]["messageCount"] == 11
    for number, name in asked.items():
        data = real.answer(number)["error"]["data"]
        assert (data["kind"], data["uri"]) == (ODD_FILES[name][0], uris[name])
        assert len(real.answers(number)) == 1
