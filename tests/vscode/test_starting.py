"""When the server starts and when it may not, how it is set up, and how it comes back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from tests.servers.processes import within
from tests.vscode.claude import put_session, sessions
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.machine import Places
from tests.vscode.workbench import Wanted

LONG = 120  # seconds for all packages


def test_without_python_the_set_up_says_what_to_install(launch: Launch) -> None:
    """The item has the chat's own figure; a click says which Python is needed, and the button lets one be chosen."""

    def prepare(places: Places) -> None:
        put_session(places)
        (places.home / ".profile").write_text("PATH=/nowhere\n")

    window = Extension(launch(extended(Wanted(has_agent=False, prepare=prepare), interpreter=None)))
    within(PATIENCE, lambda: window.percent is not None)
    assert "~" in window.meter.inner_text(), "what the chat itself recorded"
    window.meter.click()
    window.sentence("Python was not found.")

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
    window.sentence("trust")
    assert window.servers == []

    window.help("Manage Workspace Trust")
    window.workbench.page.locator(".workspace-trust-editor").wait_for()
    window.workbench.trust()
    within(PATIENCE, lambda: window.percent is not None)
    assert len(window.servers) == 1


def test_one_consent_is_enough_until_the_meter_runs(launch: Launch) -> None:
    """The wheel of the extension and its libraries lie in its storage, checked by hashes; the server runs there."""
    window = Extension(launch(extended(Wanted(has_agent=False, prepare=_prepare), interpreter=None)))
    within(PATIENCE, lambda: window.percent is not None)
    window.meter.click()
    window.workbench.dialog("Set up Compact Chat?").get_by_role("button", name="Install").click()
    window.workbench.notification("Setting up Compact Chat").wait_for()
    within(LONG, lambda: "tokens" in window.spoken)
    (environment,) = (window.workbench.places.user / "globalStorage").glob("compact-chat.compact-chat/server-*")
    (server,) = window.servers

    assert list(environment.glob("lib/python3*/site-packages/compact_chat/__init__.py"))
    assert Path(f"/proc/{server}/cmdline").read_bytes().startswith(str(environment).encode())


def _prepare(places: Places) -> None:
    """Bring a chat, a Python, and pip's index as whoever runs the tests has it configured."""
    put_session(places)
    (places.home / ".profile").write_text(f'PATH="{Path(sys.base_prefix) / "bin"}:$PATH"\n')
    configured = Path.home() / ".config/pip"
    if configured.is_dir():
        shutil.copytree(configured, places.home / ".config/pip")


def test_without_a_chat_no_server_runs(launch: Launch) -> None:
    """Neither in a folder nor in an empty window: there is no item in the status bar, and no process of Python."""
    window = Extension(launch(extended(Wanted(has_agent=False))))
    window.expect_rest()
    before = window.awakenings
    window.workbench.open(empty=True)
    window.expect_rest(since=before)


def test_a_server_that_dies_while_nobody_asks_comes_back_unseen(launch: Launch) -> None:
    """The meter follows the chat again; after three deaths a sentence offers to start it again."""
    bakery = Extension(launch(extended(Wanted(has_agent=False, prepare=put_session))))
    within(PATIENCE, lambda: bakery.percent is not None)
    for _ in range(2):
        _kill(bakery)
        _grow(bakery)
    assert not bakery.workbench.page.locator(".notification-toast").is_visible()

    _kill(bakery)
    within(PATIENCE, lambda: bakery.percent is None)
    bakery.meter.click()
    bakery.sentence("several times")
    bakery.help("Restart Server")
    _grow(bakery)


def _kill(window: Extension) -> None:
    (server,) = window.servers
    os.kill(server, signal.SIGKILL)


def _grow(window: Extension) -> None:
    """Have the chat go on, and wait until the meter tells it."""
    before = window.spoken
    (session,) = sessions(window.workbench.places).iterdir()
    last = json.loads(session.read_text().splitlines()[-1])
    message = {"role": "user", "content": "More rye. " * 500}
    said = {**last, "parentUuid": last["uuid"], "uuid": f"{last['uuid']}+", "message": message}
    with session.open("a") as file:
        file.write(json.dumps(said) + "\n")
    within(PATIENCE, lambda: window.percent is not None and window.spoken != before)
