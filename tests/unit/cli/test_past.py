"""Chats and compactions in a shell: lists, transcripts, and restoring."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from msgspec.structs import replace

from compact_chat.chat import Warning
from compact_chat.cli import main
from compact_chat.cli.terminal import Terminal, columns
from compact_chat.cli.views import show_exported, show_history, show_restored, show_sessions, show_transcript, size_text
from compact_chat.disk import chats
from compact_chat.operations import ClientState, Job, run_alone
from compact_chat.wire import Exported, History, MessageText, Past, Restored, Transcript
from tests.samples.session_files import age, claude, codex

PIPE, SCREEN = Terminal(width=80, interactive=False, color=False), Terminal(width=80, interactive=True, color=False)
PAST = Past(
    compaction_id="ab" * 16,
    uri="file:///shop/a%20b.jsonl",
    title="Shelves " * 30,
    at="2026-11-18T10:00:00.000Z",
    provider="offline",
    model=None,
    before=9000,
    after=1000,
    kept=0.951,
    items_kept=19,
    items=20,
)
NARROW, SMALL = Terminal(width=60, interactive=False, color=False), Terminal(width=60, interactive=True, color=False)
MESSAGES = (
    MessageText("m" * 90, 3, "user", "text", "Count the shelves.\n" + "bread " * 40),
    MessageText("m4", 4, "assistant", "empty", ""),
)
FOUND = Transcript(None, "unknown", "text", MESSAGES, (Warning("badLine", "A line is no JSON.", 7),))


def test_each_compaction_has_two_lines() -> None:
    """When, how much, and of what; the id, the writer and the path below, whole in a pipe, on a terminal as it fits."""
    first, second = show_history(History((PAST,)), PIPE)
    older, _ = show_history(History((replace(PAST, items_kept=None, items=None),)), PIPE)
    deep = History((replace(PAST, uri=f"file://{'/shop' * 30}/a.jsonl"),))
    *screen, _, _ = show_history(deep, SCREEN)

    assert "9.0k → 1.0k tokens  19 of 20 items kept  Shelves" in first
    assert "9.0k → 1.0k tokens  Shelves" in older
    sizes = [next(show_history(History((replace(PAST, message=size),)), PIPE)) for size in (400, 650)]
    assert [" tokens, message 400  " in sizes[0], " tokens, message 650  " in sizes[1]] == [True, True]
    assert "9.0k → ? tokens" in next(show_history(History((replace(PAST, after=0),)), PIPE))
    assert second == f"  {'ab' * 16}  offline  /shop/a b.jsonl"
    assert list(show_history(deep, PIPE))[1].endswith(f"{'/shop' * 30}/a.jsonl")
    assert screen[1].endswith("/shop/a.jsonl")
    assert [line for line in (first, *screen) if columns(line) > 80] == []


@pytest.mark.parametrize(
    ("provider", "model", "words"),
    [
        ("none", None, "by rules"),
        ("", None, "by its tool"),
        ("host", None, "from a reply"),
        ("anthropic", "claude-haiku-5-5", "claude-haiku-5-5"),
    ],
)
def test_it_is_told_who_wrote_the_summary(provider: str, model: str | None, words: str) -> None:
    """Shows the model if one wrote it; a compaction by rules and a given reply are described in words."""
    _, second = show_history(History((replace(PAST, provider=provider, model=model),)), PIPE)

    assert f"  {words}  /shop" in second


def test_where_there_are_none_a_hint_is_given() -> None:
    """An empty list says why; a person gets a hint on how to use a full one, a pipe does not."""
    nothing = replace(PAST, uri=None, title=None)

    assert "No compactions yet" in "\n".join(show_history(History(()), PIPE))
    assert "restore ID" in "\n".join(show_history(History((nothing,)), SCREEN))
    assert "(no title)" in next(show_history(History((nothing,)), PIPE))


def test_a_pipe_gets_a_path_alone() -> None:
    """The output of `restore` and `export` can be passed to the next command."""
    restored, exported = Restored([{}, {}], None, "file:///x/y%20z", ""), Exported("file:///x/y.md", 1234, None, None)

    assert list(show_restored(restored, PIPE)) == ["/x/y z"]
    assert list(show_restored(restored, SCREEN))[1] == "a copy, as it was: 2 messages; --json prints them"
    assert list(show_exported(exported, PIPE)) == ["/x/y.md"]
    assert list(show_exported(exported, SCREEN))[1] == "1,234 bytes"


def test_the_way_back(bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a summary to its chat's history, its original, and an export that is never overwritten."""
    kept, target = ["--archive", str(tmp_path / "kept")], tmp_path / "page.md"
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(bakery.read_bytes())

    assert main(["summarize", str(chat), "--provider", "offline", "--json", *kept]) == 0
    made = json.loads(capsys.readouterr().out)
    assert main(["history", str(chat), "--json", *kept]) == 0
    (past,) = json.loads(capsys.readouterr().out)["compactions"]
    assert past["compactionId"] == made["compactionId"]
    assert main(["check", made["compactionId"][:8], "--json", *kept]) == 0
    assert json.loads(capsys.readouterr().out)["survival"] == made["survival"]

    assert main(["restore", past["compactionId"][:3], *kept]) == 1
    assert "is too short; give 4 characters" in capsys.readouterr().err
    assert main(["restore", past["compactionId"][:4], *kept]) == 0
    assert main(["draft", past["compactionId"][:4], "--only", "summary", *kept]) == 0
    assert capsys.readouterr().out
    assert main(["restore", past["compactionId"], *kept]) == 0
    printed = capsys.readouterr()
    assert Path(printed.out.rstrip("\n")).read_bytes() == bakery.read_bytes()
    assert (
        printed.err
        == f"compact-chat: the path is that of a copy of {chat}, as it was: 56 messages; --json prints them\n"
    )
    export = ["export", past["compactionId"], "--as", "markdown", "--uri", str(target), *kept]
    assert (main(export), main(export)) == (0, 1)
    assert target.read_text("utf-8").startswith("# Bakery shop")
    assert "never writes over" in capsys.readouterr().err


