"""Detecting the format of a source."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat
from compact_chat.read.apis import detect_api
from compact_chat.tools import FORMATS
from tests.oracles.snapshots import check_functions

CLAUDE = '{"parentUuid":null,"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"hi"}}\n'
USER = {"role": "user", "content": "hi"}


def formats_of(text: str) -> str:
    """Return the format of a text, the same as that of a file that holds it; or that it is refused."""
    found = set[str]()
    for source in (Source.of_text(text), Source.of_bytes(text.encode())):
        try:
            found.add(read_chat(source).format)
        except ChatUnreadable:
            found.add("refused")
    return " ".join(found)


FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "detect_api": detect_api,
    "document": lambda value: formats_of(json.dumps(value)),
    "text": formats_of,
}


def test_formats_are_told_apart(accept: bool) -> None:
    """By what stands in a document or a text, and the APIs by their calls, roles, items and blocks."""
    check_functions(Path(__file__).with_name("formats.txt"), FUNCTIONS, accept=accept)


@pytest.mark.parametrize("hint", ["anthropic", "openai-chat", "openai-responses"])
def test_a_hint_decides_where_nothing_tells(hint: str) -> None:
    """Plain strings fit all three APIs."""
    assert read_chat(Source.of_document({"messages": [USER]}), hint).format == hint
    blocks = {"messages": [{"role": "assistant", "content": [{"type": "tool_use"}]}]}
    assert read_chat(Source.of_document(blocks), hint).format == "anthropic"


def test_the_tool_is_the_files_or_the_callers() -> None:
    """Claude Code's files name their tool; for the rest the caller may."""
    assert read_chat(Source.of_text(CLAUDE), tool="mine").tool == "claude-code"
    assert read_chat(Source.of_document({"messages": [USER]}), tool="mine").tool == "mine"
    assert read_chat(Source.of_document({"messages": [USER]}), tool="").tool == "unknown"


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"\x89PNG\r\n\x1a\n", None),
        (b"prose", None),
        (b'{"a":1}', None),
        (b"[1,2", 1),
        (b"\0" * 50, None),
        (b'{"kind":0}\n{"kind":1}\n{"k', 3),
        (b'[\n{"a":1},\n{"a"', 3),
    ],
)
@pytest.mark.parametrize("hint", [None, "vscode"])
def test_what_no_reader_knows_is_unreadable(data: bytes, line: int | None, hint: str | None) -> None:
    """Noise and unknown JSON are refused with the known formats, and the line where a file breaks off."""
    with pytest.raises(ChatUnreadable) as caught:
        read_chat(Source.of_bytes(data), hint)
    assert caught.value.data == {"format": hint, "line": line, "formats": list(FORMATS)}


@pytest.mark.parametrize("text", ["", " \t\r\n", "\ufeff"])
@pytest.mark.parametrize("hint", [None, "text"])
def test_nothing_is_called_nothing(text: str, hint: str | None) -> None:
    """G6: an empty or blank file or text is reported as such, not as an unknown format."""
    for source in (Source.of_text(text), Source.of_bytes(text.encode()), Source.of_bytes(text.encode(), "a.md")):
        with pytest.raises(ChatUnreadable) as caught:
            read_chat(source, hint)
        assert "claude-code" not in caught.value.sentence
        assert caught.value.data == {"format": hint, "line": None}
