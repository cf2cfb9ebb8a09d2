"""Compactions that were made, in a shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from compact_chat.cli import main
from compact_chat.cli.terminal import Terminal, columns
from compact_chat.cli.views import show_exported, show_history, show_restored
from compact_chat.wire import Exported, History, Past, Restored

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
)


def test_each_compaction_has_two_lines() -> None:
    """When, how much, and of what; the id and the path on a line of their own, to be copied."""
    first, second = show_history(History((PAST,)), PIPE)

    assert "9,000 → 1,000 tokens  95% kept  offline  Shelves" in first
    assert columns(first) <= 80
    assert second == f"  {'ab' * 16}  /shop/a b.jsonl"


@pytest.mark.parametrize(
    ("provider", "model", "words"),
    [("none", None, "by rules"), ("host", None, "from a reply"), ("anthropic", "claude-haiku-5-5", "claude-haiku-5-5")],
)
def test_it_is_told_who_wrote_the_summary(provider: str, model: str | None, words: str) -> None:
    """The model where one did; a compaction by rules, and a reply that was given, are named in words."""
    first, _ = show_history(History((replace(PAST, provider=provider, model=model),)), PIPE)

    assert f"95% kept  {words}  " in first


def test_where_there_are_none_a_hint_is_given() -> None:
    """An empty list says why; a person is told what to do with a full one, and a pipe is not."""
    nothing = replace(PAST, uri=None, title=None)

    assert "There is none" in "\n".join(show_history(History(()), PIPE))
    assert "restore ID" in "\n".join(show_history(History((nothing,)), SCREEN))
    assert "(no title)" in next(show_history(History((nothing,)), PIPE))


def test_a_pipe_gets_a_path_alone() -> None:
    """What `restore` and `export` print can be given to the next command."""
    restored, exported = Restored([{}, {}], None, "file:///x/y%20z", ""), Exported("file:///x/y.md", 1234)

    assert list(show_restored(restored, PIPE)) == ["/x/y z"]
    assert list(show_restored(restored, SCREEN))[1] == "a copy, as it was: 2 messages; --json prints them"
    assert list(show_exported(exported, PIPE)) == ["/x/y.md"]
    assert list(show_exported(exported, SCREEN))[1] == "1,234 bytes"


def test_the_way_back(bakery: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a summary to the history of its chat, the original, and an export that is never written over."""
    kept, target = ["--archive", str(tmp_path / "kept")], tmp_path / "page.md"
    chat = tmp_path / "chat.jsonl"
    chat.write_bytes(bakery.read_bytes())

    assert main(["summarize", str(chat), "--provider", "offline", "--json", *kept]) == 0
    made = json.loads(capsys.readouterr().out)
    assert main(["history", str(chat), "--json", *kept]) == 0
    (past,) = json.loads(capsys.readouterr().out)["compactions"]
    assert past["compactionId"] == made["compactionId"]

    assert main(["restore", past["compactionId"], *kept]) == 0
    assert Path(capsys.readouterr().out.rstrip("\n")).read_bytes() == bakery.read_bytes()
    export = ["export", past["compactionId"], "--as", "markdown", "--uri", str(target), *kept]
    assert (main(export), main(export)) == (0, 1)
    assert target.read_text("utf-8").startswith("# Bakery shop")
    assert "never writes over" in capsys.readouterr().err


def test_a_check_shows_what_was_lost(tmp_path: Path, bakery: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A summary in a file is held against a chat; the continuation comes where it is asked for."""
    summary = tmp_path / "summary.md"
    summary.write_text("Summary:\nDiscount codes.", "utf-8")

    assert main(["check", str(bakery), "--summary", str(summary)]) == 0
    assert "What survives: " in capsys.readouterr().out
    assert main(["check", str(bakery), "--summary", str(summary), "--only", "continuation"]) == 0
    assert "Discount codes." in capsys.readouterr().out


def test_an_unknown_id_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and no traceback."""
    assert main(["restore", "none"]) == 1
    assert "No such compaction" in capsys.readouterr().err
