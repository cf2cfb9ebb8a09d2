"""A chat that is worth compacting, and a way to run operations on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import archive as archive_places
from compact_chat.operations import ClientState, Job
from compact_chat.operations import history as past
from tests.samples.alone import perform_alone

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]


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
    for module in (archive_places, past):
        monkeypatch.setattr(module, "state_folder", lambda: tmp_path / "state")
    return tmp_path / "state"


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
