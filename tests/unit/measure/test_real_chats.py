"""The meter beside what Claude Code and Codex themselves recorded in real sessions."""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import pytest

from compact_chat.measure import Counter, family_of, read_meter, weigh
from compact_chat.read import Source, read_chat
from tests.bench.truth import Call, replay

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


def calls_of(shared_chats: Path, names: list[str]) -> list[Call]:
    """The calls of sessions that follow another."""
    return [call for name in names for call in replay(shared_chats / name) if call.last is not None]


def error(call: Call) -> float:
    """How far from the truth the meter was, as a share of it."""
    return abs(call.said.used / call.truth - 1)


def test_the_next_prompt_of_claude_code_is_predicted(shared_chats: Path) -> None:
    """Before each call of real sessions, the meter is mostly within a twentieth of a percent of the prompt to come."""
    errors = [error(call) for call in calls_of(shared_chats, SESSIONS[:6])]

    assert len(errors) > 100
    assert statistics.median(errors) < 0.0005
    assert statistics.quantiles(errors, n=20)[-1] < 0.01


def test_the_next_prompt_of_codex_is_predicted(shared_chats: Path) -> None:
    """Codex records all that it sends, so that the meter is nearly exact."""
    errors = [error(call) for call in calls_of(shared_chats, SESSIONS[6:])]

    assert len(errors) > 20
    assert statistics.median(errors) < 0.0001
    assert max(errors) < 0.002


def test_the_bounds_hold_what_they_should(shared_chats: Path) -> None:
    """Nine of ten calls lie between the bounds, which are near each other."""
    calls = calls_of(shared_chats, SESSIONS)
    held = [call.said.low <= call.truth <= call.said.high for call in calls]

    assert 0.86 < sum(held) / len(held) < 0.96
    assert statistics.median(call.said.high / call.said.low - 1 for call in calls) < 0.005
