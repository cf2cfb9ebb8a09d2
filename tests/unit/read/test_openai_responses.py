"""Items as the OpenAI Responses API takes them."""

from __future__ import annotations

from typing import Any

from compact_chat.chat import Message, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.read import Source, read_chat

ASKED = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "2+2?"}]}
THOUGHT = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "add"}], "encrypted_content": "x"}
CALLED = {"type": "function_call", "name": "calc", "arguments": '{"e":"2+2"}', "call_id": "c1"}
ANSWERED = {"type": "function_call_output", "call_id": "c1", "output": "4"}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "4"}]}


def read(*items: dict[str, Any]) -> tuple[Message, ...]:
    """The messages of an array that must be recognised as ours."""
    chat = read_chat(Source.of_document({"messages": list(items)}))
    assert chat.format == "openai-responses"
    return chat.messages


def test_items_of_one_side_are_one_message() -> None:
    """Reasoning, words and calls in a row are one turn of the assistant, whose `raw` is all of them."""
    messages = read(ASKED, THOUGHT, SAID, CALLED, ANSWERED, SAID)
    assert [message.role for message in messages] == ["user", "assistant", "user", "assistant"]
    assert messages[1].parts == (Thinking("add"), Text("4"), ToolCall("c1", "calc", {"e": "2+2"}))
    assert messages[2].parts == (ToolResult("c1", (Text("4"),), as_text=True),)
    assert [message.raw for message in messages] == [ASKED, (THOUGHT, SAID, CALLED), ANSWERED, SAID]
    assert [message.id for message in messages] == ["m0", "m1", "m2", "m3"]


def test_parallel_outputs_are_one_message() -> None:
    """Outputs in a row are one message of the user, but the user's own words stay apart."""
    second = {**ANSWERED, "call_id": "c2"}
    messages = read(ASKED, ASKED, CALLED, {**CALLED, "call_id": "c2"}, ANSWERED, second, ASKED)
    assert [len(message.parts) for message in messages] == [1, 1, 2, 2, 1]


def test_other_calls() -> None:
    """Custom tools take free text, the local shell an action."""
    messages = read(
        {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "+x"},
        {"type": "local_shell_call", "call_id": "c2", "action": {"command": ["ls"]}},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "ok"}]},
        {"type": "local_shell_call_output", "id": "c2", "output": "a b"},
    )
    assert messages[0].calls == (
        ToolCall("c1", "patch", {"input": "+x"}),
        ToolCall("c2", "local_shell", {"command": ["ls"]}),
    )
    assert [result.call_id for result in messages[1].results] == ["c1", "c2"]


def test_encrypted_reasoning_is_empty_thinking() -> None:
    """Reasoning without a summary cannot be read, but it is there."""
    assert read(ASKED, {"type": "reasoning", "summary": [], "encrypted_content": "x"})[1].parts == (Thinking(""),)


def test_unknown_items_stay_visible() -> None:
    """T7: an item that we do not know is the assistant's, whole, under its name."""
    item = {"type": "web_search_call", "id": "w"}
    assert read(ASKED, item)[1].parts == (Unknown("web_search_call", item),)


def test_developer_messages_are_system() -> None:
    """A developer message without a type stands among items as a system message."""
    assert read({"role": "developer", "content": "rules"}, ASKED, CALLED)[0].role == "system"
