"""Real editors get the same results as a shell, however they ask; settings apply, and limits affect no other editor."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.operations import card
from tests.editors.driven import Driven, check
from tests.servers.wire_client import SERVE

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
    """Return what the command line prints with `--json`, as far as an editor can represent it."""
    done = subprocess.run([sys.executable, "-m", "compact_chat", *words, "--json"], capture_output=True, check=True)
    return seen_by_editors(json.loads(done.stdout))


def seen_by_editors(value: Any) -> Any:
    """Drop what Lua and Elisp cannot distinguish from nothing: null members, and empty objects."""
    if isinstance(value, dict):
        members = {name: seen_by_editors(one) for name, one in value.items()}
        return {name: one for name, one in members.items() if one is not None} or None
    return [seen_by_editors(one) for one in value] if isinstance(value, list) else value


def test_the_card_arrives(editor: Driven) -> None:
    """Every editor sees the commands, and the card that lists what is available."""
    offer = editor.ready()

    assert offer["card"] == card()
    assert offer["commands"] == [f"compactChat.{name}" for name in card()["operations"]]


def test_a_command_answers_what_the_shell_answers(editor: Driven, chat: Path) -> None:
    """`countTokens`, called in the editor's own way to run a command, equals `count --json`."""
    found = editor.command("compactChat.countTokens", {"chat": {"uri": chat.as_uri()}, "perMessage": True})

    assert seen_by_editors(found) == shell("count", str(chat), "--per-message")


def test_a_request_answers_what_the_shell_answers(editor: Driven, chat: Path) -> None:
    """`compactChat/preview` as a request of its own equals `preview --json`."""
    found = editor.call("compactChat/preview", {"chat": {"uri": chat.as_uri()}, "options": {"minKeep": 5}})

    assert seen_by_editors(found) == shell("preview", str(chat), "--min-keep", "5", "--style", "detailed")


def test_a_chat_comes_back_as_it_was(editor: Driven) -> None:
    """JSON-RPC messages, emoji and header-like text in a chat survive both ways, in a request and in a command."""
    params = {"chat": {"messages": FILLER + TALK}, "options": {"minKeep": len(TALK)}, "include": ["messages"]}

    for found in (editor.call("compactChat/summarize", params), editor.command("compactChat.summarize", params)):
        assert seen_by_editors(found["messages"][-len(TALK) :]) == seen_by_editors(TALK)


def test_an_error_arrives_whole(editor: Driven, chat: Path) -> None:
    """An editor gets the code, the sentence and the data of an error."""
    error = editor.error("compactChat/preview", {"chat": {"uri": chat.as_uri()}, "options": {"pin": ["unknown"]}})

    assert (error["code"], error["data"]["kind"]) == (-32042, "messageNotFound")
    assert error["message"].endswith(".")


def plan(editor: Driven, chat: Path, **options: int) -> Any:
    """The id of a plan, which is another one with other options."""
    return editor.call("compactChat/preview", {"chat": {"uri": chat.as_uri()}, "options": options})["planId"]


def test_settings_count_from_the_start(editor: Driven, chat: Path) -> None:
    """What stands in the editor's settings counts from the first operation on, until a param says otherwise.

    VS Code's way is to be asked for them, which it declares; Neovim and eglot send them once they are connected.
    """
    assert plan(editor, chat) == plan(editor, chat, minKeep=9) != plan(editor, chat, minKeep=4)


def test_changed_settings_count(editor: Driven, chat: Path) -> None:
    """A change counts for the next operation, whether the editor sends the values along or has to be asked again."""
    editor.say("configure", settings={"compactChat": {"minKeep": 2}})
    changed = plan(editor, chat)
    editor.say("configure", settings={"compactChat": {"minKeep": 9}})

    assert changed == plan(editor, chat, minKeep=2) != plan(editor, chat)


@pytest.mark.parametrize("name", ["neovim", "node"], indirect=True)
def test_a_request_beyond_a_limit_is_answered(editor: Driven) -> None:
    """Wherever an editor writes a request's id, Neovim from 0.10 on behind the params, the refusal comes under it."""
    deep: Any = []
    for _ in range(200):
        deep = [deep]

    assert editor.error("compactChat/countTokens", {"chat": {"messages": deep}})["data"] == {"kind": "tooLarge"}
    assert editor.wire.answers(None) == []


@pytest.mark.parametrize("name", ["emacs", "neovim"], indirect=True)
def test_a_huge_file_may_be_open(name: str, run: Callable[..., Driven], tmp_path: Path) -> None:
    """An editor that tells the text of the file that it has open, beyond a limit, gets no answer to that."""
    huge = tmp_path / "huge.jsonl"
    huge.write_text(json.dumps({"role": "user", "content": "," * 4_200_000}))
    editor = run(name)
    editor.start(huge, editor.wire.tapped(SERVE))

    assert editor.call("compactChat/countTokens", {"chat": {"text": "One oven."}})["used"] > 0
    editor.close()
    check(editor.wire)
    assert "rror" not in editor.log()
