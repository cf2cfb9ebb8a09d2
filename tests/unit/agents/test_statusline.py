"""The status line: the limit that counts, no figure that the agent did not report, and nothing but what is new read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from compact_chat.agents.hosts import CLAUDE_CODE, CODEX, COPILOT_CLI, settings_path
from compact_chat.agents.memory import SETTINGS, glance, recall, remember, state_of
from compact_chat.agents.statusline import fitted, line_for, short, sizes
from compact_chat.cli import main

BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}
PLAIN = {"NO_COLOR": "1", "COLUMNS": "", "TERM": "dumb"}


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder and a home of the test's own, without colors or a width."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in PLAIN.items():
        monkeypatch.setenv(name, value)


def payload(tokens: int | None, **more: Any) -> dict[str, Any]:
    """What Claude Code sends: `tokens` of the last call, 0 right after a compaction, None before the first one."""
    usage = (
        None
        if tokens is None
        else {"input_tokens": tokens // 10, "cache_read_input_tokens": tokens - tokens // 10, "output_tokens": 0}
    )
    return {
        "session_id": "s1",
        "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
        "version": "2.1.327",
        "context_window": {"context_window_size": 200_000, "current_usage": usage, "used_percentage": 0},
        **more,
    }


def lines(*records: Mapping[str, Any]) -> str:
    """Records as an agent writes them."""
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def test_the_limit_is_where_the_agent_compacts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the window: 33,000 tokens below it, moved by a variable at once, and never below what the agent accepts."""
    assert line_for(payload(137_000)) == "✳ 137k/167k 82%"
    assert line_for(payload(137_000), "{left} of {limit} left, {model}") == "30k of 167k left, Opus 5.5"
    monkeypatch.setenv("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "150000")
    assert line_for(payload(60_000)) == "✳ 60k/117k 51%"


def test_a_changed_settings_file_counts_at_once(tmp_path: Path) -> None:
    """The limit is remembered only until a file changes that may move it."""
    assert line_for(payload(60_000)) == "✳ 60k/167k 36%"
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"autoCompactWindow": 120000}')
    assert line_for(payload(60_000)) == "✳ 60k/87k 69%"


@pytest.mark.parametrize("tokens", [None, 0])
def test_nothing_measured_is_no_figure(tokens: int | None) -> None:
    """Before the first call and right after a compaction agents report nothing, or zeros: never 0 %."""
    assert line_for(payload(tokens)) == "✳ measuring"


def test_a_model_that_waits_for_a_refusal_has_no_countdown() -> None:
    """Where the agent only compacts once a prompt was refused, the window is the end."""
    model = {"model": {"id": "claude-haiku-4-5"}}
    assert line_for(payload(100_000, **model, prompt_id="a")) == "✳ 100k/200k 50%"
    assert line_for(payload(120_000, **model, prompt_id="b")) == "✳ 120k/200k 60%"


def test_turns_go_by_what_the_latest_added() -> None:
    """The figure of a prompt's last answer counts; a compaction begins anew."""
    for prompt, tokens in (("a", 100_000), ("b", 105_000), ("b", 110_000), ("c", 115_000), ("c", 120_000)):
        line = line_for(payload(tokens, prompt_id=prompt))
        assert ("turn" in line) == (prompt == "c")  # one turn alone may hold what was done before the line was there
    assert line == "✳ 120k/167k 72% · ~4 turns"
    assert line_for(payload(124_000, prompt_id="d")).endswith(" · ~4 to 5 turns")  # the longest, and the mean
    assert line_for(payload(12_000, prompt_id="d")) == "✳ 12k/167k 7%"


