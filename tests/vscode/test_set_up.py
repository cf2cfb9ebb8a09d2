"""The server is set up after one question, in an environment of its own, from what came with the extension."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.servers.processes import within
from tests.vscode.claude import put_session
from tests.vscode.conftest import Launch
from tests.vscode.extension import Extension, extended
from tests.vscode.machine import Places
from tests.vscode.workbench import Wanted

LONG = 120  # seconds for all packages


def test_one_consent_is_enough_until_the_meter_runs(launch: Launch) -> None:
    """The wheel of the extension and its libraries lie in its storage, checked by hashes; the server runs there."""
    window = Extension(launch(extended(Wanted(has_agent=False, prepare=_prepare), interpreter=None)))
    window.meter.filter(has_text="Set Up").click()
    window.workbench.dialog("Set up the server of Compact Chat?").get_by_role("button", name="Install").click()
    window.workbench.notification("Setting up Compact Chat").wait_for()
    within(LONG, lambda: window.percent is not None)
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
