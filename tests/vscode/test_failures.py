"""No chat, and a server that dies while nobody asks."""

from __future__ import annotations

import json
import os
import signal

from tests.servers.processes import within
from tests.vscode.claude import put_session, sessions
from tests.vscode.conftest import Launch
from tests.vscode.extension import PATIENCE, Extension, extended
from tests.vscode.workbench import Wanted


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
    bakery.sentence("several times, so it was not started again.")
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
