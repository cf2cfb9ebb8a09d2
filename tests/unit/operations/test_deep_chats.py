"""However deep JSON is nested in a chat, each operation ends as it would with a shallow one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from compact_chat.errors import CompactChatError, NoGain, NothingToCompact
from tests.unit.operations.conftest import Ask

# Our own limit, those of CPython's versions for Python and for C code, and far beyond all.
DEPTHS = (100, 101, 900, 995, 1005, 5_000, 20_000)
SHAPES = {"arrays": ("[", "]"), "objects": ('{"a":', "}")}
USER = {"role": "user", "content": "Count the shelves."}
HEAD = [USER, {"role": "assistant", "content": "Nine shelves. " * 40}] * 5
RECORD = {"type": "user", "sessionId": "s", "uuid": "u1", "parentUuid": None, "message": USER}
CALL = {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "N", "input": {"x": "DEEP"}}]}
PLACES: dict[str, list[Any]] = {
    "input": [[*HEAD, CALL]],
    "block": [[*HEAD, {"role": "user", "content": [{"type": "odd", "x": "DEEP"}]}]],
    "result": [[*HEAD, {"role": "user", "content": [{"type": "tool_result", "content": "DEEP"}]}]],
    "content": [[*HEAD, {"role": "user", "content": "DEEP"}]],
    "system": [{"messages": HEAD, "system": "DEEP", "tools": [{"name": "t", "schema": "DEEP"}]}],
    "line": [RECORD, {**RECORD, "type": "assistant", "uuid": "u2", "parentUuid": "u1", "message": CALL}],
}
OPERATIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("countTokens", {"perMessage": True}),
    ("preview", {}),
    ("prompt", {"options": {"minKeep": 0}}),
    ("summarize", {"options": {"minKeep": 0}, "include": ["messages", "prompt", "raw"]}),
    ("summarize", {"options": {"strategy": "prune", "budget": 1}, "messagesAs": "openai-chat"}),
)


def outcome(ask: Callable[..., Any], name: str, **params: Any) -> str:
    """A result, or the kind of an error; how much there is to win is a matter of size, not of depth."""
    try:
        ask(name, **params)
    except CompactChatError as problem:
        return "result" if isinstance(problem, NoGain | NothingToCompact) else problem.kind
    return "result"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("place", PLACES)
def test_depth_changes_nothing(ask: Ask, place: str, shape: str) -> None:
    """At any depth, and around each limit of recursion, every operation ends as it does with a shallow chat."""

    def text(depth: int) -> str:
        opening, closing = SHAPES[shape]
        deep = opening * depth + "1" + closing * depth
        return "\n".join(json.dumps(one).replace('"DEEP"', deep) for one in PLACES[place])

    expected = [outcome(ask, name, chat={"text": text(3)}, **params) for name, params in OPERATIONS]
    for number, depth in enumerate(DEPTHS):
        turn = number % len(OPERATIONS)
        name, params = OPERATIONS[turn]
        assert outcome(ask, name, chat={"text": text(depth)}, **params) == expected[turn], depth


def test_messages_that_are_nested_too_deeply_are_not_archived(ask: Ask, messages: list[dict[str, Any]]) -> None:
    """They can be compacted all the same, and the result says that the original was not kept."""
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"a": deep}
    messages[0]["odd"] = deep

    done = ask("summarize", chat={"messages": messages}, provider="offline")

    assert (done["archive"], done["warnings"][-1]["code"]) == (None, "notArchived")