def test_compactions_are_counted_as_the_transcript_grows(tmp_path: Path) -> None:
    """Records of compactions count; quotes of one, those of sub-agents and an unfinished line do not."""
    chat = tmp_path / "s1.jsonl"
    quote = {"type": "user", "message": {"content": json.dumps(BOUNDARY, separators=(",", ":"))}}
    chat.write_text(lines(quote, BOUNDARY, {**BOUNDARY, "isSidechain": True}))
    first = glance(str(chat), CLAUDE_CODE, {})
    assert (first["count"], first["offset"]) == (1, chat.stat().st_size)
    with chat.open("a") as file:
        file.write(lines(BOUNDARY) + lines(BOUNDARY).rstrip())
    second = glance(str(chat), CLAUDE_CODE, first)
    assert (second["count"], second["newest"]) == (2, first["offset"])
    with chat.open("a") as file:
        file.write("\n")
    assert glance(str(chat), CLAUDE_CODE, second)["count"] == 3
    for number in (1, 9):  # rewritten, shorter and longer
        chat.write_text(lines({**BOUNDARY, "uuid": "another"}) * number)
        assert glance(str(chat), CLAUDE_CODE, second)["count"] == number
    assert glance(str(tmp_path / "gone"), CLAUDE_CODE, second) == second


def test_the_transcript_tells_what_the_agent_does_not(tmp_path: Path) -> None:
    """Without usage in what the agent sends, that of the last answer behind the newest compaction counts."""
    chat = tmp_path / "s1.jsonl"
    usage = {"input_tokens": 5, "cache_read_input_tokens": 99_995, "output_tokens": 0}
    answer = {"type": "assistant", "message": {"usage": usage}}
    sent = payload(None, transcript_path=str(chat))
    del sent["context_window"]["current_usage"]
    chat.write_text(lines(answer, {**answer, "isSidechain": True, "message": {"usage": {"input_tokens": 7}}}))
    assert line_for(sent) == "✳ 100k/167k 60%"
    with chat.open("a") as file:
        file.write(json.dumps(BOUNDARY) + "\n")  # with blanks, as other programs write JSON
    assert line_for(sent) == "✳ measuring · 1 compaction"


def test_other_agents_records(tmp_path: Path) -> None:
    """Codex and Copilot CLI record theirs in their own way; one that failed is none."""
    chat = tmp_path / "chat.jsonl"
    done = {"type": "session.compaction_complete", "data": {"success": True}}
    chat.write_text(lines({"type": "compacted", "payload": {}}, done, {**done, "data": {"success": False}}))
    assert glance(str(chat), CODEX, {})["count"] == glance(str(chat), COPILOT_CLI, {})["count"] == 1


def test_copilot_goes_by_its_current_tokens() -> None:
    """Its own percentage is stale after a compaction, and its limit is a share of the window that it displays."""
    context = {"current_context_tokens": 40_000, "displayed_context_limit": 100_000, "used_percentage": 56}
    found = {"session_id": "c1", "context_window": context, "model": {"id": "gpt-5.4"}}
    assert sizes(found, COPILOT_CLI) == (40_000, 100_000)
    assert line_for(found) == "✳ 40k/80k 50%"


def test_what_the_hook_found_is_shown(tmp_path: Path) -> None:
    """What a summary dropped is counted, and where it came back, it says so."""
    chat = tmp_path / "s1.jsonl"
    chat.write_text(lines(BOUNDARY))
    remember(state_of("s1", "hook"), {"report": {"missing": {"rules": 3, "tasks": 1}}})
    more = {"transcript_path": str(chat)}
    assert line_for(payload(0, **more)) == "✳ measuring · 1 compaction, 3 rules and 1 task missing"
    remember(state_of("s1", "hook"), {"report": {"missing": {"rules": 1}, "delivered": True}})
    assert line_for(payload(50_000, **more)) == "✳ 50k/167k 30% · 1 compaction, 1 rule added back"


