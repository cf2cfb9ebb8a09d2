"""The messages of a chat in a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.chat import Warning
from compact_chat.cli import main
from compact_chat.cli.terminal import Terminal, columns
from compact_chat.cli.views import show_transcript
from compact_chat.operations import ClientState, Job
from compact_chat.wire import MessageText, Transcript
from tests.samples.alone import perform_alone

PIPE, SCREEN = Terminal(width=60, interactive=False, color=False), Terminal(width=60, interactive=True, color=False)
MESSAGES = (
    MessageText("m" * 90, 3, "user", "text", "Count the shelves.\n" + "bread " * 40),
    MessageText("m4", 4, "assistant", "empty", ""),
)
FOUND = Transcript(None, "unknown", "text", MESSAGES, (Warning("badLine", "A line is no JSON.", 7),))


def test_each_message_stands_under_its_place() -> None:
    """Index, role and id in a heading; a program gets the text as it is, and a message of nothing says so."""
    lines = list(show_transcript(FOUND, PIPE))

    assert lines[0].startswith("3 user · mmm")
    assert lines[1] == MESSAGES[0].text
    assert lines[3].startswith("4 assistant · m4 ──")
    assert lines[4] == "(nothing that text can show)"
    assert lines[-1] == "note: A line is no JSON. (line 7)"


def test_a_person_gets_lines_that_fit() -> None:
    """Nothing is wider than the terminal."""
    assert [line for line in show_transcript(FOUND, SCREEN) if columns(line) > 60] == []


def test_the_shell_gives_what_the_wire_gives(bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints the result, of all messages or of some; else they are printed for reading."""
    wire = perform_alone("transcript", {"chat": {"uri": bakery.as_uri()}}, Job(ClientState()))
    name = wire["messages"][2]["id"]

    assert main(["transcript", str(bakery), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(wire))
    assert main(["transcript", str(bakery), "--ids", name]) == 0
    assert capsys.readouterr().out.startswith(f"2 {wire['messages'][2]['role']} · {name}")


def test_the_chat_of_a_compaction_is_shown(tmp_path: Path, bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its id, without a chat; neither is wrong usage in one sentence."""
    kept = ["--archive", str(tmp_path / "kept")]
    assert main(["summarize", str(bakery), "--json", "--provider", "offline", *kept]) == 0
    made = json.loads(capsys.readouterr().out)["compactionId"]
    assert main(["transcript", "--compaction-id", made, "--json", *kept]) == 0
    whole = capsys.readouterr().out
    assert main(["transcript", str(bakery), "--json"]) == 0
    assert capsys.readouterr().out == whole
    assert main(["transcript"]) == 2
    assert capsys.readouterr().err == "compact-chat: expected exactly one of chat and --compaction-id\n"


@pytest.mark.parametrize(("flags", "shown"), [(["--no-redact"], True), ([], False)])
def test_masking_can_be_switched_off(
    flags: list[str], shown: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--no-redact` counts for commands that take no other options too."""
    chat = tmp_path / "chat.md"
    chat.write_text("## User\n\nThe key is AKIAIOSFODNN7EXAMPLE, mind it.\n\n## Assistant\n\nYes.\n", "utf-8")

    assert main(["transcript", str(chat), *flags]) == 0
    assert ("AKIAIOSFODNN7EXAMPLE" in capsys.readouterr().out) is shown
    check = ["check", str(chat), "--summary", str(chat), "--only", "continuation", *flags]
    assert main(check) == 0
    assert ("AKIAIOSFODNN7EXAMPLE" in capsys.readouterr().out) is shown
