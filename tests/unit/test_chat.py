"""The nouns look things up in themselves."""

from __future__ import annotations

from compact_chat.chat import Image, Message, Text, Thinking, ToolCall, ToolResult, result_text, texts


def test_texts_come_in_their_order() -> None:
    """Words, thoughts, the strings of nested arguments and results come in the order they stand in."""
    call = ToolCall("c", "edit", {"path": "a.py", "edits": [{"old": "x", "new": "y"}], "count": 2})
    result = ToolResult("c", (Text("done"), Image()))
    message = Message("m0", "assistant", (Text("one"), Thinking("two"), call, result))

    assert list(texts(message)) == ["one", "two", "a.py", "x", "y", "done\n[image]"]


def test_a_result_reads_as_its_texts_and_marks() -> None:
    """T3: texts are joined by line feeds, with a mark in place of a picture."""
    assert result_text(ToolResult("c", (Text("p"), Image(), Text("q")))) == "p\n[image]\nq"
