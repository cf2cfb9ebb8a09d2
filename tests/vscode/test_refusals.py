"""A model that refuses, and a server that dies at work: one sentence, one button, and the page as it was before."""

from __future__ import annotations

import os
import signal

import pytest

from tests.servers.processes import within
from tests.vscode.claude import put_session
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.workbench import Wanted

MODEL = "Scripted One"
NOT_ALLOWED = "The editor's user did not allow its model to be asked."
WRITTEN = "written by scripted-1, a model of this editor"


@pytest.fixture(scope="module")
def window(launch: Launch) -> Extension:
    """One in which the model may only be asked once the user has allowed it; Claude Code's chat lies in its folder."""
    return Extension(launch(extended(Wanted(environment={"SCRIPTED_CONSENT": "1"}, prepare=put_session))))


@pytest.fixture
def page(window: Extension) -> Extension:
    """The same, with the page of its chat alone in front."""
    window.workbench.close_editors()
    window.workbench.clear_notifications()
    window.compact()
    window.workbench.editors.lens(f"Improve with {MODEL}").wait_for()
    return window


def test_a_refused_consent_changes_nothing_and_can_be_given_later(page: Extension) -> None:
    """Cancelled, the page is what it was, and one sentence offers another try; allowed then, the model writes."""
    before = page.text
    page.improve(MODEL)
    consent = page.workbench.dialog("wants to access the language models")
    consent.wait_for()
    consent.get_by_role("button", name="Cancel").click()
    assert page.sentence("did not allow") == NOT_ALLOWED
    within(PATIENCE, lambda: page.text == before)

    page.help("Try Again")
    page.confirm(MODEL)
    consent.get_by_role("button", name="Allow").click()
    within(PATIENCE, lambda: WRITTEN in page.workbench.editors.words)


def test_a_model_that_refuses_leaves_the_page_as_it_was(page: Extension) -> None:
    """One sentence says what was wrong; once the model answers, the button brings its summary."""
    sentence = "The editor's model is blocked: a quota is used up, or the request is not let through."
    before = page.text
    with page.workbench.model.refusing("Blocked"):
        page.improve(MODEL)
        assert page.sentence(sentence) == sentence
    within(PATIENCE, lambda: page.text == before)

    page.help("Try Again")
    page.confirm(MODEL)
    within(PATIENCE, lambda: WRITTEN in page.workbench.editors.words)


def test_a_server_that_dies_at_work_is_told_once(page: Extension) -> None:
    """The page is what it was; the meter comes back by itself, and the next command works."""
    before = page.text
    (server,) = page.servers
    with page.workbench.model.held():
        page.improve(MODEL)
        page.workbench.editors.lens("writes…").wait_for()
        os.kill(server, signal.SIGKILL)
        page.sentence("It restarts with your next command.")
    within(PATIENCE, lambda: page.text == before)

    within(PATIENCE, lambda: page.servers not in ([], [server]) and page.percent is not None)
    page.improve(MODEL)
    within(PATIENCE, lambda: WRITTEN in page.workbench.editors.words)
