"""Where the server may not start, or cannot: a folder without trust, no Python, a wrong program."""

from __future__ import annotations

from tests.servers.processes import within
from tests.vscode.claude import put_session
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.machine import Places
from tests.vscode.workbench import Wanted


def test_without_python_the_set_up_says_what_to_install(launch: Launch) -> None:
    """The item offers to set up; one sentence says which Python is needed, and the button lets one be chosen."""

    def prepare(places: Places) -> None:
        put_session(places)
        (places.home / ".profile").write_text("PATH=/nowhere\n")

    window = Extension(launch(extended(Wanted(has_agent=False, prepare=prepare), interpreter=None)))
    window.meter.filter(has_text="Set Up").wait_for()
    window.meter.click()
    assert window.sentence("No Python was found") == (
        "No Python was found: install Python 3.11 or newer from python.org, or choose one."
    )

    window.help("Choose Python…")
    window.workbench.page.locator(".quick-input-titlebar").filter(has_text="Python 3.11 or newer").wait_for()
    window.workbench.page.keyboard.press("Escape")
    assert window.servers == []


def test_nothing_runs_in_a_folder_before_it_is_trusted(launch: Launch) -> None:
    """Until then no process of Python, no meter, and one sentence for who asks; from then on the meter."""
    wanted = Wanted(has_agent=False, is_restricted=True, prepare=put_session)
    window = Extension(launch(extended(wanted)))
    window.expect_rest()
    window.command("Compact Chat")
    assert window.sentence("trust") == "Compact Chat starts nothing in a folder that you do not trust."
    assert window.servers == []

    window.help("Manage Workspace Trust")
    window.workbench.page.locator(".workspace-trust-editor").wait_for()
    window.workbench.trust()
    within(PATIENCE, lambda: window.percent is not None)
    assert len(window.servers) == 1
