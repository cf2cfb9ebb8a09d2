"""JSON in a flag that is nested without end is wrong usage, and no fault of ours."""

from __future__ import annotations

import pytest

from compact_chat.cli import WRONG_USAGE, main


@pytest.mark.parametrize("depth", [1000, 100_000])
def test_deep_json_in_a_flag_is_wrong_usage(capsys: pytest.CaptureFixture[str], depth: int) -> None:
    """It is told in one sentence that names the flag."""
    with pytest.raises(SystemExit) as left:
        main(["count", "chat.jsonl", "--options", "[" * depth])

    assert left.value.code == WRONG_USAGE
    assert "--options: " in capsys.readouterr().err
