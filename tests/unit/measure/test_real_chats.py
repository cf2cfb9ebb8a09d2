"""The meter beside what Claude Code itself recorded in real sessions."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest
from msgspec.structs import replace

from compact_chat.chat import Chat
from compact_chat.measure.counter import Counter
from compact_chat.measure.families import family_of
from compact_chat.measure.meter import Meter, read_meter
from compact_chat.measure.weights import Weight, weigh
from compact_chat.read.formats import read_chat
from compact_chat.read.source import Source

COUNTER = Counter()
SESSIONS = [
    "agentv-1ed266-v2.1.62.jsonl",
    "copilot-30530d66-v1.0.120.jsonl",
    "entire-1a8a83-tool-errors.jsonl",
    "entire-37995e-glued-line.jsonl",
    "entire-9fd2fc-v2.0.64.jsonl",
    "entire-cafca7-compact-small.jsonl",
]


def weighed(path: Path) -> tuple[Chat, list[Weight]]:
    """A session and the weights of its messages."""
    chat = read_chat(Source.of_bytes(path.read_bytes()))
    family = family_of(chat.model)
    return chat, [weigh(message, COUNTER.count, family) for message in chat.messages]


def meter_before(chat: Chat, weights: list[Weight], end: int) -> Meter:
    """The meter as it stood before message `end`."""
    return read_meter(replace(chat, messages=chat.messages[:end]), weights[:end], family_of(chat.model), 0)


@pytest.mark.parametrize("name", SESSIONS)
def test_used_is_what_the_tool_recorded(name: str, shared_chats: Path) -> None:
    """At the end of a session the meter is within one percent of the recorded context, and its bounds hold it."""
    files = json.loads((shared_chats / "manifest.json").read_text("utf-8"))["files"]
    recorded = next(entry["truth"]["last_context_tokens"] for entry in files if entry["file"].endswith(name))
    chat, weights = weighed(shared_chats / "claude-code" / name)
    meter = meter_before(chat, weights, len(chat.messages))

    assert meter.used == pytest.approx(recorded["total"], rel=0.01)
    assert meter.basis == ("measured" if recorded["output"] > 5 else "anchored")
    assert meter.basis == "anchored" or meter.used == recorded["total"]


def test_the_next_prompt_is_predicted(shared_chats: Path) -> None:
    """Before each call of real sessions, the meter is mostly within a quarter of a percent of the prompt to come."""
    errors = []
    for name in SESSIONS:
        chat, weights = weighed(shared_chats / "claude-code" / name)
        calls = [index for index, message in enumerate(chat.messages) if message.usage is not None]
        for index in calls[1:]:
            usage = chat.messages[index].usage
            assert usage is not None
            errors.append(abs(meter_before(chat, weights, index).used / usage.prompt_tokens - 1))

    assert len(errors) > 100
    assert statistics.median(errors) < 0.0015
    assert statistics.quantiles(errors, n=20)[-1] < 0.025
