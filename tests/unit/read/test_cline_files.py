"""Tasks of Cline whose files are found, damaged, or another tool's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat
from tests.fakes.cline_tasks import HISTORY, TASK, Item, call, read, said, source, words

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def test_the_screens_file_leads_to_the_history() -> None:
    """Who names the file of the screen gets the history beside it, with all that the screen tells."""
    ui = [call(7, 5, conversationHistoryDeletedRange=[2, 7])]
    beside = {"api_conversation_history.json": json.dumps(HISTORY).encode()}
    chat = read_chat(Source.of_bytes(json.dumps(ui).encode(), "ui_messages.json", beside))
    assert chat == read(HISTORY, ui)


def test_the_older_name_of_the_screens_file() -> None:
    """Old versions called it claude_messages.json."""
    ui = [call(7, 5, conversationHistoryDeletedRange=[2, 7])]
    beside = {"claude_messages.json": json.dumps(ui).encode()}
    chat = read_chat(Source.of_bytes(json.dumps(HISTORY).encode(), "api_conversation_history.json", beside))
    assert len(chat.messages) == 4


def test_a_broken_file_beside_is_told() -> None:
    """A half-written file beside the history costs what it tells, and a warning."""
    beside = {"ui_messages.json": b'[{"ts":1,"type":"say","sa', "task_metadata.json": b"{}"}
    chat = read_chat(Source.of_bytes(json.dumps(HISTORY).encode(), "", beside))
    assert len(chat.messages) == 10
    assert [(warning.code, "ui_messages.json" in warning.message) for warning in chat.warnings] == [
        ("brokenFile", True)
    ]


def test_what_is_no_message_is_skipped_and_told() -> None:
    """Entries without a role cost themselves only; the places of the others stay."""
    history = [TASK, said("a1"), 7, {"content": "x"}, *HISTORY[2:]]
    chat = read(history, [call(5, 5, conversationHistoryDeletedRange=[2, 9])])
    assert words(chat) == ["<task>", "a1", "u8", "a9"]
    assert [warning.code for warning in chat.warnings] == ["skippedMessage", "skippedMessage"]
    assert "$[2]" in chat.warnings[0].message


@pytest.mark.parametrize("content", [None, 5, "text", [1, None, {"type": 4}], {"type": "text", "text": 4}, [[]]])
def test_content_of_any_type_is_read(content: object) -> None:
    """A message whose content makes no sense is kept as what it is."""
    chat = read([TASK, {"role": "assistant", "content": content}, {"role": 5}, {"role": "odd", "content": content}])
    assert len(chat.messages) == 3


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": "<task>write</task>"}, {"role": "assistant", "content": "ok"}],
        [{"role": "user", "content": "hi", "metrics": 5}],
        [{"role": "user", "content": "the tag <environment_details> is odd"}],
    ],
)
def test_other_arrays_are_not_taken(history: list[Item]) -> None:
    """Messages without a sign of Cline are those of an API, whatever the hint."""
    assert read_chat(source(history), "cline").format == "anthropic"


def test_a_callers_messages_are_not_taken() -> None:
    """What a caller gives as messages is what is sent."""
    assert read_chat(Source.of_document({"messages": HISTORY})).format == "anthropic"


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_the_screen_beside_a_plain_history_is_a_sign(role: str) -> None:
    """A history without a sign is Cline's where the screen's file lies beside it."""
    assert read([{"role": role, "content": "hi"}], [call(0, 5)]).tool == "cline"


@given(
    st.lists(ANY_JSON | st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": ANY_JSON})),
    ANY_JSON,
)
def test_any_records_are_read_or_refused(history: list[Any], odd: Any) -> None:
    """Wrong types anywhere in any of the files never raise anything but ChatUnreadable."""
    keys = ("conversationHistoryIndex", "conversationHistoryDeletedRange", "text", "modelInfo")
    ui = [call(0, 5), *({**call(1, 5), key: odd} for key in keys), odd]
    for beside in ((ui, odd), ([odd], [[0, odd], [0, [0, odd]], odd])):
        try:
            read([TASK, *history, {**said("x"), "metrics": odd, "modelInfo": odd, "ts": odd}], *beside, metadata=odd)
        except ChatUnreadable:
            continue
