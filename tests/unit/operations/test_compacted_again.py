"""A compacted chat goes on, and is planned and compacted again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import archive as archive_places
from compact_chat.disk import path_of
from compact_chat.errors import PlanOutdated
from compact_chat.operations import ChatRef, ClientState
from compact_chat.operations import history as past
from compact_chat.operations.archives import forget
from compact_chat.operations.chats import chat_of
from compact_chat.operations.originals import original_of

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
LATER: Messages = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "n", "name": "Read", "input": {"file_path": "a.py"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "n", "content": "a line of code\n" * 900}]},
    {"role": "assistant", "content": "Shelf 9 is counted."},
    {"role": "user", "content": "And ten?"},
    {"role": "assistant", "content": "Shelf 10 is counted."},
    {"role": "user", "content": "And eleven?"},
]
RULES = {"keepRecent": 4, "keepToolResults": False, "prune": {"maxChars": 300, "head": 50, "tail": 50}}
REAL = (  # the first five hold results that can be cut
    "claude-code/entire-13db96-parallel-tools.jsonl",
    "claude-code/entire-26dcd5-image-user.jsonl",
    "codex/agentv-a392ff.jsonl",
    "codex/agentv-f4771e-compacted2.jsonl",
    "copilot-cli/agentv-269e1b.jsonl",
    "swe-agent/ctf-crypto-katy.traj",
    "swe-agent/function_calling_simple.traj",
    "vscode/workbench-export.json",
)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder of this test's own."""
    for module in (archive_places, past):
        monkeypatch.setattr(module, "state_folder", lambda: tmp_path / "state")


def compact(ask: Ask, chat: dict[str, Any], **options: Any) -> Any:
    """Compact a chat offline, and give what came of it with the messages."""
    return ask("summarize", chat=chat, options=options, provider="offline", include=["messages"])


def test_compacting_the_same_export_again_and_again_changes_nothing(ask: Ask, bakery: Path, tmp_path: Path) -> None:
    """A compaction of what a compaction made looks like that one; the original behind both stays the same."""
    made = compact(ask, {"uri": bakery.as_uri()})
    chat = {"uri": (tmp_path / "exported.jsonl").as_uri()}
    ask("export", **{"compactionId": made["compactionId"], "as": "claude-code", "uri": chat["uri"]})

    sizes = [(ask("preview", chat=chat)["before"], compact(ask, chat)["before"]) for _ in range(3)]

    assert sizes == [(made["before"], made["before"])] * 3


def test_a_beginning_of_an_id_is_enough(ask: Ask, messages: Messages) -> None:
    """An id of 32 digits may be shortened to a beginning that no other has, as ids of messages may."""
    made = compact(ask, {"messages": messages})

    assert ask("restore", compactionId=made["compactionId"][:8])["messages"] == messages


@pytest.mark.parametrize(
    ("name", "strategy"), [*((name, "summary") for name in REAL), *((name, "prune") for name in REAL[:5])]
)
@pytest.mark.parametrize("form", ["claude-code", "vscode-export"])
def test_every_export_of_a_real_chat_is_known(
    ask: Ask, client: ClientState, shared_chats: Path, name: str, form: str, strategy: str
) -> None:
    """Whatever a tool cannot hold as it was, such as system text and odd names, an export is the compacted chat."""
    ref = {"uri": (shared_chats / name).as_uri()}
    done = compact(ask, ref, strategy=strategy)
    exported = ask("export", compactionId=done["compactionId"], **{"as": form})
    whole = original_of(chat_of(ChatRef(uri=exported["uri"])), client)

    assert len(whole.messages) == done["counts"]["before"]


def test_an_exported_session_that_went_on(ask: Ask, messages: Messages) -> None:
    """What Claude Code wrote behind our export follows the original, once."""
    done = compact(ask, {"messages": messages})
    path = Path(path_of(ask("export", compactionId=done["compactionId"], **{"as": "claude-code"})["uri"]))
    last = json.loads(path.read_text("utf-8").splitlines()[-1])
    with path.open("a", encoding="utf-8") as file:
        for number, said in enumerate(({"role": "user", "content": "And ten?"}, LATER[4])):
            record = {**last, "type": said["role"], "message": said, "uuid": f"u{number}", "parentUuid": last["uuid"]}
            last = record
            file.write(json.dumps(record) + "\n")
    rows = ask("preview", chat={"uri": path.as_uri()})["messages"]

    assert [row["excerpt"] for row in rows[-3:]] == [
        messages[-1]["content"],
        "And ten?",
        "Shelf 10 is counted.",
    ]
    assert len(rows) == len(messages) + 2


@pytest.mark.parametrize("first", ["summary", "keep", "prune"])
def test_a_summary_is_made_of_the_original(ask: Ask, messages: Messages, first: str) -> None:
    """Whatever compacted the chat before, a new summary sees all of it, and the person is told."""
    done = compact(ask, {"messages": messages}, strategy=first, **(RULES if first != "summary" else {}))
    asked = {"chat": {"messages": [*done["messages"], *LATER]}}
    shown = ask("preview", **asked)
    again = ask("summarize", **asked, provider="offline")

    assert len(shown["messages"]) == len(messages) + len(LATER)
    assert [one["code"] for one in shown["warnings"]] == ["fromOriginal"]
    assert (again["before"], again["after"]) == (shown["before"], shown["after"])
    assert f"its {len(messages) + len(LATER)} messages" in again["warnings"][0]["message"]


