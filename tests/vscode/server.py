"""The process that serves a workbench to a browser, with the editor's own host of extensions."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Mapping, Sequence

from tests.servers.processes import within
from tests.vscode.launch import entry, node
from tests.vscode.places import Places

# A window that comes back gets a new host of extensions at once, not the one that still waits for the old window.
ALWAYS = (
    *("--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"),
    *("--ignore-last-opened", "--reconnection-grace-time", "2"),
)
START, STOP = 60, 5  # seconds


class Server:
    """A running server, in a process group of its own: it starts more processes."""

    def __init__(self, places: Places, environment: Mapping[str, str], arguments: Sequence[str]) -> None:
        self._port = _free_port()
        self.log = places.folder / "server.log"
        command = (
            *(node(), entry(), "--config", str(places.folder / "config.yaml"), "--user-data-dir", str(places.data)),
            *("--extensions-dir", str(places.extensions), "--bind-addr", f"127.0.0.1:{self._port}"),
            *(*ALWAYS, *arguments),
        )
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=places.home,
                env=places.environment(environment),
                start_new_session=True,
            )

    @property
    def address(self) -> str:
        """Where the browser finds it."""
        return f"http://127.0.0.1:{self._port}"

    def wait(self) -> None:
        """Wait until it answers."""
        within(START, self._answers)

    def stop(self) -> None:
        """End it, and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(STOP)

    def _answers(self) -> bool:
        assert self._process.poll() is None, f"the workbench's server ended: {self.log.read_text()[-2000:]}"
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])
