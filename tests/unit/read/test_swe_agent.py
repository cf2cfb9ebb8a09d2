"""Trajectories of SWE-agent."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Text, Thinking, ToolCall, ToolResult
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Entry = dict[str, Any]


def entry(role: str, content: object, **more: Any) -> Entry:
    """An entry of the history."""
    return {"role": role, "content": content, "agent": "main", **more}


def read(*history: object, **more: Any) -> Chat:
    """Read a run with this history."""
    return read_chat(Source.of_text(json.dumps({"history": history, "info": {}, "trajectory": [], **more})))


RUN = [
    entry("system", "SETTING"),
    entry("user", "the issue"),
    entry("assistant", "I look.", tool_calls=[{"id": "c1", "function": {"name": "ls", "arguments": '{"p":"."}'}}]),
    entry("tool", "a.py", tool_call_ids=["c1"]),
    entry("assistant", "Done.", thinking_blocks=[{"thinking": "hm"}]),
    entry("user", "Your command ran."),
]


def test_the_history_is_the_chat() -> None:
    """Roles, calls and results; what the environment shows is the host's."""
    chat = read(*RUN)
    assert (chat.format, chat.tool) == ("swe-agent", "swe-agent")
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert chat.messages[2].parts == (Text("I look."), ToolCall("c1", "ls", {"p": "."}))
    assert chat.messages[3].parts == (ToolResult("c1", (Text("a.py"),), as_text=True),)
    assert chat.messages[4].parts == (Thinking("hm"), Text("Done."))
    assert [message.by_host for message in chat.messages] == [False, False, False, False, False, True]


def test_a_demonstration_is_the_hosts() -> None:
    """Nobody typed what only shows how it is done."""
    assert read(entry("user", "see", is_demo=True), *RUN).messages[0].by_host


def test_other_agents_have_chats_of_their_own() -> None:
    """Entries of another agent than the first are not sent to it."""
    chat = read(*RUN, entry("user", "for another", agent="sub"), {"role": "user", "content": "for all"})
    assert [message.text for message in chat.messages][-2:] == ["Your command ran.", "for all"]


@pytest.mark.parametrize("key", ["query", "messages"])
def test_older_entries_are_as_the_last_call_had_them(key: str) -> None:
    """What was sent is what counts: old observations may have been shortened before the last call."""
    sent = [
        {"role": "system", "content": "SETTING"},
        {"role": "user", "content": "the issue"},
        {"role": "assistant", "content": "I look."},
    ]
    sent += [{"role": "tool", "content": "Old output: (1 line omitted)", "tool_call_id": "c1"}]
    chat = read(*RUN, trajectory=[{key: []}, {key: sent}])
    assert [message.id for message in chat.messages] == ["m0", "m1", "m2", "m3", "m4", "m5"]
    assert chat.messages[3].results[0].content == (Text("Old output: (1 line omitted)"),)
    shorter = read(*RUN, trajectory=[{key: sent[:2]}])
    assert [message.text for message in shorter.messages] == ["SETTING", "the issue", "Done.", "Your command ran."]


def test_messages_keep_names_of_their_own() -> None:
    """Where more was sent than the history holds, the places of both are the same."""
    sent = [{"role": "user", "content": str(number)} for number in range(8)]
    chat = read(*RUN, trajectory=[{"query": sent}])
    assert [message.id for message in chat.messages] == [f"m{n}" for n in range(8)] + ["m4#2", "m5#2"]


@pytest.mark.parametrize("as_text", [True, False])
def test_the_settings_of_the_run_tell_the_model(as_text: bool) -> None:
    """Newer versions write the settings as a string."""
    setup = {"agent": {"model": {"name": "gpt-x"}}, "problem_statement": {"id": "shop-1"}}
    chat = read(*RUN, replay_config=json.dumps(setup) if as_text else setup)
    assert (chat.model, chat.title) == ("gpt-x", "shop-1")
    assert read(*RUN, replay_config="{").model is None


def test_what_is_no_message_is_told() -> None:
    """A damaged entry costs itself; the places of the others stay."""
    chat = read(5, *RUN, {"content": "x"}, {"role": []})
    assert chat.messages[0].id == "m1"
    assert len(chat.warnings) == 3


@pytest.mark.parametrize(
    "document",
    [{"history": [{"role": "user", "content": "hi"}]}, {"history": []}, {"history": [{"message": {}}], "agent": 1}],
)
def test_other_histories_are_not_taken(document: object) -> None:
    """A history without a sign of SWE-agent is none of ours."""
    with suppress(ChatUnreadable):
        assert read_chat(Source.of_text(json.dumps(document))).format != "swe-agent"


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 3, "x", [], {}, [3], [{"function": 3}], [{"id": [], "function": {"arguments": 3}}]]
)
KEYS = ["content", "agent", "tool_calls", "tool_call_ids", "tool_call_id", "thinking_blocks", "is_demo", "role"]


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), ODD | st.sampled_from(["user", "tool", "assistant"]))), ODD)
def test_any_run_is_read_or_refused(history: list[Entry], odd: Any) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    for more in (
        {"trajectory": odd},
        {"trajectory": [{"query": odd}], "replay_config": odd},
        {"trajectory": [{"query": history}]},
    ):
        try:
            read(*RUN, *history, **more)
        except ChatUnreadable:
            continue
