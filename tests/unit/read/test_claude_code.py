"""Sessions of Claude Code."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.read import Source, claude_code, read_chat

Record = dict[str, Any]


def user(uuid: str, parent: str | None, words: str, **more: Any) -> Record:
    """A line of the user's."""
    record = {"parentUuid": parent, "type": "user", "uuid": uuid, "sessionId": "s", "cwd": "/home/me/project"}
    return {**record, "message": {"role": "user", "content": words}, **more}


def reply(uuid: str, parent: str, words: str, prompt: int) -> Record:
    """A line of a reply, with the size of its prompt."""
    usage = {"input_tokens": prompt, "output_tokens": 5}
    message = {
        "id": f"msg_{uuid}",
        "role": "assistant",
        "model": "claude-x",
        "content": [{"type": "text", "text": words}],
    }
    record = {"parentUuid": parent, "type": "assistant", "uuid": uuid, "sessionId": "s"}
    return {**record, "message": {**message, "usage": usage}}


def of_lines(*records: Record) -> Source:
    """A session file of these records."""
    return Source.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


def read(*records: Record) -> Chat:
    """The chat of a session that must be recognised as ours."""
    chat = read_chat(of_lines(*records))
    assert chat.format == "claude-code"
    return chat


def test_a_session_is_read_whole() -> None:
    """Messages, model, usage and workspace come from the live records."""
    chat = read(user("u", None, "hi"), reply("a", "u", "hello", 12))
    assert (chat.tool, chat.model, chat.workspace, chat.title) == ("claude-code", "claude-x", "/home/me/project", "hi")
    assert [(message.id, message.text) for message in chat.messages] == [("u", "hi"), ("a", "hello")]
    assert [message.usage and message.usage.prompt_tokens for message in chat.messages] == [None, 12]


def test_a_sub_agents_own_file_is_told_apart() -> None:
    """A file in which all is beside another conversation is a sub-agent's; one with a word of that is not."""
    beside = [user("u", None, "hi", isSidechain=True), {**reply("a", "u", "hello", 12), "isSidechain": True}]
    assert read(*beside).is_sub_agent
    assert not read(*beside, user("v", "a", "on")).is_sub_agent
    assert not read(user("u", None, "hi"), reply("a", "u", "hello", 12)).is_sub_agent
    assert not read({"type": "summary", "parentUuid": None, "sessionId": "s"}).is_sub_agent


def test_a_compacted_session_begins_with_its_summary() -> None:
    """What stands before the boundary is gone, the summary is marked, and old sizes are not the chat's."""
    cut = {"parentUuid": None, "type": "system", "subtype": "compact_boundary", "uuid": "x", "sessionId": "s"}
    summary = user("s", "x", "This session is being continued", isCompactSummary=True)
    chat = read(user("u", None, "hi"), reply("a", "u", "hello", 90_000), cut, summary)
    assert [(message.id, message.is_summary) for message in chat.messages] == [("s", True)]
    assert all(message.usage is None for message in chat.messages)
    assert chat.model == "claude-x"


def test_what_follows_a_compaction_may_hang_on_what_it_kept() -> None:
    """What was before the boundary is gone but for what it kept, even where the next line names the last of that."""
    kept = {"preservedSegment": {"headUuid": "u2", "anchorUuid": "s", "tailUuid": "a2"}}
    cut = {"type": "system", "subtype": "compact_boundary", "uuid": "x", "sessionId": "s", "compactMetadata": kept}
    before = (
        user("u1", None, "hi"),
        reply("a1", "u1", "hello", 900),
        user("u2", "a1", "go"),
        reply("a2", "u2", "on", 990),
    )
    summary = user("s", "x", "This session is being continued", isCompactSummary=True)
    chat = read(*before, {**cut, "parentUuid": None}, summary, user("u3", "a2", "and"), reply("a3", "u3", "yes", 300))
    assert [message.id for message in chat.messages] == ["s", "u2", "a2", "u3", "a3"]
    assert [message.usage.prompt_tokens for message in chat.messages if message.usage] == [300]


def test_damaged_lines_are_told() -> None:
    """Each damaged line is a warning that carries its number, and costs nothing else."""
    source = Source.of_bytes(of_lines(user("u", None, "hi")).text.encode() + b'\0\0\n{"parentUuid":"u","ty')
    chat = claude_code.read(source)
    assert len(chat.messages) == 1
    assert [(warning.code, warning.line) for warning in chat.warnings] == [("damagedLine", 2), ("damagedLine", 3)]


