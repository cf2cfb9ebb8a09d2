"""Eight compactions of a growing chat: nothing that the user set is lost, and nothing of ours is taken for theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from compact_chat.disk import path_of
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.chats import chat_of
from compact_chat.wire import Style
from tests.samples.alone import perform_alone
from tests.unit.operations.conftest import Ask, Messages

pytestmark = pytest.mark.usefixtures("state")
RULES = (
    "Never delete anything in data/.",
    "Always use British spelling.",
    "Do not touch till.py.",
    "You must run make lint before each commit.",
    "Keep functions below 40 lines.",
    "Use only the standard library.",
    "Don't rename public functions.",
    "Avoid new dependencies.",
    "Never commit to main.",
)
ROUNDS = 8
STYLES: tuple[str, ...] = get_args(Style)


def turns(number: int) -> Messages:
    """A wish with a rule, four edits, an answer and a question."""
    found: Messages = [{"role": "user", "content": f"{RULES[number]} Now count shelf {number}."}]
    for part in range(4):
        call = {
            "type": "tool_use",
            "id": f"c{number}_{part}",
            "name": "Edit",
            "input": {"file_path": f"src/shelf_{number}_{part}.py", "old_string": "pass", "new_string": "x = 1\n" * 50},
        }
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "Changed. " * 60}
        found.append({"role": "assistant", "content": [{"type": "text", "text": f"Part {part} is next."}, call]})
        found.append({"role": "user", "content": [result]})
    found.append({"role": "assistant", "content": f"Shelf {number} holds {7 * number} trays."})
    found.append({"role": "user", "content": f"Good, shelf {number} is right. What about tray {number}?"})
    return [*found, {"role": "assistant", "content": f"Tray {number} is full."}]


def pasted(done: Any, new: Messages, _: Ask) -> Any:
    """Open the next chat with the message, and go on after an answer."""
    opening = [{"role": "user", "content": done["continuation"]}, {"role": "assistant", "content": "I see."}]
    return {"messages": [*opening, *new]}


def typed_behind(done: Any, new: Messages, _: Ask) -> Any:
    """Type the next words right behind the message."""
    first = {"role": "user", "content": f"{done['continuation']}\n\n{new[0]['content']}"}
    return {"messages": [first, *new[1:]]}


def spliced(done: Any, new: Messages, _: Ask) -> Any:
    """Go on behind the messages that a host puts in place."""
    messages: Messages = done["messages"]
    return {"messages": [*messages, *([] if messages[-1]["role"] == "assistant" else [new[-1]]), *new]}


def opened_in_claude_code(done: Any, new: Messages, ask: Ask) -> Any:
    """Export a session, which goes on with more records."""
    text = exported(done, "claude-code", ask)
    last = json.loads(text.splitlines()[-1])
    records = []
    for number, message in enumerate(new):
        place = {"uuid": f"n{number}", "parentUuid": f"n{number - 1}" if number else last["uuid"]}
        records.append({**last, **place, "type": message["role"], "message": message})
    return {"text": text + "".join(json.dumps(record) + "\n" for record in records)}


def opened_in_vscode(done: Any, new: Messages, ask: Ask) -> Any:
    """Export a chat, which goes on with more requests."""
    document = json.loads(exported(done, "vscode-export", ask))
    for words, answer in ((new[0], "Counted. " * 900), (new[-2], "It is full.")):
        request = {"requestId": f"r{words['content']}", "message": {"text": words["content"], "parts": []}}
        document["requests"].append({**request, "response": [{"value": answer}]})
    return {"text": json.dumps(document)}


def pasted_from_markdown(done: Any, new: Messages, ask: Ask) -> Any:
    """Export as Markdown, which opens the next chat without what the export says of it."""
    chat = chat_of(ChatRef(text=exported(done, "markdown", ask)))
    return pasted({"continuation": chat.messages[0].text}, new, ask)


def exported(done: Any, form: str, ask: Ask) -> str:
    """Export a compaction, and read what was written."""
    return Path(path_of(ask("export", compactionId=done["compactionId"], **{"as": form})["uri"])).read_text("utf-8")


ROUTES = [pasted, typed_behind, spliced, opened_in_claude_code, opened_in_vscode, pasted_from_markdown]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("archive", ["on", "off"])
@pytest.mark.parametrize("route", ROUTES)
def test_no_rule_is_lost(style: str, archive: str, route: Any) -> None:
    """Every rule and every word of the user counts in each round, and survives it; no other text counts as theirs."""
    options: dict[str, Any] = {"style": style, "summaryBudget": 1500}
    if (STYLES.index(style) + ROUTES.index(route)) % 2:
        options["continuation"] = {"kind": "manual", "suppressQuestions": True}
    chat: Any = {"messages": turns(0)}
    for number in range(ROUNDS):
        client = ClientState()  # without an archive, it knows nothing of the rounds before
        client.settings = replace(client.settings, archive=archive)

        def ask(name: str, client: ClientState = client, **params: object) -> Any:
            return perform_alone(name, params, Job(client))

        done = ask("summarize", chat=chat, provider="offline", include=["messages"], options=options)
        classes = {one["name"]: one for one in done["survival"]["classes"]}

        assert [rule for rule in RULES[: number + 1] if rule.strip(".") not in done["continuation"]] == []
        assert (classes["constraints"]["total"], classes["constraints"]["lost"]) == (number + 1, ())
        assert classes["userMessages"]["total"] == 2 * (number + 1)
        if number + 1 < ROUNDS:
            chat = route(done, turns(number + 1), ask)
