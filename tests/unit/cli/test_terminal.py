"""What a chat holds steers no terminal, wherever the shell prints it (rule G9)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.cli.command import COMMANDS
from compact_chat.cli.terminal import one_line, path_line, piped, shown, wrapped
from tests.samples.session_files import lines

pty = pytest.importorskip("pty", reason="pseudo-terminals need a Unix system")

FAMILY, WALES, HEART = "👩‍👩‍👧", "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f", "❤️‍🔥"
PERSIAN, HEBREW, HINDI = "می‌خواهم", "שלום", "क्‍ष"  # with a joiner that writing needs
READABLE = (FAMILY, WALES, HEART, PERSIAN, HEBREW, HINDI, "naïve", "漢字", "e\u0301", "١٢٣", "\u0600")
STEERING = (
    *("\x1b]52;c;cm0gLXJm\x07", "\x1b]0;title\x1b\\", "\x1b[2J", "\x9b31m", "\x00", "\b", "\r", "\x7f", "\x85", "\x0c"),
    *("\u202e", "\u2066", "\u2069", "\u200f", "\u061c", "\u200b", "\u2060", "\ufeff", "\xad", "\u2028", "\u2029"),
    *("\U000e0041", "\U000e0001", "\ufffa", "a\u200db", " \u200c", "\u200d\u200d", "\ufe0f\ufe0f", "\U000e01ef\ufe00"),
)
ALL = " ".join((*READABLE, *STEERING))
ISOLATION = "\u2068\u2069"

# Runs one command after the other, with a line behind each.
EACH = """
import contextlib, json, pathlib, sys
from compact_chat.cli import main
commands, behind = json.loads(pathlib.Path(sys.argv[1]).read_text()), sys.argv[2]
sys.argv = ["compact-chat"]
for arguments in commands:
    with contextlib.suppress(SystemExit):
        main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    print(behind, flush=True)
"""
BEHIND = "= the next one ="
# Runs a command with its output on a pseudo-terminal.
ON_A_TERMINAL = """
import os, pty, sys
data = b""
def read(handle):
    global data
    piece = os.read(handle, 65536)
    data += piece
    return b"."
pty.spawn(sys.argv[1:], read)
os.write(3, data)
"""


def session(evil: str) -> str:
    """A session of Claude Code that holds a text everywhere, also in a compaction of the tool's own."""
    ids: dict[str, Any] = {"sessionId": "s", "cwd": f"/shop/{evil}", "version": "2.1.0", "isSidechain": False}
    call = {"type": "tool_use", "id": "t1", "name": f"Bash{evil}", "input": {"command": f"make {evil}"}}
    change = {"file_path": f"/shop/{evil}.py", "old_string": "a", "new_string": evil}
    edit = {"type": "tool_use", "id": "t2", "name": "Edit", "input": change}
    failed = {"type": "tool_result", "tool_use_id": "t1", "content": f"Error: {evil} broke", "is_error": True}
    turns = [
        ("user", f"Never delete {evil} at all. Please fix {evil}."),
        ("assistant", [{"type": "text", "text": f"I see {evil}."}, call, edit]),
        ("user", [failed, {"type": "tool_result", "tool_use_id": "t2", "content": evil}]),
        *[(role, f"{evil} {n} " + "words " * 300) for n in range(4) for role in ("assistant", "user")],
    ]
    records: list[dict[str, Any]] = [{"type": "summary", "summary": f"Title {evil}", "leafUuid": "u0"}]
    for part in ("u", "v"):
        parent = None
        if part == "v":
            cut = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "content": evil}
            records.append({**ids, **cut, "compactMetadata": {"trigger": "auto", "preTokens": 9000}})
            said = {"role": "user", "content": f"This session is being continued. Never delete {evil} at all."}
            summary = {"type": "user", "uuid": "c", "parentUuid": "b", "isCompactSummary": True, "message": said}
            records.append({**ids, **summary})
            parent = "c"
        for n, (role, content) in enumerate(turns):
            message: dict[str, Any] = {"role": role, "content": content}
            if role == "assistant":
                usage = {"input_tokens": 1000 * n, "output_tokens": 9}
                message |= {"model": f"claude-{evil}", "id": f"m{part}{n}{evil}", "usage": usage}
            uuid = f"{part}{n}{evil}"
            records.append({**ids, "type": role, "uuid": uuid, "parentUuid": parent, "message": message})
            parent = uuid
    return lines(*records)


def ran(commands: dict[str, list[str]], folder: Path, *, terminal: bool) -> dict[str, str]:
    """Run commands, and return what each printed, on a terminal or into a pipe."""
    (asked := folder / "commands.json").write_text(json.dumps(list(commands.values())))
    command = [sys.executable, "-c", EACH, str(asked), BEHIND]
    env = os.environ | {"NO_COLOR": "1", "PYTHONUTF8": "1", "COLUMNS": "100"}
    if terminal:
        reading, writing = os.pipe()
        script = [sys.executable, "-c", ON_A_TERMINAL.replace("os.write(3", f"os.write({writing}"), *command]
        with subprocess.Popen(script, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=env, pass_fds=[writing]):
            os.close(writing)
            with os.fdopen(reading, "rb") as output:
                printed = output.read().replace(b"\r\n", b"\n").replace(b"\r\x1b[K", b"")
    else:
        printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, check=True).stdout
    pages = printed.decode().split(f"{BEHIND}\n")
    return dict(zip(commands, pages[:-1], strict=True))


