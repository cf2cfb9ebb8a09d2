"""A thousand mutated inputs of hooks and status lines: exit 0, no word on standard error, no file outside the state."""

from __future__ import annotations

import io
import json
import random
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from compact_chat.agents import run_hook, run_statusline
from tests.samples.compacted import ClaudeSession

ROUNDS, EACH = 10, 100
ODD: list[Any] = [None, True, -1, 0, 1e308, 10**30, "", "x" * 5000, "\0", "/", "../../etc", [], {}, [[]], "\ud800"]


class Stream(io.TextIOWrapper):
    """Standard input or output, whose bytes are what counts."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = io.BytesIO(data)
        super().__init__(self.data, "utf-8", write_through=True)


def payloads(session: ClaudeSession) -> list[dict[str, Any]]:
    """What agents really send."""
    common = {"session_id": "s1", "transcript_path": str(session.path), "cwd": session.cwd, "prompt_id": "p"}
    usage = {
        "input_tokens": 12,
        "cache_creation_input_tokens": 2400,
        "cache_read_input_tokens": 8400,
        "output_tokens": 4,
    }
    context = {"context_window_size": 200_000, "current_usage": usage, "used_percentage": 1}
    copilot = {"sessionId": "s1", "timestamp": 1, "cwd": session.cwd}
    return [
        {**common, "model": {"id": "claude-opus-5-5", "display_name": "Opus"}, "context_window": context},
        {"session_id": "s1", "context_window": {"current_context_tokens": 40, "displayed_context_limit": 100}},
        {**common, "hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": None},
        {**common, "hook_event_name": "SessionStart", "source": "compact", "model": "claude-opus-5-5"},
        {**common, "hook_event_name": "UserPromptSubmit", "prompt": "go on"},
        {**common, "hook_event_name": "PostCompact", "trigger": "auto", "turn_id": "t"},
        {**copilot, "transcriptPath": str(session.path), "trigger": "manual", "customInstructions": ""},
        {**copilot, "prompt": "go on"},
    ]


def mutated(payload: dict[str, Any], choose: random.Random) -> bytes:
    """Change, drop, add or nest members, then perhaps damage the bytes."""
    value = json.loads(json.dumps(payload))
    for _ in range(choose.randint(1, 3)):
        at = value
        while (inner := [one for one in at.values() if isinstance(one, dict)]) and choose.random() < 0.5:
            at = choose.choice(inner)
        name = choose.choice([*at, "later"])
        if choose.random() < 0.2:
            at.pop(name, None)
        else:
            at[name] = deepcopy(choose.choice(ODD))
    data = json.dumps(value).encode()
    if choose.random() < 0.15:
        place = choose.randrange(len(data))
        data = choose.choice(
            [data[:place], data[:place] + b"\xff\x00" + data[place:], b"[" * 3000 + data, b"\xef\xbb\xbf" + data]
        )
    return data


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_whatever_agents_send(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any order, on a chat that is compacted now and then, on damaged memories too."""
    choose = random.Random(seed)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("compact_chat.agents.hook.PATIENCE", 0.0)
    session = ClaudeSession(tmp_path / "work" / "projects" / "-w" / "s1.jsonl", str(tmp_path / "work"))
    session.user("Never touch till.py without asking me first.")
    for number in range(EACH):
        if number % 20 == 10:
            session.answer()
            session.compact("Build the parser.")
        if number % 25 == 24:
            for memory in (tmp_path / "state").rglob("agents/s1.*.json"):
                memory.write_bytes(
                    choose.choice([b"", b"[]", b'{"seen": 7, "done": "x", "ends": [[1]], "report": []}'])
                )
        before = {path for path in tmp_path.rglob("*") if tmp_path / "state" not in (path, *path.parents)}
        err, out = Stream(), Stream()
        payload = choose.choice(payloads(session))
        monkeypatch.setattr(sys, "stdin", Stream(mutated(payload, choose)))
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        is_line = "context_window" in payload
        assert (run_statusline if is_line else run_hook)() == 0
        printed = out.data.getvalue().decode()
        assert err.data.getvalue() == b""
        assert printed.startswith("✳") if is_line else not printed or json.loads(printed)
        assert " 0%" not in printed
        assert {path for path in tmp_path.rglob("*") if tmp_path / "state" not in (path, *path.parents)} == before
