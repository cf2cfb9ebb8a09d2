"""Where the workbench is not here, its tests say so, or fail where all editors are required."""

from __future__ import annotations

import sys

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
