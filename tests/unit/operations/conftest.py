"""Chats that are worth compacting, a secret, and a way to run operations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.operations import ClientState, Job
from tests.samples.alone import perform_alone

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"
CUTS = {"keepRecent": 4, "keepToolResults": False, "prune": {"maxChars": 300, "head": 50, "tail": 50}}
MORE: Messages = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "n", "name": "Read", "input": {"file_path": "a.py"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "n", "content": "a line of code\n" * 900}]},
    {"role": "assistant", "content": "Shelf 9 is counted."},
    {"role": "user", "content": "And ten?"},
    {"role": "assistant", "content": "Shelf 10 is counted."},
    {"role": "user", "content": "And eleven?"},
]


def claude_session(*records: dict[str, Any]) -> str:
    """Write records of Claude Code as the lines of a session, each the child of the one before."""
    lines = []
    for number, record in enumerate(records):
        place = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None}
        lines.append(json.dumps({"sessionId": "s", "isSidechain": False, **place, **record}) + "\n")
    return "".join(lines)


def message(role: str, content: object, **more: Any) -> dict[str, Any]:
    """Make a record of Claude Code with a message."""
    return {"type": role, "message": {"role": role, "content": content}, **more}


@pytest.fixture
def messages() -> Messages:
    """A wish with rules, then eight rounds of an edit, its result, an answer and a further wish."""
    rounds: Messages = [
        {"role": "user", "content": "Count the shelves. Always use British spelling, never touch till.py."}
    ]
    for n in range(8):
        edit = {"file_path": f"src/shelf_{n}.py", "old_string": "pass", "new_string": f"trays = {n}\n" * 60}
        call = {"type": "tool_use", "id": f"call_{n}", "name": "Edit", "input": edit}
        rounds += [
            {"role": "assistant", "content": [{"type": "text", "text": f"Step {n}: I count the trays."}, call]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"call_{n}", "content": "Changed. " * 90}],
            },
            {"role": "assistant", "content": f"Step {n} is done; the shelf holds {n * 7} trays."},
            {"role": "user", "content": f"Good. Now shelf {n + 1}, and keep the limit of {n + 40} trays."},
        ]
    return rounds


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of this test's own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "compact-chat"


@pytest.fixture
def client() -> ClientState:
    """The state of one client."""
    return ClientState()


@pytest.fixture
def ask(client: ClientState) -> Ask:
    """Run an operation: `ask("preview", chat=..., options=...)`."""

    def run(name: str, **params: object) -> Any:
        return perform_alone(name, params, Job(client))

    return run
