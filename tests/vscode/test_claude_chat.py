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
from tests.vscode.scripted import words
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


def test_the_page_shows_what_is_kept_and_what_is_missing(page: Alone, client: WireClient) -> None:
    """The figures and the message are those of the server's draft."""
    draft = client.call("compactChat/draft", {"chat": {"uri": page.session.as_uri()}, "options": {"style": "handoff"}})
    lost = sum(len(one["lost"]) for one in draft["compaction"]["survival"]["classes"] if one["name"] != "omissions")

    assert page.extension.screen.get_by_role("heading", name=f"Missing ({lost})").is_visible()
    assert page.extension.body == draft["compaction"]["continuation"].strip()


def test_without_a_panel_the_message_is_handed_over_by_the_clipboard(page: Alone) -> None:
    """Where no chat panel is set up, continuing means pasting, and one sentence on the page says so."""
    page.extension.forget_clipboard()
    page.extension.button("continue").click()
    page.extension.screen.get_by_role("status").filter(has_text="the message is copied").wait_for()

    assert page.extension.clipboard.strip() == page.extension.body


def test_the_page_is_used_by_the_keyboard_alone(page: Alone) -> None:
    """Tab reaches the actions, Space ticks a box, arrows move the slider, and Ctrl+Enter continues."""
    screen, keyboard = page.extension.screen, page.workbench.page.keyboard
    box = page.extension.missing.first.get_by_role("checkbox")
    box.focus()
    keyboard.press("Space")
    within(PATIENCE, box.is_checked)
    before = page.extension.body
    page.extension.focus()
    screen.get_by_role("slider").focus()
    keyboard.press("Home")
    within(PATIENCE, lambda: len(page.extension.body) < len(before))
    page.extension.forget_clipboard()
    screen.get_by_role("slider").focus()
    keyboard.press("Control+Enter")
    within(PATIENCE, lambda: page.extension.clipboard != "")


def test_claude_code_goes_on_with_the_compacted_session_and_back(page: Alone, client: WireClient) -> None:
    """A new session beside the old one is resumed; the original is resumed too, also one that is gone."""
    page.extension.more("Open as Claude Code Session")
    (new,) = _called(page)
    report = client.call("compactChat/countTokens", {"chat": {"uri": new.as_uri()}})

    assert new != page.session
    assert report["tool"] == "claude-code"
    assert report["parts"]["summary"] > 1000

    page.extension.command("Open Original Chat")
    assert _called(page) == [page.session]
    assert page.session.read_bytes() == page.before

    page.session.unlink()
    page.extension.command("Show History")
    page.workbench.row(TITLE).wait_for()
    page.workbench.pick(TITLE)
    page.workbench.row("Open Original Chat").wait_for()
    page.workbench.pick("Open Original Chat")
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


def test_with_a_panel_the_message_is_attached_to_a_new_chat(launch: Launch) -> None:
    """It is not sent; what the user adds goes with it. Compacted again, that chat is compacted from the first one."""
    workbench = launch(extended(Wanted(settings=OFFLINE, prepare=put_session)))
    extension = Extension(workbench)
    extension.compact()
    body = extension.body
    extension.button("continue").click()
    workbench.chat.box.get_by_text("Bakery shop").wait_for()
    assert workbench.model.turns == []

    workbench.page.keyboard.insert_text("Go on with the stored uses.")
    workbench.chat.send()
    within(PATIENCE, lambda: workbench.model.turns != [])
    asked = words(workbench.model.turns[-1])
    assert body in asked
    assert "Go on with the stored uses." in asked

    for step in range(3):
        workbench.chat.ask(f"Step {step} is next\nsay 300", f"Heard: Step {step} is next")
    within(
        PATIENCE,
        # Without its last answers, which are saved a moment later, the chat is too short.
        lambda: any("Heard: Step 2" in chat.read_text("utf-8") for chat in workbench.places.chats()),
    )
    workbench.close_editors()
    workbench.chat.act("Compact Chat")
    extension.wait_for_page()
    extension.screen.locator('[data-class="modifiedFiles"]').filter(has_text="8").wait_for()
