"""Conversations in the form of ShareGPT."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat


def read(document: object) -> Chat:
    """Read one JSON document."""
    return read_chat(Source.of_text(json.dumps(document)))


ODD: st.SearchStrategy[Any] = st.sampled_from([None, True, 3, "x", [], {}, "human", "gpt"])


@given(st.lists(st.dictionaries(st.sampled_from(["from", "value"]), ODD) | ODD), ODD)
def test_any_conversation_is_read_or_refused(entries: list[Any], odd: Any) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    for document in ({"conversations": entries, "system": odd, "title": odd}, [odd, {"conversations": entries}, odd]):
        try:
            read(document)
        except ChatUnreadable:
            continue
