"""JSON lines are told from a document by their beginning."""

from __future__ import annotations

import json

import pytest

from compact_chat.read import InMemory
from compact_chat.read.jsonl import are_lines

RECORD = json.dumps({"type": "user", "message": {"content": "x" * 50}})


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{RECORD}\n{RECORD}", True),
        (f"\ufeff\n \r\n{RECORD}\r\n{RECORD}", True),
        (f"{RECORD}\nnoise", True),
        (f"{RECORD[:20]}{RECORD}\n" + f"{RECORD}\n" * 9, True),
        ("noise\n" + f"{RECORD}\n" * 9, True),
        ("1\n2", True),
        (RECORD, False),
        (f"\n{RECORD}\n\n \t\r\n", False),
        (json.dumps([json.loads(RECORD)] * 9, indent=1), False),
        (f"[\n{RECORD},\n{RECORD}\n]", False),
        ("", False),
        ("\n\n", False),
        ("[" * 5000 + "\n" + "]" * 5000, False),
        ('{"a":"' + "x" * 100_000 + "\n" + '"}', False),
    ],
)
def test_lines_are_told_from_a_document(text: str, lines: bool) -> None:
    """A whole value with more behind it is no document, nor is what is broken in itself; the rest may be one."""
    assert are_lines(InMemory(text.encode())) is lines
