"""Prompts of Copilot Chat that were exported for a replay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat, Image, Text, ToolCall, ToolResult, Usage
from compact_chat.read import Source
from compact_chat.read import simple as chatreplay

SYSTEM = {"role": 0, "content": [{"type": 1, "text": "Be brief."}]}
ASKED = {"role": 1, "content": [{"type": 1, "text": "look"}, {"type": 3, "cacheType": "ephemeral"}]}
CALLED = {
    "role": 2,
    "content": [{"type": 1, "text": "I look."}],
    "toolCalls": [{"id": "c", "function": {"name": "look", "arguments": '{"at": 1}'}}],
}
GOT = {"role": 3, "content": [{"type": 1, "text": "bread"}], "toolCallId": "c"}
MADE = {"kind": "toolCall", "id": "c__vscode-1", "tool": "look", "args": '{"at": 1}', "response": ["bread"]}


def request(*messages: Any, said: Any = "", prompt: Any = 0, name: str = "panel/editAgent") -> dict[str, Any]:
    """A request that sent these messages."""
    usage = {"prompt_tokens": prompt, "completion_tokens": 3}
    about = {"model": "claude-x", "usage": usage, "maxPromptTokens": 128_000, "tools": [{"type": "function"}]}
    return {
        "kind": "request",
        "name": name,
        "metadata": about,
        "requestMessages": {"messages": list(messages)},
        "response": {"type": "success", "message": said},
    }


def read(*logs: Any) -> Chat:
    """The chat of a file that must be recognised as ours."""
    source = Source.of_bytes(json.dumps({"totalPrompts": 1, "prompts": [{"prompt": "look", "logs": logs}]}).encode())
    assert chatreplay.sniff_chatreplay(source)
    return chatreplay.read_chatreplay(source)


def test_the_newest_request_and_its_answer_are_the_chat() -> None:
    """All that was said before stands in the request; the answer goes with the next one."""
    chat = read(
        request(SYSTEM, ASKED, said=["I look."], prompt=90),
        MADE,
        request(SYSTEM, ASKED, CALLED, GOT, said=["Bread."], prompt=99),
    )
    assert [(message.id, message.role, message.parts) for message in chat.messages] == [
        ("m0", "system", (Text("Be brief."),)),
        ("m1", "user", (Text("look"),)),
        ("m2", "assistant", (Text("I look."), ToolCall("c", "look", {"at": 1}))),
        ("m3", "user", (ToolResult("c", (Text("bread"),)),)),
        ("m4", "assistant", (Text("Bread."),)),
    ]
    assert (chat.format, chat.tool, chat.model, chat.title) == ("chatreplay", "chatreplay", "claude-x", "look")
    assert (chat.window, chat.tools) == (128_000, ({"type": "function"},))


def test_each_reply_has_the_size_of_its_call() -> None:
    """An earlier call's size stands on the message that it gave, if that is still sent."""
    first = request(SYSTEM, ASKED, said=["I look."], prompt=90)
    last = request(SYSTEM, ASKED, CALLED, GOT, said="Bread.", prompt=99)
    assert [message.usage for message in read(first, last).messages if message.usage] == [
        Usage(90, 3, "claude-x"),
        Usage(99, 3, "claude-x"),
    ]
    other = request(SYSTEM, ASKED, said=["I rather not."], prompt=90)
    assert [message.usage for message in read(other, last).messages if message.usage] == [Usage(99, 3, "claude-x")]


def test_calls_behind_the_last_request_are_its_answer() -> None:
    """An export in the midst of the work holds the calls and their results, and no request with them."""
    chat = read(request(SYSTEM, ASKED, said=["I look."]), MADE)
    assert chat.messages[2].parts == (Text("I look."), ToolCall("c", "look", {"at": 1}))
    assert chat.messages[3].parts == (ToolResult("c", (Text("bread"),)),)


def test_the_hosts_own_questions_are_not_the_chat() -> None:
    """Requests for a title or a summary are passed over, but where there are no others."""
    title = request(SYSTEM, ASKED, said=["Bread"], name="title")
    assert len(read(request(SYSTEM, ASKED, CALLED, GOT, said=["Bread."]), title).messages) == 5
    assert len(read(title).messages) == 3


def test_pictures_are_read_in_messages_and_results() -> None:
    """A picture is a part of its message."""
    picture = {"type": 0, "imageUrl": {"url": "data:image/png;base64,QUJD"}}
    chat = read(request({"role": 1, "content": [picture]}, {"role": 3, "content": [picture], "toolCallId": "c"}))
    assert chat.messages[0].parts == (Image("image/png", data="QUJD"),)
    assert chat.messages[1].results[0].content == (Image("image/png", data="QUJD"),)


@pytest.mark.parametrize(
    "logs", [[], [None, 5], [{"kind": "element"}], [{"kind": "request", "requestMessages": {"messages": [3]}}]]
)
def test_without_a_request_the_chat_is_empty(logs: list[Any]) -> None:
    """Logs of other kinds hold no messages."""
    assert read(*logs).messages == ()


@pytest.mark.parametrize(
    "document", [{"prompts": []}, {"prompts": [{"logs": 1}]}, {"prompts": {}}, {}, [], None, "logs"]
)
def test_other_documents_are_not_ours(document: object) -> None:
    """A list of prompts needs logs."""
    assert not chatreplay.sniff_chatreplay(Source.of_bytes(json.dumps(document).encode()))


def test_the_real_export_is_read(shared_chats: Path) -> None:
    """The ground truth counts what the last request sent; its answer is live too. The sizes are those of all calls."""
    source = Source.of_bytes((shared_chats / "chatreplay" / "spec.chatreplay.json").read_bytes())
    manifest = json.loads((shared_chats / "manifest.json").read_text())
    (truth,) = (entry["truth"] for entry in manifest["files"] if entry["tool"] == "chatreplay")
    chat = chatreplay.read_chatreplay(source)
    assert len(chat.messages) == truth["live_messages"] + 1
    assert sum(len(message.calls) for message in chat.messages) == truth["live_tool_calls"]
    assert sum(len(message.results) for message in chat.messages) == truth["live_tool_results"]
    sizes = [message.usage for message in chat.messages if message.usage]
    assert [usage.prompt_tokens for usage in sizes] == truth["usage_of_every_request"]
    assert (sizes[-1].output_tokens, chat.model) == (truth["last_context_tokens"]["output"], truth["model"])
    assert chat.messages[-1].text == 'Done. The file now says "goodbye".'
