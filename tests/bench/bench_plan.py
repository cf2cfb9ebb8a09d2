"""The cost of planning a chat of a million tokens: previews of a known chat, and a summary written offline.

A summary of real chats is compared with what it cannot do without: reading, counting and masking them.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script is imported from its own folder only

from compact_chat.operations import ClientState, Job
from compact_chat.read import Source, earlier, read_chat
from compact_chat.redact import Redactor
from compact_chat.resume import as_anthropic
from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone

SIZE = 8_500_000  # bytes of a session file of a million tokens
WARM, TIMES_COUNTED = 150, 3.3  # milliseconds; twice the count is the goal, not reached yet
ROUNDS = 7
CHATS = Path(__file__).resolve().parents[3] / "shared" / "chats"
LARGEST, TIMES_NEEDED = 5, 2.0  # real sessions; 1.6 is the goal, not reached yet
Chat = dict[str, Any]


def figures() -> Iterator[Figure]:
    """Measure a preview with everything cached, and a summary with nothing cached: of a file, and of messages."""
    with TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # the archive is deleted with the rest
        path = claude(Path(folder) / "session.jsonl", SIZE)
        messages = as_anthropic(read_chat(Source.of_bytes(path.read_bytes(), path.name)).messages)
        bare = [{"role": one["role"], "content": one["content"]} for one in messages]
        for name, chat in (("a file", {"uri": path.as_uri()}), ("messages", {"messages": bare})):
            perform_alone("summarize", {"chat": chat, "provider": "offline"}, Job(ClientState()))  # loads every module
            client = ClientState()
            perform_alone("preview", {"chat": chat}, Job(client))
            again = [seconds("preview", {"chat": chat, "options": {"minKeep": 5 + n}}, client) for n in range(ROUNDS)]
            yield f"preview of a known chat, as {name}", 1000 * statistics.median(again), WARM, "ms"
            times = statistics.median(summary_beside_count(chat) for _ in range(ROUNDS))
            yield f"offline summary of a new chat, as {name} / counting it", times, TIMES_COUNTED, "x"


def real_figures() -> Iterator[Figure]:
    """Measure summaries of the largest real sessions beside reading, counting and masking them."""
    sessions = sorted(CHATS.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    with TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        spent = needed = 0.0
        for path in [path for path in sessions if "broken" not in path.parts][-LARGEST:]:
            chat = {"uri": path.as_uri()}
            asked = {"chat": chat, "provider": "offline"}
            needed += min(seconds("countTokens", {"chat": chat}, ClientState()) + masked(path) for _ in range(ROUNDS))
            spent += min(seconds("summarize", asked, ClientState()) for _ in range(ROUNDS))
        yield "offline summary of real chats / reading, counting and masking", spent / needed, TIMES_NEEDED, "x"


def masked(path: Path) -> float:
    """Time reading what a session's own compactions replaced, and masking the whole record."""
    source = Source.of_bytes(path.read_bytes(), path.name)
    chat, clean = read_chat(source), Redactor()
    began = time.process_time()
    replaced = [message for segment in earlier(source, chat) for message in segment.messages]
    clean.learn([*chat.messages, *replaced])
    clean.messages([*chat.messages, *replaced])
    return time.process_time() - began


def summary_beside_count(chat: Chat) -> float:
    """Count a chat and summarize it, each on a fresh client; return the ratio."""
    counted = seconds("countTokens", {"chat": chat}, ClientState())
    return seconds("summarize", {"chat": chat, "provider": "offline"}, ClientState()) / counted


def seconds(operation: str, params: Chat, client: ClientState) -> float:
    """Time an operation by CPU time: other programs may share the machine, and nothing waits here."""
    began = time.process_time()
    perform_alone(operation, params, Job(client))
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(judged([*figures(), *(real_figures() if CHATS.is_dir() else ())]))
