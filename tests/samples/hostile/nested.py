"""Objects that look like messages of JSON-RPC, at each place of a chat and of the params: there they are data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import EXECUTE, SMALL, TURNS, Row, given, has, invalid, refused

METHOD = "compactChat/continuation"
NESTED: dict[str, Any] = {
    "a call": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "count", "arguments": {"a": 1}}},
    "a bare version": {"jsonrpc": "2.0"},
    "a notice to leave": {"jsonrpc": "2.0", "method": "exit"},
}
USER = {"role": "user", "content": "Count the shelves."}


def nested() -> Iterator[Row]:
    """All of them."""
    for what, value in NESTED.items():
        for place, chat in _chats(value).items():
            name = ("countTokens", "preview")[len(place) % 2]
            yield given(f"{what} as {place}", f"compactChat/{name}", {"chat": chat}, has("warnings"))
        for place, (method, params) in _params(value).items():
            yield given(f"{what} as {place}", method, params)
        wrong = ("$.chat.messages[0].role", "$.chat.messages[0].content")
        yield invalid(f"{what} as the chat", "compactChat/preview", {"chat": value}, "$.chat")
        yield invalid(f"{what} as a message", "compactChat/preview", {"chat": {"messages": [value]}}, *wrong)
        yield invalid(f"{what} as the params", METHOD, value, "$.summary")
        yield invalid(f"{what} as the command", EXECUTE, {**value, "arguments": [SMALL]}, "$.command")
        paths = ["$.sections"] * len(value)
        yield invalid(f"{what} as sections", "compactChat/format", {"sections": value}, *paths)
        text = {"chat": {"text": json.dumps(value)}}
        yield refused(f"{what} as the text", "compactChat/countTokens", text, "chatUnreadable")


def _chats(value: Any) -> dict[str, Any]:
    """Chats that hold a value in each of their places."""
    return {
        "a member of a message": {"messages": [{**USER, "meta": value}]},
        "a message and more": {"messages": [{**value, **USER}]},
        "a member of a part": {"messages": [_user({"type": "text", "text": "a", "meta": value})]},
        "a member of an unknown part": {"messages": [_user({"type": "mcp", "request": value})]},
        "a part": {"messages": [_user({**value, "type": "mcp"})]},
        "the input of a call": {
            "messages": [_assistant({"type": "tool_use", "id": "t", "name": "mcp", "input": value})]
        },
        "a member of an input": {"messages": [_assistant({"type": "tool_use", "input": {"a": [value]}})]},
        "what a tool answered": {"messages": [_user({"type": "tool_result", "content": [{**value, "type": "json"}]})]},
        "the source of an image": {"messages": [_user({"type": "image", "source": value})]},
        "a call of another API": {"messages": [{"role": "assistant", "content": None, "tool_calls": [value]}]},
        "a function of another API": {"messages": [{"role": "assistant", "tool_calls": [{"function": value}]}]},
        "the arguments of an item": {"messages": [{"type": "function_call", "call_id": "c", "arguments": value}]},
        "a member of the system prompt": {"messages": [USER], "system": [{"type": "text", "text": "a", "meta": value}]},
        "a tool": {"messages": [USER], "tools": [value]},
        "a tool's schema": {"messages": [USER], "tools": [{"name": "mcp", "input_schema": value}]},
        "an unknown member of the chat": {"messages": [USER], "meta": value},
        "a chat and more": {**value, "messages": [USER]},
        "a line of a text": {"text": f"user: what is {json.dumps(value)}?\n\nassistant: a message"},
        "the text of a message": {"messages": [{"role": "user", "content": json.dumps(value)}]},
    }


def _params(value: Any) -> dict[str, tuple[str, Any]]:
    """Params that hold a value beside the chat."""
    count, chat = "compactChat/countTokens", {"messages": TURNS}
    command = {"command": "compactChat.continuation", "arguments": [{**SMALL, "meta": value}]}
    return {
        "params and more": (METHOD, {**value, **SMALL}),
        "a member of the params": (METHOD, {**SMALL, "meta": value}),
        "options and more": (count, {"chat": chat, "options": value}),
        "a member of the options": (count, {"chat": chat, "options": {"meta": value}}),
        "a member of the abilities": (METHOD, {**SMALL, "capabilities": {"meta": value}}),
        "a member of an argument": (EXECUTE, command),
        "a command and more": (EXECUTE, {**value, **command}),
        "the reply of a model": ("compactChat/format", {"text": f"<summary>{json.dumps(value)}</summary>"}),
    }


def _user(block: Any) -> dict[str, Any]:
    return {"role": "user", "content": [block]}


def _assistant(block: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [block]}
