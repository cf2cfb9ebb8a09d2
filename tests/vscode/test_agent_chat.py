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
    unjoined,
    whole_tokens,
    words,
)
from tests.vscode.workbench import Wanted, Workbench

PARTS = ("user", "assistant", "toolCalls", "toolResults")
ADDED = "Tomorrow we begin with the butter braids."
WRITES = re.compile(r"Scripted One writes… ([\d,]+) characters: Stop")
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
    report = client.call("compactChat/countTokens", {"chat": {"uri": workbench.places.chats()[-1].as_uri()}})
    estimated = client.call("compactChat/countTokens", {"chat": {"uri": _without_usage(workbench, tmp_path).as_uri()}})

    for name in PARTS:
        assert report["parts"][name] == pytest.approx(sent[name], rel=0.01), name
    assert conversation_tokens(last) == pytest.approx(sum(report["parts"][name] for name in PARTS), rel=0.02)
    conversation = estimated["used"] - estimated["parts"]["fixed"]
    assert estimated["basis"] == "estimated"
    assert estimated["low"] <= conversation + sent["fixed"] <= estimated["high"]


def _without_usage(workbench: Workbench, folder: Path) -> Path:
    """A copy of the chat as if no model had told its own figures."""
    chat = workbench.places.chats()[-1]
    (folder / chat.name).write_text(USAGE.sub(r'"no \1"', chat.read_text()))
    return folder / chat.name


def test_from_a_full_chat_to_one_that_knows_what_matters_and_back(workbench: Workbench, extension: Extension) -> None:
    """Look, put back, edit, improve, stop, continue, open the copy, undo: nothing lost, nothing old goes along."""
    session, full = workbench.places.chats()[-1], workbench.model.turns[-1]
    before = session.read_bytes()
    _compact(extension)
    _put_back(extension)
    extension.append(f"\n\n{ADDED}")
    _see_what_would_be_sent(extension)
    _stop_the_model(extension)
    _let_the_model_end(extension)
    extension.append(f"\n\n{ADDED}")
    page = extension.body
    _continue(extension, page)
    _open_copy(extension, page, full)
    assert session.read_bytes() == before
    _undo(extension, full)
    assert session.read_bytes().startswith(before)


def _compact(extension: Extension) -> None:
    extension.compact()
    extension.workbench.editors.lens("Improve with Scripted One").wait_for()


def _put_back(extension: Extension) -> None:
    workbench = extension.workbench
    assert workbench.editors.line("Your messages: 6 of 7").is_visible()
    extension.follow(LOST, "show")
    within(PATIENCE, lambda: "What the guests wrote" in workbench.editors.text)
    workbench.close_editor()
    extension.follow(LOST, "put back")
    workbench.editors.line("Your messages: 7 of 7").wait_for()
    assert bakery_agent.NOTES.split("\n")[-1] in extension.body


def _see_what_would_be_sent(extension: Extension) -> None:
    workbench = extension.workbench
    extension.lens("Improve with Scripted One")
    question = workbench.dialog("Send the chat to Scripted One?")
    question.get_by_text("Masked before it is sent: github-token (1).").wait_for()
    question.get_by_role("button", name="Show Text").click()
    workbench.editors.lens("Send to Scripted One").wait_for()
    shown = extension.text
    assert "Order desk of the bakery" in shown
    assert bakery_agent.KEY not in shown
    workbench.close_editor()


def _stop_the_model(extension: Extension) -> None:
    workbench, before = extension.workbench, extension.body
    assert before.endswith(ADDED)
    with workbench.model.held():
        extension.improve("Scripted One")
        within(PATIENCE, lambda: _written(extension) > 0)
        first = _written(extension)
        workbench.model.give(400)
        within(PATIENCE, lambda: _written(extension) > first)
        extension.lens("Stop")
        extension.wait_for_page()
    assert extension.body == before


def _let_the_model_end(extension: Extension) -> None:
    workbench = extension.workbench
    extension.improve("Scripted One")
    workbench.editors.line("written by scripted-1, a model").wait_for()
    workbench.editors.lens("Use the Summary Before").wait_for()
    asked = [words(request) for request in workbench.model.requests if is_ours(request)]
    assert len(asked) == 2
    assert not [text for text in asked if bakery_agent.KEY in text]


def _written(extension: Extension) -> int:
    """How many characters the model has written by now."""
    lens = extension.workbench.editors.lens("writes…")
    found = WRITES.search(lens.inner_text() if lens.is_visible() else "")
    return int(found[1].replace(",", "")) if found else 0


def _continue(extension: Extension, page: str) -> None:
    workbench, before = extension.workbench, len(extension.workbench.model.turns)
    extension.lens("Continue in New Chat")
    workbench.chat.box.get_by_text("Primary Request and Intent").wait_for()
    workbench.page.keyboard.insert_text(NEXT)
    workbench.chat.send()
    workbench.chat.answered("Heard:")
    assert len(workbench.model.turns) == before + 1
    assert unjoined(said(workbench.model.turns[-1])) == f"{page}\n\n{NEXT}"


def _open_copy(extension: Extension, page: str, full: dict[str, Any]) -> None:
    workbench = extension.workbench
    workbench.editors.tab("Order desk of the bakery").click()
    extension.more("Open Compacted Copy (Experimental)")
    within(PATIENCE, lambda: workbench.chat.title == "Compacted: Order desk of the bakery")
    workbench.chat.ask("How many trays are there?", "Heard: How many trays are there?")
    short = workbench.model.turns[-1]
    known = page + newest(full, 3)
    gone = {line for line in old_lines(full, kept=3) if line not in known}
    assert ADDED in words(short)
    assert whole_tokens(short) <= 0.4 * whole_tokens(full)
    assert len(gone) > 1000
    assert not [line for line in gone if line in words(short)]


def _undo(extension: Extension, full: dict[str, Any]) -> None:
    workbench = extension.workbench
    workbench.editors.tab("Order desk of the bakery").click()
    extension.more("Undo: Back to the Original Chat")
    within(PATIENCE, lambda: workbench.chat.title == "Order desk of the bakery")
    workbench.chat.ask("And those of Tuesday?", "Heard: And those of Tuesday?")
    assert old_lines(full, kept=1) <= old_lines(workbench.model.turns[-1], kept=1)