def steering(text: str, isolates: str = "") -> Iterator[str]:
    """Yield the characters of a text that a terminal would obey, or that nobody sees."""
    for found in (*READABLE, "👩\u200d", *isolates):  # a family may be cut at the end of a line
        text = text.replace(found, "")
    for place, character in enumerate(text):
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            continue
        yield f"{character!r} in {text[max(0, place - 30) : place + 30]!r}"


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """A call of each command, and some that fail, over one hostile chat."""
    folder = tmp_path_factory.mktemp("chats")
    (chat := folder / "chat.jsonl").write_text(session(ALL), "utf-8", "surrogatepass")
    (text := folder / "summary.md").write_text(f"<summary>\n## 1. Intent\n{ALL}\n</summary>\n{ALL}", "utf-8")
    made = subprocess.run(
        [sys.executable, "-m", "compact_chat", "summarize", str(chat), "--provider", "offline", "--json"],
        capture_output=True,
        check=True,
    )
    compaction, name, evil = json.loads(made.stdout)["compactionId"], str(chat), ALL.replace("\0", "")
    return {
        "sessions": ["sessions", "--roots", str(folder)],
        "count": ["count", name, "--biggest", "9", "--per-message"],
        "transcript": ["transcript", name],
        "preview": ["preview", name],
        "compact": ["compact", name, "--provider", "offline"],
        "compact --full": ["compact", name, "--provider", "offline", "--full"],
        "draft": ["draft", name],
        "summarize": ["summarize", name, "--provider", "offline"],
        "prompt": ["prompt", name],
        "format": ["format", str(text)],
        "continuation": ["continuation", str(text)],
        "check": ["check", name],
        "history": ["history"],
        "restore": ["restore", compaction],
        "export": ["export", compaction, "--as", "markdown"],
        "only summary": ["summarize", name, "--provider", "offline", "--only", "summary"],
        "only continuation": ["check", name, "--only", "continuation"],
        "unknown flag": ["count", name, f"--{evil}"],
        "unknown command": [evil],
        "no such file": ["count", f"/{evil}"],
        "no such message": ["preview", name, "--pin", evil],
        "no such option": ["preview", name, "--options", json.dumps({ALL: 1})],
    }


def test_no_command_lets_a_chat_steer_the_terminal(commands: dict[str, list[str]], tmp_path: Path) -> None:
    """On a terminal the characters are escaped, in a pipe they are gone; JSON has them all."""
    assert set(COMMANDS) <= set(commands)
    screens, pipes = (ran(commands, tmp_path, terminal=terminal) for terminal in (True, False))
    for name in commands:
        assert screens[name]
        assert list(steering(screens[name], ISOLATION)) == [], name
        assert list(steering(pipes[name])) == [], name
    assert [one for one in READABLE if one not in screens["transcript"]] == []
    assert "\\x1b]52;c;" in screens["transcript"]
    whole = ran({"json": [*commands["transcript"], "--json"]}, tmp_path, terminal=False)["json"]
    assert whole.isascii()
    assert STEERING[0] in json.loads(whole)["messages"][0]["text"]


@pytest.mark.parametrize("text", READABLE)
def test_writing_and_emoji_stay_readable(text: str) -> None:
    """Joined letters and emoji, flags and right-to-left words pass unchanged."""
    assert shown(text).strip(ISOLATION) == piped(text) == text


@pytest.mark.parametrize("text", STEERING)
def test_what_steers_is_escaped_or_dropped(text: str) -> None:
    """Escapes are plain text; a pipe gets what is left without the characters."""
    assert list(steering(shown(text) + piped(text))) == []
    assert "\\" in shown(text)
    assert len(piped(text).replace(" ", "")) < len(text)


def test_line_feeds_and_tabs_pass() -> None:
    """Lines stay lines, also those of Windows; a terminal gets blanks for a tab, so that widths can be counted."""
    assert piped("a\tb\r\nc") == "a\tb\nc"
    assert shown("a\tb\r\nc") == "a    b\nc"
    assert piped("a\u2028b\rc\x0bd\u200be") == "a b c de"


def test_right_to_left_text_is_isolated() -> None:
    """What is next to it on a line keeps its place, also where the text is cut or wrapped."""
    text = shown(f"abc\n  {HEBREW} " + f"{HEBREW} " * 20)
    folded = [one_line(text, 30), path_line(text, 30), *wrapped(text, 30)]

    assert text.startswith("abc\n  \u2068")
    assert all(re.fullmatch("[^\u2068\u2069]*(\u2068[^\u2068\u2069]*\u2069[^\u2068\u2069]*)*", line) for line in folded)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_safe_to_print(text: str) -> None:
    """Whatever the text, what is printed can be encoded and holds no control character."""
    for safe in (shown(text), piped(text)):
        safe.encode()
        assert not {*safe} & {*map(chr, (*range(9), *range(11, 32), *range(127, 160))), "\u2028", "\u202e"}


def test_a_path_is_cleaned_after_it_was_decoded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A URI hides characters of a file's name by its percent signs."""
    from compact_chat.cli import main

    (tmp_path / "a\x1b[2J\u202e.jsonl").write_text(session("x"), "utf-8")

    assert main(["sessions", "--roots", str(tmp_path)]) == 0
    assert "/a[2J.jsonl" in capsys.readouterr().out
