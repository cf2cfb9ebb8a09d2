"""A compaction is shown again as it was given, to an editor that was begun anew."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import ChatUnreadable
from compact_chat.operations import ChatRef, ClientState
from tests.samples.archived import SUMMARY, compacted

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("state")


def test_the_compaction_comes_back_as_it_was_given(ask: Ask, messages: Messages) -> None:
    """An editor that was begun anew shows the document again, with the place of the original."""
    made = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages", "raw"])
    restored = ask("restore", compactionId=made["compactionId"], include=["compaction"])
    given = {name: value for name, value in made.items() if name not in ("messages", "raw")}

    assert restored["compaction"] == given
    assert restored["archive"] == made["archive"]
    assert restored["messages"] == messages
    assert "compaction" not in ask("restore", compactionId=made["compactionId"])


def test_it_is_masked_by_todays_settings(ask: Ask, client: ClientState, messages: Messages) -> None:
    """As in an export: what the user has masked since then is masked in it; ids stay."""
    messages[0]["content"] += " Write to mara@example.org when shelf 9 is counted."
    made = ask("summarize", chat={"messages": messages}, provider="offline")
    client.configure({"redactEmails": True})
    shown = ask("restore", compactionId=made["compactionId"], include=["compaction"])["compaction"]

    assert "mara@example.org" in made["continuation"]
    assert "mara@example.org" not in str(shown)
    assert (shown["compactionId"], shown["planId"]) == (made["compactionId"], made["planId"])


def test_to_look_at_a_compaction_writes_nothing(ask: Ask, client: ClientState, messages: Messages, state: Path) -> None:
    """Where archives are off there is no copy then, and none is made."""
    client.configure({"archive": "off"})
    one = compacted(ChatRef(messages=messages), client)
    shown = ask("restore", compactionId=one.id, include=["compaction"])

    assert not state.exists()
    assert (shown["archive"], shown["compaction"]["archive"]) == (None, None)
    assert shown["compaction"]["summary"] == SUMMARY
    assert shown["messages"] == messages


def test_a_compaction_of_an_earlier_version_is_shown(ask: Ask, messages: Messages, state: Path) -> None:
    """What it did not count then is zero; all else is as it was."""
    made = ask("summarize", chat={"messages": messages}, provider="offline")
    [record] = [path for path in state.rglob("*") if path.is_file() and b'"fixed": ' in path.read_bytes()]
    record.write_bytes(re.sub(rb'"fixed": \d+, ', b"", record.read_bytes()))
    shown = ask("restore", compactionId=made["compactionId"], include=["compaction"])["compaction"]

    assert b"fixed" not in record.read_bytes()
    assert shown == {**made, "counts": {**made["counts"], "fixed": 0}}


def test_a_compaction_of_another_version_is_told(
    ask: Ask, client: ClientState, messages: Messages, state: Path
) -> None:
    """What cannot be shown is an error in words, and the chat still comes back, and can be read."""
    one = compacted(ChatRef(messages=messages), client)
    [record] = [path for path in state.rglob("*") if path.is_file() and SUMMARY[:8].encode() in path.read_bytes()]
    record.write_bytes(record.read_bytes().replace(b'"planId": "', b'"planId": 5, "was": "'))
    record.write_bytes(record.read_bytes().replace(b'"planId": 5', f'"planId": "{one.done.plan_id}"'.encode(), 1))
    with pytest.raises(ChatUnreadable, match="another version"):
        ask("restore", compactionId=one.id, include=["compaction"])

    assert ask("restore", compactionId=one.id)["messages"] == messages
    assert len(ask("transcript", compactionId=one.id)["messages"]) == len(messages)
