"""If an editor is missing, its tests say so, or fail if all editors are required."""

from __future__ import annotations

import pytest

from tests.editors import driven


@pytest.mark.parametrize(("required", "outcome"), [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_editor_is_told(monkeypatch: pytest.MonkeyPatch, required: str, outcome: type[Exception]) -> None:
    """The reason is the outcome: a skip, or a failure with REQUIRE_EDITORS=1."""
    monkeypatch.setitem(driven.COMMANDS, "ed", ("a-missing-editor",))
    monkeypatch.setenv("REQUIRE_EDITORS", required)

    with pytest.raises(outcome, match="a-missing-editor is not installed"):
        driven.require("ed")
