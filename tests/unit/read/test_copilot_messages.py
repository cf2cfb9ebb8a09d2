"""Copilot events as messages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.chat import Image, Message, Text, Thinking, ToolCall, Usage
from compact_chat.read import Source, copilot

PICTURE = {"mimeType": "image/png", "data": "iVBO"}


def made(*events: tuple[str, dict[str, Any]]) -> tuple[Message, ...]:
    """The messages of events."""
    lines = (json.dumps({"id": f"e{place}", "type": kind, "data": data}) for place, (kind, data) in enumerate(events))
    return copilot.read(Source.of_text("\n".join(lines))).messages


def called(*ids: str) -> tuple[str, dict[str, Any]]:
    """A message that calls tools."""
    requests = [{"toolCallId": name, "name": "f", "arguments": '{"a":1}', "type": "function"} for name in ids]
    return "assistant.message", {"content": "", "toolRequests": requests}


def done(call: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """The end of a call."""
    return "tool.execution_complete", {"toolCallId": call, "success": True, **more}


def used(prompt: object, output: object = 1) -> tuple[str, dict[str, Any]]:
    """What the provider reported."""
    return "assistant.usage", {"model": "m", "inputTokens": prompt, "outputTokens": output}


TURN: tuple[str, dict[str, Any]] = ("assistant.turn_start", {})


def test_thoughts_words_and_calls_are_one_message() -> None:
    """A reply begins with what was thought, also where that is encrypted."""
    _, call = called("c")
    (reply,) = made(("assistant.message", {**call, "content": "I look.", "reasoningText": "hm"}))
    assert reply.parts == (Thinking("hm"), Text("I look."), ToolCall("c", "f", {"a": 1}))
    (reply,) = made(("assistant.message", {"content": "", "encryptedContent": "gAAA"}))
    assert reply.parts == (Thinking(""),)


def test_results_stand_behind_their_call() -> None:
    """Parallel results are one message right behind their call, whatever came between and in whatever order."""
    found = made(called("a", "b"), done("b"), ("user.message", {"content": "wait"}), done("a"), done("lost"))
    assert [message.id for message in found] == ["e0", "e1", "e2", "e4"]
    assert [[result.call_id for result in message.results] for message in found] == [[], ["b", "a"], [], ["lost"]]


def test_a_failed_call_says_why() -> None:
    """Without a result the model gets the error, and the result is marked."""
    (failed,) = made(done("a", success=False, error={"message": "no such file"}))
    assert failed.results[0].is_error
    assert failed.results[0].content == (Text("no such file"),)
    (empty,) = made(done("a"))
    assert (empty.results[0].content, empty.results[0].is_error) == ((), False)


def test_pictures_are_found_where_they_are() -> None:
    """A picture is in its message or its result, or in an event of its own; other files go as their paths."""
    asset = ("session.binary_asset", {"assetId": "p", **PICTURE})
    image = Image("image/png", "iVBO")
    attachments = [{"type": "blob", **PICTURE}, {"type": "file", "assetId": "p"}, {"type": "file", "path": "/a.py"}, 3]
    asked, answered = made(
        asset,
        ("user.message", {"content": "see", "attachments": attachments}),
        done("a", result={"content": "seen", "binaryResultsForLlm": [{"type": "image", "assetId": "p"}]}),
    )
    assert asked.parts == (Text("see"), image, image)
    assert answered.results[0].content == (Text("seen"), image)


def test_a_reported_size_is_that_of_its_turn() -> None:
    """The report stands before or behind the message of its turn, and never beside another's."""
    reply = ("assistant.message", {"content": "x"})
    found = made(TURN, used(5), reply, TURN, reply, used(7), TURN, used(9), TURN, reply)
    assert [message.usage for message in found] == [Usage(5, 1, "m"), Usage(7, 1, "m"), None]


def test_the_newest_size_holds() -> None:
    """A report after Copilot's own count takes its place."""
    end = ("session.shutdown", {"currentTokens": 90})
    reply = ("assistant.message", {"content": "x"})
    assert [message.usage for message in made(TURN, reply, end, TURN, reply, used(7))] == [None, Usage(7, 1, "m")]


@pytest.mark.parametrize("wrong", [None, "9", 0, -1, True, 1.5, [], 10**30])
def test_implausible_sizes_are_none(wrong: object) -> None:
    """What cannot be a number of tokens is not taken for one."""
    reply = ("assistant.message", {"content": "x"})
    end = ("session.shutdown", {"currentTokens": wrong})
    assert [message.usage for message in made(TURN, reply, used(wrong), end)] == [None]


def test_an_empty_reply_is_a_message() -> None:
    """A model that said nothing readable has still answered."""
    (reply,) = made(("assistant.message", {"content": ""}))
    assert (reply.role, reply.parts) == ("assistant", ())
