"""Messages as the Anthropic API takes them."""

from __future__ import annotations

from typing import Any

from compact_chat.chat import Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.read import Source, read_chat
from compact_chat.read import apis as anthropic

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "rules"},
    {"role": "user", "content": "find it"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "d"},
            {"type": "text", "text": "reading"},
            {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "text", "is_error": True},
            {"type": "text", "text": "and?"},
        ],
    },
]


def test_blocks_become_parts() -> None:
    """G1: one Message per item, with every block in its order."""
    chat = anthropic.read_anthropic(Source.of_document({"messages": MESSAGES}))
    assert chat.format == "anthropic"
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "user"]
    call = ToolCall("t1", "read", {"path": "a"})
    assert chat.messages[2].parts == (Thinking("hm"), Thinking(""), Text("reading"), call)
    assert chat.messages[3].parts == (ToolResult("t1", (Text("text"),), is_error=True, as_text=True), Text("and?"))
    assert [message.raw for message in chat.messages] == MESSAGES


def test_an_unknown_role_is_the_users() -> None:
    """T7: the message stays visible under the name of its role."""
    item = {"role": "narrator", "content": "meanwhile"}
    message = read_chat(Source.of_document({"messages": [item]})).messages[0]
    assert (message.role, message.parts, message.raw) == ("user", (Unknown("narrator", item),), item)


def test_plain_strings_are_anthropic() -> None:
    """Where nothing tells, an array is read as the Anthropic API's."""
    source = Source.of_document({"messages": [{"role": "user", "content": "hi"}]})
    assert anthropic.sniff_anthropic(source)
    assert read_chat(source).format == "anthropic"


def test_signs_of_another_api_are_heeded() -> None:
    """An array that tells of another format is not ours."""
    assert not anthropic.sniff_anthropic(Source.of_document({"messages": [{"role": "tool", "content": "x"}]}))
    assert not anthropic.sniff_anthropic(Source.of_text("hi"))
