"""A long chat of the real agent is measured, compacted, improved, continued, and undone in the real workbench."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.servers.processes import within
from tests.servers.wire_client import WireClient
from tests.vscode import bakery_agent
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.scripted import (
    as_chat,
    conversation_tokens,
    is_ours,
    newest,
    old_lines,
    said,
    whole_tokens,
    words,
)
from tests.vscode.workbench import Wanted, Workbench

PARTS = ("user", "assistant", "toolCalls", "toolResults")
ADDED = "Tomorrow we begin with the butter braids."
NEXT = "Now print the labels."
USAGE = re.compile(r'"(promptTokens|completionTokens|outputTokens|usage)"')
LOST = "Plan the rest, then look at the middle of the week."


@pytest.fixture(scope="module")
def workbench(launch: Launch) -> Workbench:
    """One in which the agent has held a long chat about the bakery."""
    workbench = launch(extended(Wanted(prepare=bakery_agent.furnish)))
    bakery_agent.hold(workbench)
    return workbench


@pytest.fixture(scope="module")
def extension(workbench: Workbench) -> Extension:
    """The extension there, once it has measured the chat."""
    extension = Extension(workbench)
    within(PATIENCE, lambda: extension.percent is not None)
    return extension


def test_the_meter_agrees_with_the_ring_and_with_what_the_model_got(
    workbench: Workbench, extension: Extension, client: WireClient, tmp_path: Path
) -> None:
    """Within a point of VS Code's own ring; each part of the conversation within 1 %, the fixed part in its range."""
    assert len(workbench.model.turns) >= 20
    within(PATIENCE, lambda: abs((extension.percent or 0) - (workbench.chat.ring or 100)) <= 1)
    last = workbench.model.turns[-1]
    whole = as_chat(last, workbench.model.outcome(last)["text"])
    sent = client.call("compactChat/countTokens", {"chat": whole})["parts"]
    chat = {"uri": workbench.places.chats()[-1].as_uri()}
    report = client.call("compactChat/countTokens", {"chat": chat, "perMessage": True})
    told = report["messages"][0]["tokens"]  # by the editor, in the user's name: a part of `fixed` in the chat
    report["parts"]["user"] += told
    estimated = client.call("compactChat/countTokens", {"chat": {"uri": _without_usage(workbench, tmp_path).as_uri()}})

    for name in PARTS:
        assert report["parts"][name] == pytest.approx(sent[name], rel=0.01), name
    assert conversation_tokens(last) == pytest.approx(sum(report["parts"][name] for name in PARTS), rel=0.02)
    conversation = estimated["used"] - estimated["parts"]["fixed"] + told
    assert estimated["basis"] == "estimated"
    assert estimated["low"] <= conversation + sent["fixed"] <= estimated["high"]


def _without_usage(workbench: Workbench, folder: Path) -> Path:
    """A copy of the chat as if no model had told its own figures."""
    chat = workbench.places.chats()[-1]
    (folder / chat.name).write_text(USAGE.sub(r'"no \1"', chat.read_text()))
    return folder / chat.name


def test_from_a_full_chat_to_one_that_knows_what_matters_and_back(workbench: Workbench, extension: Extension) -> None:
    """Look, add back, edit, rewrite, stop, continue, open copy and original: nothing lost, nothing old goes along."""
    session, full = workbench.places.chats()[-1], workbench.model.turns[-1]
    before = session.read_bytes()
    extension.compact()
    _add_back(extension)
    _edit_as_text(extension)
    _see_what_would_be_sent(extension)
    _stop_the_model(extension)
    _let_the_model_end(extension)
    message = extension.body
    assert ADDED in message
    _continue(extension, message)
    _open_copy(extension, message, full)
    assert session.read_bytes() == before
    _open_original(extension, full)
    assert session.read_bytes().startswith(before)


