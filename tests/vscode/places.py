"""The folders of one workbench: a home of its own, its settings, its extensions, and the folder that it opens."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.vscode.launch import vocabulary

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
        _write(self.user / "settings.json", {**SETTINGS, **settings})
        _write(self.machine / "settings.json", of_machine)
        _write(self.user / "chatLanguageModels.json", [{"name": "Scripted", "vendor": "scripted"}])

    def add_extension(self, extension: Path) -> None:
        """Put an extension where the workbench finds it: a folder of one, or a `.vsix`."""
        if extension.is_dir():
            shutil.copytree(extension, self.extensions / _folder_name(extension / "package.json"))
            return
        unpacked = self.folder / extension.stem
        with zipfile.ZipFile(extension) as archive:
            archive.extractall(unpacked)
        (unpacked / "extension").rename(self.extensions / _folder_name(unpacked / "extension/package.json"))

    def chats(self) -> list[Path]:
        """The files of the workspace's own chats, the newest last."""
        return sorted(self.user.glob("workspaceStorage/*/chatSessions/*"), key=lambda file: file.stat().st_mtime)

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """The environment of a user who has no settings."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "VSCODE_"))}
        scripted = {"SCRIPTED_FOLDER": str(self.model), "SCRIPTED_VOCABULARY": vocabulary()}
        return {**kept, "HOME": str(self.home), "LC_ALL": "C.UTF-8", **scripted, **more}


def _folder_name(manifest: Path) -> str:
    told = json.loads(manifest.read_text())
    return f"{told['publisher']}.{told['name']}-{told['version']}"


def _write(file: Path, value: object) -> None:
    file.write_text(json.dumps(value, indent=2))
