"""Ids and names that a chat gives hold no secret where they are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.operations.conftest import SECRET, Ask, claude_session, message

CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("countTokens", {"perMessage": True}),
    ("preview", {}),
    ("transcript", {}),
    ("summarize", {"options": {"provider": "offline", "minKeep": 2, "keepRecentTokens": 0}}),
)


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize(("operation", "more"), CALLS, ids=[name for name, _ in CALLS])
def test_ids_and_models_that_hold_a_secret_are_not_shown(
    ask: Ask, tmp_path: Path, operation: str, more: dict[str, object]
) -> None:
    """Some tools take any text as the name of a model or as an id."""
    records = [message("user", "Count the shelves.")]
    for number in range(8):
        records.append(message("assistant", f"Shelf {number} is counted. " * 60))
        records[-1]["message"]["model"] = SECRET
        records.append(message("user", f"Now count shelf {number + 1}."))
    path = tmp_path / "chat.jsonl"
    path.write_text(
        claude_session(*records).replace('uuid": "u', f'uuid": "{SECRET}').replace('Uuid": "u', f'Uuid": "{SECRET}')
    )

    found = ask(operation, chat={"uri": path.as_uri()}, **more)

    assert SECRET not in json.dumps(found)
    if operation in ("countTokens", "preview"):
        assert [one["id"] for one in found["messages"]] == [f"message-{place}" for place in range(17)]
