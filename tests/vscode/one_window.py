"""Gives all tests of the workbench to one worker: two workbenches at once would make both slow."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

FOLDER = "tests/vscode/"


def one_worker(config: pytest.Config, log: Any) -> Any:
    """A scheduler that deals out tests one by one, but keeps those of the workbench together."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = scope
    return scheduler


def scope(nodeid: str) -> str:
    """What tests that belong together share."""
    return FOLDER if nodeid.startswith(FOLDER) else nodeid
