"""Sessions of Continue."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Item = dict[str, Any]


def read(*history: object, **more: Any) -> Chat:
    """Read a session of these items."""
    return read_chat(Source.of_text(json.dumps({"sessionId": "s", "title": "t", "history": history, **more})))


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 3, "x", "", [], {}, [None, 3, {}], [{"content": 3}], {"function": 3}, [{"function": {}}]]
)
KEYS = ["message", "contextItems", "toolCallStates", "toolCallState", "promptLogs", "conversationSummary"]


@given(
    st.lists(
        st.dictionaries(st.sampled_from(KEYS), ODD)
        | st.builds(
            lambda message, more: {**more, "message": message},
            st.dictionaries(
                st.sampled_from(["role", "content", "toolCalls", "toolCallId", "id", "usage"]),
                ODD | st.sampled_from(["user", "assistant", "tool", "thinking", "system"]),
            ),
            st.dictionaries(st.sampled_from(KEYS[1:]), ODD),
        ),
        max_size=6,
    ),
    ODD,
)
def test_any_session_is_read_or_refused(history: list[Item], odd: Any) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    for more in ({}, {"title": odd, "workspaceDirectory": odd, "chatModelTitle": odd}, {"history": odd}):
        try:
            read(*history, **more)
        except ChatUnreadable:
            continue
