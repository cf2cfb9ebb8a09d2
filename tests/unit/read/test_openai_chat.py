"""Messages as the OpenAI chat API takes them."""

from __future__ import annotations

from typing import Any

from compact_chat.chat import Image, Message, Text, ToolCall, ToolResult
from compact_chat.read import Source, read_chat
from compact_chat.read import apis as openai_chat


def read(*items: dict[str, Any]) -> tuple[Message, ...]:
    """The messages of an array that must be recognised as ours."""
    chat = read_chat(Source.of_document({"messages": list(items)}))
    assert chat.format == "openai-chat"
    assert [message.raw for message in chat.messages] == list(items)
    return chat.messages


def called(name: str, arguments: object, call_id: str = "c1") -> dict[str, Any]:
    """An assistant's message with one call."""
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def test_calls_and_results() -> None:
    """G1: calls follow the words; a tool message is a user message with one result."""
    messages = read(
        {**called("weather", '{"city":"Oslo"}'), "content": "looking"},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    )
    assert messages[0].parts == (Text("looking"), ToolCall("c1", "weather", {"city": "Oslo"}))
    assert messages[1].role == "user"
    assert messages[1].parts == (ToolResult("c1", (Text("rain"),), as_text=True),)


def test_broken_arguments_are_kept_as_text() -> None:
    """Arguments that are no JSON stay under `arguments`."""
    assert read(called("x", '{"a":'))[0].calls == (ToolCall("c1", "x", {"arguments": '{"a":'}),)


def test_developer_and_system_are_system() -> None:
    """Both roles give system messages, which stay in their place."""
    messages = read({"role": "system", "content": "a"}, {"role": "developer", "content": "b"})
    assert [(message.role, message.text) for message in messages] == [("system", "a"), ("system", "b")]


def test_the_older_form_of_calls() -> None:
    """A function_call and the function message behind it are one exchange, twice over."""
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    answer = {"role": "function", "name": "f", "content": "42"}
    messages = read({"role": "user", "content": "?"}, call, answer, call, answer)
    ids = [messages[1].calls[0].id, messages[3].calls[0].id]
    assert ids == [messages[2].results[0].call_id, messages[4].results[0].call_id]
    assert len(set(ids)) == 2
    assert all(ids)


def test_parts_of_content() -> None:
    """Texts, pictures and refusals, as parts or beside the content."""
    url = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    messages = read(
        {"role": "user", "content": [{"type": "text", "text": "what?"}, url]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
        {"role": "assistant", "content": None, "refusal": "never"},
    )
    assert messages[0].parts == (Text("what?"), Image("image/png", "AA"))
    assert [message.parts for message in messages[1:]] == [(Text("no"),), (Text("never"),)]


def test_custom_tools() -> None:
    """A custom tool takes free text."""
    call = {"id": "c1", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
    assert read({"role": "assistant", "tool_calls": [call]})[0].calls == (ToolCall("c1", "sh", {"input": "ls"}),)


def test_calls_of_odd_shape_are_still_calls() -> None:
    """Absent ids, names and arguments are empty."""
    assert read({"role": "assistant", "tool_calls": [{}]})[0].calls == (ToolCall("", "", {}),)


def test_a_hint_decides_only_plain_arrays() -> None:
    """Plain strings fit several APIs; blocks that only one of them has do not."""
    plain = Source.of_document({"messages": [{"role": "user", "content": "hi"}]})
    assert openai_chat.sniff_openai_chat(plain)
    assert read_chat(plain, "openai-chat").format == "openai-chat"
    blocks = Source.of_document({"messages": [{"role": "assistant", "content": [{"type": "tool_use"}]}]})
    assert read_chat(blocks, "openai-chat").format == "anthropic"
