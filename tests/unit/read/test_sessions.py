"""Session logs of Claude Code, Codex and Copilot: what a snapshot of one file does not show."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Chat, Message
from compact_chat.errors import CompactChatError, NothingToCompact
from compact_chat.read import Source, Tail, claude_code, codex, copilot, follow_chat, newest_replaced, read_chat
from tests.samples.growing import ClaudeSession, CodexSession

Record = dict[str, Any]


def of_lines(*records: Record) -> Source:
    """A log of these records."""
    return Source.of_bytes("".join(json.dumps(record) + "\n" for record in records).encode())


def item(role: str, words: str, **more: Any) -> Record:
    """A message of Codex in its envelope."""
    content = [{"type": "input_text", "text": words}]
    return {"type": "response_item", "payload": {"type": "message", "role": role, "content": content, **more}}


def event(name: str, kind: str, **data: Any) -> Record:
    """A line of a log of Copilot."""
    return {"type": kind, "data": data, "id": name}


CALLS = [{"toolCallId": call, "name": "bash", "arguments": {}} for call in "cd"]
LOGS: dict[str, list[Record]] = {
    "codex": [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
        *(item("user", "a"), item("assistant", "b"), item("user", "c", id="u")),
        {"type": "turn_context", "payload": {"cwd": "/w", "model": "gpt-5.5"}},
    ],
    "copilot-cli": [
        event("x", "user.message", content="a"),
        event("x", "assistant.message", content="b", toolRequests=CALLS),
        event("r", "tool.execution_complete", toolCallId="c", success=True, result={"content": ""}),
        event("q", "tool.execution_complete", toolCallId="d", success=True, result={"content": ""}),
        event("", "user.message", content="e"),
    ],
}


@pytest.mark.parametrize(("tool", "last"), [("codex", ["r2", "r3", "u"]), ("copilot-cli", ["x", "x#2", "r", "e5"])])
def test_a_growing_log_keeps_its_ids(tool: str, last: list[str]) -> None:
    """Each message has the same id in every longer version of a log, also where the log has one twice."""
    log = LOGS[tool]
    ids = [[message.id for message in read_chat(of_lines(*log[:end])).messages] for end in range(1, len(log) + 1)]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(ids))
    assert ids[-1] == last


@pytest.mark.parametrize(
    ("reader", "record", "ours"),
    [
        (claude_code, {"sessionId": "s", "parentUuid": None}, True),
        (claude_code, {"sessionId": "s", "type": "user"}, True),
        (claude_code, {"sessionId": "s", "type": "session.start"}, False),
        (claude_code, {"sessionId": "s", "projectHash": "x", "kind": "main"}, False),
        (claude_code, {"type": "user", "parentUuid": None}, False),
        (claude_code, {"sessionId": 5, "type": "user"}, False),
        (copilot, {"type": "user.message", "data": "x"}, False),
        (copilot, {"type": "session", "data": {}}, False),
        (copilot, {"type": "response_item", "payload": {}}, False),
    ],
)
def test_which_lines_give_a_session_away(reader: Any, record: Record, ours: bool) -> None:
    """A record is a tool's own if its shape fits, and not only one of its keys."""
    assert reader.sniff(of_lines(record, record)) is ours


def test_an_old_compaction_of_codex_keeps_the_newest_messages_only() -> None:
    """About 20,000 tokens of the user's messages stay, and the newest in any case."""
    compacted = {"type": "compacted", "payload": {"message": "S"}}
    long, longer = "x" * 39_996, "x" * 200_000

    def texts(*said: str) -> list[str]:
        return [
            message.text for message in codex.read(of_lines(*(item("user", text) for text in said), compacted)).messages
        ]

    assert texts("first", long, long, "last") == [long, long, "last", "S"]
    assert texts("first", longer) == [longer, "S"]