def _add_back(extension: Extension) -> None:
    """The row is checked, peeked at and added back; the message holds it at once."""
    row = extension.missing.filter(has_text=LOST)
    row.wait_for()
    row.get_by_role("button", name="Peek").click()
    extension.screen.get_by_role("region", name="Messages").get_by_text("What the guests wrote").wait_for()
    extension.workbench.page.keyboard.press("Escape")
    row.get_by_role("checkbox").check()
    extension.screen.get_by_role("heading", name="Added back").wait_for()
    assert bakery_agent.WISHES[-1] in " ".join(extension.body.split())


def _edit_as_text(extension: Extension) -> None:
    """The document is the message: what is typed there is in the page and in what is sent."""
    page = extension.workbench.page
    extension.command("Reopen as Text")
    extension.workbench.editors.line("Order desk of the bakery (continued)").wait_for()
    extension.append(f"\n\n{ADDED}")
    page.keyboard.press("Control+s")
    extension.command("Reopen as Page")
    extension.wait_for_page()
    extension.screen.get_by_text(ADDED).first.wait_for(state="attached")


def _see_what_would_be_sent(extension: Extension) -> None:
    extension.button("rewrite").get_by_text("Rewrite with Scripted One").click()
    extension.screen.get_by_text("1 secret is masked").wait_for()
    extension.screen.get_by_role("button", name="Show Text").click()
    shown = extension.screen.get_by_role("region", name="Messages")
    shown.get_by_text("Order desk of the bakery").first.wait_for()
    assert bakery_agent.KEY not in shown.inner_text()
    extension.workbench.page.keyboard.press("Escape")
    extension.screen.get_by_role("button", name="Cancel").click()


def _stop_the_model(extension: Extension) -> None:
    workbench, before = extension.workbench, extension.body
    with workbench.model.held():
        extension.rewrite("Scripted One")
        workbench.model.give(400)
        extension.screen.get_by_text("tokens so far").wait_for()
        extension.screen.get_by_role("button", name="Stop").click()
        extension.wait_for_page()
    assert extension.body == before


def _let_the_model_end(extension: Extension) -> None:
    workbench = extension.workbench
    extension.button("rewrite").click()
    extension.screen.get_by_label("Don't ask again for this model").check()
    extension.screen.get_by_role("button", name="Send and Rewrite").click()
    extension.wait_for_rewrite()
    asked = [words(request) for request in workbench.model.requests if is_ours(request)]
    assert len(asked) == 2
    assert not [text for text in asked if bakery_agent.KEY in text]


def _continue(extension: Extension, message: str) -> None:
    """The new chat is named after the old one and has the message attached; what is next is typed."""
    workbench, before = extension.workbench, len(extension.workbench.model.turns)
    extension.button("continue").click()
    workbench.chat.box.get_by_text("Order desk of the bakery").wait_for()
    workbench.page.keyboard.insert_text(NEXT)
    workbench.chat.send()
    workbench.chat.answered("Heard:")
    assert len(workbench.model.turns) == before + 1
    assert message in words(workbench.model.turns[-1])
    assert said(workbench.model.turns[-1]).endswith(NEXT)
    assert "Order desk of the bakery" in workbench.chat.title


def _open_copy(extension: Extension, message: str, full: dict[str, Any]) -> None:
    workbench = extension.workbench
    workbench.editors.tab("Order desk of the bakery").click()
    extension.more("Open Compacted Copy")
    within(PATIENCE, lambda: workbench.chat.title == "Compacted: Order desk of the bakery")
    workbench.chat.ask("How many trays are there?", "Heard: How many trays are there?")
    short = workbench.model.turns[-1]
    known = message + newest(full, 3)
    gone = {line for line in old_lines(full, kept=3) if line not in known}
    assert whole_tokens(short) <= 0.6 * whole_tokens(full)
    assert len(gone) > 1000
    assert not [line for line in gone if line in words(short)]


def _open_original(extension: Extension, full: dict[str, Any]) -> None:
    workbench = extension.workbench
    workbench.editors.tab("Order desk of the bakery").click()
    extension.more("Open Original Chat")
    within(PATIENCE, lambda: workbench.chat.title == "Order desk of the bakery")
    workbench.chat.ask("And those of Tuesday?", "Heard: And those of Tuesday?")
    assert old_lines(full, kept=1) <= old_lines(workbench.model.turns[-1], kept=1)
