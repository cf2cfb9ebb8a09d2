"""Arrays of messages: documents, files, and what is no array of messages."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import ChatUnreadable, InvalidParams
from compact_chat.read import Source, read_chat

USER = {"role": "user", "content": "hi"}
WORDS = st.sampled_from(["user", "assistant", "tool", "text", "tool_use", "message", "function_call", "x", ""])
KEYS = st.sampled_from(["role", "content", "type", "text", "tool_calls", "id", "input", "source", "output", "function"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
ITEMS = st.dictionaries(KEYS, VALUES, max_size=5) | st.fixed_dictionaries({"role": WORDS, "content": VALUES}) | VALUES


def of_file(value: object) -> Source:
    """A file that holds this JSON."""
    return Source.of_bytes(json.dumps(value).encode())


def test_messages_know_where_they_came_from() -> None:
    """`raw` is the caller's own object, and ids go by position."""
    messages = [USER, {"role": "assistant", "content": "yes"}]
    chat = read_chat(Source.of_document({"messages": messages}))
    assert [message.id for message in chat.messages] == ["m0", "m1"]
    assert all(message.raw is item for message, item in zip(chat.messages, messages, strict=True))


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [USER], "sessionId": "x"},
        {"messages": [USER], "version": 2},
        {"messages": [{"id": "1", "type": "user", "content": "hi"}], "projectHash": "x"},
        {"history": [{"message": USER}]},
        {"conversations": [{"from": "human", "value": "hi"}]},
        {"requests": [], "responderUsername": "x"},
        [{"role": "user", "parts": [{"text": "hi"}]}],
        [{"role": "moderator", "content": "hi"}],
        [{"type": "message", "user": "U1", "text": "hi"}],
        [{"ts": 1, "type": "say", "say": "text", "text": "hi"}],
        [[1, [0, []]]],
        {"a": 1},
        [1, 2],
    ],
)
def test_other_json_is_no_array_of_messages(value: object) -> None:
    """Session files of other tools are read as theirs, and any other JSON is refused, however they come."""
    for source in (of_file(value), Source.of_text(json.dumps(value))):
        with suppress(ChatUnreadable):
            assert read_chat(source).format not in ("anthropic", "openai-chat", "openai-responses")


def of_lines(*values: object) -> Source:
    """A file with one JSON value per line."""
    return Source.of_bytes("".join(json.dumps(value) + "\n" for value in values).encode())


REPLY = {"role": "assistant", "content": "yes"}


def test_a_hint_decides_for_lines_too() -> None:
    """Plain strings fit all three APIs, on lines as in an array."""
    for hint in ("anthropic", "openai-chat", "openai-responses"):
        assert read_chat(Source.of_text(of_lines(USER, REPLY).text), hint).format == hint


@pytest.mark.parametrize(
    "odd",
    [
        {"type": "session_meta", "payload": {}},
        {"type": "message", "message": USER},
        {"role": "user", "message": {"content": "hi"}},
        {"role": "moderator", "content": "hi"},
        {**USER, "sessionId": "x"},
        {"a": 1},
        {},
    ],
)
def test_one_line_of_another_kind_is_another_tools_file(odd: object) -> None:
    """A file in which any line is no message is a session of another tool, known or not."""
    for values in ([odd], [odd, USER, REPLY], [USER, REPLY, odd]):
        for source in (of_lines(*values), Source.of_text(of_lines(*values).text)):
            with suppress(ChatUnreadable):
                assert read_chat(source).format == "codex"


def test_a_line_of_json_makes_no_chat_of_prose() -> None:
    """Where most lines are no JSON, a message among them is quoted."""
    assert read_chat(Source.of_text('Look:\n{"role":"user","content":"hi"}\nand so on\n')).format == "text"


@given(st.lists(ITEMS, max_size=4), st.sampled_from([None, "anthropic", "openai-chat", "openai-responses"]))
def test_any_array_is_read_or_refused(items: list[Any], hint: str | None) -> None:
    """G4, G5: never another error, never a change of the input, the same answer twice, ids unique."""
    before = copy.deepcopy(items)
    for source in (Source.of_document({"messages": items}), of_file(items), of_lines(*items)):
        try:
            chat = read_chat(source, hint)
        except (InvalidParams, ChatUnreadable):
            continue
        assert chat == read_chat(source, hint)
        assert len({message.id for message in chat.messages}) == len(chat.messages)
    assert items == before