def test_what_does_not_fit_is_dropped_from_the_right() -> None:
    """A narrow terminal keeps the number; the percentage has a color by its level, if there are colors."""
    fields = {"mark": "✳", "used": "137k", "limit": "167k", "percent": "82%", "turns": "~3 turns"}
    fields |= {"compactions": "2 compactions", "missing": "3 rules missing"}
    template = "{mark} {used}/{limit} {percent} · {turns} · {compactions}, {missing}"
    shown = [fitted(template, fields, width, colored=False) for width in (0, 59, 50, 30, 10, 4)]
    assert shown == [
        "✳ 137k/167k 82% · ~3 turns · 2 compactions, 3 rules missing",
        "✳ 137k/167k 82% · ~3 turns · 2 compactions, 3 rules missing",
        "✳ 137k/167k 82% · ~3 turns · 2 compactions",
        "✳ 137k/167k 82% · ~3 turns",
        "✳ 82%",
        "✳",
    ]
    assert "\x1b[33m82%\x1b[0m" in fitted(template, fields, 0, colored=True)
    assert [short(tokens) for tokens in (999, 999_400, 999_600, 1_250_000)] == ["999", "999k", "1M", "1.2M"]


def run(data: bytes, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command as an agent does."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"), **PLAIN}
    env["PYTHONPATH"] = ":".join(sys.path)
    command = [sys.executable, "-m", "compact_chat", "statusline", *arguments]
    return subprocess.run(command, check=False, input=data, env=env, capture_output=True, timeout=60)


def test_an_existing_status_line_comes_first(tmp_path: Path) -> None:
    """It gets the same input; one that fails is left out."""
    remember(SETTINGS, {"kept": {settings_path(CLAUDE_CODE): "grep -o 'Opus 5.5'"}, "template": "{used} used"})
    assert run(json.dumps(payload(50_000)).encode(), tmp_path).stdout.decode().splitlines() == ["Opus 5.5", "50k used"]
    remember(SETTINGS, {**recall(SETTINGS), "kept": {settings_path(CLAUDE_CODE): "echo no; exit 1"}})
    done = run(json.dumps(payload(50_000)).encode(), tmp_path)
    assert (done.stdout.decode(), done.stderr) == ("50k used\n", b"")


def test_a_kept_line_that_runs_this_program_ends(tmp_path: Path) -> None:
    """It is called once, by whatever script, and calls nothing itself; a long one runs too."""
    again = f"echo x >> {tmp_path}/runs; {sys.executable} -m compact_chat statusline # {'x' * 5000}"
    remember(SETTINGS, {"kept": {settings_path(CLAUDE_CODE): again}, "template": "{used}"})
    assert run(json.dumps(payload(50_000)).encode(), tmp_path).stdout == b"50k\n50k\n"
    assert (tmp_path / "runs").read_text() == "x\n"


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"\xff\xfe", b'{"context_window": 3', b"[" * 100_000, b'{"session_id": 7}']
)
def test_anything_else_is_measuring(data: bytes, tmp_path: Path) -> None:
    """What an agent may send some day is no error on the screen."""
    done = run(data, tmp_path)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, "✳ measuring\n", b"")


def test_a_usual_run_loads_little(tmp_path: Path) -> None:
    """At most 15 modules of ours, and none of the libraries."""
    program = """
import sys
from compact_chat.cli import main
main(["statusline"])
sys.stdout.flush()
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("compact_chat", "msgspec", "tiktoken")))
"""
    data = json.dumps(payload(50_000)).encode()
    for _ in range(2):  # the first one finds the limit
        done = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=True)
    names = done.stdout.decode().splitlines()[-1]
    assert names.count("compact_chat") <= 15
    assert "msgspec" not in names
    assert "tiktoken" not in names


def test_any_terminal_can_follow_a_chat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`watch` in a pipe counts once, here or in a named file; a chat that is not there is a sentence."""
    chat = tmp_path / "chat.md"
    chat.write_text("## User\n\nHello there, count me.\n\n## Assistant\n\nDone.\n")
    assert main(["watch", str(chat), "--template", "{used}"]) == 0
    assert capsys.readouterr().out.strip().isdigit()
    assert main(["watch", "/nowhere.jsonl"]) == 1
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)


@pytest.mark.parametrize("command", [["install", "codex", "--yes"], ["watch"]])
def test_an_unknown_field_is_refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A template that would show a field's name for good is told apart before it is remembered."""
    with pytest.raises(SystemExit):
        main([*command, "--template", "{bogus} {used}"])
    assert "{bogus}" in capsys.readouterr().err
    assert recall(SETTINGS) == {}
