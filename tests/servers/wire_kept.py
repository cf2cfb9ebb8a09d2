"""What the fuzzer's servers find on disk: a state folder of their own, a chat, and archived compactions."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from compact_chat.chat import JsonObject
from tests.servers.wire_client import WireClient

ROOM = tempfile.TemporaryDirectory(prefix="compact-chat-fuzz-")
STATE, FILES, EXPORTS = (Path(ROOM.name).resolve() / name for name in ("state", "files", "exports"))
for folder in (STATE, FILES, EXPORTS):
    folder.mkdir()
CHAT = FILES / "bakery.jsonl"
shutil.copyfile(Path(__file__).resolve().parents[2] / "examples" / "bakery.jsonl", CHAT)
THERE, OLD = EXPORTS / "there.md", b"written long ago"
THERE.write_bytes(OLD)
# The archive stays small, so that late examples take no longer than early ones.
USUAL = {"settings": {"compactChat": {"archiveLimit": 1_000_000}}}
TURNS = [
    {"role": ("user", "assistant")[n % 2], "content": f"Shelf {n} holds {n * 7} trays of rye bread until day {n}. " * 9}
    for n in range(12)
]
TEXT = "\n\n".join(f"## {turn['role'].title()}\n\n{turn['content']}" for turn in TURNS)
# Starts a server with that state, and without the user's API key, even when run as a script.
BEGIN = """
import os, runpy, sys
os.environ["XDG_STATE_HOME"] = os.environ["LOCALAPPDATA"] = sys.argv.pop(1)
for name in [name for name in os.environ if name.startswith("ANTHROPIC_")]:
    del os.environ[name]
"""
RUN = 'runpy.run_module("compact_chat", run_name="__main__", alter_sys=True)'
SERVE_HERE = (sys.executable, "-c", BEGIN + RUN, str(STATE), "serve")


class Kept(NamedTuple):
    """An archived compaction: its id, its chat's bytes by hash, and its messages if known."""

    id: str
    sha256: str
    messages: list[JsonObject] | None


@cache
def kept() -> tuple[Kept, ...]:
    """Compact a chat in a file, one in messages and one in a text, into a folder of their own."""
    chats: list[tuple[JsonObject, bytes, list[JsonObject] | None]] = [
        ({"uri": CHAT.as_uri()}, CHAT.read_bytes(), None),
        ({"text": TEXT}, TEXT.encode(), None),
        ({"messages": TURNS}, b"", TURNS),
    ]
    client = WireClient(SERVE_HERE)
    try:
        client.initialize()
        archive = {"compactChat": {"archive": str(FILES / "archive")}}
        client.notify("workspace/didChangeConfiguration", {"settings": archive})
        return tuple(_made(client, *one) for one in chats)
    finally:
        client.close()


def _made(client: WireClient, chat: JsonObject, data: bytes, messages: list[JsonObject] | None) -> Kept:
    made = client.call("compactChat/summarize", {"chat": chat, "provider": "offline"})
    place = Path(made["archive"].rpartition("/")[2])
    if messages is None:
        assert place.name == hashlib.sha256(data).hexdigest()
    else:
        assert json.loads((FILES / "archive" / "originals" / place).read_bytes()) == messages
    return Kept(made["compactionId"], place.name, messages)


def tidy() -> None:
    """Remove exports; what was there before must be unchanged."""
    assert THERE.read_bytes() == OLD
    for path in EXPORTS.iterdir():
        if path != THERE:
            path.unlink(missing_ok=True)
    shutil.rmtree(STATE / "compact-chat" / "exports", ignore_errors=True)
