"""The messages of a chat are shown as text: now, and as they were when it was compacted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import Archive, known_folders
from compact_chat.errors import ChatUnreadable, CompactChatError, MessageNotFound
from compact_chat.operations import ChatRef, ClientState
from tests.samples.archived import compacted

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
pytestmark = pytest.mark.usefixtures("state")
KEY = "sk-ant-api03-" + "Xy7" * 31 + "-AAAAAA"
LATER: Messages = [
    {"role": "assistant", "content": "Shelf 9 is counted, and so is the cellar."},
    {"role": "user", "content": "And ten?"},
    {"role": "assistant", "content": "Shelf 10 is counted."},
    {"role": "user", "content": "And eleven?"},
    {"role": "assistant", "content": "Shelf 11 is counted."},
    {"role": "user", "content": "And twelve?"},
]


def test_each_message_has_its_text(ask: Ask, messages: Messages) -> None:
    """All of them, by the ids, places, roles and kinds of `countTokens` and `preview`."""
    chat = {"messages": messages}
    found = ask("transcript", chat=chat)
    counted, planned = ask("countTokens", chat=chat, perMessage=True), ask("preview", chat=chat)

    assert [one["text"] for one in found["messages"][:4]] == [
        messages[0]["content"],
        "Step 0: I count the trays.\n\n[Tool call #call_0: Edit("
        '{"file_path":"src/shelf_0.py","old_string":"pass","new_string":"' + "trays = 0\\n" * 60 + '"})]',
        "[Tool result #call_0]: " + "Changed. " * 90,
        "Step 0 is done; the shelf holds 0 trays.",
    ]
    named = [(one["id"], one["index"], one["role"], one["kind"]) for one in found["messages"]]
    assert named == [(one["id"], one["index"], one["role"], one["kind"]) for one in counted["messages"]]
    assert [one[:3] for one in named] == [(one["id"], one["index"], one["role"]) for one in planned["messages"]]
    assert (found["tool"], found["format"]) == (counted["tool"], counted["format"])


def test_what_was_read_around_is_told(ask: Ask, bakery: Path) -> None:
    """Title, tool and warnings are those of the chat."""
    found = ask("transcript", chat={"text": bakery.read_text("utf-8") + "{broken"})

    assert (found["tool"], found["format"]) == ("claude-code", "claude-code")
    assert found["title"] == ask("countTokens", chat={"uri": bakery.as_uri()})["title"]
    assert found["warnings"]


def test_only_the_messages_that_are_named(ask: Ask, messages: Messages) -> None:
    """In the chat's order and once each, also by a beginning of an id; without any, all."""
    chat = {"messages": messages}

    assert [one["index"] for one in ask("transcript", chat=chat, ids=["m12", "m3", "m12"])["messages"]] == [3, 12]
    assert len(ask("transcript", chat=chat, ids=[])["messages"]) == len(messages)
    with pytest.raises(MessageNotFound) as problem:
        ask("transcript", chat=chat, ids=["m1", "nobody"])
    assert problem.value.data["path"] == "$.ids[1]"


def test_secrets_are_masked_as_in_a_preview(ask: Ask, client: ClientState, messages: Messages) -> None:
    """By the setting, in calls too, and under the number that they have in the whole chat."""
    messages[0]["content"] += f" The other key is {KEY[:-8]}Z-AAAAAA."
    messages[1]["content"][1]["input"]["new_string"] = f"api_key = '{KEY}'"
    [shown] = ask("transcript", chat={"messages": messages}, ids=["m1"])["messages"]
    client.configure({"redact": False})
    [whole] = ask("transcript", chat={"messages": messages}, ids=["m1"])["messages"]

    assert "[REDACTED:anthropic-key:2]" in shown["text"]
    assert KEY in whole["text"]


def test_a_result_that_is_told_in_words_is_one(ask: Ask) -> None:
    """What Cline writes of a tool is shown as its result, also where the call's message is not wanted."""
    call = {"type": "tool_use", "id": "k", "name": "read_file", "input": {"path": "a.py"}}
    told = "[read_file for 'a.py'] Result:\nnine trays"
    chat = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [{"type": "text", "text": told}]}]

    [shown] = ask("transcript", chat={"messages": chat}, ids=["m1"])["messages"]

    assert (shown["kind"], shown["text"]) == ("text", f"[Tool result #k]: {told}")


def test_the_chat_behind_a_compaction_is_shown(ask: Ask, client: ClientState, bakery: Path, tmp_path: Path) -> None:
    """Its lost facts can be read where they were said, whatever became of the file; the id may be shortened."""
    path = tmp_path / "chat.jsonl"
    path.write_bytes(bakery.read_bytes())
    one = compacted(ChatRef(uri=path.as_uri()), client)
    path.write_text("")
    lost = [fact for found in one.done.survival.classes for fact in found.lost]
    found = ask("transcript", compactionId=one.id[:8], ids=[fact.message for fact in lost])

    assert lost
    assert {message["id"] for message in found["messages"]} == {fact.message for fact in lost}
    assert ask("transcript", compactionId=one.id) == ask("transcript", chat={"uri": bakery.as_uri()})


