"""However deep JSON is nested in a chat, each operation ends as it would with a shallow one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from compact_chat.errors import CompactChatError, NoGain, NothingToCompact
from compact_chat.operations import ClientState, Job
from tests.samples.alone import perform_alone

SHALLOW = 3
# Our own limit, those of CPython's versions for Python and for C code, and far beyond all.
DEPTHS = (100, 101, 900, 990, 995, 1000, 1005, 1100, 5_000, 20_000)
DEEPEST = 100_000
SHAPES: dict[str, Callable[[int], str]] = {
    "arrays": lambda depth: "[" * depth + "1" + "]" * depth,
    "objects": lambda depth: '{"a":' * depth + "1" + "}" * depth,
    "both": lambda depth: '[{"a":' * (depth // 2) + "1" + "}]" * (depth // 2),
}
USER, SPOKEN = (
    {"role": "user", "content": "Count the shelves."},
    {"role": "assistant", "content": "Nine shelves. " * 40},
)
HEAD = [USER, SPOKEN] * 5
RECORD = {"type": "user", "sessionId": "s", "uuid": "u1", "parentUuid": None, "message": USER}
BEHIND = {"sessionId": "s", "uuid": "u2", "parentUuid": "u1"}


def filled(value: Any, deep: str) -> str:
    """JSON of a value, with the deep one in the place of the word `DEEP`."""
    return json.dumps(value).replace('"DEEP"', deep)


def use(value: Any) -> list[Any]:
    """A call of a tool, as the Anthropic API writes it."""
    return [{"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "N", "input": value}]}]


def item(arguments: Any) -> list[Any]:
    """A call of a function, as the Responses API writes it."""
    return [{"type": "function_call", "call_id": "c", "name": "f", "arguments": arguments}]


def tool_call(arguments: Any) -> list[Any]:
    """A call of a function, as the chat API writes it."""
    function = {"name": "f", "arguments": arguments}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    ]


def lines(*records: Any, deep: str) -> str:
    """A session of Claude Code."""
    return "\n".join(filled(record, deep) for record in (RECORD, *records))


PLACES: dict[str, Callable[[str], str]] = {
    "whole": lambda deep: deep,
    "input": lambda deep: filled(HEAD + use({"x": "DEEP"}), deep),
    "block": lambda deep: filled([*HEAD, {"role": "user", "content": [{"type": "odd", "x": "DEEP"}]}], deep),
    "result": lambda deep: filled(
        [*HEAD, {"role": "user", "content": [{"type": "tool_result", "content": "DEEP"}]}], deep
    ),
    "content": lambda deep: filled([*HEAD, {"role": "user", "content": "DEEP"}], deep),
    "system": lambda deep: filled(
        {"messages": HEAD, "system": "DEEP", "tools": [{"name": "t", "schema": "DEEP"}]}, deep
    ),
    "string-of-arguments": lambda deep: json.dumps(HEAD + tool_call(deep)),
    "inside-string-of-arguments": lambda deep: json.dumps(HEAD + tool_call(f'{{"q": {deep}}}')),
    "string-of-item": lambda deep: json.dumps(HEAD + item(f'{{"q": {deep}}}')),
    "action-of-item": lambda deep: filled(
        [*HEAD, {"type": "local_shell_call", "call_id": "c", "action": {"q": "DEEP"}}], deep
    ),
    "line": lambda deep: lines({**BEHIND, "type": "assistant", "message": use({"x": "DEEP"})[0]}, deep=deep),
    "attachment": lambda deep: lines(
        {**BEHIND, "type": "attachment", "attachment": {"type": "todo_reminder", "content": "DEEP"}}, deep=deep
    ),
    "screen-copy": lambda deep: lines({**BEHIND, "type": "user", "message": USER, "toolUseResult": "DEEP"}, deep=deep),
    "glued": lambda deep: lines(deep=deep) + filled({"x": "DEEP"}, deep),
    "array-of-lines": lambda deep: "\n".join(filled(one, deep) for one in HEAD + use({"x": "DEEP"})),
    "markdown": lambda deep: f"## User\nCount.\n\n## Assistant\n{deep}\n",
    "text": lambda deep: f"Count {deep}",
    "reply": lambda deep: filled([*HEAD, {"role": "user", "content": [{"type": "text", "text": deep}]}], deep),
}
OPERATIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("countTokens", {"perMessage": True}),
    ("preview", {}),
    ("prompt", {"options": {"minKeep": 0}}),
    ("summarize", {"options": {"minKeep": 0}, "include": ["messages", "prompt", "raw"]}),
    (
        "summarize",
        {"options": {"strategy": "prune", "budget": 1}, "include": ["messages"], "messagesAs": "openai-chat"},
    ),
)


@pytest.fixture(scope="module")
def client() -> ClientState:
    """One state for all, since counters take a while to load."""
    return ClientState()


def outcome(client: ClientState, name: str, params: dict[str, Any], text: str) -> str:
    """What an operation ends in: a result, or an error; how much there is to win is a matter of size, not of depth."""
    try:
        perform_alone(name, {"chat": {"text": text}, **params}, Job(client))
    except CompactChatError as problem:
        return "result" if isinstance(problem, NoGain | NothingToCompact) else problem.kind
    return "result"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("place", PLACES)
def test_depth_changes_nothing(client: ClientState, place: str, shape: str) -> None:
    """At any depth, and around each limit of recursion, every operation ends as it does with a shallow chat."""
    expected = [outcome(client, name, params, PLACES[place](SHAPES[shape](SHALLOW))) for name, params in OPERATIONS]
    for depth in DEPTHS:
        text = PLACES[place](SHAPES[shape](depth))
        turn = DEPTHS.index(depth) % len(OPERATIONS)
        name, params = OPERATIONS[turn]
        assert outcome(client, name, params, text) == expected[turn], depth


@pytest.mark.parametrize("place", PLACES)
def test_a_chat_of_a_hundred_thousand_levels(client: ClientState, place: str) -> None:
    """Far deeper than any stack, each operation ends as with a shallow chat, and in time."""
    text = PLACES[place](SHAPES["both"](DEEPEST))
    for name, params in OPERATIONS:
        began = time.process_time()
        found = outcome(client, name, params, text)
        assert time.process_time() - began < 5
        assert found == outcome(client, name, params, PLACES[place](SHAPES["both"](SHALLOW + 1)))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("depth", [1000, 20_000])
def test_what_is_never_closed_is_no_fault_of_ours(client: ClientState, place: str, depth: int) -> None:
    """A chat that breaks off inside its brackets is read as far as it goes, or refused."""
    for name, params in OPERATIONS[:2]:
        text = PLACES[place]('[{"a":' * depth)
        assert outcome(client, name, params, text) in ("result", "chatUnreadable")
