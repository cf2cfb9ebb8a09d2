"""Conversations in the form of ShareGPT."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat, Unknown
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat


def entry(speaker: object, value: object) -> dict[str, Any]:
    """An entry of a conversation."""
    return {"from": speaker, "value": value}


def read(document: object) -> Chat:
    """Read one JSON document."""
    return read_chat(Source.of_text(json.dumps(document)))


def test_speakers_become_roles() -> None:
    """People, models, systems and tools are told apart; a tool's answer names no call, so it is a text."""
    speakers = ["system", "human", "gpt", "function_call", "observation", "user", "assistant"]
    chat = read({"conversations": [entry(speaker, f"by {speaker}") for speaker in speakers]})
    assert (chat.format, chat.tool, chat.title) == ("sharegpt", "sharegpt", "by human")
    assert [message.role for message in chat.messages] == [
        *("system", "user", "assistant", "assistant"),
        *("user", "user", "assistant"),
    ]
    assert [message.by_host for message in chat.messages].index(True) == 4
    assert chat.messages[2].text == "by gpt"


def test_an_unknown_speaker_is_kept() -> None:
    """T7: nothing is dropped in silence."""
    (message,) = read({"conversations": [entry("alien", "x")]}).messages
    assert message.parts == (Unknown("alien", entry("alien", "x")),)


def test_what_stands_beside_the_conversation() -> None:
    """A system prompt and a title of their own."""
    chat = read({"title": "Cakes", "system": "Be short.", "conversations": [entry("human", "hi")]})
    assert (chat.title, chat.system) == ("Cakes", "Be short.")


@pytest.mark.parametrize("lines", [True, False])
def test_of_many_conversations_the_first_is_read(lines: bool) -> None:
    """A data set, as lines or in an array, gives its first conversation and says how many more there are."""
    held = [{"conversations": [entry("human", str(number))]} for number in range(3)]
    text = "\n".join(map(json.dumps, held)) if lines else json.dumps(held)
    chat = read_chat(Source.of_text(text))
    assert [message.text for message in chat.messages] == ["0"]
    assert [(warning.code, "2 more" in warning.message) for warning in chat.warnings] == [("moreChats", True)]


def test_what_is_no_entry_is_told() -> None:
    """A damaged entry costs itself; the places of the others stay."""
    chat = read({"conversations": [5, entry("human", 5), entry("human", "hi"), {}]})
    assert [message.id for message in chat.messages] == ["m2"]
    assert len(chat.warnings) == 3


@pytest.mark.parametrize(
    "document", [{"conversations": []}, {"conversations": [{"role": "user"}]}, {"conversations": 5}]
)
def test_what_is_not_ours(document: object) -> None:
    """Without an entry of ours it is none of ours."""
    with pytest.raises(ChatUnreadable):
        read(document)


ODD: st.SearchStrategy[Any] = st.sampled_from([None, True, 3, "x", [], {}, "human", "gpt"])


@given(st.lists(st.dictionaries(st.sampled_from(["from", "value"]), ODD) | ODD), ODD)
def test_any_conversation_is_read_or_refused(entries: list[Any], odd: Any) -> None:
    """Wrong types anywhere never raise anything but ChatUnreadable."""
    for document in ({"conversations": entries, "system": odd, "title": odd}, [odd, {"conversations": entries}, odd]):
        try:
            read(document)
        except ChatUnreadable:
            continue