def test_the_oldest_sessions_of_codex_are_one_object() -> None:
    """Its header names the folder, and the first item is r1."""
    session = {"id": "s", "timestamp": "2025-05-01T10:00:00Z", "cwd": "/w"}
    chat = read_chat(Source.of_text(json.dumps({"session": session, "items": [item("user", "a")["payload"]]})))
    assert (chat.format, chat.workspace, [message.id for message in chat.messages]) == ("codex", "/w", ["r1"])


def test_a_message_of_claude_code_goes_back_as_it_came() -> None:
    """The content of one record is the API's own."""
    content = [{"type": "text", "text": "a", "citations": []}]
    record = {"uuid": "u", "sessionId": "s", "type": "user", "message": {"role": "user", "content": content}}
    assert [message.raw for message in read_chat(of_lines(record)).messages] == [{"role": "user", "content": content}]


# Sessions that are followed say at each step what they say when they are read whole.


MOST_STEPS = 25
SESSIONS: dict[str, type[ClaudeSession | CodexSession]] = {"claude-code": ClaudeSession, "codex": CodexSession}


class Follower:
    """A chat that is read on where that is possible, and counts how often it was read anew."""

    def __init__(self) -> None:
        self.settled: list[Message] = []
        self.anew = 0
        self._tail: Tail | None = None
        self._chat: Chat | None = None

    def take(self, before: bytes, lines: bytes) -> Chat:
        """Read what has come."""
        growth = self._tail.grow(lines) if self._tail is not None else None
        if growth is None or self._chat is None:
            return self._read(before + lines)
        self.settled += growth.settled
        messages = (*self.settled, *growth.open)
        known = {name: getattr(growth, name) for name in ("model", "title", "window", "compactions", "version")}
        return replace(self._chat, messages=messages, **known)

    def _read(self, data: bytes) -> Chat:
        self.anew += 1
        self._chat, self._tail = follow_chat(Source.of_bytes(data))
        opened = len(self._tail.open()) if self._tail else 0
        self.settled = list(self._chat.messages[: len(self._chat.messages) - opened])
        return self._chat


def follow(lines: Sequence[bytes], draw: Random) -> Follower:
    """Let a file grow by some lines at a time, and compare each step."""
    follower, data = Follower(), b""
    ends = sorted(draw.sample(range(1, len(lines) + 1), min(len(lines), MOST_STEPS)))
    for start, end in zip([0, *ends], ends, strict=False):
        more = b"".join(lines[start:end])
        try:
            whole = read_chat(Source.of_bytes(data + more))
        except CompactChatError as problem:
            with pytest.raises(type(problem)):
                follower.take(data, more)
        else:
            followed = follower.take(data, more)
            assert replace(followed, workspace=None) == replace(whole, workspace=None)  # no report tells it
        data += more
    return follower


@pytest.mark.parametrize("tool", SESSIONS)
@given(seed=st.integers(0, 2**32), oddity=st.sampled_from([0, 0.05, 0.2, 0.6]))
def test_any_session_is_followed(tool: str, seed: int, oddity: float) -> None:
    """Branches, rewinds, compactions, repeated and dangling lines: a followed chat is the chat at every step."""
    follow(SESSIONS[tool](Random(seed), oddity).lines(50), Random(seed))


def test_a_session_whose_replies_are_all_aside_keeps_their_model() -> None:
    """The words of the conversation follow each other; each reply hangs beside them, and is the newest in turn."""
    lines: list[Record] = []
    for n in range(10):
        said = {**LINE, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None}
        reply = {"id": f"m{n}", "model": f"model-{n}", "content": [{"type": "text", "text": "a"}]}
        lines += [said, {**LINE, "type": "assistant", "uuid": f"a{n}", "parentUuid": f"u{n}", "message": reply}]
        lines[-1]["isSidechain"] = True
    assert [read_chat(of_lines(*lines[:end])).model for end in (1, 2, 20)] == [None, "model-0", "model-9"]
    assert follow([json.dumps(line).encode() + b"\n" for line in lines], Random(7)).anew < len(lines)


