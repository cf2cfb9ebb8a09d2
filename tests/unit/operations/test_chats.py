"""The chat that a request names is read from wherever it is, and what is in its way names the place in the request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import ChatUnreadable, CompactChatError, InvalidParams, TooLarge
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.chats import chat_of
from compact_chat.read.document import MAX_MESSAGES, MAX_VALUES
from tests.samples.alone import perform_alone


@pytest.mark.parametrize(
    ("name", "member"), [("countTokens", "chat"), ("preview", "chat"), ("prompt", "chat"), ("continuation", "")]
)
def test_too_many_messages_are_refused_unread(name: str, member: str) -> None:
    """Messages are numbered before any of them is looked at, wherever they stand in the params."""
    given: dict[str, Any] = {"messages": [5] * (MAX_MESSAGES + 1)}
    params = {member: given} if member else {**given, "summary": "Nine shelves."}

    with pytest.raises(TooLarge) as caught:
        perform_alone(name, params, Job(ClientState()))

    assert caught.value.data == {"uri": None}


def test_a_file_beyond_the_limits_is_named(tmp_path: Path) -> None:
    """What is too large in a file is told with its URI, as what cannot be read."""
    for content, kind in (("{}\n" * MAX_VALUES, TooLarge), ("{}", ChatUnreadable)):
        (tmp_path / "chat.json").write_text(content)
        uri = (tmp_path / "chat.json").as_uri()
        with pytest.raises(CompactChatError) as caught:
            chat_of(ChatRef(uri=uri))

        assert caught.type is kind
        assert caught.value.data["uri"] == uri


@pytest.mark.parametrize(
    ("ref", "at", "path"),
    [
        (ChatRef(), "$.chat", "$.chat"),
        (ChatRef(uri="file:///a", text="a"), "$.chat", "$.chat"),
        (ChatRef(uri="https://example.com"), "$.chat", "$.chat.uri"),
        (ChatRef(messages=[{"role": "user", "content": "$"}, 5]), "$.chat", "$.chat.messages[1]"),
        (ChatRef(messages=[{"role": "user", "content": [{"type": "text"}]}]), "$", "$.messages[0].content[0].text"),
    ],
)
def test_problems_stand_where_the_chat_stands(ref: ChatRef, at: str, path: str) -> None:
    """A path begins where the request has the chat."""
    with pytest.raises(InvalidParams) as caught:
        chat_of(ref, at)

    assert [one["path"] for one in caught.value.data["problems"]] == [path]
