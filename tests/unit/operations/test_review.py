"""The messages of a chat as text, including before a compaction; and what a compaction kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import ChatUnreadable, InvalidParams, MessageNotFound, NothingToCompact
from compact_chat.operations import ChatRef, ClientState
from tests.samples.archived import compacted
from tests.unit.operations.conftest import CUTS, MORE, SECRET, Ask, Messages, claude_session, message

pytestmark = pytest.mark.usefixtures("state")
KEY = "sk-ant-api03-" + "Xy7" * 31 + "-AAAAAA"


def kept(found: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Return for each class how many facts are kept, of how many."""
    return {one["name"]: (one["kept"], one["total"]) for one in found["survival"]["classes"]}


BEFORE = (
    message("user", "Never touch till.py. Count the shelves in src/shelf.py."),
    message("assistant", [{"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": "src/shelf.py"}}]),
    message("user", [{"type": "tool_result", "tool_use_id": "t", "content": "Changed."}]),
)
BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "manual"}}
SUMMARY = "The user said: Never touch till.py. Count the shelves in src/shelf.py."


def test_a_given_summary_is_held_against_the_chat(ask: Ask, messages: Messages) -> None:
    """All facts of the chat are searched in the summary, and the continuation opens with it."""
    chat = {"messages": messages}
    nothing = ask("check", chat=chat, summary="Summary:\nWork went on.")
    some = ask(
        "check", chat=chat, summary=f"Summary:\nWork went on in {messages[1]['content'][1]['input']['file_path']}."
    )

    assert kept(nothing)["modifiedFiles"] == (0, 8)
    assert kept(some)["modifiedFiles"] == (1, 8)
    assert "Summary:\nWork went on." in nothing["continuation"]
    assert {loss["message"] for one in nothing["survival"]["classes"] for loss in one["lost"]} <= {
        f"m{n}" for n in range(33)
    }


def test_a_summary_of_a_chat_that_was_compacted_again_is_held_against_the_original(
    ask: Ask, messages: Messages, state: Path
) -> None:
    """The chat as it came holds little more than the previous summary; a lost original is not one that never was."""
    first = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages"])
    chat = {"messages": [*first["messages"], {"role": "assistant", "content": "Shelf 9."}, messages[4], *messages[1:5]]}
    again = ask("summarize", chat=chat, provider="offline", include=["messages"])
    archived = {"uri": again["archive"]}
    reported = ask("check", chat=archived, summary=again["continuation"], original=True)
    as_it_came = ask("check", chat=archived, summary=again["continuation"])

    assert state.exists()
    assert kept(reported)["modifiedFiles"][1] == 8
    assert kept(reported).keys() >= kept(again).keys()
    assert kept(as_it_came)["modifiedFiles"][1] < kept(reported)["modifiedFiles"][1]
    shutil.rmtree(state)
    for came, problem in ((again["messages"], ChatUnreadable), (messages, InvalidParams)):
        with pytest.raises(problem):
            ask("check", chat={"messages": came}, summary="Summary:\nWork.", original=True)


def test_the_newest_boundary_is_checked_against_what_it_replaced(ask: Ask) -> None:
    """Without a given summary, the tool's own is used; later messages are not part of what it had to keep."""
    later = (message("user", "Now bake bread in src/oven.py."), message("assistant", "Baked."))
    found, worse = (
        ask("check", chat={"text": claude_session(*BEFORE, BOUNDARY, summary_of(text), *later)})
        for text in (SUMMARY, "Hm.")
    )

    assert kept(found)["modifiedFiles"] == (1, 1)
    assert kept(found)["userMessages"] == (1, 1)
    assert kept(worse)["modifiedFiles"] == (0, 1)
    assert kept(worse)["constraints"] == (0, 1)
    assert SUMMARY in found["continuation"]
    assert "Now bake bread in src/oven.py." in found["continuation"]
    assert "Changed." not in found["continuation"]


def test_what_an_earlier_compaction_dropped_is_missing(ask: Ask) -> None:
    """All compactions of the tool count, not only what the newest one replaced."""
    between = (message("user", "Now bake bread in src/oven.py."), message("assistant", "Baked."))
    again = (BOUNDARY, summary_of("Bread was baked."))
    found = ask("check", chat={"text": claude_session(*BEFORE, BOUNDARY, summary_of("Hm."), *between, *again)})

    assert kept(found)["constraints"] == (0, 1)
    assert kept(found)["userMessages"][1] == 2


def summary_of(text: str) -> dict[str, Any]:
    """Make a record of a summary by the tool."""
    return message("user", text, isCompactSummary=True)


def test_what_was_lost_can_be_read_where_it_was_said(ask: Ask) -> None:
    """Ids may name messages that the chat no longer shows; `transcript` shows what was replaced, masked as well."""
    first = message("user", f"Never touch till.py. The token is {SECRET}.")
    chat = {"text": claude_session(first, *BEFORE[1:], BOUNDARY, summary_of("Hm."))}
    found = ask("check", chat=chat)
    [rule] = next(one["lost"] for one in found["survival"]["classes"] if one["name"] == "constraints")
    [shown] = ask("transcript", chat=chat, replaced=True, ids=[rule["message"]])["messages"]

    assert (shown["id"], shown["role"]) == ("u0", "user")
    assert "Never touch till.py." in shown["text"]
    assert SECRET not in json.dumps([shown, found])
    assert [one["id"] for one in ask("transcript", chat=chat, replaced=True)["messages"]] == ["u0", "u1", "u2"]
    assert rule["message"] not in [one["id"] for one in ask("transcript", chat=chat)["messages"]]


