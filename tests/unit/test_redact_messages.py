"""Secrets are masked in whole messages, wherever in them they stand."""

from __future__ import annotations

import json

import pytest

from compact_chat.chat import Document, Image, Message, Text, Thinking, ToolCall, ToolResult
from compact_chat.redact import Redactor
from compact_chat.redact.messages import masked_message

SECRET = "hunter2"


def clean(text: str) -> str:
    """Mask the one secret of these tests."""
    return text.replace(SECRET, "***")


def test_every_part_of_a_message_is_masked() -> None:
    """Words, thoughts, nested arguments and results lose their secrets; pictures stay."""
    call = ToolCall("c1", "run", {"command": f"login {SECRET}", "env": [{"PASS": SECRET}, 3, None]})
    result = ToolResult("c1", (Text(f"ok {SECRET}"), Image(data="x")))
    message = Message("m0", "assistant", (Text(SECRET), Thinking(SECRET), call, result), raw={"role": "assistant"})

    masked = masked_message(message, clean)

    assert masked.parts == (
        Text("***"),
        Thinking("***"),
        ToolCall("c1", "run", {"command": "login ***", "env": [{"PASS": "***"}, 3, None]}),
        ToolResult("c1", (Text("ok ***"), Image(data="x"))),
    )
    assert masked.raw is None
    assert call.input["command"] == f"login {SECRET}"


def test_a_message_without_secrets_is_itself() -> None:
    """Nothing is copied where nothing is masked."""
    message = Message("m0", "assistant", (Text("hello"), ToolCall("c1", "run", {"a": ["b"]})))

    assert masked_message(message, clean) is message


def test_arguments_may_be_nested_to_any_depth() -> None:
    """A hundred thousand levels are masked as well as one."""
    given: dict[str, object] = {"a": SECRET}
    for _ in range(100_000):
        given = {"a": given}

    masked = masked_message(Message("m0", "assistant", (ToolCall("c", "t", given),)), clean)

    inner: object = masked.calls[0].input
    while isinstance(inner, dict):
        inner = inner["a"]
    assert inner == "***"


@pytest.mark.parametrize(
    "given",
    [
        {"password": "hunter2Xyz9!", "api_key": "a8f7D6g5H4j3K2l1Q0w9"},
        {"headers": {"Cookie": "session=a8f7D6g5H4j3K2l1Q0w9"}},
        {"env": [{"name": "API_KEY", "value": "a8f7D6g5H4j3K2l1Q0w9"}]},
    ],
    ids=["assignment", "cookie", "pair"],
)
def test_a_name_tells_that_its_value_is_a_secret(given: dict[str, object]) -> None:
    """A value that is a secret only beside its name is masked in a call's arguments."""
    message = Message("m0", "assistant", (ToolCall("c", "http", given),))

    written = json.dumps(masked_message(message, Redactor()).calls[0].input)

    assert "hunter2Xyz9!" not in written
    assert "a8f7D6g5H4j3K2l1Q0w9" not in written


def test_names_and_titles_are_masked() -> None:
    """A secret in a tool's name or a document's title leaves no more than one in a text."""
    parts = (ToolCall("c", f"run {SECRET}", {}), Document(SECRET, {}), ToolResult("c", (Document(SECRET, {}),)))

    masked = masked_message(Message("m0", "user", parts), clean)

    assert masked.parts == (ToolCall("c", "run ***", {}), Document("***", {}), ToolResult("c", (Document("***", {}),)))
