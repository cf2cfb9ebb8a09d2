"""Which editors there are, how each is started, and what is said where one is not here."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

DRIVERS = Path(__file__).with_name("drivers")
COMMANDS: dict[str, tuple[str, ...]] = {
    "neovim": ("nvim", "--headless", "-c", f"luafile {DRIVERS / 'neovim.lua'}"),
    "emacs": ("emacs", "--batch", "--load", str(DRIVERS / "emacs.el")),
    "node": ("node", str(DRIVERS / "node.js")),
}
HAS_EGLOT = ("emacs", "--batch", "--eval", "(progn (package-activate-all) (require 'eglot))")


def require(name: str) -> None:
    """Pass over an editor that is not here, and say why; fail where the environment requires all of them."""
    if (reason := missing(name)) is not None:
        (pytest.fail if os.environ.get("REQUIRE_EDITORS") == "1" else pytest.skip)(reason)


@functools.cache
def missing(name: str) -> str | None:
    """Say what is missing for an editor; None where it can be driven."""
    program = COMMANDS[name][0]
    if shutil.which(program) is None:
        return f"{program} is not installed"
    if name == "emacs" and subprocess.run(HAS_EGLOT, capture_output=True, check=False).returncode != 0:
        return "Emacs has no eglot"
    if name == "node" and not (DRIVERS.parent / "node_modules").is_dir():
        return "`npm ci` was not run in tests/editors"
    return None


def environment(home: Path, port: int) -> dict[str, str]:
    """Give the environment of a user who has no settings, and commands in a folder of their own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    path = os.pathsep.join((str(home / "bin"), os.environ["PATH"]))
    return {**kept, "HOME": str(home), "PATH": path, "LC_ALL": "C.UTF-8", "DRIVER_PORT": str(port)}
