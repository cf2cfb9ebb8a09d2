"""Where the workbench is not here, its tests say so, or fail where all editors are required."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.vscode import machine


@pytest.mark.parametrize(("required", "outcome"), [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
@pytest.mark.parametrize(
    ("browser", "reason"),
    [
        ("a-missing-browser", "a-missing-browser is not installed"),
        (sys.executable, "tests/vscode/install.sh was not run"),
    ],
)
def test_what_is_missing_is_told(
    monkeypatch: pytest.MonkeyPatch, browser: str, reason: str, required: str, outcome: type[Exception]
) -> None:
    """The reason is the outcome: a skip, or with REQUIRE_EDITORS=1 a failure."""
    monkeypatch.setattr(machine, "CHROMIUM", browser)
    monkeypatch.setattr(machine, "installed", lambda: machine.MODEL)
    monkeypatch.setattr(machine, "missing", machine.missing.__wrapped__)
    monkeypatch.setenv("REQUIRE_EDITORS", required)

    with pytest.raises(outcome, match=reason):
        machine.require()


def test_a_relative_path_of_modules_leads_to_the_same_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A workbench starts servers in other folders, where they would be of an older version that is installed."""
    monkeypatch.setattr(machine, "installed", lambda: tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(("server", str(tmp_path))))

    found = machine.Places(tmp_path / "places").environment({})["PYTHONPATH"]

    assert found.split(os.pathsep) == [str(Path.cwd() / "server"), str(tmp_path)]
