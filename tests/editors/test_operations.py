"""Real editors get from the server what a shell gets, however they ask."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from compact_chat.operations import card
from tests.editors.driven import Driven

NESTED = {
    "request": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "🥐", "deep": [{"jsonrpc": "2.0"}]},
    },
    "answer": {"jsonrpc": "2.0", "id": 1, "result": {"jsonrpc": "yes"}},
    "Content-Length": "7\r\n\r\n{}",
}
FILLER = [
    {"role": "user", "content": "How are the ovens? " * 400},
    {"role": "assistant", "content": "All of them are warm. " * 400},
]
TALK = [
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Calling the oven 🔥👩‍🍳, with 𝒳 and é."},
            {"type": "tool_use", "id": "call_1", "name": "mcp", "input": NESTED},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": json.dumps(NESTED)}]},
]


@functools.cache
def shell(*words: str) -> Any:
    """What the command line prints with `--json`, as far as an editor can tell it."""
    done = subprocess.run([sys.executable, "-m", "compact_chat", *words, "--json"], capture_output=True, check=True)
    return seen_by_editors(json.loads(done.stdout))


def seen_by_editors(value: Any) -> Any:
    """Leave out what Lua and Elisp cannot tell from nothing: members that are null, and empty objects."""
    if isinstance(value, dict):
        members = {name: seen_by_editors(one) for name, one in value.items()}
        return {name: one for name, one in members.items() if one is not None} or None
    return [seen_by_editors(one) for one in value] if isinstance(value, list) else value


def test_the_card_arrives(editor: Driven) -> None:
    """Every editor finds the commands, and the card that says what is built."""
    offer = editor.ready()

    assert offer["card"] == card()
    assert offer["commands"] == [f"compactChat.{name}" for name in card()["operations"]]


def test_a_command_answers_what_the_shell_answers(editor: Driven, chat: Path) -> None:
    """`countTokens` as the editor's own way to run a command, with a JSON argument, equals `count --json`."""
    found = editor.command("compactChat.countTokens", {"chat": {"uri": chat.as_uri()}, "perMessage": True})

    assert seen_by_editors(found) == shell("count", str(chat), "--per-message")


def test_a_request_answers_what_the_shell_answers(editor: Driven, chat: Path) -> None:
    """`compactChat/preview` as a request of its own equals `preview --json`."""
    found = editor.call("compactChat/preview", {"chat": {"uri": chat.as_uri()}, "options": {"minKeep": 5}})

    assert seen_by_editors(found) == shell("preview", str(chat), "--min-keep", "5")


def test_a_chat_comes_back_as_it_was(editor: Driven) -> None:
    """JSON-RPC messages in a chat, emoji and what looks like a header pass both ways, in a request and in a command."""
    params = {"chat": {"messages": FILLER + TALK}, "options": {"minKeep": len(TALK)}, "include": ["messages"]}

    for found in (editor.call("compactChat/summarize", params), editor.command("compactChat.summarize", params)):
        assert seen_by_editors(found["messages"][-len(TALK) :]) == seen_by_editors(TALK)


def test_an_error_arrives_whole(editor: Driven, chat: Path) -> None:
    """An editor gets the code, the sentence and the data of an error."""
    error = editor.error("compactChat/preview", {"chat": {"uri": chat.as_uri()}, "options": {"pin": ["nobody"]}})

    assert (error["code"], error["data"]["kind"]) == (-32042, "messageNotFound")
    assert error["message"].endswith(".")