@pytest.mark.parametrize("strategy", ["keep", "prune", "auto"])
def test_rules_take_the_chat_as_it_came(ask: Ask, messages: Messages, strategy: str) -> None:
    """A compacted chat is cut further: rules over its original would make it larger."""
    done = compact(ask, {"messages": messages})
    asked = {"chat": {"messages": [*done["messages"], *LATER]}, "options": {"strategy": strategy, **RULES}}
    shown, again = ask("preview", **asked), ask("summarize", **asked, provider="offline")

    assert len(shown["messages"]) == len(done["messages"]) + len(LATER)
    assert shown["action"] == ("keep" if strategy == "keep" else "prune")
    assert again["after"] == shown["after"] < shown["before"]


def test_auto_goes_to_the_original_where_cutting_is_not_enough(ask: Ask, messages: Messages) -> None:
    """Z5: a chat that stays too large without its results gets a summary, and that is made of the original."""
    done = compact(ask, {"messages": messages})
    asked = {"chat": {"messages": [*done["messages"], *LATER]}, "options": {"strategy": "auto", "budget": 300, **RULES}}
    shown = ask("preview", **asked)

    assert shown["action"] == "compact"
    assert len(shown["messages"]) == len(messages) + len(LATER)
    assert ask("summarize", planId=shown["planId"], provider="offline")["planId"] == shown["planId"]


def test_the_result_is_held_against_the_chat_as_it_came(ask: Ask, shared_chats: Path) -> None:
    """L8: both are measured alike, by the sizes that the original recorded, though messages record none."""
    path = shared_chats / "claude-code" / "entire-26dcd5-image-user.jsonl"
    done = compact(ask, {"uri": path.as_uri()})
    again = compact(ask, {"messages": [*done["messages"], *LATER]})

    assert again["after"] < done["after"] + 4500


def test_the_advice_is_for_the_chat_in_use(ask: Ask, messages: Messages) -> None:
    """X1: what the thresholds say is said of the chat as it came, not of its original."""
    done = compact(ask, {"messages": messages})
    budget = {"budget": done["after"] * 3}

    assert ask("preview", chat={"messages": messages}, options=budget)["advice"] != "none"
    assert ask("preview", chat={"messages": done["messages"]}, options=budget)["advice"] == "none"


@pytest.mark.parametrize("strategy", ["summary", "keep", "prune"])
def test_what_was_dropped_stays_dropped(ask: Ask, messages: Messages, strategy: str) -> None:
    """Z3: the original comes back without the exchange that the user took out; an equal message elsewhere stays."""
    messages[3] = dict(messages[7])
    done = compact(ask, {"messages": messages}, strategy=strategy, drop=["m1", "m7"], **RULES)
    rows = ask("preview", chat={"messages": [*done["messages"], *LATER]})["messages"]

    excerpts = [row["excerpt"] for row in rows]
    assert len(rows) == len(messages) - 3 + len(LATER)
    assert excerpts.count(messages[3]["content"]) == 1
    assert not any("Step 0: I count" in excerpt for excerpt in excerpts)


def test_a_wish_for_another_chat_drops_nothing(ask: Ask, client: ClientState, messages: Messages) -> None:
    """Ids are counted anew where an older original is gone: only the very message that was dropped stays out."""
    first = compact(ask, {"messages": messages}, minKeep=12)
    chat = {"messages": [*first["messages"], *LATER]}
    rows = ask("preview", chat=chat)["messages"]
    second = compact(ask, chat, drop=[rows[3]["id"]])
    forget(first["compactionId"], client)
    again = ask("preview", chat={"messages": [*second["messages"], *LATER]})["messages"]

    assert len(again) == len(chat["messages"]) + len(LATER)


def test_instructions_that_changed_outdate_a_plan(ask: Ask, tmp_path: Path) -> None:
    """Contract: what the project's files say of summaries is a part of the plan."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "CLAUDE.md").write_text("## Compact Instructions\nKeep the tests.\n")
    roles = ("user", "assistant") * 6
    records = [
        {
            "type": role,
            "uuid": f"u{n}",
            "parentUuid": f"u{n - 1}" if n else None,
            "sessionId": "s",
            "cwd": str(tmp_path),
            "message": {"role": role, "content": f"Shelf {n}. " * 50},
        }
        for n, role in enumerate(roles)
    ]
    chat = {"text": "".join(json.dumps(record) + "\n" for record in records)}
    ids = [ask("preview", chat=chat)["planId"] for _ in range(2)]
    (tmp_path / "CLAUDE.md").write_text("## Compact Instructions\nKeep the errors.\n")

    assert ids[0] == ids[1] != ask("preview", chat=chat)["planId"]
    with pytest.raises(PlanOutdated, match="instructions") as caught:
        ask("summarize", planId=ids[0])
    assert caught.value.data == {"reason": "chatChanged"}
