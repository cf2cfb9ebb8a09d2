"""The package for this platform, which brings its server: nothing is set up, and no Python is needed."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.servers.processes import within
from tests.servers.wire_client import WireClient
from tests.vscode.claude import put_session
from tests.vscode.conftest import Launch
from tests.vscode.extension import PACKED, PATIENCE, Extension, extended
from tests.vscode.machine import Places
from tests.vscode.workbench import Wanted

MOST_SECONDS = 1.5  # until a packed server that was never started has shaken hands
MOST_BYTES = 40_000_000


@pytest.fixture(scope="module")
def window(launch: Launch) -> Extension:
    """One with the example chat, on whose machine no program is found by its name alone."""

    def prepare(places: Places) -> None:
        put_session(places)
        (places.home / ".profile").write_text("PATH=/nowhere\n")

    return Extension(launch(extended(Wanted(has_agent=False, prepare=prepare), interpreter=None, vsix=PACKED)))


def test_the_meter_and_a_compaction_need_no_python(window: Extension) -> None:
    """The meter shows a number without a question, and a chat is compacted by the packed program."""
    within(PATIENCE, lambda: window.percent is not None)
    window.compact()
    (server,) = window.servers
    program = Path(f"/proc/{server}/exe").resolve()
    assert program.is_relative_to(window.workbench.places.extensions)
    assert program.name == "compact-chat"


def test_the_program_becomes_a_command_of_the_shell(window: Extension) -> None:
    """It is called by a script in a folder that is usually on the PATH."""
    window.command("Install 'compact-chat' Command")
    window.sentence("compact-chat is installed")
    command = window.workbench.places.home / ".local/bin/compact-chat"
    told = subprocess.run((command, "--version"), capture_output=True, text=True, check=True, env={})
    assert told.stdout.startswith("compact-chat ")


def test_the_packed_server_is_small_and_starts_at_once(window: Extension) -> None:
    """The package is at most 40 MB; the program answers within a second and a half, also when it is new on the disk."""
    (program,) = window.workbench.places.extensions.glob("*/server/compact-chat/compact-chat")
    for file in filter(Path.is_file, program.parent.rglob("*")):
        with file.open("rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    began = time.perf_counter()
    client = WireClient([str(program), "serve"])
    client.initialize()
    seconds = time.perf_counter() - began
    client.close()

    assert PACKED.stat().st_size <= MOST_BYTES
    assert seconds <= MOST_SECONDS
