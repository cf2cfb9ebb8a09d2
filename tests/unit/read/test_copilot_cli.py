"""Sessions of the Copilot CLI."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from compact_chat.chat import Chat, Text, Usage
from compact_chat.read import Source
from compact_chat.read import copilot as copilot_cli
from compact_chat.read import copilot as copilot_transcript

Record = dict[str, Any]


def event(name: str, kind: str, **data: Any) -> Record:
    """A line of the log."""
    return {"type": kind, "data": data, "id": name, "timestamp": "2026-06-25T01:50:34Z", "parentId": None}


def asked(name: str, words: str, **more: Any) -> Record:
    """What the user said."""
    return event(name, "user.message", content=words, **more)


def replied(name: str, words: str, *calls: str, **more: Any) -> Record:
    """What the model said, and the ids of its calls."""
    requests = [{"toolCallId": call, "name": "bash", "arguments": {"command": "ls"}} for call in calls]
    return event(name, "assistant.message", content=words, toolRequests=requests, **more)


def answered(name: str, call: str, **more: Any) -> Record:
    """What a tool answered."""
    said = {} if "error" in more else {"result": {"content": ""}}
    return event(name, "tool.execution_complete", toolCallId=call, **{"success": True, **said, **more})


def compacted(name: str, summary: str, **more: Any) -> Record:
    """A compaction that was made."""
    return event(name, "session.compaction_complete", **{"success": True, "summaryContent": summary, **more})


def of_lines(*records: Record) -> Source:
    """A log of these records."""
    return Source.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


def read(*records: Record) -> Chat:
    """The chat of a log that must be recognised as the CLI's."""
    source = of_lines(*records)
    assert copilot_cli.sniff(source)
    assert not copilot_transcript.sniff_transcript(source)
    return copilot_cli.read(source)


def texts(chat: Chat) -> list[str]:
    """What each message says."""
    return [message.text for message in chat.messages]


START = event(
    "s", "session.start", producer="copilot-agent", selectedModel="gpt-5.4", context={"cwd": "/home/me/project"}
)


def test_a_session_is_read_whole() -> None:
    """Messages have the ids of their events; model, folder and title are the log's."""
    chat = read(
        START, event("p", "system.message", content="You are kind."), asked("u", "hi\nyou"), replied("a", "hello")
    )
    assert (chat.format, chat.tool, chat.model, chat.title) == ("copilot-cli", "copilot-cli", "gpt-5.4", "hi")
    assert chat.workspace == "/home/me/project"
    assert [(message.id, message.role) for message in chat.messages] == [
        ("p", "system"),
        ("u", "user"),
        ("a", "assistant"),
    ]


def test_the_newest_system_message_holds() -> None:
    """A resumed session writes its system prompt again; one is sent, in front of all."""
    first, second = (event(name, "system.message", role="system", content=name) for name in ("p1", "p2"))
    assert texts(read(first, asked("u", "hi"), second, replied("a", "hello"))) == ["p2", "hi", "hello"]


def test_what_was_sent_is_read_and_what_was_typed_stays_apart() -> None:
    """The transformed content is what the model got; the words of the person are a text of their own in it."""
    sent = "<current_datetime>now</current_datetime>\n\nfix it\n\n<system_reminder>x</system_reminder>"
    (message,) = read(asked("u", "fix it", transformedContent=sent)).messages
    assert [part.text for part in message.parts if isinstance(part, Text)] == [
        "<current_datetime>now</current_datetime>\n\n",
        "fix it",
        "\n\n<system_reminder>x</system_reminder>",
    ]
    assert texts(read(asked("u", "typed", transformedContent="other"))) == ["other"]


@pytest.mark.parametrize(("source", "by_host"), [(None, False), ("user", False), ("skill-pdf", True), ("system", True)])
def test_what_copilot_says_in_the_users_name_is_the_hosts(source: object, by_host: bool) -> None:
    """Skills and notices come as the user's, and are no title."""
    chat = read(asked("n", "notice", source=source), asked("u", "hi"))
    assert chat.messages[0].by_host is by_host
    assert chat.title == ("hi" if by_host else "notice")


def test_subagents_have_a_context_of_their_own() -> None:
    """What a sub-agent asks, says and calls is no part of the chat; the result of its call is."""
    chat = read(
        asked("u", "look"),
        replied("a", "", "c"),
        {**asked("su", "sub"), "agentId": "x"},
        replied("sa", "sub", "sc", parentToolCallId="c"),
        answered("sr", "sc", parentToolCallId="c"),
        {**compacted("sz", "sub"), "agentId": "x"},
        answered("r", "c", result={"content": "found"}),
    )
    assert [message.id for message in chat.messages] == ["u", "a", "r"]


def test_a_compaction_takes_the_place_of_what_was_there() -> None:
    """The summary comes with all that the user ever said, and with what followed."""
    log = (asked("u", "one"), replied("a", "b"), compacted("z", "S1"), asked("v", "two"), replied("b", "c"))
    chat = read(*log)
    assert [(message.id, message.is_summary) for message in chat.messages] == [("z", True), ("v", False), ("b", False)]
    assert chat.messages[0].parts == (Text("S1"), Text("one"))
    again = read(*log, compacted("y", "S2"), asked("w", "three"))
    assert [[part.text for part in message.parts if isinstance(part, Text)] for message in again.messages] == [
        ["S2", "one", "two"],
        ["three"],
    ]


