"""Arrays of messages: documents, files, and what is no array of messages."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Text
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


def test_an_empty_list_is_an_empty_chat() -> None:
    """No messages are no fault, given as a document or as a file."""
    for source in (Source.of_document({"messages": []}), of_file([]), of_file({"messages": []})):
        assert read_chat(source).messages == ()


def test_a_document_brings_system_tools_and_model() -> None:
    """System text may be blocks; absent and null are the same."""
    tool = {"name": "grep", "input_schema": {}}
    system = [{"type": "text", "text": "a"}, {"type": "text", "text": "b", "cache_control": {}}]
    chat = read_chat(Source.of_document({"messages": [USER], "system": system, "tools": [tool], "model": "claude-x"}))
    assert (chat.system, chat.tools, chat.model) == ("a\nb", (tool,), "claude-x")
    bare = read_chat(Source.of_document({"messages": [USER], "system": None, "tools": None}))
    assert (bare.system, bare.tools, bare.model) == ("", (), None)


def test_a_file_may_be_a_bare_array_or_a_request() -> None:
    """Both shapes give the same messages."""
    bare, request = read_chat(of_file([USER])), read_chat(of_file({"system": "s", "messages": [USER]}))
    assert bare.messages == request.messages
    assert (bare.system, request.system) == ("", "s")


def test_bad_items_of_a_file_are_skipped_and_told() -> None:
    """A file is read around its faults: one warning each, without a line."""
    chat = read_chat(of_file([USER, 3, {"role": "user", "content": 4}, USER]))
    assert [message.id for message in chat.messages] == ["m0", "m1"]
    assert [warning.code for warning in chat.warnings] == ["skippedMessage"] * 2
    assert "$.messages[2].content" in chat.warnings[1].message


def test_messages_know_where_they_came_from() -> None:
    """`raw` is the caller's own object, and ids go by position."""
    messages = [USER, {"role": "assistant", "content": "yes"}]
    chat = read_chat(Source.of_document({"messages": messages}))
    assert [message.id for message in chat.messages] == ["m0", "m1"]
    assert all(message.raw is item for message, item in zip(chat.messages, messages, strict=True))


def test_a_given_summary_is_marked() -> None:
    """P23, J2: the first user message of an array may be an earlier summary, as string or as block."""
    text = "[Previous conversation summary]\nold\n[End of summary — conversation continues below]"
    for content in (text, [{"type": "text", "text": text}, {"type": "text", "text": "go on"}]):
        messages = [{"role": "system", "content": "s"}, {"role": "user", "content": content}, USER]
        chat = read_chat(Source.of_document({"messages": messages}))
        assert [message.is_summary for message in chat.messages] == [False, True, False]


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
BLOCKS = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "ls", "input": {}}]}
CALLS = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "ls"}}]}
ANSWER = {"role": "tool", "tool_call_id": "c", "content": "a.py"}
ITEM = {"type": "function_call_output", "call_id": "c", "output": "a.py"}


@pytest.mark.parametrize(
    ("values", "format_name"),
    [
        ([USER], "anthropic"),
        ([USER, REPLY], "anthropic"),
        ([USER, BLOCKS], "anthropic"),
        ([USER, CALLS, ANSWER], "openai-chat"),
        ([USER, {"type": "function_call", "call_id": "c", "name": "ls", "arguments": "{}"}, ITEM], "openai-responses"),
    ],
)
def test_a_message_on_each_line_reads_like_the_array(values: list[object], format_name: str) -> None:
    """Lines of messages give the messages of the array, in the format that the same evidence tells."""
    chat = read_chat(of_lines(*values))
    assert chat == read_chat(of_file(values))
    assert chat.format == format_name
    assert len(chat.messages) == len(values)


def test_a_hint_decides_for_lines_too() -> None:
    """Plain strings fit all three APIs, on lines as in an array."""
    for hint in ("anthropic", "openai-chat", "openai-responses"):
        assert read_chat(Source.of_text(of_lines(USER, REPLY).text), hint).format == hint


def test_damaged_lines_and_bad_messages_are_skipped_and_told() -> None:
    """A line that breaks off and a message of wrong types cost only themselves."""
    source = Source.of_text(of_lines(USER, {"role": "user", "content": 4}, REPLY).text + '{"role":"us')
    chat = read_chat(source)
    assert [(message.id, message.role) for message in chat.messages] == [("m0", "user"), ("m1", "assistant")]
    assert [warning.code for warning in chat.warnings] == ["damagedLine", "skippedMessage"]
    assert chat.warnings[0].line == 4


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


def test_lone_surrogates_come_through() -> None:
    """Half a surrogate pair in an escape is kept as it is."""
    chat = read_chat(Source.of_bytes(b'[{"role":"user","content":"\\ud83d!"}]'))
    assert chat.messages[0].parts == (Text("\ud83d!"),)
