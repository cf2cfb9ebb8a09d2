"""Gives the tests of one workbench to one worker, since they share its windows."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

FOLDER = "tests/vscode/"


def by_window(config: pytest.Config, log: Any) -> Any:
    """A scheduler that deals out tests one by one, but keeps those of a module about the workbench together."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = scope
    return scheduler


def scope(nodeid: str) -> str:
    """What tests that belong together share."""
    return nodeid.split("::", 1)[0] if nodeid.startswith(FOLDER) else nodeid
