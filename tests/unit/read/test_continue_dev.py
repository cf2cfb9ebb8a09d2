"""Sessions of Continue."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Image, Text, Thinking, ToolCall, ToolResult, Usage
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Item = dict[str, Any]
CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path":"."}'}}


def item(role: str, content: object, name: str = "", message: Item | None = None, **more: Any) -> Item:
    """An item of the history."""
    return {"message": {"role": role, "content": content, "id": name, **(message or {})}, "contextItems": [], **more}


def read(*history: object, **more: Any) -> Chat:
    """Read a session of these items."""
    return read_chat(Source.of_text(json.dumps({"sessionId": "s", "title": "t", "history": history, **more})))


def test_the_history_is_the_chat() -> None:
    """Messages in their order under their own ids, with the session's title, folder and model."""
    log = {"modelTitle": "Mistral Large", "prompt": "all of it", "completionOptions": {"model": "m"}}
    history = [item("user", [{"type": "text", "text": "hi"}], "u1"), item("assistant", "hello", "a1", promptLogs=[log])]
    chat = read(*history, title="A title", workspaceDirectory="/shop")
    assert (chat.format, chat.tool, chat.title, chat.workspace) == ("continue", "continue", "A title", "/shop")
    assert chat.model == "Mistral Large"
    assert [(message.id, message.role, message.text) for message in chat.messages] == [
        ("u1", "user", "hi"),
        ("a1", "assistant", "hello"),
    ]


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ("file:///home/me/a%20b", "/home/me/a b"),
        ("file:///c%3A/shop", "c:/shop"),
        ("C:\\shop", "C:\\shop"),
        ("", None),
        (5, None),
    ],
)
def test_the_folder_is_a_path(given: object, folder: str | None) -> None:
    """Newer versions write the folder as a URI."""
    assert read(item("user", "hi"), workspaceDirectory=given).workspace == folder


def test_attached_things_stand_in_front_of_the_words() -> None:
    """What the user attached is sent before what they typed; blank things are not."""
    attached = [{"content": "```a.py\ncode\n```", "name": "a.py"}, {"content": " \n"}, {"name": "b"}, 5]
    (message,) = read(item("user", "mend a.py", contextItems=attached)).messages
    assert message.parts == (Text("```a.py\ncode\n```\n"), Text("mend a.py"))


def test_a_summary_replaces_its_item_and_all_before() -> None:
    """The newest summary counts; the item that bears it is part of what it replaced."""
    history = [
        item("user", "a", "1", conversationSummary="older"),
        item("assistant", "b", "2", conversationSummary="short"),
    ]
    chat = read(*history, item("user", "c", "3", conversationSummary="  "))
    assert [(message.id, message.text) for message in chat.messages] == [("2.summary", "short"), ("3", "c")]
    assert (chat.messages[0].is_summary, chat.messages[0].by_host) == (True, True)


def test_results_come_from_messages_or_from_the_states_of_calls() -> None:
    """A result is read once, wherever it stands; a call that still runs has none."""
    state = {"toolCallId": "c1", "status": "done", "output": [{"content": "a.py"}, {"content": "b.py"}]}
    reply = item("assistant", "I look.", "a1", {"toolCalls": [CALL]}, toolCallStates=[state])
    chat = read(reply)
    assert chat.messages[0].parts == (Text("I look."), ToolCall("c1", "ls", {"path": "."}))
    assert (chat.messages[1].id, chat.messages[1].parts) == (
        "a1.results",
        (ToolResult("c1", (Text("a.py\n\nb.py"),), as_text=True),),
    )
    answer = item("tool", "from a message", "t1", {"toolCallId": "c1"})
    assert [result for message in read(reply, answer).messages for result in message.results] == [
        ToolResult("c1", (Text("from a message"),), as_text=True)
    ]


