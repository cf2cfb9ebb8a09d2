"""One figure for what survives: measured on what the next request holds, over the whole record of the chat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.operations.conftest import CUTS, Ask, Messages, claude_session, message

pytestmark = pytest.mark.usefixtures("state")
LONG = "a line of the log\n" * 400
TOLD = message("user", "Never touch till.py. Count the shelves in src/shelf.py.")
BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 9000}}
BY_TOOL = message("user", "Summary:\nThe shelves are counted.", isCompactSummary=True)


def classes(survival: Any) -> dict[str, Any]:
    """The classes by their names."""
    return {one["name"]: one for one in survival["classes"]}


def session() -> str:
    """A session that its tool compacted after a rule, an edit and an answer."""
    edit = {"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": "src/shelf.py"}}
    return claude_session(
        TOLD,
        message("assistant", [edit]),
        message("user", [{"type": "tool_result", "tool_use_id": "t", "content": "Changed."}]),
        message("assistant", "Shelf 1 holds seven trays."),
        {**BOUNDARY, "parentUuid": None},
        BY_TOOL,
        message("assistant", "I go on."),
        message("user", f"Now the log:\n{LONG}"),
        message("assistant", "It is long. " * 60),
        message("user", "And the till?"),
        message("assistant", "It is closed."),
    )


def test_all_doors_tell_one_figure(ask: Ask, messages: Messages) -> None:
    """The result, the history and a check of the message that was written agree."""
    chat = {"messages": messages}
    done = ask("summarize", chat=chat, provider="offline")
    checked = ask("check", chat=chat, summary=done["continuation"])["survival"]
    (past,) = ask("history")["compactions"]

    assert done["survival"]["of"] == "continuation"
    assert checked == done["survival"]
    assert past["kept"] == done["survival"]["kept"]
    assert done["survival"]["scope"] == {"messages": 33, "userMessages": 9, "beforeLastCompaction": 0}


@pytest.mark.parametrize("extra", [[], ["messages"]])
def test_what_is_cut_from_a_kept_message_is_missing(ask: Ask, messages: Messages, extra: list[str]) -> None:
    """The message that opens the next chat cuts a long result; messages that a host puts in place have it whole."""
    call = {"type": "tool_use", "id": "log", "name": "Read", "input": {"file_path": "bread.log"}}
    result = {"type": "tool_result", "tool_use_id": "log", "content": LONG}
    chat = {"messages": [*messages, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]}
    survival = ask("summarize", chat=chat, provider="offline", include=extra)["survival"]

    assert survival["of"] == ("messages" if extra else "continuation")
    assert ("omissions" in classes(survival)) == (not extra)
    if not extra:
        (cut,) = classes(survival)["omissions"]["lost"]
        assert cut["text"].startswith("5,200 characters of: a line of the log")
        assert 800 < cut["cost"] < 2_000
        assert survival["kept"] < 1


@pytest.mark.parametrize("style", ["handoff", "detailed", "checkpoint", "structured", "brief"])
def test_attached_files_are_items(ask: Ask, style: str) -> None:
    """Each counts once, as it was last, and is kept if the message has all of it: not by its path."""

    def said(role: str, text: str, *files: tuple[str, str]) -> dict[str, Any]:
        items = [{"name": path, "description": path, "content": f"```{path}\n{code}\n```"} for path, code in files]
        return {"message": {"role": role, "content": text}, "contextItems": items}

    shelf = "\n".join(f'{{"shelf": {number}, "trays": {number * 7}}}' for number in range(300))
    history = [
        said("user", "Look at the shelves.", ("/shop/shelf.json", f"{shelf}\nold"), ("/shop/till.json", "[1, 2]\n[3]")),
        said("assistant", "They are full. " * 30),
        said("user", "And now?", ("/shop/shelf.json", shelf)),
        said("assistant", "They are empty."),
        said("user", "Sell the rest in /shop/shelf.json and /shop/till.json."),
        said("assistant", "Sold."),
    ]
    session = {"sessionId": "s", "title": "Shelves", "workspaceDirectory": "/shop", "history": history}
    options = {"style": style, "minKeep": 1, "summaryBudget": 400}
    done = ask("draft", chat={"text": json.dumps(session)}, options=options)
    found = classes(done["compaction"]["survival"])["attachedFiles"]
    lost = {one["text"]: one for one in found["lost"]}
    back = ask("draft", draftId=done["draftId"], version=done["version"], addBack=[one["id"] for one in found["lost"]])

    assert found["total"] == 2
    assert found["kept"] == 2 - len(lost)
    assert lost["/shop/shelf.json"]["cost"] > 2_000
    assert classes(back["compaction"]["survival"])["attachedFiles"]["kept"] == 2
    assert '"trays": 2093' in back["compaction"]["continuation"]


def test_what_rules_prune_is_missing(ask: Ask, messages: Messages) -> None:
    """Results that are cut in the messages are counted, each with its size."""
    done = ask("summarize", chat={"messages": messages}, options={"strategy": "prune", **CUTS})
    found = classes(done["survival"])["omissions"]

    assert done["survival"]["of"] == "messages"
    assert len(found["lost"]) == found["total"] == done["counts"]["pruned"] > 0


def test_the_record_before_the_tools_own_compaction_counts(ask: Ask) -> None:
    """A rule that the tool's summary had dropped is back in the message, and counts as healed."""
    chat = {"text": session()}
    whole, live = (
        ask("summarize", chat=chat, provider="offline", options={"record": record, "minKeep": 2, "summaryBudget": 600})
        for record in ("whole", "live")
    )

    assert whole["survival"]["scope"]["beforeLastCompaction"] == 4
    assert classes(whole["survival"])["constraints"] == {
        "name": "constraints",
        "total": 1,
        "kept": 1,
        "restored": 0,
        "lost": (),
    }
    assert "Never touch till.py" in whole["continuation"]
    assert whole["healedAtMost"] == whole["healed"] >= 2
    assert (live["survival"]["scope"]["beforeLastCompaction"], live["healed"]) == (0, 0)
    assert "constraints" not in classes(live["survival"])
    assert ask("check", chat=chat, summary=whole["continuation"])["survival"] == whole["survival"]