@pytest.mark.parametrize(
    ("record", "ours"),
    [
        ({"sessionId": "s", "parentUuid": None}, True),
        ({"sessionId": "s", "type": "user"}, True),
        ({"sessionId": "s", "type": "session.start"}, False),
        ({"sessionId": "s", "projectHash": "x", "kind": "main"}, False),
        ({"type": "user", "parentUuid": None}, False),
        ({"sessionId": 5, "type": "user"}, False),
    ],
)
def test_which_lines_are_ours(record: Record, ours: bool) -> None:
    """A session id beside a parent or one of the tool's types gives a session away."""
    assert claude_code.sniff(of_lines(record, record)) is ours


@pytest.mark.parametrize(
    "record",
    [
        {"type": "user", "message": {"role": "user", "parts": [{"text": "hi"}]}},
        {"type": "tool_result", "message": {"role": "user", "parts": []}},
        {"type": "system", "subtype": "custom_title", "systemPayload": {"customTitle": "x"}},
    ],
)
def test_sessions_of_qwen_code_are_not_ours(record: Record) -> None:
    """They have the same envelope around other contents, and may hold records that fit both."""
    envelope = {"uuid": "u", "parentUuid": None, "sessionId": "s", "cwd": "/home/ada", "version": "0.24.0"}
    turn = {**envelope, "type": "system", "subtype": "turn_result"}

    assert not claude_code.sniff(of_lines({**envelope, **record}, turn))


def test_only_a_boundary_is_an_empty_chat() -> None:
    """A session that was just compacted and holds nothing else is empty, not unreadable."""
    cut = {"parentUuid": None, "type": "system", "subtype": "compact_boundary", "uuid": "x", "sessionId": "s"}
    assert read(cut).messages == ()


def test_a_title_that_was_given_wins() -> None:
    """The newest custom title, then the model's, then what a person typed first."""
    custom = [{"type": "custom-title", "customTitle": title, "sessionId": "s"} for title in ("old", " new ")]
    made = {"type": "ai-title", "aiTitle": "made", "sessionId": "s"}
    line = user("u", None, "typed")
    assert read(line, *custom, made).title == "new"
    assert read(line, made).title == "made"
    assert read(line).title == "typed"


def test_a_typed_title_is_one_line() -> None:
    """Wrappers and meta lines are no title, and no further line is part of it."""
    typed = "<system-reminder>x</system-reminder>\nfix it\nmore"
    lines = [
        user("a", None, "meta", isMeta=True),
        user("b", "a", "<command-name>/x</command-name>"),
        user("c", "b", typed),
    ]
    assert read(*lines).title == "fix it"
    assert read(*lines[:2]).title is None


def test_a_title_is_left_whole() -> None:
    """However long, it is one line, that which was given or that which was typed: it is cut once it is masked."""
    typed, given = "count " * 99 + "them", "Counted " * 99 + "all"
    titled = {"type": "custom-title", "customTitle": given + "\nagain", "sessionId": "s"}
    assert read(user("u", None, typed + "\nnow")).title == typed
    assert read(user("u", None, typed), titled).title == given


def test_ids_are_unique() -> None:
    """A record that was written twice is one message, and no two messages share an id."""
    chat = read(user("u", None, "hi"), user("u", None, "hi"), reply("a", "u", "hello", 1), reply("a", "u", "hello", 1))
    assert [message.id for message in chat.messages] == ["u", "a"]


def test_wrong_types_are_no_crash() -> None:
    """Records of any shape are read around."""
    odd = {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s"}
    message = {"id": 5, "content": [None, 3, {"type": None}], "usage": {"input_tokens": "12"}}
    chat = read({"type": "user", "sessionId": "s"}, user("a", None, "x", cwd=7), {**odd, "message": message})
    assert [len(message.parts) for message in chat.messages] == [1, 3]
    assert chat.workspace is None


def test_the_room_imports_nothing_heavy() -> None:
    """Reading needs msgspec, json and re, and no tokenizer, server or model API."""
    program = "import sys, compact_chat.read.formats; print(*(name for name in sys.modules if '.' not in name))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pygls", "lsprotocol", "anthropic", "tiktoken", "regex", "asyncio"} & set(loaded)
