"""A chat of Claude Code about this folder is measured, compacted and gone on with, offline and without any model."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.servers.processes import within
from tests.servers.wire_client import WireClient
from tests.vscode.claude import FakeClaude, put_session
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.machine import Places
from tests.vscode.scripted import unjoined, words
from tests.vscode.workbench import Wanted, Workbench

TITLE = "Bakery shop: discount codes at the checkout"
LOST = "Lovely, they are off to the printer."
OFFLINE = {"compactChat.provider": "offline"}


class Alone(NamedTuple):
    """A window without the built-in chat, whose folder has one chat of Claude Code's."""

    extension: Extension
    session: Path
    before: bytes
    claude: FakeClaude

    @property
    def workbench(self) -> Workbench:
        """The window."""
        return self.extension.workbench


@pytest.fixture(scope="module")
def alone(launch: Launch) -> Alone:
    """Offline, without any model; a program `claude` is on the path."""
    made: list[tuple[Path, FakeClaude]] = []

    def prepare(places: Places) -> None:
        made.append((put_session(places), FakeClaude(places)))

    workbench = launch(extended(Wanted(settings=OFFLINE, has_agent=False, prepare=prepare)))
    ((session, claude),) = made
    return Alone(Extension(workbench), session, session.read_bytes(), claude)


@pytest.fixture
def page(alone: Alone) -> Alone:
    """The same, with the page of its chat alone in front."""
    alone.workbench.close_editors()
    alone.extension.compact()
    return alone


def test_the_meter_shows_the_chat_without_being_asked(alone: Alone, client: WireClient) -> None:
    """It tells the share of the limit that the server finds for the file, and which chat is meant."""
    report = client.call("compactChat/countTokens", {"chat": {"uri": alone.session.as_uri()}})
    within(PATIENCE, lambda: alone.extension.percent == round(report["percentOfLimit"]))

    assert TITLE in alone.extension.spoken
    assert f"{report['used']:,} of {report['limit']['tokens']:,} tokens" in alone.extension.spoken


def test_the_page_tells_what_survives_and_what_is_lost(page: Alone, client: WireClient) -> None:
    """Tokens before and after, a line for each class, and each lost fact; the message for the next chat is below."""
    params = {"chat": {"uri": page.session.as_uri()}, "provider": "offline", "options": {"style": "detailed"}}
    made = client.call("compactChat/summarize", params)
    text = page.extension.text

    assert f"{made['before']:,} → {made['after']:,} tokens" in text
    assert "from Claude Code" in text
    assert "Your rules: 8 of 8" in text
    assert LOST in text
    assert page.extension.body == made["continuation"].strip()


def test_without_a_panel_the_message_is_handed_over_by_the_clipboard(page: Alone) -> None:
    """Where no chat panel is set up, going on means pasting, and one sentence says so."""
    page.extension.forget_clipboard()
    page.extension.lens("Continue in New Chat")
    page.workbench.notification("No chat panel is set up here").wait_for()

    assert page.extension.clipboard == page.extension.body
    page.workbench.clear_notifications()


def test_claude_code_goes_on_with_the_compacted_session_and_back(page: Alone, client: WireClient) -> None:
    """A new session beside the old one is resumed; undo resumes the old one, History also one that is gone."""
    page.extension.more("Open as Claude Code Session")
    (new,) = _called(page)
    report = client.call("compactChat/countTokens", {"chat": {"uri": new.as_uri()}})

    assert new != page.session
    assert report["tool"] == "claude-code"
    assert report["parts"]["summary"] > 1000

    page.extension.command("Undo: Back to the Original Chat")
    assert _called(page) == [page.session]
    assert page.session.read_bytes() == page.before

    page.session.unlink()
    page.extension.command("Show History")
    page.workbench.row(TITLE).wait_for()
    page.workbench.pick(TITLE)
    page.workbench.row("Bring the Original Chat Back").wait_for()
    page.workbench.pick("Bring the Original Chat Back")
    assert _called(page) == [page.session]
    assert page.session.read_bytes() == page.before


def _called(page: Alone) -> list[Path]:
    """The session that `claude` was called to resume in the workspace; waited for, and forgotten."""
    within(PATIENCE, lambda: page.claude.called != [])
    folder, *arguments = page.claude.called
    page.claude.forget()
    assert folder == str(page.workbench.places.workspace)
    assert arguments[:1] == ["--resume"]
    return [page.session.with_stem(one) for one in arguments[1:]]


def test_with_a_panel_the_message_stands_in_the_input_of_a_new_chat(launch: Launch) -> None:
    """It is not sent; what the user adds goes with it. Compacted again, that chat is compacted from the first one."""
    workbench = launch(extended(Wanted(settings=OFFLINE, prepare=put_session)))
    extension = Extension(workbench)
    extension.compact()
    body = extension.body
    extension.lens("Continue in New Chat")
    within(PATIENCE, lambda: "Session Continued" in workbench.chat.box.inner_text().replace("\xa0", " "))
    assert workbench.model.turns == []

    workbench.page.keyboard.insert_text("Go on with the stored uses.")
    workbench.chat.send()
    within(PATIENCE, lambda: workbench.model.turns != [])
    asked = unjoined(words(workbench.model.turns[-1]))
    assert body in asked
    assert "Go on with the stored uses." in asked

    for step in range(3):
        workbench.chat.ask(f"Step {step} is next\nsay 300", f"Heard: Step {step} is next")
    within(PATIENCE, lambda: workbench.places.chats() != [])
    workbench.chat.act("Compact Chat")
    within(PATIENCE, lambda: "as they were before that" in workbench.editors.words)
    assert "Changed files: 8 of 8" in workbench.editors.words
