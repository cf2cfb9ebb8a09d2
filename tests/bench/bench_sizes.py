"""How close the size predicted of a next chat comes to what that chat measures; a folder of sessions may be given.

Each real session is summarized offline, with its usual tail and with a long one. Then it goes on in each way: in a new
chat of its tool that our message opens, with its messages spliced by a host, and exported where its tool reads that.
The share within 5 % is the promise. Counts of messages and turns are compared too: sessions hold what tools add.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.chat import Chat, JsonObject
from compact_chat.errors import CompactChatError
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.chats import chat_of
from tests.bench.bench_truth import CHATS
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone
from tests.samples.session_files import WRITERS, lines

EXPORTS = {"claude-code": ("claude-code", ".jsonl"), "vscode": ("vscode-export", ".json")}  # by tool: form, ending
TAILS = (4, 20)
CLOSE = 0.05
LIMITS = {"on": 3, "off": 15}  # percent of the chats; without the archive nothing knows how a chat was begun


class Found(NamedTuple):
    """How one way to go on came out: off by a share, and by so many messages and turns of the user."""

    way: str
    tool: str
    off: float
    messages: int
    turns: int


def figures() -> Iterator[Figure]:
    """Measure with the archive and without it."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else CHATS
    if not folder.is_dir():
        print(f"skipped: the collection of real chats is not at {folder}")
        return
    paths = list(real(folder))
    for archive, limit in LIMITS.items():
        found: list[Found] = []
        with TemporaryDirectory() as home:
            os.environ["HOME"] = os.environ["XDG_STATE_HOME"] = home
            for place, (path, tail) in enumerate((path, tail) for path in paths for tail in TAILS):
                found += differences(path, Path(home) / str(place), archive, tail)
        for way, tool in sorted({one[:2] for one in found}):
            own = [one for one in found if one[:2] == (way, tool)]
            messages, turns = Counter(one.messages for one in own), Counter(one.turns for one in own)
            print(
                f"{way} in {tool}, archive {archive}: median {100 * statistics.median(one.off for one in own):.2g} %,"
            )
            print(f"  n = {len(own)}; by how many more messages: {dict(messages)}, and turns: {dict(turns)}")
        for way in sorted({one.way for one in found}):
            offs = [one.off for one in found if one.way == way]
            far = 100 * sum(off > CLOSE for off in offs) / len(offs)
            yield f"{way} (n = {len(offs)}), archive {archive}: further off than 5 %", far, limit, "%"


def real(folder: Path) -> Iterator[Path]:
    """Yield the sessions of tools that a person continues; those of agents, and made ones, are none."""
    listed = json.loads((folder / "manifest.json").read_text())["files"] if folder == CHATS else []
    kinds = ("real", "derived")
    names = [one["file"] for one in listed if one["kind"] in kinds and not one.get("truth_note")]
    for path in map(folder.joinpath, names) if names else sorted(folder.rglob("*.json*")):
        if "subagents" not in path.parts and path.suffix in (".json", ".jsonl"):
            yield path


def differences(path: Path, folder: Path, archive: str, tail: int) -> Iterator[Found]:
    """Compact a session in a folder of its own, and compare the prediction with each way to go on."""
    clients = [ClientState() for _ in range(2)]
    for client in clients:
        client.configure({"archive": archive})
    compacting, measuring = (Job(client) for client in clients)
    folder.mkdir()
    old = folder / path.name
    old.write_bytes(path.read_bytes())
    asked = {"chat": {"uri": old.as_uri()}, "options": {"minKeep": tail}, "provider": "offline"}
    try:
        chat = chat_of(ChatRef(uri=old.as_uri()))
        done = perform_alone("summarize", {**asked, "include": ["messages"]}, compacting)
    except CompactChatError:  # no chat, too short, or nothing to gain
        return
    if chat.tool not in WRITERS:
        return
    ways = done["nextChat"]

    def came(way: str, given: JsonObject, predicted: JsonObject, turns: int) -> Found:
        report = perform_alone("countTokens", {"chat": given}, measuring)
        begun = chat_of(ChatRef(**given)).messages
        off = abs(report["used"] / predicted["tokens"] - 1)
        typed = sum(bool(one.typed_text) for one in begun)
        return Found(way, chat.tool, off, len(begun) - predicted["messages"], typed - turns)

    new = message_file(chat, old, done["continuation"], folder)
    yield came("message", {"uri": new.as_uri()}, ways["continuation"], turns=0)
    new.unlink()
    preview = perform_alone("preview", {name: asked[name] for name in ("chat", "options")}, compacting)
    stays = {one["id"] for one in preview["messages"] if one["fate"] == "keep"}
    turns = sum(bool(one.typed_text) for one in chat.messages if one.id in stays)
    if archive == "on":  # messages alone say nothing of how a chat began
        yield came("spliced", {"messages": done["messages"], "tool": chat.tool}, ways["messages"], turns)
    if form := EXPORTS.get(chat.tool):
        new = folder / f"new{form[1]}"
        to_file = {"compactionId": done["compactionId"], "as": form[0], "uri": new.as_uri()}
        result = perform_alone("export", to_file, compacting)
        predicted = {**ways["messages"], "messages": result["messages"]}
        yield came("exported", {"uri": new.as_uri()}, predicted, turns)


def message_file(chat: Chat, old: Path, message: str, folder: Path) -> Path:
    """Write a new chat of the same tool that begins with a message, with what the tool says before it."""
    made = WRITERS[chat.tool](folder, 1, message, chat.workspace or "/home/ada/shop")
    new = folder / f"message{made.suffix}"
    made.rename(new)
    if chat.tool == "codex":
        records = map(json.loads, old.read_text("utf-8", "replace").splitlines())
        head = [one for one in takewhile(lambda one: not is_typed(one), records) if one["type"] != "event_msg"]
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": message}]}
        new.write_text(lines(*head, {"type": "response_item", "payload": item}))
    return new


def is_typed(record: JsonObject) -> bool:
    """Tell whether a record of Codex is something that a person typed."""
    payload = record.get("payload") or {}
    is_user = payload.get("type") == "message" and payload["role"] == "user"
    return is_user and not payload["content"][0].get("text", "").startswith(("# AGENTS", "<"))


if __name__ == "__main__":
    sys.exit(judged(figures()))
