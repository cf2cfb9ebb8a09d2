"""Sessions of Gemini CLI."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

Record = dict[str, Any]
ABOUT: Record = {"sessionId": "s", "projectHash": "p", "startTime": "t", "kind": "main"}


def read(*records: object) -> Chat:
    """Read JSON lines."""
    return read_chat(Source.of_text("\n".join(map(json.dumps, records))))


@pytest.mark.parametrize(
    "document",
    [{"history": [{"role": "gemini", "parts": []}]}, {"history": []}, [], {"$set": 5}, {"type": "gemini"}],
)
def test_what_is_not_ours(document: object) -> None:
    """Nothing of this is a session."""
    with suppress(ChatUnreadable):
        assert read_chat(Source.of_text(json.dumps(document))).format != "gemini"


VALUES = st.sampled_from([None, True, 3, "x", [], {}, [None, 3, {"text": 3}], {"text": "t"}, [{"functionResponse": 3}]])
ODD = VALUES | st.just([{"functionCall": {"name": []}}, {"functionResponse": {"parts": [3], "response": []}}])


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["id", "type", "content", "toolCalls", "tokens", "model", "$set", "$rewindTo", "messages"]),
            ODD | st.sampled_from(["gemini", "user"]) | st.fixed_dictionaries({"messages": ODD, "summary": ODD}),
        )
        | st.fixed_dictionaries({"id": ODD, "type": st.sampled_from(["gemini", "user"]), "content": ODD})
        | st.fixed_dictionaries(
            {
                "id": st.just("g"),
                "type": st.just("gemini"),
                "toolCalls": st.lists(
                    st.fixed_dictionaries({"id": ODD, "name": ODD, "args": ODD, "result": ODD, "status": ODD}),
                    max_size=2,
                ),
            }
        ),
        max_size=8,
    )
)
def test_any_records_are_read_or_refused(records: list[Record]) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    turns = [{"role": record.get("type"), "parts": record.get("content")} for record in records]
    for document in ((ABOUT, *records), ({**ABOUT, "messages": records},), (turns,), ({"history": turns},)):
        try:
            read(*document)
        except ChatUnreadable:
            continue
