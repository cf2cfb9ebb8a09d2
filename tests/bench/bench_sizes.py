"""How close the size predicted of a next chat comes to what that chat measures; a folder of sessions may be given.

Each real session is summarized offline, then exported for its own tool, or gone on with in a new session whose first
message is ours. The share within 5 % is the promise; a message that cuts long kept messages short is smaller.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.errors import CompactChatError
from compact_chat.operations import ClientState, Job
from tests.bench.bench_truth import CHATS, sessions
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone

EXPORTS = {"claude-code": ("claude-code", ".jsonl"), "vscode": ("vscode-export", ".json")}  # by tool: form, ending
CLOSE = 0.05


def figures() -> Iterator[Figure]:
    """Measure with the archive and without it."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else CHATS
    if not folder.is_dir():
        print(f"skipped: the collection of real chats is not at {folder}")
        return
    paths = [*sessions(folder), *sorted((folder / "vscode").glob("*.json*"))]
    for archive in ("on", "off"):
        found: dict[str, list[float]] = {}
        with TemporaryDirectory() as home:
            os.environ["HOME"] = os.environ["XDG_STATE_HOME"] = home
            for place, path in enumerate(paths):
                for name, off in differences(path, Path(home) / str(place), archive):
                    found.setdefault(name, []).append(off)
        for name, offs in found.items():
            print(f"{name}, archive {archive}: median {100 * statistics.median(offs):.2g} % (n = {len(offs)})")
            far = 100 * sum(off > CLOSE for off in offs) / len(offs)
            yield f"{name}, archive {archive}: further off than 5 %", far, 15, "%"


def differences(path: Path, folder: Path, archive: str) -> Iterator[tuple[str, float]]:
    """Compact a session in a folder of its own, and compare the prediction with each way to go on."""
    clients = [ClientState() for _ in range(2)]
    for client in clients:
        client.configure({"archive": archive})
    compacting, measuring = (Job(client) for client in clients)
    folder.mkdir()
    old = folder / path.name
    old.write_bytes(path.read_bytes())
    try:
        done = perform_alone("summarize", {"chat": {"uri": old.as_uri()}, "provider": "offline"}, compacting)
    except CompactChatError:  # too short, or nothing to gain
        return
    form, ending = EXPORTS.get(done["tool"], ("", ""))
    new = folder / f"new{ending}"
    if form:
        asked = {"compactionId": done["compactionId"], "as": form, "uri": new.as_uri()}
        perform_alone("export", asked, compacting)
        yield "exported", off(new, done["after"], measuring)
    if form == "claude-code":
        cwd = re.search(rb'"cwd":"([^"]*)"', old.read_bytes())
        record = {
            "type": "user",
            "uuid": "n",
            "parentUuid": None,
            "sessionId": "n",
            "cwd": cwd[1].decode() if cwd else "",
        }
        new.write_text(json.dumps({**record, "message": {"role": "user", "content": done["continuation"]}}) + "\n")
        yield "message", off(new, done["after"], measuring)


def off(path: Path, predicted: int, job: Job) -> float:
    """Return how far the size of a new chat is from the predicted one, as a fraction."""
    used: int = perform_alone("countTokens", {"chat": {"uri": path.as_uri()}}, job)["used"]
    return abs(used / predicted - 1)


if __name__ == "__main__":
    sys.exit(judged(figures()))
