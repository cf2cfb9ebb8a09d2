"""What a compaction kept: one of the chat's own tool, or any summary."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import ChatUnreadable, NoSummary, NothingToCompact

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"


def kept(found: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Tell of each class how many are kept of how many."""
    return {one["name"]: (one["kept"], one["total"]) for one in found["survival"]["classes"]}


def record(kind: str, uuid: str, parent: str | None, content: object = None, **more: Any) -> dict[str, Any]:
    """Make a record of a Claude Code session."""
    said = {"message": {"role": kind, "content": content}} if content is not None else {}
    return {"parentUuid": parent, "sessionId": "s", "type": kind, "uuid": uuid, "cwd": "/shop", **said, **more}


def session(*records: dict[str, Any]) -> dict[str, str]:
    """Put records into a chat."""
    return {"text": "".join(json.dumps(one) + "\n" for one in records)}


BEFORE = (
    record("user", "1", None, "Never touch till.py. Count the shelves in src/shelf.py."),
    record(
        "assistant", "2", "1", [{"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": "src/shelf.py"}}]
    ),
    record("user", "3", "2", [{"type": "tool_result", "tool_use_id": "t", "content": "Changed."}]),
)
BOUNDARY = record("system", "4", None, subtype="compact_boundary", compactMetadata={"trigger": "manual"})
SUMMARY = "The user said: Never touch till.py. Count the shelves in src/shelf.py."


def test_a_given_summary_is_held_against_the_chat(ask: Ask, messages: Messages) -> None:
    """All facts of the chat are looked for in the summary, and the continuation opens with it."""
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
    """The chat as it came holds little more than the summary before; where there is no original, that is told."""
    first = ask("summarize", chat={"messages": messages}, provider="offline", include=["messages"])
    chat = {"messages": [*first["messages"], {"role": "assistant", "content": "Shelf 9."}, messages[4], *messages[1:5]]}
    again = ask("summarize", chat=chat, provider="offline")
    archived = {"uri": again["archive"]}
    told = ask("check", chat=archived, summary=again["continuation"], original=True)
    as_it_came = ask("check", chat=archived, summary=again["continuation"])

    assert state.exists()
    assert kept(told)["modifiedFiles"][1] == 8
    assert kept(told).keys() >= kept(again).keys()
    assert kept(as_it_came)["userMessages"][1] < kept(told)["userMessages"][1]
    with pytest.raises(ChatUnreadable, match="gone from the archive"):
        ask("check", chat={"messages": messages}, summary="Summary:\nWork.", original=True)


def test_a_blank_summary_is_refused(ask: Ask, messages: Messages) -> None:
    """C6: nothing can open no chat."""
    with pytest.raises(NoSummary):
        ask("check", chat={"messages": messages}, summary=" \n")


def test_the_newest_boundary_is_held_against_what_it_replaced(ask: Ask) -> None:
    """Without a summary, the tool's own is taken; what came later is no part of what it had to keep."""
    summary = record("user", "5", "4", SUMMARY, isCompactSummary=True)
    later = (record("user", "6", "5", "Now bake bread in src/oven.py."), record("assistant", "7", "6", "Baked."))
    found = ask("check", chat=session(*BEFORE, BOUNDARY, summary, *later))
    worse = ask(
        "check", chat=session(*BEFORE, BOUNDARY, {**summary, "message": {"role": "user", "content": "Hm."}}, *later)
    )

    assert kept(found)["modifiedFiles"] == (1, 1)
    assert kept(found)["userMessages"] == (1, 1)
    assert kept(worse)["modifiedFiles"] == (0, 1)
    assert kept(worse)["constraints"] == (0, 1)
    assert SUMMARY in found["continuation"]
    assert "Now bake bread in src/oven.py." in found["continuation"]
    assert "Changed." not in found["continuation"]


