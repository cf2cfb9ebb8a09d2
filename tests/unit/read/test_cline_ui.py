"""Tasks of which only the screen's messages are left."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Text, Thinking, ToolCall, ToolResult, Usage
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Shown = dict[str, Any]


def say(kind: str, text: object = "", ts: int = 1, **more: Any) -> Shown:
    """A message on the screen."""
    return {"ts": ts, "type": "say", "say": kind, "text": text if isinstance(text, str) else json.dumps(text), **more}


def ask(kind: str, text: object = "", ts: int = 1) -> Shown:
    """A question on the screen."""
    return {"ts": ts, "type": "ask", "ask": kind, "text": text if isinstance(text, str) else json.dumps(text)}


def read(*ui: Shown) -> Chat:
    """Read the screen alone."""
    return read_chat(Source.of_text(json.dumps(ui)))


def test_a_task_is_put_together_from_its_screen() -> None:
    """Words, thoughts, calls and results become messages, in turns; usage stands on the answer."""
    chat = read(
        say("text", "Mend the shop.", 1),
        say("api_req_started", {"tokensIn": 10, "tokensOut": 2, "cacheReads": 90}, 2),
        say("reasoning", "hm", 3),
        say("text", "I look.", 4),
        ask("command", "ls", 5),
        say("command_output", "a.py", 6),
        say("api_req_started", {"tokensIn": 20}, 7),
        say("tool", {"tool": "readFile", "path": "a.py"}, 8),
        say("user_feedback", "faster", 9),
        ask("followup", {"question": "Which?", "options": []}, 10),
    )
    assert [(message.role, message.id) for message in chat.messages] == [
        ("user", "1"),
        ("assistant", "3"),
        ("user", "6"),
        ("assistant", "8"),
        ("user", "9"),
        ("assistant", "10"),
    ]
    assert [message.parts for message in chat.messages] == [
        (Text("Mend the shop."),),
        (Thinking("hm"), Text("I look."), ToolCall("ui-4", "execute_command", {"command": "ls"})),
        (ToolResult("ui-4", (Text("a.py"),), as_text=True),),
        (ToolCall("ui-7", "readFile", {"path": "a.py"}),),
        (Text("faster"),),
        (Text("Which?"),),
    ]
    assert [message.usage for message in chat.messages if message.usage] == [Usage(100, 2, ""), Usage(20, 0, "")]
    assert (chat.title, chat.messages[4].by_host) == ("Mend the shop.", False)


def test_a_request_tells_what_was_sent() -> None:
    """The request holds all that the user's side sent: what it tells again is left out before it."""
    request = "<task>\nMend it.\n</task>\n\n<environment_details>\n# Context Window Usage\n0 / 64K tokens used"
    chat = read(
        say("task", "Mend it.", conversationHistoryIndex=-1),
        say("api_req_started", {"request": request, "tokensIn": 5}),
        ask("use_mcp_server", {"serverName": "s", "toolName": "find", "arguments": '{"q":1}'}),
        say("mcp_server_response", "found"),
        say("api_req_started", {"request": "[find] Result:\nfound"}),
    )
    assert (chat.tool, chat.window) == ("cline", 64_000)
    assert [message.sent for message in chat.messages] == [
        (Text(request),),
        (ToolCall("ui-2", "find", {"q": 1}),),
        (Text("[find] Result:\nfound"),),
    ]
    assert [message.by_host for message in chat.messages] == [False, False, True]


def test_a_condensed_task_begins_with_the_summary() -> None:
    """Roo Code's event carries the summary that replaces what was before."""
    chat = read(
        say("text", "task"),
        say("api_req_started", {"tokensIn": 150_000}),
        say("text", "gone"),
        say("condense_context", "", 9, contextCondense={"summary": "short", "newContextTokens": 4}),
        say("api_req_started", {"tokensIn": 400}),
        say("completion_result", "done", 11),
    )
    assert chat.tool == "roo"
    assert [(message.text, message.is_summary) for message in chat.messages] == [("short", True), ("done", False)]
    assert chat.messages[1].usage == Usage(400, 0, "")


def test_what_was_shown_of_hidden_messages_is_left_out() -> None:
    """The newest range counts; messages without a place go with the one before them."""
    hidden: Shown = {"conversationHistoryDeletedRange": [2, 3]}
    chat = read(
        say("task", "task", conversationHistoryIndex=-1),
        say("text", "first", conversationHistoryIndex=0),
        say("user_feedback", "gone", conversationHistoryIndex=1),
        say("completion_result", "gone"),
        say("user_feedback", "kept", conversationHistoryIndex=3, **hidden),
    )
    assert [message.text for message in chat.messages] == ["task", "first", "kept"]


def test_what_is_still_written_is_left_out() -> None:
    """A message that the screen is still filling is not whole."""
    chat = read(say("text", "task"), say("text", "half", partial=True), say("text", "whole", partial=False))
    assert [message.text for message in chat.messages] == ["task", "whole"]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                ["ts", "type", "say", "ask", "text", "contextCondense", "conversationHistoryIndex", "partial"]
            ),
            st.sampled_from(
                ["say", "ask", "text", "tool", "command_output", "use_mcp_server", "api_req_started", "{", "{}"]
            )
            | st.sampled_from(
                [None, True, 3, [], {}, {"summary": "s"}, {"summary": 3}, '{"tool":3}', '{"request":"x"}']
            ),
        ),
        max_size=12,
    )
)
def test_any_screen_is_read_or_refused(ui: list[Shown]) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    try:
        read(say("text", "task"), *ui)
    except ChatUnreadable:
        return
