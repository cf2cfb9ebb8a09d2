"""Tasks of which only the screen's messages are left."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Shown = dict[str, Any]


def say(kind: str, text: object = "", ts: int = 1, **more: Any) -> Shown:
    """A message on the screen."""
    return {"ts": ts, "type": "say", "say": kind, "text": text if isinstance(text, str) else json.dumps(text), **more}


def read(*ui: Shown) -> Chat:
    """Read the screen alone."""
    return read_chat(Source.of_text(json.dumps(ui)))


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                ["ts", "type", "say", "ask", "text", "contextCondense", "conversationHistoryIndex", "partial"]
            ),
            st.sampled_from(
                ["say", "ask", "text", "tool", "command_output", "use_mcp_server", "api_req_started", "{", "{}"]
            )
            | st.sampled_from(
                [None, True, 3, [], {}, {"summary": "s"}, {"summary": 3}, '{"tool":3}', '{"request":"x"}']
            ),
        ),
        max_size=12,
    )
)
def test_any_screen_is_read_or_refused(ui: list[Shown]) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    try:
        read(say("text", "task"), *ui)
    except ChatUnreadable:
        return
