"""What was rebuilt from sessions of a real workbench is what its model really got, message for message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Message, Text, ToolCall, ToolResult, result_text
from tests.samples.vscode_sessions import replayed, session_chat

SESSIONS = (
    "workbench-agent-long.jsonl",
    "workbench-agent-auto-compaction.jsonl",
    "workbench-agent-file-context.jsonl",
)
# Of these the file does not hold the notes around what was typed: a request that failed, and one under way.
KNOWN_BY_WORDS = ("FAIL: please", "fill 5 SAY:2500 [#23]")
ROLES = {1: "user", 2: "assistant", 3: "system"}

Said = tuple[str, list[Any]]  # a role, and what was said in it


@pytest.fixture(scope="module")
def recorded(shared_chats: Path) -> list[list[Said]]:
    """All prompts in their order, without the system's message, which no file holds."""
    lines = (shared_chats / "vscode" / "workbench-agent-requests.jsonl").read_text().splitlines()
    return [
        [said_in_record(message) for message in json.loads(line)["messages"] if message["role"] != 3] for line in lines
    ]


def said_in_record(message: dict[str, Any]) -> Said:
    """A message as the model got it."""
    parts: list[Any] = []
    for part in message["content"]:
        if "name" in part:
            parts.append(("call", part["callId"], part["name"], part["input"]))
        elif "callId" in part:
            parts.append(("result", part["callId"], "".join(one["value"] for one in part["content"])))
        else:
            parts.append(("text", part["value"]))
    return ROLES[message["role"]], parts


def said(message: Message) -> Said:
    """A message of ours in the same form."""
    parts: list[Any] = []
    for part in message.parts:
        match part:
            case Text(text):
                parts.append(("text", text))
            case ToolCall(name, tool, given):
                parts.append(("call", name, tool, given))
            case ToolResult(name):
                parts.append(("result", name, result_text(part)))
    return message.role, parts


def moments(state: dict[str, Any]) -> Iterator[list[Said]]:
    """What we rebuild for each call that a session made: the file as it was, had it been written at once."""
    for place, request in enumerate(state["requests"]):
        metadata = request.get("result", {}).get("metadata", {})
        rounds = metadata.get("toolCallRounds") or []
        for number in range(max(1, len(rounds))) if "summary" not in metadata else ():
            then = {**state, "requests": deepcopy(state["requests"][: place + 1])}
            last = then["requests"][-1]
            last["response"] = []
            last.setdefault("result", {}).setdefault("metadata", {})["toolCallRounds"] = rounds[:number]
            yield [said(message) for message in session_chat(then).messages]


def without_notes(prompt: list[Said]) -> list[Said]:
    """The prompt without the notes before a message of which the file holds only the words."""
    return [(role, [shortened(part) for part in parts]) for role, parts in prompt]


def shortened(part: Any) -> Any:
    """A text without what Copilot Chat set before the frame of the user's words, if the file lacks that."""
    frame = "<userRequest>\n"
    typed = part[1].partition(frame)[2] if part[0] == "text" else ""
    return ("text", frame + typed) if typed.startswith(KNOWN_BY_WORDS) else part


@pytest.mark.parametrize("name", SESSIONS)
def test_each_prompt_is_rebuilt(shared_chats: Path, recorded: list[list[Said]], name: str) -> None:
    """For the moment of every call, the conversation of the file equals the prompt that was recorded."""
    state, stopped = replayed((shared_chats / "vscode" / name).read_text())
    assert state
    assert stopped is None
    prompts = [without_notes(prompt) for prompt in recorded]
    rebuilt = list(moments(state))
    assert [prompt for prompt in rebuilt if prompt not in prompts] == []
    assert len(rebuilt) == {"workbench-agent-long.jsonl": 21, "workbench-agent-auto-compaction.jsonl": 6}.get(name, 1)


def test_every_recorded_prompt_is_accounted_for(shared_chats: Path, recorded: list[list[Said]]) -> None:
    """What we do not rebuild are the host's own questions: for titles, summaries, and what a subagent was told."""
    states = [replayed((shared_chats / "vscode" / name).read_text())[0] or {} for name in SESSIONS]
    rebuilt = [prompt for state in states for prompt in moments(state)]
    others = [place for place, prompt in enumerate(recorded) if without_notes(prompt) not in rebuilt]
    assert others == [0, 1, 2, 18, 24, 26, 27, 28, 29, 31, 35]


def test_the_compaction_was_asked_of_what_we_hold(shared_chats: Path, recorded: list[list[Said]]) -> None:
    """The prompt for a summary is the conversation of that moment, without the global context, and the order."""
    state = replayed((shared_chats / "vscode" / "workbench-agent-long.jsonl").read_text())[0] or {}
    before = session_chat({**state, "requests": state["requests"][:13]}).messages
    assert [said(message) for message in before[1:]] == without_notes(recorded[24][:-1])


def test_a_participant_is_told_what_was_typed(shared_chats: Path, recorded: list[list[Said]]) -> None:
    """What another participant sends is its own affair; the words are ours without its name."""
    state = replayed((shared_chats / "vscode" / "workbench-participant.jsonl").read_text())[0] or {}
    asked = [said(message) for message in session_chat(state).messages if message.role == "user"]
    assert [[one] for one in asked] == [recorded[26], recorded[28]]
