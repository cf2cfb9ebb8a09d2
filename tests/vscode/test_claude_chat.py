"""A chat that was held with Claude Code in this folder: measured, compacted and gone on with, offline and without any model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.fakes.processes import within
from tests.fakes.wire_client import WireClient
from tests.vscode.claude import FakeClaude, fake_claude, put_session, sessions
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.start import Wanted
from tests.vscode.workbench import Workbench

TITLE = "Bakery shop: discount codes at the checkout"
LOST = "Lovely, they are off to the printer."
WHOLE = "I like to read along."  # stands behind the place where the line of the page is cut
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
def alone(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """Offline, without any model; a program `claude` is on the path."""
    claude = fake_claude(tmp_path_factory.mktemp("bin"))
    wanted = Wanted(settings=OFFLINE, environment=claude.environment, has_agent=False, prepare=put_session)
    workbench = launch(extended(wanted))
    (session,) = sessions(workbench.places).iterdir()
    return Alone(Extension(workbench), session, session.read_bytes(), claude)


@pytest.fixture
def page(alone: Alone) -> Alone:
    """The same, with the page of its chat alone in front."""
    alone.workbench.close_editors()
    alone.extension.compact()
    return alone


@pytest.fixture
def client() -> Iterator[WireClient]:
    """A client of a server of the test's own."""
    client = WireClient()
    client.initialize()
    yield client
    client.close()


def test_the_meter_shows_the_chat_without_being_asked(alone: Alone, client: WireClient) -> None:
    """It tells the share that the server finds in the file, and which chat is meant."""
    report = client.call("compactChat/countTokens", {"chat": {"uri": alone.session.as_uri()}})
    within(PATIENCE, lambda: alone.extension.percent == round(report["percent"]))

    assert TITLE in alone.extension.spoken
    assert f"{report['used']:,} of {report['window']:,} tokens" in alone.extension.spoken


def test_the_page_tells_what_survives_and_what_is_lost(page: Alone, client: WireClient) -> None:
    """Tokens before and after, a line for each class, and each lost fact; the message for the next chat is below."""
    params = {"chat": {"uri": page.session.as_uri()}, "provider": "offline", "options": {"style": "detailed"}}
    made = client.call("compactChat/summarize", params)
    text = page.extension.text
    page.workbench.shot("claude-page")

    assert f"{made['before']:,} → {made['after']:,} tokens" in text
    assert "from Claude Code" in text
    assert "Your rules: 7 of 7" in text
    assert LOST in text
    assert page.extension.body == made["continuation"].strip()


def test_a_lost_message_is_shown_and_put_back(page: Alone) -> None:
    """The link leads to the whole message; put back, it stands whole in the text and counts as kept."""
    page.extension.follow(LOST, "show")
    within(PATIENCE, lambda: WHOLE in page.workbench.editors.text)
    page.workbench.shot("claude-message")
    page.workbench.close_editor()
    page.extension.follow(LOST, "put back")
    within(PATIENCE, lambda: "Your messages: 7 of 8" in page.workbench.editors.text)
    page.workbench.shot("claude-put-back")

    assert WHOLE in page.extension.body


def test_the_message_is_copied_as_it_stands(page: Alone) -> None:
    """What was put back and typed is part of what is copied."""
    page.extension.append("\nStart with the stored uses.")
    page.extension.lens("Copy")
    within(PATIENCE, lambda: page.extension.clipboard.endswith("Start with the stored uses."))

    assert page.extension.clipboard == page.extension.body


def test_without_a_panel_the_message_is_handed_over_by_the_clipboard(page: Alone) -> None:
    """Where no chat panel is set up, going on means pasting, and one sentence says so."""
    page.extension.forget_clipboard()
    page.extension.lens("Continue in New Chat")
    page.workbench.notification("No chat panel is set up here").wait_for()
    page.workbench.shot("claude-no-panel")

    assert page.extension.clipboard == page.extension.body
    page.workbench.clear_notifications()


def test_a_handoff_is_saved_where_the_user_says(page: Alone) -> None:
    """The file holds the summary as edited, and opens."""
    page.extension.lens("Save as Markdown")
    saved = page.workbench.places.workspace / "handoff.md"
    page.workbench.choose_file(saved)
    within(PATIENCE, lambda: saved.exists() and "Never edit migrations/0003_orders.py." in saved.read_text())
    page.workbench.editors.tab("handoff.md").wait_for()
    page.workbench.shot("claude-saved")

    assert TITLE in saved.read_text()
    page.workbench.close_editor()


def test_claude_code_goes_on_with_the_compacted_session(page: Alone, client: WireClient) -> None:
    """A new session stands beside the old one, is read as a compacted chat, and `claude` is called to resume it."""
    page.extension.more("Open as Claude Code Session")
    within(PATIENCE, lambda: page.claude.called != [])
    page.workbench.shot("claude-session")
    folder, *arguments = page.claude.called
    (new,) = set(sessions(page.workbench.places).iterdir()) - {page.session}
    report = client.call("compactChat/countTokens", {"chat": {"uri": new.as_uri()}})

    assert arguments == ["--resume", new.stem]
    assert folder == str(page.workbench.places.workspace)
    assert report["tool"] == "claude-code"
    assert report["parts"]["summary"] > 1000
    assert page.session.read_bytes() == page.before


def test_undo_resumes_the_original(page: Alone) -> None:
    """The old session is called for again; not a byte of it is another."""
    page.claude.calls.unlink(missing_ok=True)
    page.extension.command("Undo: Back to the Original Chat")
    within(PATIENCE, lambda: page.claude.called[1:] == ["--resume", page.session.stem])

    assert page.session.read_bytes() == page.before


def test_history_brings_an_original_back_that_is_gone(page: Alone) -> None:
    """The file stands again where it was, byte for byte, and is resumed."""
    page.claude.calls.unlink(missing_ok=True)
    page.session.unlink()
    page.extension.command("Show History")
    page.workbench.shot("history")
    page.workbench.pick(TITLE)
    page.workbench.shot("history-ways")
    page.workbench.pick("Bring the Original Chat Back")
    within(PATIENCE, lambda: page.claude.called[1:] == ["--resume", page.session.stem])

    assert page.session.read_bytes() == page.before
