"""Going through a session gives what reading it whole gives, of any file, however damaged."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
from compact_chat.read import InMemory, Source, claude_code, codex
from tests.bench.long_chats import claude, claude_turns, codex_turns
from tests.bench.long_chats import codex as long_codex
from tests.oracles.whole_reading import claude_chat, codex_chat, damaged, read_whole

READERS: dict[str, Any] = {"claude-code": (claude_code.read, claude_chat), "codex": (codex.read, codex_chat)}


class InBits(InMemory):
    """Bytes that come in blocks of a few."""

    def blocks(self) -> Iterator[bytes]:
        """All of them."""
        return (self._data[start : start + 700] for start in range(0, len(self._data), 700))


def compare(tool: str, data: bytes) -> None:
    """Compare the messages and what is told of the damage."""
    read, read_plainly = READERS[tool]
    plain = read_whole(data)
    for source in (Source.of_bytes(data), Source.of_blob(InBits(data))):
        if source.document is not None:
            continue
        chat: Chat = read(source)
        assert chat.messages == read_plainly(plain.records)
        assert source.damaged_lines == tuple(plain.damaged)
        assert [warning.line for warning in source.warnings] == [line for line in [plain.broken] if line]


def lines(tool: str, number: int) -> bytes:
    """A handmade session."""
    if tool == "codex":
        return b"".join(json.dumps(record).encode() + b"\n" for record in islice(codex_turns(random.Random(5)), number))
    parent, found = None, []
    for place, record in enumerate(islice(claude_turns(random.Random(5)), number)):
        found.append({"parentUuid": parent, "uuid": f"u{place}", "sessionId": "s", **record})
        parent = f"u{place}"
    return b"".join(json.dumps(record).encode() + b"\n" for record in found)


@pytest.mark.parametrize("tool", READERS)
@given(draw=st.randoms(use_true_random=False))
def test_damaged_sessions(tool: str, draw: random.Random) -> None:
    """Handmade sessions with any damage."""
    compare(tool, damaged(lines(tool, 24), draw))


@pytest.mark.parametrize("tool", READERS)
@given(ends=st.lists(st.integers(0, 3_000), max_size=2))
def test_glued_sessions(tool: str, ends: list[int]) -> None:
    """A file that begins, or ends, anywhere."""
    data = lines(tool, 12)
    compare(tool, data[min(ends, default=0) : len(data) - max(ends, default=0)])


@pytest.mark.parametrize(("tool", "write"), [("claude-code", claude), ("codex", long_codex)])
def test_what_is_dead_is_not_held(tmp_path: Path, tool: str, write: Callable[..., Path]) -> None:
    """Of what stands before a compaction next to nothing stays, be it one megabyte or five."""
    peaks = []
    for size in (1_000_000, 5_000_000):
        data = write(tmp_path / "chat.jsonl", size, live=100_000 / size).read_bytes()
        tracemalloc.start()
        chat = READERS[tool][0](Source.of_blob(InBits(data)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert 1 < len(chat.messages) < 100

    assert peaks[1] - peaks[0] < 1_000_000
