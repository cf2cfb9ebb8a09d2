"""What a plan of a chat of a million tokens costs: previews of a known chat, and a summary written offline."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # a script finds its own folder only

from compact_chat.chat import Message
from compact_chat.errors import CompactChatError
from compact_chat.operations import ClientState, Job
from compact_chat.read import Source, read_chat
from compact_chat.resume import as_anthropic
from tests.bench.long_chats import claude
from tests.bench.servers import Figure, judged
from tests.samples.alone import perform_alone

SIZE = 8_500_000  # bytes of a session file of a million tokens
WARM, TIMES_COUNTED = 150, 2.6  # twice the count is the aim, and not reached yet
WARM_REAL, TIMES_COUNTED_REAL = 250, 4.0  # real messages are smaller and more than those of the session
ROUNDS = 7
SHARED = Path(__file__).resolve().parents[3] / "shared" / "chats"
GLUED = ("claude-code/*.jsonl", "codex/*.jsonl", "copilot-cli/*", "vscode/*")
Chat = dict[str, Any]


def figures() -> Iterator[Figure]:
    """The chat as a file and as messages, and real sessions put one behind the other."""
    with TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder  # what is archived goes with the rest
        for name, chat in chats(Path(folder)).items():
            yield from both(name, chat, WARM, TIMES_COUNTED)
        if SHARED.is_dir():
            yield from both("glued real messages", {"messages": glued()}, WARM_REAL, TIMES_COUNTED_REAL)


def both(name: str, chat: Chat, warm: float, times_counted: float) -> Iterator[Figure]:
    """A preview where all is known, and a summary where nothing is."""
    perform_alone("summarize", {"chat": chat, "provider": "offline"}, Job(ClientState()))  # loads what is needed
    yield f"preview of a known chat, as {name}", preview_again(chat), warm, "ms"
    times = summary_beside_count(chat)
    yield f"offline summary of a new chat, as {name} / counting it", times, times_counted, "x"


def chats(folder: Path) -> dict[str, Chat]:
    """Write a session, and give it in two ways."""
    path = claude(folder / "session.jsonl", SIZE)
    read = read_chat(Source.of_bytes(path.read_bytes(), path.name))
    return {"a file": {"uri": path.as_uri()}, "messages": {"messages": bare(read.messages)}}


def glued() -> list[Chat]:
    """The messages of all real sessions as one chat."""
    said: list[Chat] = []
    for path in (path for form in GLUED for path in sorted(SHARED.glob(form))):
        with suppress(CompactChatError):  # some files only look like sessions
            said += bare(read_chat(Source.of_bytes(path.read_bytes(), path.name)).messages)
    return said


def bare(messages: Sequence[Message]) -> list[Chat]:
    """Messages as a client would send them, without what only we know of them."""
    return [{"role": message["role"], "content": message["content"]} for message in as_anthropic(messages)]


def preview_again(chat: Chat) -> float:
    """Preview a chat once, and then with other options again and again; give the median of the milliseconds."""
    client = ClientState()
    known = perform_alone("preview", {"chat": chat}, Job(client))
    print(f"{known['before']:,} tokens in {len(known['messages'])} messages")
    return 1000 * statistics.median(
        seconds("preview", {"chat": chat, "options": {"minKeep": 5 + number}}, client) for number in range(ROUNDS)
    )


def summary_beside_count(chat: Chat) -> float:
    """Count a chat and summarise it in turn, each on a client that never saw it; give the median of the ratios."""
    ratios = []
    for _ in range(ROUNDS):
        counted = seconds("countTokens", {"chat": chat}, ClientState())
        ratios.append(seconds("summarize", {"chat": chat, "provider": "offline"}, ClientState()) / counted)
    return statistics.median(ratios)


def seconds(operation: str, params: Chat, client: ClientState) -> float:
    """Time an operation by the processor's clock: other programs may share the machine, and nothing waits here."""
    began = time.process_time()
    perform_alone(operation, params, Job(client))
    return time.process_time() - began


if __name__ == "__main__":
    sys.exit(judged(figures()))