def test_what_came_while_compacting_stays() -> None:
    """A summary made in the background is of what was there when it was begun."""
    start = event("x", "session.compaction_start")
    chat = read(asked("u", "one"), start, replied("a", "b"), asked("v", "two"), compacted("z", "S"), replied("b", "c"))
    assert [message.id for message in chat.messages] == ["z", "a", "v", "b"]
    assert chat.messages[0].parts == (Text("S"), Text("one"))


@pytest.mark.parametrize(
    "more", [{"success": False}, {"summaryContent": " "}, {"summaryContent": None}, {"success": 1}]
)
def test_a_compaction_that_failed_changes_nothing(more: Record) -> None:
    """Without success or without a summary all stays as it was."""
    log = (asked("u", "one"), event("x", "session.compaction_start"), compacted("z", "S", **more), asked("v", "two"))
    assert texts(read(*log)) == ["one", "two"]
    assert texts(read(*log, compacted("y", "S2"))) == ["S2\none\ntwo"]


def test_a_cleared_context_begins_anew() -> None:
    """What was before is gone, but for the system message."""
    log = (event("p", "system.message", content="P"), asked("u", "one"), event("c", "session.context_cleared"))
    assert texts(read(*log, asked("v", "two"))) == ["P", "two"]
    begun = event("d", "session.context_cleared", initialMessage="go on")
    assert texts(read(*log, begun, compacted("z", "S"))) == ["P", "S\ngo on"]


def test_left_out_messages_are_told() -> None:
    """How many messages a truncation cost is told, since nobody knows which; its limit is the window."""
    cut = event("t", "session.truncation", tokenLimit=128_000, messagesRemovedDuringTruncation=3)
    chat = read(asked("u", "one"), cut, event("t2", "session.truncation", droppedTokens=9))
    assert chat.window == 128_000
    assert [warning.code for warning in chat.warnings] == ["truncatedHistory"]
    assert "3 older messages" in chat.warnings[0].message


def test_the_count_at_the_end_is_of_all_there_is() -> None:
    """Copilot's own count stands beside the newest message; what comes after a resumption is counted on top."""
    end = event(
        "e", "session.shutdown", currentTokens=900, systemTokens=500, toolDefinitionsTokens=300, currentModel="m"
    )
    log = (asked("u", "one"), replied("a", "b", "c"), answered("r", "c", result={"content": "x"}), end)
    usages = [message.usage for message in read(*log, asked("v", "two")).messages]
    assert usages == [None, None, Usage(900, 0, "m", whole=True), None]
    assert read(*log).model == "m"
    assert all(message.usage is None for message in read(end, asked("u", "one")).messages)


def test_the_parts_of_a_count_make_the_whole() -> None:
    """Where a compaction tells the size of each part after it, their sum is the chat's; one alone is nothing."""
    parts = {"systemTokens": 500, "conversationTokens": 100, "toolDefinitionsTokens": 300}
    (summary,) = read(asked("u", "one"), compacted("z", "S", **parts)).messages
    assert summary.usage == Usage(900, 0, "", whole=True)
    (summary,) = read(asked("u", "one"), compacted("z", "S", systemTokens=500)).messages
    assert summary.usage is None


def test_a_count_from_before_a_compaction_is_gone() -> None:
    """What was full then is not full now."""
    end = event("e", "session.shutdown", currentTokens=90_000)
    assert all(message.usage is None for message in read(asked("u", "one"), end, compacted("z", "S")).messages)


def test_the_newest_model_holds() -> None:
    """Changes and answers tell the model; `auto` tells none."""
    change = event("m", "session.model_change", newModel="claude")
    assert read(START, change).model == "claude"
    assert read(START, change, replied("a", "b", model="gpt")).model == "gpt"
    assert read(START, event("m", "session.model_change", newModel="auto")).model == "gpt-5.4"


def test_damage_costs_the_damaged_line_only() -> None:
    """A log without its first line, with a cut last one and events of other types is read around."""
    lines = (
        json.dumps(asked("u", "hi")) + json.dumps(replied("a", "hello")) + '\n{"type":"user.message","data":3}\n{"typ'
    )
    source = Source.of_text(lines)
    assert copilot_cli.sniff(source)
    chat = copilot_cli.read(source)
    assert (texts(chat), [warning.line for warning in chat.warnings]) == (["hi", "hello"], [3])


def test_other_logs_are_not_ours() -> None:
    """A line of another type, or without an object of data, is no sign of Copilot."""
    assert not copilot_cli.sniff(of_lines({"type": "user.message", "data": "x"}, {"type": "session", "data": {}}))
    assert not copilot_cli.sniff(of_lines({"type": "response_item", "payload": {}}))


def test_a_growing_log_keeps_its_ids() -> None:
    """Each message has the same id in every longer version of the log, also where the log has one twice."""
    log = (asked("x", "a"), replied("x", "b", "c", "d"), answered("r", "c"), answered("q", "d"), asked("", "e"))
    ids = [[message.id for message in read(*log[:end]).messages] for end in range(1, len(log) + 1)]
    assert ids[-1] == ["x", "x#2", "r", "e5"]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(ids))
