"""The agent's chat from other sides: two clicks, a reload, and the tool of the agent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.servers.processes import within
from tests.vscode import bakery_agent
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.scripted import is_ours, words
from tests.vscode.workbench import Wanted

TITLE = "Order desk of the bakery"
HOW_FULL = re.compile(r"is ([\d.]+)% full: [\d,]+ of [\d,]+ tokens")


@pytest.fixture(scope="module")
def extension(launch: Launch) -> Extension:
    """One whose window holds a chat of some length."""
    workbench = launch(extended(Wanted(prepare=bakery_agent.furnish)))
    bakery_agent.hold(workbench, most=3)
    extension = Extension(workbench)
    within(PATIENCE, lambda: extension.percent is not None)
    return extension


@pytest.fixture(scope="module")
def morning(extension: Extension) -> Extension:
    """The same window with a newer chat in use, of one greeting."""
    extension.workbench.chat.new()
    extension.workbench.chat.ask("Good morning", "Heard: Good morning")
    bakery_agent.wait_until_saved(extension.workbench)
    within(PATIENCE, lambda: extension.percent is not None and TITLE not in extension.spoken)
    return extension


def test_a_page_is_there_again_after_a_reload_as_it_was_edited(extension: Extension) -> None:
    """What was edited is on the page when the window is loaded anew; an undo takes it back."""
    extension.compact()
    first = extension.body
    extension.screen.get_by_role("button", name="Edit", exact=True).click()
    extension.screen.locator("textarea").fill(f"{first}\n\nThe stone oven rests on Sundays.")
    extension.screen.get_by_role("button", name=re.compile("^Save")).click()
    within(PATIENCE, lambda: extension.body.endswith("The stone oven rests on Sundays."))
    extension.workbench.reload()
    extension.wait_for_page()
    extension.screen.get_by_text("The stone oven rests on Sundays.").wait_for(state="attached")
    assert extension.body.endswith("The stone oven rests on Sundays.")


def test_two_clicks_lead_from_the_meter_to_a_new_chat_that_knows_what_matters(extension: Extension) -> None:
    """The item, then one row: the message is attached to a new chat, not yet sent, and the page is beside it."""
    workbench = extension.workbench
    within(PATIENCE, lambda: extension.percent is not None)
    extension.meter.click()
    workbench.row("Compact and Continue in New Chat").wait_for()
    workbench.pick("Compact and Continue in New Chat")
    extension.wait_for_page()
    workbench.chat.box.get_by_text(TITLE).wait_for()
    workbench.chat.panel.locator(".chat-attached-context").get_by_text(TITLE).first.wait_for()

    assert workbench.chat.title == ""


def test_the_agent_itself_can_ask(morning: Extension) -> None:
    """Its tool tells how full the chat is that asks, as the meter does, and of what."""
    workbench = morning.workbench
    call = 'call compact_chat {"action": "%s"}'
    workbench.chat.ask(f"How full is it?\n{call % 'meter'}\n{call % 'biggest'}", "Done after 2 results: How full")

    reported = HOW_FULL.search(words(workbench.model.turns[-1]))
    assert reported is not None
    within(PATIENCE, lambda: abs(float(reported[1]) - (morning.percent or 0)) < 2)
    assert "By message:" in words(workbench.model.turns[-1])


def test_the_panel_compacts_the_chat_that_it_shows(morning: Extension) -> None:
    """Also an older one than the chat that the meter measures."""
    workbench = morning.workbench
    workbench.close_editors()
    workbench.chat.open(TITLE)
    workbench.chat.act("Compact Chat")
    morning.wait_for_page()

    assert TITLE not in morning.spoken
    assert morning.screen.locator("h1").inner_text() == TITLE


def test_before_a_model_summarises_for_the_agent_the_user_is_asked(extension: Extension) -> None:
    """The question says who gets the chat; once it is allowed, the agent has the model's summary."""
    workbench = extension.workbench
    if workbench.chat.title != TITLE:
        workbench.chat.open(TITLE)
    workbench.chat.write('Hand over\ncall compact_chat {"action": "summarize", "model": true}')
    workbench.chat.send()
    question = workbench.chat.panel.get_by_text("Let Scripted One summarize this chat?")
    question.filter(visible=True).first.wait_for()
    assert not [request for request in workbench.model.requests if is_ours(request)]
    workbench.chat.answered("Done after 1 results: Hand over")

    assert len([request for request in workbench.model.requests if is_ours(request)]) == 1
    assert "Summarized by scripted-1" in _long_result(words(workbench.model.turns[-1]))


def _long_result(text: str) -> str:
    """What a tool said at such length that the editor only names the file with it."""
    files = [Path(path) for path in re.findall(r"/\S+/content\.txt", text)]
    return files[-1].read_text() if files else text