def test_an_answer_that_comes_late_is_the_persons() -> None:
    """G8: which words in a result are a person's depends on its call, which may be long settled."""
    asked = {"type": "function_call", "call_id": "c", "name": "request_user_input", "arguments": "{}"}
    answer = {"type": "function_call_output", "call_id": "c", "output": '{"answers":{"db":{"answers":["SQLite"]}}}'}
    records = [META, item("user", "a"), {"type": "response_item", "payload": asked}, item("user", "b")]
    records += [item("assistant", "c"), item("user", "d"), {"type": "response_item", "payload": answer}]

    follow([json.dumps(record).encode() + b"\n" for record in records], Random(1))


@pytest.mark.parametrize("tool", SESSIONS)
def test_a_sound_session_is_read_once(tool: str) -> None:
    """Where nothing odd comes, all but the first lines are read on."""
    draw = Random(7)
    lines = SESSIONS[tool](draw, 0).lines(300)
    follower, data = Follower(), b"".join(lines[:100])
    follower.take(b"", data)
    for line in lines[100:]:
        follower.take(data, line)
        data += line
    assert follower.anew < 30
    assert len(follower.settled) > 20


@pytest.mark.parametrize("text", ['[{"role": "user", "content": "hello"}]', "## User\n\nhello\n\n## Assistant\n\nhi\n"])
def test_other_chats_have_no_tail(text: str) -> None:
    """A document or a copied chat is read anew."""
    chat, tail = follow_chat(Source.of_text(text))
    assert chat == read_chat(Source.of_text(text))
    assert tail is None


@pytest.mark.parametrize("tool", SESSIONS)
@pytest.mark.parametrize("lines", [b"{broken\n", b'{"a": "\xff"}\n', b"[{}]\n", b'{\n"a": 1\n}\n'])
def test_damage_is_left_to_the_whole_file(tool: str, lines: bytes) -> None:
    """A line that is damaged is told with its number, which a tail does not know."""
    data = b"".join(SESSIONS[tool](Random(4), 0).lines(60))
    _, tail = follow_chat(Source.of_bytes(data))
    assert tail is not None
    assert tail.grow(lines) is None


# Chats whose newest compaction cannot be checked; `test_corpus.py` shows what the others replaced.


ASKED = {"role": "user", "content": "q"}
LINE = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "cwd": "/shop", "message": ASKED}
BOUNDARY = {"type": "system", "subtype": "compact_boundary", "uuid": "u2", "parentUuid": None, "sessionId": "s"}
META = {"type": "session_meta", "payload": {"id": "s", "cwd": "/shop", "cli_version": "0.142.0"}}
SAID = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
FAILED = {"toolCallRoundId": "", "text": "", "outcome": "failed"}
REQUEST = {"message": {"text": "q"}, "result": {"metadata": {"toolCallRounds": [], "summaries": [FAILED]}}}
SUMMARY = "[Previous conversation summary]\nold\n[End of summary — conversation continues below]"


@pytest.mark.parametrize(
    ("records", "reason", "is_recorded"),
    [
        ([LINE, {**BOUNDARY, "compactMetadata": {"trigger": "auto"}}], "left no summary", True),
        ([META, {"type": "response_item", "payload": SAID}], "No compaction is recorded", False),
        ([{"responderUsername": "x", "sessionId": "s", "requests": [REQUEST]}], "No compaction is recorded", False),
        ([{"role": "user", "content": SUMMARY}, ASKED], "What the summary of this chat replaced is not in it", False),
        ([ASKED, {"role": "assistant", "content": "a"}], "No compaction is recorded", False),
    ],
)
def test_why_there_is_nothing_to_check(records: list[dict[str, Any]], reason: str, is_recorded: bool) -> None:
    """A compaction without its summary, an attempt that failed, and chats without one."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    with pytest.raises(NothingToCompact, match=reason) as caught:
        newest_replaced(Source.of_text(text), read_chat(Source.of_text(text)))
    assert caught.value.data.get("recorded", False) == is_recorded
