"""Sessions of Codex, in each form that they have had."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from compact_chat.chat import Chat
from compact_chat.read import Source, codex

Record = dict[str, Any]
META: Record = {"type": "session_meta", "payload": {"id": "s", "cwd": "/home/me/project", "cli_version": "0.142.0"}}
CONTEXT: Record = {"type": "turn_context", "payload": {"cwd": "/home/me/project", "model": "gpt-5.5"}}


def said(role: str, *texts: str, **more: Any) -> Record:
    """A message as an item."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text} for text in texts], **more}


def item(payload: Record) -> Record:
    """An item in its envelope."""
    return {"timestamp": "2026-05-01T10:00:00Z", "type": "response_item", "payload": payload}


def of_lines(*records: Record) -> Source:
    """A session file of these records."""
    return Source.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


def read(*records: Record) -> Chat:
    """The chat of a session that must be recognised as ours."""
    source = of_lines(*records)
    assert codex.sniff(source)
    return codex.read(source)


def test_a_growing_file_keeps_its_ids() -> None:
    """Each message has the same id in every longer version of the file."""
    lines = [META, item(said("user", "a")), item(said("assistant", "b")), item(said("user", "c", id="u")), CONTEXT]
    ids = [[message.id for message in read(*lines[:end]).messages] for end in range(1, len(lines) + 1)]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(ids))