@pytest.mark.parametrize(
    ("state", "text", "is_error"),
    [
        ({"status": "canceled", "output": [{"content": "x"}]}, "The user cancelled this tool call.", False),
        ({"status": "errored", "output": [{"content": "bad"}]}, "bad", True),
        ({"status": "done"}, "No tool output", False),
    ],
)
def test_how_a_call_ended(state: Item, text: str, is_error: bool) -> None:
    """Cancelled, failed and silent calls are answered as Continue answers them, in the older form too."""
    for key, held in (
        ("toolCallStates", [{"toolCallId": "c1", **state}]),
        ("toolCallState", {"toolCallId": "c1", **state}),
    ):
        reply = item("assistant", "", "a1", {"toolCalls": [CALL]}, **{key: held})
        assert read(reply).messages[1].results == (ToolResult("c1", (Text(text),), is_error, as_text=True),)


@pytest.mark.parametrize("status", ["generating", "generated", "calling", None, 5])
def test_a_call_under_way_has_no_result(status: object) -> None:
    """S6: what still waits is not answered."""
    reply = item("assistant", "", "a1", {"toolCalls": [CALL]}, toolCallStates=[{"toolCallId": "c1", "status": status}])
    assert len(read(reply).messages) == 1


def test_other_roles_and_contents() -> None:
    """Thinking is the assistant's, empty messages are never sent, pictures are spelled another way."""
    picture = {"type": "imageUrl", "imageUrl": {"url": "data:image/png;base64,aGk="}}
    chat = read(
        item("thinking", "hm"), item("assistant", ""), item("user", " "), item("system", "be"), item("user", [picture])
    )
    assert [(message.role, message.parts) for message in chat.messages] == [
        ("assistant", (Thinking("hm"),)),
        ("system", (Text("be"),)),
        ("user", (Image("image/png", "aGk="),)),
    ]


@pytest.mark.parametrize(
    ("usage", "size"),
    [
        ({"promptTokens": 500, "completionTokens": 5, "promptTokensDetails": {"cachedTokens": 400}}, Usage(500, 5, "")),
        ({"promptTokens": 5, "completionTokens": 5, "promptTokensDetails": {"cachedTokens": 400}}, Usage(405, 5, "")),
        (
            {"promptTokens": 500, "promptTokensDetails": {"cachedTokens": 40, "cacheWriteTokens": 60}},
            Usage(600, 0, ""),
        ),
        ({"promptTokens": 0, "completionTokens": 5}, None),
        (5, None),
    ],
)
def test_usage(usage: object, size: Usage | None) -> None:
    """Anthropic counts the cache apart, others within the prompt; no prompt is no usage."""
    assert read(item("assistant", "a", "", {"usage": usage})).messages[0].usage == size


@pytest.mark.parametrize("title", ["", "New Session", " ", None, 5])
def test_a_session_without_a_title(title: object) -> None:
    """The name that every new session has is none."""
    assert read(item("user", "hi"), title=title).title is None


def test_an_empty_session_is_a_chat_without_messages() -> None:
    """A session that was never used is read."""
    assert read().messages == ()


def test_items_without_a_message_are_told() -> None:
    """What is no item costs itself only; double and missing ids are made up."""
    chat = read(item("user", "a", "x"), 5, {"message": 3}, item("user", "b", "x"), item("user", "c"))
    assert [message.id for message in chat.messages] == ["x", "m1", "m2"]
    assert [warning.code for warning in chat.warnings] == ["skippedMessage", "skippedMessage"]


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 3, "x", "", [], {}, [None, 3, {}], [{"content": 3}], {"function": 3}, [{"function": {}}]]
)
KEYS = ["message", "contextItems", "toolCallStates", "toolCallState", "promptLogs", "conversationSummary"]


@given(
    st.lists(
        st.dictionaries(st.sampled_from(KEYS), ODD)
        | st.builds(
            lambda message, more: {**more, "message": message},
            st.dictionaries(
                st.sampled_from(["role", "content", "toolCalls", "toolCallId", "id", "usage"]),
                ODD | st.sampled_from(["user", "assistant", "tool", "thinking", "system"]),
            ),
            st.dictionaries(st.sampled_from(KEYS[1:]), ODD),
        ),
        max_size=6,
    ),
    ODD,
)
def test_any_session_is_read_or_refused(history: list[Item], odd: Any) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    for more in ({}, {"title": odd, "workspaceDirectory": odd, "chatModelTitle": odd}, {"history": odd}):
        try:
            read(*history, **more)
        except ChatUnreadable:
            continue
