"""`compact-chat count`: the flags of the meter, and what a person reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.cli import main
from compact_chat.disk import state_folder


def test_the_biggest_things_are_shown(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--biggest N` tells N things of each sort, for people and for programs."""
    assert main(["count", str(bakery), "--biggest", "3", "--json"]) == 0
    breakdown = json.loads(capsys.readouterr().out)["breakdown"]
    assert main(["count", str(bakery), "--biggest", "3"]) == 0
    lines = capsys.readouterr().out.split("\n")

    for things in breakdown.values():
        assert len(things) == 4
        for thing in things:
            assert any(f" {thing['tokens']:,} " in line and thing["name"][:20] in line for line in lines)


def test_without_the_flag_nothing_is_broken_down(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The meter alone fits on a screen."""
    assert main(["count", str(bakery)]) == 0

    assert "By tool" not in capsys.readouterr().out


@pytest.mark.parametrize("number", ["0", "1001", "many"])
def test_a_wrong_number_is_wrong_usage(bakery: Path, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is no number of things is told in terms of the flag."""
    try:
        code: object = main(["count", str(bakery), "--biggest", number])
    except SystemExit as refused:
        code = refused.code

    assert code == 2
    assert "--biggest" in capsys.readouterr().err


def test_a_window_is_told_with_its_source(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A person sees whether the window was set, recorded, looked up or assumed."""
    for flags, told in (
        ([], "window of 200,000: that of the model"),
        (["--window", "50000"], "window of 50,000: as it was set"),
        (["--windows", '{"claude": 70000}'], "window of 70,000: as it was set"),
        (["--model", "house-model"], "window of 200,000: assumed, since the model is not known"),
        (["--model", "gpt-5"], "window of 272,000: that of the model"),
    ):
        assert main(["count", str(bakery), *flags]) == 0
        assert told in capsys.readouterr().out


def test_remembering_is_a_flag_too(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In a shell the setting is `--remember-ratio`; without it no file is written."""
    folder = state_folder()
    assert folder is not None
    file = folder / "ratios.json"
    file.unlink(missing_ok=True)

    assert main(["count", str(bakery)]) == 0
    assert not file.exists()
    assert main(["count", str(bakery), "--remember-ratio"]) == 0
    assert file.exists()
    assert "anchored" in capsys.readouterr().out
