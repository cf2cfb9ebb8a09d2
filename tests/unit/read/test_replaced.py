"""Chats whose newest compaction cannot be checked; `test_corpus.py` shows what the others replaced."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.errors import NothingToCompact
from compact_chat.read import Source, newest_replaced, read_chat

ASKED = {"role": "user", "content": "q"}
LINE = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "cwd": "/shop", "message": ASKED}
BOUNDARY = {"type": "system", "subtype": "compact_boundary", "uuid": "u2", "parentUuid": None, "sessionId": "s"}
META = {"type": "session_meta", "payload": {"id": "s", "cwd": "/shop", "cli_version": "0.142.0"}}
SAID = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
FAILED = {"toolCallRoundId": "", "text": "", "outcome": "failed"}
REQUEST = {"message": {"text": "q"}, "result": {"metadata": {"toolCallRounds": [], "summaries": [FAILED]}}}
SUMMARY = "[Previous conversation summary]\nold\n[End of summary — conversation continues below]"


@pytest.mark.parametrize(
    ("records", "reason", "is_recorded"),
    [
        ([LINE, {**BOUNDARY, "compactMetadata": {"trigger": "auto"}}], "left no summary", True),
        ([META, {"type": "response_item", "payload": SAID}], "No compaction is recorded", False),
        ([{"responderUsername": "x", "sessionId": "s", "requests": [REQUEST]}], "No compaction is recorded", False),
        ([{"role": "user", "content": SUMMARY}, ASKED], "What the summary of this chat replaced is not in it", False),
        ([ASKED, {"role": "assistant", "content": "a"}], "No compaction is recorded", False),
    ],
)
def test_why_there_is_nothing_to_check(records: list[dict[str, Any]], reason: str, is_recorded: bool) -> None:
    """A compaction without its summary, an attempt that failed, and chats without one."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    with pytest.raises(NothingToCompact, match=reason) as caught:
        newest_replaced(Source.of_text(text), read_chat(Source.of_text(text)))
    assert caught.value.data.get("recorded", False) == is_recorded