def test_nothing_is_healed_of_a_summary_that_is_encrypted(ask: Ask) -> None:
    """Its facts are unknown, so the report gives only an upper bound."""

    def item(role: str, text: str) -> dict[str, Any]:
        content = [{"type": "output_text" if role == "assistant" else "input_text", "text": text}]
        return {"type": "response_item", "payload": {"type": "message", "role": role, "content": content}}

    sealed = {"type": "compaction", "encrypted_content": "gAAA"}
    replaced = {"type": "compacted", "payload": {"message": "", "replacement_history": [sealed]}}
    records = [
        *(item("user", "Never touch till.py. Count the shelves."), item("assistant", "Shelf 1 holds seven trays.")),
        *(replaced, item("user", f"Now the log:\n{LONG}"), item("assistant", "It is long. " * 60)),
        *(item("user", "And the till?"), item("assistant", "It is closed.")),
    ]
    chat = {"text": "".join(json.dumps(one) + "\n" for one in records)}
    done = ask("summarize", chat=chat, provider="offline", options={"minKeep": 2, "summaryBudget": 600})

    assert "Never touch till.py" in done["continuation"]
    assert done["healed"] == 0 < done["healedAtMost"]


def test_words_of_the_record_before_are_the_users(ask: Ask) -> None:
    """G8: a reply may quote what the user typed before the tool's own compaction."""
    reply = f'<summary>\n6. All user messages:\n- "{TOLD["message"]["content"]}"\n8. Current Work: Bread.\n</summary>'
    whole, live = (
        ask("summarize", chat={"text": session()}, reply=reply, options={"record": record, "minKeep": 2})["warnings"]
        for record in ("whole", "live")
    )

    assert "unknownQuote" not in {warning["code"] for warning in whole}
    assert "unknownQuote" in {warning["code"] for warning in live}


def test_what_the_tool_replaced_counts_in_every_round(ask: Ask) -> None:
    """The archive has the original with all that the tool's compactions replaced: no later round forgets it."""
    options = {"minKeep": 2, "summaryBudget": 600}
    first = ask("summarize", chat={"text": session()}, provider="offline", options=options)
    turns = [("user", first["continuation"]), ("assistant", "Done. " * 400), ("user", "Next?"), ("assistant", "Bread.")]
    chat = {"messages": [{"role": role, "content": text} for role, text in turns]}
    second = ask("summarize", chat=chat, provider="offline", options=options)

    assert second["survival"]["scope"]["beforeLastCompaction"] == 4
    assert classes(second["survival"])["constraints"]["kept"] == 1
    assert "Never touch till.py" in second["continuation"]
    assert ask("check", chat=chat, summary=second["continuation"], original=True)["survival"] == second["survival"]


def test_a_check_of_the_tools_own_summary_says_what_it_compared(ask: Ask) -> None:
    """Of what the tool replaced, summaries are no messages."""
    scope = ask("check", chat={"text": session()})["survival"]["scope"]

    assert scope == {"messages": 4, "userMessages": 1, "beforeLastCompaction": 4}