def test_a_chat_that_is_compacted_again_is_shown_as_its_original(ask: Ask, messages: Messages) -> None:
    """Fates and lost facts name messages of the original then: by `original`, and by the id of the compaction."""
    first = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages"])
    chat = {"messages": [*first["messages"], *LATER]}
    planned = ask("preview", chat=chat)
    again = ask("summarize", chat=chat, reply="<summary>The shelves are counted.</summary>")
    before = ask("transcript", chat={"messages": messages})["messages"]
    shown = [
        ask("transcript", chat=chat, original=True)["messages"],
        ask("transcript", compactionId=again["compactionId"])["messages"],
    ]

    assert "fromOriginal" in [warning["code"] for warning in again["warnings"]]
    assert len(ask("transcript", chat=chat)["messages"]) < len(before)
    for told in shown:
        assert [one["id"] for one in told] == [one["id"] for one in planned["messages"]]
        assert told[: len(before)] == before
    named = {fact["message"] for found in again["survival"]["classes"] for fact in found["lost"]}
    lost = ask("transcript", compactionId=again["compactionId"], ids=sorted(named))["messages"]
    assert named
    assert {one["id"] for one in lost} == named
    assert ask("transcript", compactionId=first["compactionId"])["messages"] == before


def test_no_other_messages_are_shown_for_those_of_an_original_that_is_gone(
    ask: Ask, client: ClientState, messages: Messages
) -> None:
    """A compaction of a compacted chat names messages of the original; where that is gone, it is an error."""
    first = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages"])
    chat = {"messages": [*first["messages"], *LATER]}
    again = ask("summarize", chat=chat, reply="<summary>The shelves are counted.</summary>")
    for folder in known_folders(client.settings.archive):
        Archive(folder).forget(first["compactionId"])

    with pytest.raises(ChatUnreadable, match="gone from the archive"):
        ask("transcript", compactionId=again["compactionId"], ids=["m0"])


def test_rules_take_a_chat_as_it_came(ask: Ask, messages: Messages) -> None:
    """A compaction by rules was about the chat with the summary in it, and that is what it shows."""
    first = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages"])
    chat = {"messages": [*first["messages"], *LATER]}
    kept = ask("summarize", chat=chat, options={"strategy": "keep", "keepRecent": 2, "keepToolResults": False})

    assert ask("transcript", compactionId=kept["compactionId"]) == ask("transcript", chat=chat)


def test_a_chat_without_an_original_is_shown_as_it_is(ask: Ask, messages: Messages) -> None:
    """`original` asks for nothing that is not there."""
    chat = {"messages": messages}
    assert ask("transcript", chat=chat, original=True) == ask("transcript", chat=chat)


@pytest.mark.parametrize(
    ("params", "kind"),
    [
        ({}, "invalidParams"),
        ({"chat": {"text": "a"}, "compactionId": "0" * 32}, "invalidParams"),
        ({"chat": {"text": "User: hello"}, "replaced": True, "original": True}, "invalidParams"),
        ({"compactionId": "0" * 32, "replaced": True}, "invalidParams"),
        ({"chat": {"text": "User: hello"}, "replaced": True}, "nothingToCompact"),
        ({"chat": {"messages": [{"role": "user", "content": "hello"}]}, "replaced": True}, "nothingToCompact"),
        ({"compactionId": "0" * 32}, "compactionNotFound"),
        ({"chat": {"uri": "file:///absent/chat.jsonl"}}, "chatNotFound"),
        ({"chat": {"text": "User: hello"}, "ids": ["nobody"]}, "messageNotFound"),
    ],
    ids=str,
)
def test_what_cannot_be_shown_is_refused(ask: Ask, params: dict[str, Any], kind: str) -> None:
    """Exactly one of the two tells the chat; what is wrong with it is told as elsewhere."""
    with pytest.raises(CompactChatError) as problem:
        ask("transcript", **params)
    assert problem.value.kind == kind


def test_an_original_that_is_gone_is_told(ask: Ask, client: ClientState, messages: Messages, tmp_path: Path) -> None:
    """Where the archive has lost the bytes, that is an error of the chat."""
    one = compacted(ChatRef(messages=messages), client)
    for path in (tmp_path / "state").rglob("originals/*"):
        path.unlink()
    with pytest.raises(ChatUnreadable):
        ask("transcript", compactionId=one.id)
