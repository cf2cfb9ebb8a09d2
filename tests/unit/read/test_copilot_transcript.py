"""Transcripts of Copilot Chat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from compact_chat.chat import Chat, Usage
from compact_chat.read import Source
from compact_chat.read import copilot as copilot_cli
from compact_chat.read import copilot as copilot_transcript

Record = dict[str, Any]


def event(name: str, kind: str, **data: Any) -> Record:
    """A line of the transcript."""
    return {"type": kind, "data": data, "id": name, "timestamp": "2026-11-18T08:31:28Z", "parentId": None}


START = event("s", "session.start", producer="copilot-agent", vscodeVersion="1.139.1", context={"cwd": "/home/me/shop"})


def asked(name: str, words: str) -> Record:
    """What the user said."""
    return event(name, "user.message", content=words, attachments=[])


def replied(name: str, words: str, *calls: str) -> Record:
    """What the model said, and the ids of its calls."""
    requests = [{"toolCallId": call, "name": "f", "arguments": "{}", "type": "function"} for call in calls]
    return event(name, "assistant.message", content=words, toolRequests=requests)


def began(name: str, call: str, prompt: str) -> Record:
    """The beginning of a sub-agent."""
    return event(name, "tool.execution_start", toolCallId=call, toolName="runSubagent", arguments={"prompt": prompt})


def ended(name: str, call: str, **more: Any) -> Record:
    """The end of a call."""
    return event(name, "tool.execution_complete", toolCallId=call, success=True, **more)


def read(*records: Record) -> Chat:
    """The chat of a transcript that must be recognised as one."""
    source = Source.of_bytes("".join(json.dumps(record) + "\n" for record in (START, *records)).encode())
    assert copilot_transcript.sniff_transcript(source)
    assert not copilot_cli.sniff(source)
    return copilot_transcript.read_transcript(source)


def ids(chat: Chat) -> list[str]:
    """The ids of the messages."""
    return [message.id for message in chat.messages]


def test_a_transcript_is_read_whole() -> None:
    """It is a chat of the editor, in a format of its own."""
    chat = read(asked("u", "hi"), replied("a", "hello"))
    assert (chat.format, chat.tool, chat.title, chat.workspace) == (
        "copilot-transcript",
        "vscode",
        "hi",
        "/home/me/shop",
    )
    assert (ids(chat), chat.warnings) == (["u", "a"], ())


def test_missing_results_are_told() -> None:
    """Most transcripts hold no results: the calls were answered, but nobody knows with what."""
    assert [warning.code for warning in read(replied("a", "", "c"), ended("r", "c")).warnings] == ["resultsMissing"]
    assert read(replied("a", "", "c"), ended("r", "c", result={"content": "x"})).warnings == ()


def test_a_subagent_is_no_part_of_the_chat() -> None:
    """What is said between a sub-agent's call and its end is its own; parallel calls of the chat keep their results."""
    chat = read(
        asked("u", "look"),
        replied("a", "", "c", "d"),
        began("b", "c", "find it"),
        asked("su", "find it"),
        replied("sa", "", "sc"),
        ended("sr", "sc"),
        ended("r1", "d"),
        replied("sb", "found"),
        ended("r2", "c"),
        replied("e", "done"),
    )
    assert ids(chat) == ["u", "a", "r1", "e"]
    assert [result.call_id for result in chat.messages[2].results] == ["d", "c"]


def test_a_cancelled_subagent_does_not_swallow_the_chat() -> None:
    """Where a sub-agent never ends, the next words of the person do it."""
    chat = read(
        asked("u", "a"),
        replied("a", "", "c"),
        began("b", "c", "p"),
        asked("su", "p"),
        asked("v", "b"),
        replied("z", "d"),
    )
    assert ids(chat) == ["u", "a", "v", "z"]


def test_two_subagents_may_be_given_the_same_words() -> None:
    """The end of one of them does not make the words of the other the person's."""
    chat = read(
        replied("a", "two", "c", "d"),
        began("b", "c", "look"),
        began("b2", "d", "look"),
        asked("x", "look"),
        ended("e", "c"),
        asked("y", "look"),
        ended("e2", "d"),
        asked("u", "look"),
    )
    assert ids(chat) == ["a", "e", "u"]


def test_a_transcript_without_its_start_is_one_still() -> None:
    """Where nothing tells who wrote a log, answers of tools do: a transcript holds none."""
    lines = (replied("a", "look", "c"), ended("e", "c"))
    source = Source.of_bytes("".join(json.dumps(record) + "\n" for record in lines).encode())
    assert copilot_transcript.sniff_transcript(source)
    assert not copilot_cli.sniff(source)
    answered = Source.of_bytes(json.dumps(ended("e", "c", result={"content": "found"})).encode())
    assert copilot_cli.sniff(answered)
    assert not copilot_transcript.sniff_transcript(answered)


def test_newer_versions_report_sizes() -> None:
    """The size of a call, but not of a sub-agent's, stands beside its message."""
    chat = read(
        event("t", "assistant.turn_start", turnId="0"),
        replied("a", "x"),
        event("g", "assistant.usage", model="gpt", inputTokens=70, outputTokens=3),
        event("h", "assistant.usage", model="gpt", inputTokens=9, outputTokens=3, parentToolCallId="c"),
    )
    assert [message.usage for message in chat.messages] == [Usage(70, 3, "gpt")]
    assert chat.model == "gpt"


def test_a_real_transcript_tells_what_the_model_got(shared_chats: Path) -> None:
    """Of a recorded chat the roles, the calls and the words of the replies are there, and nothing of the sub-agent."""
    data = (shared_chats / "vscode" / "workbench-agent-long.transcript.jsonl").read_bytes()
    source = Source.of_bytes(data)
    assert copilot_transcript.sniff_transcript(source)
    chat = copilot_transcript.read_transcript(source)
    said = [record["data"]["content"] for record in source.records if record["type"] == "user.message"]
    typed = [message.text for message in chat.messages if message.role == "user" and not message.results]
    assert typed == [words for words in said if words != "say what you see SAY:30"]
    calls = [call.id for message in chat.messages for call in message.calls]
    assert sorted(calls) == sorted(result.call_id for message in chat.messages for result in message.results)
    assert len(calls) == 9
