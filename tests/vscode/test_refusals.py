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
NOT_ALLOWED = "did not allow its model to be asked"


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
    window.button("rewrite").wait_for()
    return window


def test_a_refused_consent_changes_nothing_and_can_be_given_later(page: Extension) -> None:
    """Cancelled, the page is what it was, and one sentence offers another try; allowed then, the model writes."""
    before = page.body
    page.rewrite(MODEL)
    consent = page.workbench.dialog("wants to access the language models")
    consent.wait_for()
    consent.get_by_role("button", name="Cancel").click()
    page.screen.get_by_role("alert").filter(has_text=NOT_ALLOWED).wait_for()
    assert page.body == before

    page.screen.get_by_role("button", name="Try Again").click()
    consent.get_by_role("button", name="Allow").click()
    page.wait_for_rewrite()


def test_a_model_that_refuses_leaves_the_page_as_it_was(page: Extension) -> None:
    """One sentence says what was wrong; once the model answers, the button brings its summary."""
    before = page.body
    with page.workbench.model.refusing("Blocked"):
        page.rewrite(MODEL)
        page.screen.get_by_role("alert").filter(has_text="blocked").wait_for()
    assert page.body == before

    page.screen.get_by_role("button", name="Try Again").click()
    page.wait_for_rewrite()


def test_a_server_that_dies_at_work_is_told_once(page: Extension) -> None:
    """The page is what it was; the meter comes back by itself, and the next try works."""
    before = page.body
    (server,) = page.servers
    with page.workbench.model.held():
        page.rewrite(MODEL)
        page.screen.get_by_text("tokens so far").wait_for()
        os.kill(server, signal.SIGKILL)
        page.screen.get_by_role("alert").wait_for()
    assert page.body == before

    within(PATIENCE, lambda: page.servers not in ([], [server]) and page.percent is not None)
    page.screen.get_by_role("button", name="Try Again").click()
    page.wait_for_rewrite()
