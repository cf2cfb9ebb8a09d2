"""What a plan of a chat of a million tokens costs: previews of a known chat, and a summary written offline."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from compact_chat.operations.desk import Desk
from compact_chat.operations.perform import perform_alone
from compact_chat.operations.work import Work
from compact_chat.read.formats import read_chat
from compact_chat.read.source import Source
from compact_chat.resume.shapes import as_anthropic
from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged

SIZE = 8_500_000  # bytes of a session file of a million tokens
WARM, TIMES_COUNTED = 150, 2.0
ROUNDS = 7
Chat = dict[str, Any]


def figures() -> Iterator[Figure]:
    """The chat as a file and as messages."""
    with TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # what is archived goes with the rest
        for name, chat in chats(Path(folder)).items():
            perform_alone("summarize", {"chat": chat, "provider": "offline"}, Desk(), Work())  # loads what is needed
            yield f"preview of a known chat, as {name}", preview_again(chat), WARM, "ms"
            yield (
                f"offline summary of a new chat, as {name} / counting it",
                summary_beside_count(chat),
                TIMES_COUNTED,
                "x",
            )


def chats(folder: Path) -> dict[str, Chat]:
    """Write a session, and give it in two ways."""
    path = claude(folder / "session.jsonl", SIZE)
    read = read_chat(Source.of_bytes(path.read_bytes(), path.name))
    said = [{"role": message["role"], "content": message["content"]} for message in as_anthropic(read.messages)]
    return {"a file": {"uri": path.as_uri()}, "messages": {"messages": said}}


def preview_again(chat: Chat) -> float:
    """Preview a chat once, and then with other options again and again; give the median of the milliseconds."""
    desk = Desk()
    known = perform_alone("preview", {"chat": chat}, desk, Work())
    print(f"{known['before']:,} tokens in {len(known['messages'])} messages")
    return 1000 * statistics.median(
        seconds("preview", {"chat": chat, "options": {"minKeep": 5 + number}}, desk) for number in range(ROUNDS)
    )


def summary_beside_count(chat: Chat) -> float:
    """Count a chat and summarise it in turn, each on a desk that never saw it; give the median of the ratios."""
    ratios = []
    for _ in range(ROUNDS):
        counted = seconds("countTokens", {"chat": chat}, Desk())
        ratios.append(seconds("summarize", {"chat": chat, "provider": "offline"}, Desk()) / counted)
    return statistics.median(ratios)


def seconds(operation: str, params: Chat, desk: Desk) -> float:
    """Time an operation."""
    began = time.perf_counter()
    perform_alone(operation, params, desk, Work())
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(judged(figures()))