def test_a_check_shows_what_was_lost(tmp_path: Path, bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A summary, as it is or in a file, is compared with a chat; the continuation is shown on request."""
    summary = tmp_path / "summary.md"
    summary.write_text("Summary:\nDiscount codes.", "utf-8")

    assert main(["check", str(bakery), "--summary", str(summary)]) == 0
    printed = capsys.readouterr().out
    assert "What survives: " in printed
    command, _, behind = printed.splitlines()[-1].partition(" --only continuation ")
    assert shlex.split(command)[-4:] == ["check", str(bakery), "--summary", str(summary)]
    assert behind.startswith(("| ", "> "))
    assert main([*shlex.split(command)[-4:], "--only", "continuation"]) == 0
    assert "Discount codes." in capsys.readouterr().out

    assert main(["check", str(bakery), "--summary", "Summary:\nDiscount codes."]) == 0
    assert "--summary FILE --only continuation " in capsys.readouterr().out.splitlines()[-1]
    for given in (str(summary), "Summary:\nDiscount codes."):
        assert main(["check", str(bakery), "--summary", given, "--only", "continuation"]) == 0
        assert "Discount codes." in capsys.readouterr().out


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with two chats."""
    age(claude(tmp_path, 1, "Count the trays of the first shelf " * 3, "/demo/shop"), 0)
    age(codex(tmp_path, 2, "Bake", "/demo/bakery"), 60)
    return tmp_path


def test_a_folder_is_given_as_a_path(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--workspace .` is the shell's current folder, and so is each of `--workspaces`."""
    folder = kept / "shop"
    folder.mkdir()
    claude(kept, 3, "Here", str(folder))
    monkeypatch.chdir(folder)

    for flag in ("--workspace", "--workspaces"):
        assert main(["sessions", "--json", "--roots", "..", flag, "."]) == 0
        assert [one["title"] for one in json.loads(capsys.readouterr().out)["sessions"]] == ["Here"]


def test_a_person_reads_when_what_and_where(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each chat has a line with its time, tool, size and title, and its path on a line of its own, to be copied."""
    assert main(["sessions", "--roots", str(kept), "--tools", "codex"]) == 0
    first, second = capsys.readouterr().out.splitlines()

    assert first.startswith("2026-09-21 ")
    assert "codex" in first
    assert first.endswith("kB Bake")
    assert Path(second.strip()).is_file()


@pytest.mark.parametrize("width", [40, 80, 200])
def test_titles_are_cut_to_the_terminal(kept: Path, width: int) -> None:
    """Lines fit the width, except paths, which are useful only whole."""
    found = run_alone("sessions", {"roots": [kept.as_uri()]}, Job(ClientState()))
    page = list(show_sessions(found, Terminal(width=width, interactive=True, color=False)))

    assert [line for line in page if columns(line) > width and not line.startswith("  /")] == []


def test_a_list_that_is_not_complete_says_so(
    kept: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If there was too much to search, a person reads that chats may be missing."""
    assert main(["sessions", "--roots", str(kept)]) == 0
    assert "may be missing" not in capsys.readouterr().out
    monkeypatch.setattr(chats, "MOST_ENTRIES", 2)
    assert main(["sessions", "--roots", str(kept)]) == 0
    assert "chats may be missing" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (12_345, "12 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (7 * 10**15, "7000 TB"),
    ],
)
def test_sizes_have_three_digits(size: int, text: str) -> None:
    """A size is written in the unit that suits it."""
    assert size_text(size) == text


def test_each_message_stands_under_its_place() -> None:
    """The heading has index, role and id; a program gets the text verbatim, and an empty message says so."""
    lines = list(show_transcript(FOUND, NARROW))

    assert lines[0].startswith("3 user · mmm")
    assert lines[1] == MESSAGES[0].text
    assert lines[3].startswith("4 assistant · m4 ──")
    assert lines[4] == "(nothing that text can show)"
    assert lines[-1] == "note: A line is no JSON. (line 7)"


def test_the_chat_of_a_compaction_is_shown(tmp_path: Path, bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Compactions are shown by id, without a chat; giving both is wrong usage, in one sentence."""
    kept = ["--archive", str(tmp_path / "kept")]
    assert main(["summarize", str(bakery), "--json", "--provider", "offline", *kept]) == 0
    made = json.loads(capsys.readouterr().out)["compactionId"]
    assert main(["transcript", "--compaction-id", made, "--json", *kept]) == 0
    whole = capsys.readouterr().out
    assert main(["transcript", str(bakery), "--json"]) == 0
    assert capsys.readouterr().out == whole
    assert main(["transcript", str(bakery), "--compaction-id", made]) == 2
    assert capsys.readouterr().err == "compact-chat: expected exactly one of chat and --compaction-id\n"