def test_what_was_lost_can_be_read_where_it_was_said(ask: Ask) -> None:
    """The ids name messages that the chat no longer shows; `transcript` shows what was replaced, masked like all."""
    told = {**BEFORE[0], "message": {"role": "user", "content": f"Never touch till.py. The token is {SECRET}."}}
    chat = session(told, *BEFORE[1:], BOUNDARY, record("user", "5", "4", "Hm.", isCompactSummary=True))
    found = ask("check", chat=chat)
    [rule] = next(one["lost"] for one in found["survival"]["classes"] if one["name"] == "constraints")
    [shown] = ask("transcript", chat=chat, replaced=True, ids=[rule["message"]])["messages"]

    assert (shown["id"], shown["role"]) == ("1", "user")
    assert "Never touch till.py." in shown["text"]
    assert SECRET not in shown["text"]
    assert [one["id"] for one in ask("transcript", chat=chat, replaced=True)["messages"]] == ["1", "2", "3"]
    assert rule["message"] not in [one["id"] for one in ask("transcript", chat=chat)["messages"]]


def test_of_two_boundaries_the_newest_counts(ask: Ask) -> None:
    """What the first one replaced is not the second one's to keep."""
    first = record("user", "5", "4", "A first summary.", isCompactSummary=True)
    wish = record("user", "6", "5", "Bake bread in src/oven.py today.")
    answer = record("assistant", "7", "6", "It is in the oven.")
    boundary = {**BOUNDARY, "uuid": "8"}
    second = record("user", "9", "8", "Bake bread in src/oven.py today.", isCompactSummary=True)
    found = ask("check", chat=session(*BEFORE, BOUNDARY, first, wish, answer, boundary, second))

    assert kept(found)["userMessages"] == (1, 1)
    assert "modifiedFiles" not in kept(found)


def test_messages_that_the_tool_kept_count_as_kept(ask: Ask, shared_chats: Path) -> None:
    """A boundary with a preserved segment: what is still sent verbatim is not lost."""
    path = shared_chats / "claude-code" / "made-preserved-segment.jsonl"
    found = ask("check", chat={"uri": path.as_uri()})

    assert found["survival"]["classes"]
    assert [one["name"] for one in found["survival"]["classes"] if one["kept"]] == ["currentWork"]


@pytest.mark.parametrize(
    "name",
    [
        "vscode/made-summary-foreground.json",
        "vscode/made-summary-compact-command.json",
        "vscode/workbench-agent-auto-compaction.jsonl",
        "codex/made-legacy-compacted.jsonl",
        "claude-code/entire-cafca7-compact-small.jsonl",
        "claude-code/entire-5e5207-two-boundaries.jsonl",
    ],
)
def test_the_tools_that_record_boundaries(ask: Ask, shared_chats: Path, name: str) -> None:
    """VS Code, Codex and Claude Code: the boundary is found, and facts on both its sides."""
    found = ask("check", chat={"uri": (shared_chats / name).as_uri()})

    assert sum(one["total"] for one in found["survival"]["classes"]) > 0
    assert found["continuation"].startswith("## Session Continued")
    named = {loss["message"] for one in found["survival"]["classes"] for loss in one["lost"]} - {None}
    shown = ask("transcript", chat={"uri": (shared_chats / name).as_uri()}, replaced=True, ids=sorted(named))
    assert {one["id"] for one in shown["messages"]} >= named


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("codex/agentv-f4771e-compacted2.jsonl", "encrypted"),
        ("codex/agentv-1f4427-compacted1.jsonl", "left no summary"),
        ("vscode/epics-export-6-requests.json", "No compaction is recorded"),
    ],
)
def test_where_nothing_can_be_found_that_is_said(ask: Ask, shared_chats: Path, name: str, words: str) -> None:
    """A chat without a boundary, or with one that cannot be read, needs a summary."""
    with pytest.raises(NothingToCompact) as caught:
        ask("check", chat={"uri": (shared_chats / name).as_uri()})
    assert words in caught.value.sentence


def test_messages_record_nothing(ask: Ask, messages: Messages) -> None:
    """Messages are of no tool that could have compacted them."""
    with pytest.raises(NothingToCompact):
        ask("check", chat={"messages": messages})


def test_no_secret_comes_out(ask: Ask, messages: Messages) -> None:
    """Summary, facts and continuation are masked, and a masked secret counts as kept by its placeholder."""
    messages[0]["content"] += f" The token is {SECRET}."
    found = ask("check", chat={"messages": messages}, summary=f"Summary:\nThe token is {SECRET}.")

    assert SECRET not in json.dumps(found)
    assert "[REDACTED:" in found["continuation"]
