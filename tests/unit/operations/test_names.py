"""Ids and names that a chat gives hold no secret where they are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.samples.corpus import CORPUS
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


@pytest.mark.usefixtures("state")
def test_ids_of_what_a_tool_replaced_are_not_shown(ask: Ask, tmp_path: Path) -> None:
    """A draft names the messages that the tool's own compaction replaced, and `check` where a fact is from."""
    chat = json.loads((CORPUS / "continue" / "every-kind-of-record.json").read_text())
    for number, item in enumerate(chat["history"]):
        item["message"]["id"] = f"{SECRET}{number}"
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(chat))
    options = {"minKeep": 0, "keepRecentTokens": 0}

    drafted = ask("draft", chat={"uri": path.as_uri()}, options=options)
    checked = ask("check", chat={"uri": path.as_uri()})

    assert any(one.startswith("replaced-") for one in drafted["turns"])
    assert SECRET not in json.dumps([drafted, checked])
