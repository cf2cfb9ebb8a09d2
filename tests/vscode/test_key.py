"""A key for Anthropic: typed once, kept by the editor, handed to the server alone, and of no use without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.messages_api import Api, serving
from tests.servers.processes import within
from tests.vscode.claude import put_session
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.workbench import Wanted

KEY = "sk-ant-api03-" + "Walnut7Baguette" * 5 + "AA"
REWRITE = "Rewrite with Claude"


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    """A model API on this machine."""
    with serving("ok") as api:
        yield api


@pytest.fixture(scope="module")
def window(launch: Launch, api: Api) -> Extension:
    """One without any model of the editor's own, with a chat of Claude Code's."""
    wanted = Wanted(
        settings={"compactChat.style": "detailed"},  # in which the API answers
        environment={"ANTHROPIC_BASE_URL": api.url},
        has_agent=False,
        prepare=put_session,
    )
    window = Extension(launch(extended(wanted)))
    within(PATIENCE, lambda: window.percent is not None)
    return window


@pytest.fixture
def page(window: Extension) -> Extension:
    """The same, with a key set, and with the page of its chat alone in front."""
    window.workbench.close_editors()
    window.workbench.clear_notifications()
    window.compact()
    if not window.button("rewrite").is_visible():
        _set_key(window)
    return window


def test_a_stored_key_reaches_the_api_and_no_file_process_or_log(page: Extension, api: Api) -> None:
    """The model's summary comes onto the page; the key stands in the request's header, and nowhere else."""
    page.rewrite("Claude")
    page.wait_for_rewrite()

    assert [request.headers["authorization"] for request in api.requests] == [f"Bearer {KEY}"]
    assert api.problems == []
    assert _holding_key(page.workbench.places.folder) == []
    (server,) = page.servers
    assert KEY.encode() not in b"".join(Path(f"/proc/{server}/{name}").read_bytes() for name in ("cmdline", "environ"))


def test_without_a_network_the_page_stays_and_another_try_is_offered(page: Extension, api: Api) -> None:
    """The summary made on this machine is still there; once the network is back, the button brings the model's."""
    api.then("reset")
    before = page.body
    page.rewrite("Claude")
    page.screen.get_by_role("alert").filter(has_text="connection").wait_for()
    assert page.body == before

    api.then("ok")
    page.screen.get_by_role("button", name="Try Again").click()
    page.wait_for_rewrite()


def test_a_key_can_be_removed(page: Extension) -> None:
    """Then there is nobody to ask any more."""
    page.command("Remove API Key")
    page.sentence("The API key was removed.")
    page.button("rewrite").wait_for(state="hidden")


def _set_key(window: Extension) -> None:
    window.command("Set API Key…")
    box = window.workbench.page.locator(".quick-input-widget input[type=password]")
    box.fill(KEY)
    box.press("Enter")
    window.sentence("The API key is saved")
    window.workbench.clear_notifications()
    window.button("rewrite").get_by_text(REWRITE).wait_for()


def _holding_key(folder: Path) -> list[Path]:
    """The files that the key stands in as it was typed: settings, logs, pages, archives."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
    return [file for file in files if KEY.encode() in file.read_bytes()]
