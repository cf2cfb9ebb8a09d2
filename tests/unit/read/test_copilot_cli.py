"""Sessions of the Copilot CLI."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from compact_chat.chat import Chat
from compact_chat.read import Source
from compact_chat.read import copilot as copilot_cli
from compact_chat.read import copilot as copilot_transcript

Record = dict[str, Any]


def event(name: str, kind: str, **data: Any) -> Record:
    """A line of the log."""
    return {"type": kind, "data": data, "id": name, "timestamp": "2026-06-25T01:50:34Z", "parentId": None}


def asked(name: str, words: str, **more: Any) -> Record:
    """What the user said."""
    return event(name, "user.message", content=words, **more)


def replied(name: str, words: str, *calls: str, **more: Any) -> Record:
    """What the model said, and the ids of its calls."""
    requests = [{"toolCallId": call, "name": "bash", "arguments": {"command": "ls"}} for call in calls]
    return event(name, "assistant.message", content=words, toolRequests=requests, **more)


def answered(name: str, call: str, **more: Any) -> Record:
    """What a tool answered."""
    said = {} if "error" in more else {"result": {"content": ""}}
    return event(name, "tool.execution_complete", toolCallId=call, **{"success": True, **said, **more})


def of_lines(*records: Record) -> Source:
    """A log of these records."""
    return Source.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


def read(*records: Record) -> Chat:
    """The chat of a log that must be recognised as the CLI's."""
    source = of_lines(*records)
    assert copilot_cli.sniff(source)
    assert not copilot_transcript.sniff_transcript(source)
    return copilot_cli.read(source)


def test_other_logs_are_not_ours() -> None:
    """A line of another type, or without an object of data, is no sign of Copilot."""
    assert not copilot_cli.sniff(of_lines({"type": "user.message", "data": "x"}, {"type": "session", "data": {}}))
    assert not copilot_cli.sniff(of_lines({"type": "response_item", "payload": {}}))


def test_a_growing_log_keeps_its_ids() -> None:
    """Each message has the same id in every longer version of the log, also where the log has one twice."""
    log = (asked("x", "a"), replied("x", "b", "c", "d"), answered("r", "c"), answered("q", "d"), asked("", "e"))
    ids = [[message.id for message in read(*log[:end]).messages] for end in range(1, len(log) + 1)]
    assert ids[-1] == ["x", "x#2", "r", "e5"]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(ids))
