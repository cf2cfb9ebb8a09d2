"""Hostile chats of messages: roles, contents and parts of every wrong shape, in the forms of three APIs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import SECRET, TURNS, Row, given, invalid, refused

USER = {"role": "user", "content": "Count the shelves."}
INCLUDED = {"include": ["messages", "prompt", "raw"]}
# Messages that are wrong, each with the places within it that are told.
WRONG_MESSAGES: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (None, ("",)),
    (5, ("",)),
    (True, ("",)),
    (SECRET, ("",)),
    ([], ("",)),
    ([USER], ("",)),
    ({}, (".role", ".content")),
    ({"role": "user"}, (".content",)),
    ({"content": "a"}, (".role",)),
    ({"Role": "user", "Content": "a"}, (".role", ".content")),
    ({"role": None, "content": "a"}, (".role",)),
    ({"role": 5, "content": "a"}, (".role",)),
    ({"role": ["user"], "content": "a"}, (".role",)),
    ({"role": {"name": "user"}, "content": SECRET}, (".role",)),
    ({"role": "user", "content": None}, (".content",)),
    ({"role": "user", "content": 5}, (".content",)),
    ({"role": "user", "content": True}, (".content",)),
    ({"role": "user", "content": {"type": "text", "text": SECRET}}, (".content",)),
    ({"role": "system", "content": None}, (".content",)),
    ({"role": 5, "content": 5, "tool_calls": 5}, (".role", ".content", ".tool_calls")),
    ({"role": "user", "content": [None]}, (".content[0]",)),
    ({"role": "user", "content": [SECRET]}, (".content[0]",)),
    ({"role": "user", "content": [[]]}, (".content[0]",)),
    ({"role": "user", "content": [5, {"type": "text", "text": "a"}, True]}, (".content[0]", ".content[2]")),
    ({"role": "user", "content": [{}]}, (".content[0].type",)),
    ({"role": "user", "content": [{"type": 5}]}, (".content[0].type",)),
    ({"role": "user", "content": [{"type": None, "text": SECRET}]}, (".content[0].type",)),
    ({"role": "user", "content": [{"type": "text"}]}, (".content[0].text",)),
    ({"role": "user", "content": [{"type": "text", "text": None}]}, (".content[0].text",)),
    ({"role": "user", "content": [{"type": "text", "text": [SECRET]}]}, (".content[0].text",)),
    ({"role": "user", "content": [{"type": "text", "text": {"value": "a"}}]}, (".content[0].text",)),
    ({"role": "user", "content": [{"type": "tool_result", "content": [5]}]}, (".content[0].content[0]",)),
    ({"role": "user", "content": [{"type": "tool_result", "content": ["a"]}]}, (".content[0].content[0]",)),
    (
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": 5}]}]},
        (".content[0].content[0].text",),
    ),
    ({"role": "assistant", "content": [{"type": "output_text", "text": 5}]}, (".content[0].text",)),
    ({"role": "user", "content": [{"type": "input_text"}]}, (".content[0].text",)),
    ({"role": "assistant", "content": None, "tool_calls": {"id": "1"}}, (".tool_calls",)),
    ({"role": "assistant", "content": None, "tool_calls": "count"}, (".tool_calls",)),
    ({"role": "assistant", "content": None, "tool_calls": [SECRET]}, (".tool_calls[0]",)),
    ({"role": "assistant", "content": None, "tool_calls": [{}, None, []]}, (".tool_calls[1]", ".tool_calls[2]")),
    ({"type": "message", "content": [{"type": "input_text", "text": "a"}]}, (".role",)),
    ({"type": 5, "content": "a"}, (".role",)),
)
# Messages that look wrong and are read all the same: a chat may hold kinds that are newer than the server.
ODD_MESSAGES: tuple[Any, ...] = (
    {"role": "", "content": ""},
    {"role": "wizard", "content": "a"},
    {"role": "user\0", "content": "\0"},
    {"role": "USER", "content": []},
    {"role": "assistant", "content": None},
    {"role": "assistant", "content": [{"type": ""}]},
    {"role": "assistant", "content": [{"type": "hologram", "data": {"a": [1, 2, {"b": None}]}}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": 5, "signature": []}]},
    {"role": "assistant", "content": [{"type": "redacted_thinking", "data": {"a": 1}}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": 5, "name": [], "input": "a"}]},
    {"role": "assistant", "content": [{"type": "tool_use"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "read", "input": {"path": {"a": 1}}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": {"a": 1}, "content": 5, "is_error": "yes"}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "nobody", "content": None}]},
    {"role": "user", "content": [{"type": "image"}]},
    {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": 5, "media_type": None}}]},
    {"role": "user", "content": [{"type": "image", "source": {"media_type": "image/png", "data": "!" * 1000}}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:;;;,,,"}}]},
    {"role": "user", "content": [{"type": "image_url", "image_url": 5}]},
    {"role": "user", "content": [{"type": "document", "title": 5, "source": [[]]}]},
    {"role": "user", "content": [{"type": "input_file", "file": {"filename": {}}}]},
    {"role": "tool", "content": None},
    {"role": "tool", "tool_call_id": 5, "content": "a"},
    {"role": "function", "name": {"a": 1}, "content": "a"},
    {"role": "assistant", "content": None, "tool_calls": [{}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": 5, "function": {"name": 5, "arguments": 5}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "a", "arguments": "{"}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "a", "arguments": "[" * 50_000}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"custom": {"name": [], "input": {"a": 1}}}]},
    {"role": "assistant", "content": None, "function_call": {"name": None, "arguments": {"a": 1}}},
    {"role": "assistant", "content": None, "function_call": "count"},
    {"role": "developer", "content": "a", "refusal": {"a": 1}},
    {"type": "function_call"},
    {"type": "function_call", "call_id": 5, "name": [], "arguments": "NaN"},
    {"type": "function_call_output", "call_id": None, "id": {"a": 1}, "output": {"a": [None]}},
    {"type": "reasoning", "summary": "text", "encrypted_content": 5},
    {"type": "reasoning", "summary": [None, {"text": 5}]},
    {"type": "local_shell_call", "action": {"command": [1, None, {"a": 1}]}},
    {"type": "item_reference", "id": "nobody"},
    {"type": "compaction", "encrypted_content": "a" * 1000},
)
# A chat by none of its sources, or by more than one.
WRONG_SOURCES: tuple[dict[str, Any], ...] = (
    {},
    {"uri": None, "text": None, "messages": None},
    {"format": "text"},
    {"system": "a", "tools": []},
    {"url": "file:///shelf.jsonl", "file": SECRET, "content": SECRET},
    {"uri": "file:///absent.jsonl", "text": SECRET},
    {"uri": "file:///absent.jsonl", "messages": TURNS},
    {"text": "", "messages": []},
    {"uri": "", "text": "", "messages": []},
    {"uri": "file:///absent.jsonl", "text": SECRET, "messages": [5]},
)


def messages() -> Iterator[Row]:
    """Chats of messages that are wrong, and of some that only look so."""
    for number, (message, places) in enumerate(WRONG_MESSAGES):
        yield _wrong(f"{ascii(message)[:90]} {number}", number, [USER, message, USER], places)
    for number, message in enumerate(ODD_MESSAGES):
        name, more = (
            ("preview", {}),
            ("summarize", INCLUDED),
            ("countTokens", {}),
            ("prompt", {}),
            ("check", {"summary": "Summary:\nThe shelves are counted."}),
        )[number % 5]
        chat = {"messages": [*TURNS[:6], message, *TURNS[6:]]}
        yield given(f"{name} with {ascii(message)[:90]}", f"compactChat/{name}", {"chat": chat, **more})
    for number, source in enumerate(WRONG_SOURCES):
        name = ("countTokens", "preview", "summarize", "prompt", "check")[number % 5]
        sources = ", ".join(source) or "nothing"
        yield invalid(f"{name} of {sources} {number}", f"compactChat/{name}", {"chat": source}, "$.chat")
    chat_of_faults = [USER, 5, {"role": 1, "content": 2}, {}]
    yield _wrong("all faults", 0, chat_of_faults, ("", "[2].role", "[2].content", "[3].role", "[3].content"))
    many = {"chat": {"messages": [5] * 10_000}}
    yield refused("ten thousand faults", "compactChat/countTokens", many, "invalidParams")
    system = {"messages": [USER], "system": [{"type": 5}, {"type": "text", "text": None}]}
    paths = ("$.chat.system[0].type", "$.chat.system[1].text")
    yield invalid("a system prompt of wrong blocks", "compactChat/prompt", {"chat": system}, *paths)


def _wrong(name: str, number: int, chat: list[Any], places: tuple[str, ...]) -> Row:
    """A chat whose second message, or what a place names, is wrong, for the operations in turn."""
    operation, at, params = (
        ("countTokens", "$.chat.messages", {"chat": {"messages": chat}}),
        ("preview", "$.chat.messages", {"chat": {"messages": chat}}),
        ("summarize", "$.chat.messages", {"chat": {"messages": chat}}),
        ("prompt", "$.chat.messages", {"chat": {"messages": chat}}),
        ("continuation", "$.messages", {"summary": "a", "messages": chat}),
        ("check", "$.chat.messages", {"chat": {"messages": chat}, "summary": SECRET}),
    )[number % 6]
    paths = (f"{at}{place}" if place.startswith("[") else f"{at}[1]{place}" for place in places)
    return invalid(f"{operation} of {name}", f"compactChat/{operation}", params, *paths)
