"""Trajectories of SWE-agent."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
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