def test_a_fact_that_the_tool_replaced_leads_to_its_message(ask: Ask, client: ClientState) -> None:
    """The survival of a compaction names messages of the whole record; those no longer in the chat come before it."""
    chat = {
        "text": claude_session(
            *BEFORE,
            BOUNDARY,
            summary_of("Hm."),
            *(message("user", f"And now oven {n} of the bakery, with all its trays.") for n in range(9)),
        )
    }
    shown = ask("draft", chat=chat, options={"style": "handoff", "minKeep": 1, "summaryBudget": 600})
    now = {one["id"] for one in shown["preview"]["messages"]}
    facts = shown["compaction"]["survival"]["facts"]
    named = [fact["message"] for fact in facts if fact["message"]]
    assert set(named) - now
    found = ask("transcript", compactionId=shown["draftId"], ids=named)["messages"]

    assert {one["id"] for one in found} == set(named)
    assert all((one["index"] < 0) == (one["id"] not in now) for one in found)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("codex/agentv-f4771e-compacted2.jsonl", "encrypted"),
        ("codex/agentv-1f4427-compacted1.jsonl", "left no summary"),
        ("vscode/epics-export-6-requests.json", "No compaction is recorded"),
    ],
)
def test_where_nothing_can_be_found_that_is_said(ask: Ask, shared_chats: Path, name: str, words: str) -> None:
    """A chat without a boundary, or with an unreadable one, needs a given summary."""
    with pytest.raises(NothingToCompact) as caught:
        ask("check", chat={"uri": (shared_chats / name).as_uri()})
    assert words in caught.value.sentence


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


def test_only_the_messages_that_are_named(ask: Ask, messages: Messages) -> None:
    """In the chat's order and once each, also by id prefix; without ids, all."""
    chat = {"messages": messages}

    assert [one["index"] for one in ask("transcript", chat=chat, ids=["m12", "m3", "m12"])["messages"]] == [3, 12]
    assert len(ask("transcript", chat=chat, ids=[])["messages"]) == len(messages)
    with pytest.raises(MessageNotFound) as problem:
        ask("transcript", chat=chat, ids=["m1", "unknown"])
    assert problem.value.data["path"] == "$.ids[1]"


def test_secrets_are_masked_as_in_a_preview(ask: Ask, client: ClientState, messages: Messages) -> None:
    """By the setting, in calls, summary, facts and continuation, under the number that they have in the whole chat."""
    messages[0]["content"] += f" The other key is {KEY[:-8]}Z-AAAAAA."
    messages[1]["content"][1]["input"]["new_string"] = f"api_key = '{KEY}'"
    chat = {"messages": messages}
    found = ask("check", chat=chat, summary=f"Summary:\nThe key is {KEY}.")
    [shown] = ask("transcript", chat=chat, ids=["m1"])["messages"]
    client.configure({"redact": False})
    [whole] = ask("transcript", chat=chat, ids=["m1"])["messages"]

    assert "[REDACTED:" in found["continuation"]
    assert KEY not in json.dumps(found)
    assert "[REDACTED:anthropic-key:2]" in shown["text"]
    assert KEY in whole["text"]


def test_the_chat_behind_a_compaction_is_shown(ask: Ask, client: ClientState, bakery: Path, tmp_path: Path) -> None:
    """Its lost facts can be looked up, even if the file changed; the id may be shortened."""
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
    """Fates and lost facts then name messages of the original; a compaction by rules shows the chat as it came."""
    first = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages"])
    chat = {"messages": [*first["messages"], *MORE]}
    planned = ask("preview", chat=chat)
    again = ask("summarize", chat=chat, reply="<summary>The shelves are counted.</summary>")
    before = ask("transcript", chat={"messages": messages})["messages"]
    as_it_came = ask("transcript", chat=chat)

    assert "fromOriginal" in [warning["code"] for warning in again["warnings"]]
    assert len(as_it_came["messages"]) < len(before)
    for params in ({"chat": chat, "original": True}, {"compactionId": again["compactionId"]}):
        shown = ask("transcript", **params)["messages"]
        assert [one["id"] for one in shown] == [one["id"] for one in planned["messages"]]
        assert shown[: len(before)] == before
    named = {fact["message"] for found in again["survival"]["classes"] for fact in found["lost"]}
    lost = ask("transcript", compactionId=again["compactionId"], ids=sorted(named))["messages"]
    assert named
    assert {one["id"] for one in lost} == named
    assert ask("transcript", compactionId=first["compactionId"])["messages"] == before
    cut = ask("summarize", chat=chat, options={"strategy": "keep", **CUTS})
    assert ask("transcript", compactionId=cut["compactionId"]) == as_it_came
