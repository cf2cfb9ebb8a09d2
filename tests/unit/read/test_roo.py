"""Tasks of Roo Code and Kilo Code: what summaries and cuts have replaced."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Usage
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Item = dict[str, Any]


def item(role: str, content: object, ts: int, **more: Any) -> Item:
    """A stored message."""
    return {"role": role, "content": content, "ts": ts, **more}


def read(history: object, ui: object = None) -> Chat:
    """Read a history, with the screen's file beside it."""
    beside = {} if ui is None else {"ui_messages.json": json.dumps(ui).encode()}
    return read_chat(Source.of_bytes(json.dumps(history).encode(), "api_conversation_history.json", beside))


def call(ts: int, **told: Any) -> Item:
    """A call of the model, as the screen shows it."""
    return {"ts": ts, "type": "say", "say": "api_req_started", "text": json.dumps(told)}


def test_usage_finds_its_answer_by_time() -> None:
    """A call belongs to the first answer stored behind it; the OpenAI way counts the cache within the input."""
    history = [item("user", "task", 1, condenseParent="gone"), item("assistant", "a", 20), item("user", "u", 25)]
    ui = [
        call(10, tokensIn=5, tokensOut=2, cacheWrites=90, cacheReads=5, apiProtocol="anthropic"),
        call(30, tokensIn=500, tokensOut=3, cacheReads=400, apiProtocol="openai"),
    ]
    chat = read([*history, item("assistant", "b", 40)], ui)
    assert [message.usage for message in chat.messages] == [None, Usage(100, 2, ""), None, Usage(500, 3, "")]


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    *("role", "content", "ts", "isSummary", "condenseId", "truncationId", "truncationParent"),
                    *("isTruncationMarker", "type", "reasoning_content", "summary"),
                ]
            ),
            st.sampled_from(["user", "assistant", "reasoning", True, None, 3, [], {}, [{"type": "tool-result"}], "x"])
            | st.just([{"type": "tool-result", "output": {"value": None}}, {"type": "image", "image": 3}]),
        ),
        max_size=8,
    )
)
def test_any_records_are_read_or_refused(history: list[Item]) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    for document in (history, {"version": 2, "messages": history}):
        try:
            read(document, [{"ts": [], "type": "say", "say": "condense_context"}, call(1, tokensIn=[])])
        except ChatUnreadable:
            continue
