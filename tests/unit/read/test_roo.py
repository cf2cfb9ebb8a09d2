"""Tasks of Roo Code and Kilo Code: what summaries and cuts have replaced."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
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
