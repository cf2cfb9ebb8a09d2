"""What the screen of VS Code shows of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.chat import Image, Message, Text, ToolCall, ToolResult
from tests.fakes.vscode_sessions import session_chat

WORDS = {"value": "I look. "}
BEHIND = {"value": "Done."}


def answered(response: object) -> tuple[Message, ...]:
    """The messages guessed from an answer."""
    return session_chat({"requests": [{"requestId": "r", "response": response}]}).messages


def shown(*parts: object) -> tuple[Message, ...]:
    """The messages guessed from the parts of an answer."""
    return answered(list(parts))


def call(**more: Any) -> dict[str, Any]:
    """A call as the screen shows it."""
    part = {"kind": "toolInvocationSerialized", "toolId": "look", "toolCallId": "c__vscode-1", "isComplete": True}
    return {**part, **more}


@pytest.mark.parametrize("response", ["Hello", ["Hello"], [{"value": "Hel"}, {"value": "lo"}]])
def test_words_are_one_message(response: object) -> None:
    """Markdown without a kind, and the plain strings of old files, run on."""
    assert answered(response) == (Message("r:screen0", "assistant", (Text("Hello"),)),)


@pytest.mark.parametrize(
    "response", [None, [], {}, 5, [None, {"kind": "undoStop"}, {"kind": "thinking", "value": "x"}]]
)
def test_an_answer_without_words_gives_nothing(response: object) -> None:
    """Thinking, changes and notes are not sent again."""
    assert answered(response) == ()


def test_links_and_guarded_words_are_words() -> None:
    """References between words are told by their names."""
    file = {"kind": "inlineReference", "inlineReference": {"$mid": 1, "path": "/home/me/calc.py"}}
    symbol = {"kind": "inlineReference", "inlineReference": {"name": "add", "location": {}}}
    guarded = {"kind": "markdownVuln", "content": {"value": "guarded"}}
    (message,) = shown({"value": {"value": "See "}}, file, {"value": " and "}, symbol, " ", guarded)
    assert message.text == "See `calc.py` and `add` guarded"


def test_a_call_ends_a_round() -> None:
    """Words behind a call are those of the next round; calls in a row are of one."""
    details = {"input": '{"a": 1}', "output": [{"type": "embed", "isText": True, "value": "found"}]}
    messages = shown(WORDS, call(resultDetails=details), call(toolCallId="d", resultDetails=details), BEHIND)
    assert [(message.id, message.role) for message in messages] == [
        ("r:screen0", "assistant"),
        ("r:screen0:0", "user"),
        ("r:screen0:1", "user"),
        ("r:screen1", "assistant"),
    ]
    assert messages[0].parts == (Text("I look. "), ToolCall("c", "look", {"a": 1}), ToolCall("d", "look", {"a": 1}))
    assert messages[1].parts == (ToolResult("c", (Text("found"),)),)


def test_a_terminal_call_is_its_command() -> None:
    """The command line stands beside the call, in either form; a failure is one."""
    for told in ({"commandLine": {"original": "ls"}}, {"command": "ls"}):
        details = {"output": "no", "isError": True}
        made, got = shown(call(toolSpecificData={"kind": "terminal", **told}, resultDetails=details))
        assert made.calls[0].input == {"command": "ls"}
        assert got.results == (ToolResult("c", (Text("no"),), is_error=True),)


def test_without_output_the_screen_says_what_was_done() -> None:
    """A call that ended without details is told in the words of the screen; a running one has no result."""
    said = {"pastTenseMessage": {"value": "Read calc.py"}, "resultDetails": [{"path": "/calc.py"}]}
    assert shown(call(**said))[1].results[0].content == (Text("Read calc.py"),)
    assert len(shown(call(isComplete=False, invocationMessage="Reading"))) == 1
    assert len(shown(call(resultDetails=None))) == 1


def test_hidden_calls_are_left_out() -> None:
    """A call that the screen hides stands for another one that it shows."""
    assert shown(call(presentation="hidden")) == ()


def test_pictures_in_a_result_stay_pictures() -> None:
    """A picture that a tool gave back is data with its type."""
    details = {"output": [{"mimeType": "image/png", "isText": False, "value": "QUJD"}]}
    assert shown(call(resultDetails=details))[1].results[0].content == (Image("image/png", data="QUJD"),)
