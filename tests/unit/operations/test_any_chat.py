"""Each operation takes each real chat of each tool, and chats in which JSON is nested to any depth."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import CompactChatError, NoGain, NothingToCompact
from compact_chat.serve.rpc import MAX_DEPTH
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
MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
ENTRIES = json.loads(MANIFEST.read_text())["files"] if MANIFEST.is_file() else []
LARGE = 600_000  # bytes; larger ones only take longer
FILES = [entry["file"] for entry in ENTRIES if entry["bytes"] < LARGE]
BLOCKS = {"text", "image", "document", "tool_use", "tool_result"}
WRAPPED = re.compile(r"<(?:system-reminder|current_datetime|user_query|userRequest|task|environment_context)>")


def outcome(ask: Ask, name: str, **params: Any) -> Any:
    """A result, or the kind of an error; how much there is to gain is a matter of size, not of depth."""
    try:
        return ask(name, **params)
    except CompactChatError as problem:
        return {} if isinstance(problem, NoGain | NothingToCompact) else {"kind": problem.kind}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("place", PLACES)
def test_depth_changes_nothing(ask: Ask, place: str, shape: str) -> None:
    """At any depth, and around each limit of recursion, every operation ends as it does with a shallow chat."""

    def kind_of(operation: tuple[str, dict[str, Any]], depth: int) -> str | None:
        opening, closing = SHAPES[shape]
        deep = opening * depth + "1" + closing * depth
        text = "\n".join(json.dumps(one).replace('"DEEP"', deep) for one in PLACES[place])
        name, params = operation
        kind: str | None = outcome(ask, name, chat={"text": text}, **params).get("kind")
        return kind

    for depth, operation in zip(DEPTHS, OPERATIONS + OPERATIONS, strict=False):
        assert kind_of(operation, depth) == kind_of(operation, 3), depth


@pytest.mark.parametrize("file", FILES or ["(absent)"])
def test_every_operation_takes_every_chat(ask: Ask, shared_chats: Path, file: str) -> None:
    """Count, preview, prompt and an offline summary, whose messages hold only blocks that the API takes."""
    chat = {"uri": (shared_chats / file).as_uri()}
    counted = outcome(ask, "countTokens", chat=chat)
    for name in ("preview", "prompt"):
        outcome(ask, name, chat=chat)
    done = outcome(ask, "summarize", chat=chat, provider="offline", include=["messages"])
    assert not WRAPPED.match(counted.get("title") or "")
    blocks = (block for message in done.get("messages", []) for block in message["content"] if isinstance(block, dict))
    assert {block["type"] for block in blocks} <= BLOCKS


def test_messages_as_deep_as_the_wire_takes_them_are_archived(ask: Ask, messages: list[dict[str, Any]]) -> None:
    """A message may be nested as deeply as a request can, and JSON in its arguments as deeply as readers let it."""
    deep: dict[str, Any] = {}
    for _ in range(MAX_DEPTH):
        deep = {"a": deep}
    arguments = '{"x":' + "[" * 99 + "]" * 99 + "}"
    calls = [{"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}]
    more = {"role": "assistant", "content": "x", "odd": deep, "tool_calls": calls}

    done = ask("summarize", chat={"messages": [more, *messages]}, provider="offline")

    assert done["archive"]
