"""Other windows than the usual one: without a folder, in a folder that is not trusted, and in other colours."""

from __future__ import annotations

import pytest

from tests.servers.processes import within
from tests.vscode.chat import PATIENCE
from tests.vscode.conftest import Launch
from tests.vscode.start import Wanted
from tests.vscode.workbench import Workbench


@pytest.fixture(scope="module")
def restricted(launch: Launch) -> Workbench:
    """A window on a folder that nobody has trusted yet, without the agent."""
    return launch(Wanted(has_agent=False, is_restricted=True))


def test_a_folder_is_restricted_until_it_is_trusted(restricted: Workbench) -> None:
    """The window says so in its status bar, until its user trusts the folder."""
    restricted.status("Restricted Mode").wait_for()
    restricted.shot("restricted")
    restricted.trust()

    assert not restricted.status("Restricted Mode").is_visible()


@pytest.mark.parametrize(
    ("name", "colours"),
    [("Dark 2026", "vs-dark"), ("Dark High Contrast", "hc-black"), ("Light High Contrast", "hc-light")],
)
def test_the_colours_can_be_changed(restricted: Workbench, name: str, colours: str) -> None:
    """A theme shows at once in the open window."""
    restricted.theme(name)

    within(PATIENCE, lambda: restricted.page.locator(f".monaco-workbench.{colours}").count() == 1)


def test_a_window_without_a_folder_has_the_agent_too(launch: Launch) -> None:
    """Its chats lie among those of all empty windows."""
    workbench = launch(Wanted(has_folder=False))
    workbench.chat.ask("Hello without a folder", "Heard: Hello without a folder")

    empty = workbench.places.user / "globalStorage/emptyWindowChatSessions"
    within(PATIENCE, lambda: any("Heard: Hello without" in file.read_text() for file in empty.glob("*.jsonl")))
