"""Sessions of Claude Code."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from compact_chat.read import Source, claude_code

Record = dict[str, Any]


def of_lines(*records: Record) -> Source:
    """A session file of these records."""
    return Source.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


@pytest.mark.parametrize(
    ("record", "ours"),
    [
        ({"sessionId": "s", "parentUuid": None}, True),
        ({"sessionId": "s", "type": "user"}, True),
        ({"sessionId": "s", "type": "session.start"}, False),
        ({"sessionId": "s", "projectHash": "x", "kind": "main"}, False),
        ({"type": "user", "parentUuid": None}, False),
        ({"sessionId": 5, "type": "user"}, False),
    ],
)
def test_which_lines_are_ours(record: Record, ours: bool) -> None:
    """A session id beside a parent or one of the tool's types gives a session away."""
    assert claude_code.sniff(of_lines(record, record)) is ours


def test_the_room_imports_nothing_heavy() -> None:
    """Reading needs msgspec, json and re, and no tokenizer, server or model API."""
    program = "import sys, compact_chat.read.formats; print(*(name for name in sys.modules if '.' not in name))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pygls", "lsprotocol", "anthropic", "tiktoken", "regex", "asyncio"} & set(loaded)
