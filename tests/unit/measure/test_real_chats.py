"""The meter and what Claude Code and Codex themselves recorded in real sessions; `bench_truth` predicts each call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.measure import Counter, family_of, read_meter, weigh
from compact_chat.read import Source, read_chat

COUNTER = Counter()
SESSIONS = [
    "claude-code/agentv-1ed266-v2.1.62.jsonl",
    "claude-code/copilot-30530d66-v1.0.120.jsonl",
    "claude-code/entire-1a8a83-tool-errors.jsonl",
    "claude-code/entire-37995e-glued-line.jsonl",
    "claude-code/entire-9fd2fc-v2.0.64.jsonl",
    "claude-code/entire-cafca7-compact-small.jsonl",
    "codex/agentv-a854a7.jsonl",
]


@pytest.mark.parametrize("name", SESSIONS)
def test_used_is_what_the_tool_recorded(name: str, shared_chats: Path) -> None:
    """At the end of a session the meter is within one percent of the recorded context."""
    files = json.loads((shared_chats / "manifest.json").read_text("utf-8"))["files"]
    recorded = next(entry["truth"]["last_context_tokens"] for entry in files if entry["file"] == name)
    chat = read_chat(Source.of_bytes((shared_chats / name).read_bytes()))
    family = family_of(chat.model)
    meter = read_meter(chat, [weigh(message, COUNTER.count, family) for message in chat.messages], family, 0)

    assert meter.used == pytest.approx(recorded["total"], rel=0.01)
    assert meter.basis == ("measured" if recorded["output"] > 5 else "anchored")
    assert meter.basis == "anchored" or meter.used == recorded["total"]
