"""Arrays of messages: documents, files, and JSON that is none."""

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


def of_lines(*values: object) -> Source:
    """A file with one JSON value per line."""
    return Source.of_bytes("".join(json.dumps(value) + "\n" for value in values).encode())


REPLY = {"role": "assistant", "content": "yes"}


@pytest.mark.parametrize(
    "odd",
    [{"type": "message", "message": USER}, {"role": "moderator", "content": "hi"}, {**USER, "sessionId": "x"}, {}],
)
def test_one_line_of_another_kind_is_another_tools_file(odd: object) -> None:
    """A file in which any line is no message is a session of another tool, known or not."""
    for values in ([odd], [odd, USER, REPLY], [USER, REPLY, odd]):
        with suppress(ChatUnreadable):
            assert read_chat(of_lines(*values)).format == "codex"


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
