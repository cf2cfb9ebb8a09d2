"""What is wrong with a caller's messages."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.read import Source, read_chat

USER = {"role": "user", "content": "hi"}


def paths(document: dict[str, Any]) -> list[str]:
    """The paths of all problems of a document."""
    with pytest.raises(InvalidParams) as caught:
        read_chat(Source.of_document(document))
    return [problem["path"] for problem in caught.value.data["problems"]]


@pytest.mark.parametrize(
    ("item", "path"),
    [
        ("hi", "$.messages[1]"),
        (None, "$.messages[1]"),
        ({"content": "hi"}, "$.messages[1].role"),
        ({"role": 3, "content": "hi"}, "$.messages[1].role"),
        ({"role": None, "content": "hi"}, "$.messages[1].role"),
        ({"role": "user"}, "$.messages[1].content"),
        ({"role": "user", "content": None}, "$.messages[1].content"),
        ({"role": "user", "content": 42}, "$.messages[1].content"),
        ({"role": "user", "content": {"type": "text"}}, "$.messages[1].content"),
        ({"role": "user", "content": ["hi"]}, "$.messages[1].content[0]"),
        ({"role": "user", "content": [{"text": "hi"}]}, "$.messages[1].content[0].type"),
        ({"role": "user", "content": [{"type": "text"}]}, "$.messages[1].content[0].text"),
        ({"role": "user", "content": [{"type": "text", "text": 1}]}, "$.messages[1].content[0].text"),
        (
            {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": None}]}]},
            "$.messages[1].content[0].content[0].text",
        ),
        ({"role": "user", "content": [{"type": "tool_result", "content": [3]}]}, "$.messages[1].content[0].content[0]"),
        ({"role": "assistant", "tool_calls": "x"}, "$.messages[1].tool_calls"),
        ({"role": "assistant", "tool_calls": [1]}, "$.messages[1].tool_calls[0]"),
        ({"type": "message", "content": "x"}, "$.messages[1].role"),
    ],
)
def test_each_fault_has_its_path(item: object, path: str) -> None:
    """G4: a missing role, an impossible content or an item that is no object is named by its path."""
    assert paths({"messages": [USER, item]}) == [path]


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({}, "$.messages"),
        ({"messages": None}, "$.messages"),
        ({"messages": "hi"}, "$.messages"),
        ({"messages": [], "system": 4}, "$.system"),
        ({"messages": [], "system": [{"type": "text"}]}, "$.system[0].text"),
        ({"messages": [], "tools": {}}, "$.tools"),
        ({"messages": [], "tools": ["x"]}, "$.tools[0]"),
        ({"messages": [], "model": 5}, "$.model"),
    ],
)
def test_what_stands_beside_the_messages_is_checked(document: dict[str, Any], path: str) -> None:
    """G4: system, tools and model have their types."""
    assert paths(document) == [path]


def test_all_problems_come_at_once() -> None:
    """G4: one answer names every fault, in order."""
    messages = [1, USER, {"content": 2}]
    assert paths({"messages": messages, "tools": 3}) == [
        "$.tools",
        "$.messages[0]",
        "$.messages[2].role",
        "$.messages[2].content",
    ]


@pytest.mark.parametrize(
    "item",
    [
        {"role": "narrator", "content": "x"},
        {"role": "user", "content": [{"type": "hologram"}]},
        {"role": "user", "content": []},
        {"role": "assistant", "content": None},
        {"role": "tool", "tool_call_id": "c", "content": None},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "x"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": 5}]},
        {"type": "some_future_item", "call_id": "c", "role": "user", "content": "x"},
    ],
)
def test_what_is_only_unknown_is_no_fault(item: dict[str, Any]) -> None:
    """T7, X9: unknown roles, blocks and results are read, not refused."""
    assert len(read_chat(Source.of_document({"messages": [USER, item]})).messages) == 2


def test_unknown_items_are_no_fault_among_responses_items() -> None:
    """T7: an item with a type of its own needs no role there."""
    items = [{"type": "message", "role": "user", "content": "x"}, {"type": "some_future_item"}]
    assert len(read_chat(Source.of_document({"messages": items})).messages) == 2


def test_a_role_beside_a_type_must_be_a_string() -> None:
    """G4: an item may lack a role there, but not have an impossible one."""
    assert paths({"messages": [{"type": "reasoning"}, {"type": "some_item", "role": [], "content": "x"}]}) == [
        "$.messages[1].role"
    ]


def test_no_fault_tells_a_text_of_the_chat() -> None:
    """Messages of problems name types, never contents."""
    with pytest.raises(InvalidParams) as caught:
        read_chat(Source.of_document({"messages": [{"role": "user", "content": {"secret": "hunter2"}}]}))
    assert "hunter2" not in str(caught.value.payload()) + caught.value.sentence
