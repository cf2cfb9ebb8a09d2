"""What a user set in a coding tool about its own compaction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_chat.disk import read_tool_settings
from compact_chat.disk.settings import LARGEST_FILE, settings_in
from compact_chat.measure import ToolSettings
from compact_chat.tools import tool_named

NOTHING = ToolSettings()
CLAUDE = tool_named("claude-code")
WINDOW, PERCENT = "CLAUDE_CODE_AUTO_COMPACT_WINDOW", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, with no variable of a tool set."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", WINDOW, PERCENT):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def put(path: Path, content: object) -> None:
    """Write a file of settings."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.mark.parametrize(
    ("files", "env", "chosen"),
    [
        ([], {}, NOTHING),
        ([{"autoCompactWindow": 300_000}], {}, ToolSettings(window=300_000)),
        ([{"autoCompactWindow": 300_000}], {WINDOW: "100000"}, ToolSettings(window=100_000)),
        ([{"env": {WINDOW: 150_000}}], {WINDOW: "100000"}, ToolSettings(window=150_000)),
        ([{"env": {PERCENT: "62.5"}}, {"env": {PERCENT: "50"}}], {}, ToolSettings(percent=62.5)),
        ([{"env": {PERCENT: "100"}}], {}, ToolSettings(percent=100)),
        ([{}, {"autoCompactWindow": 250_000}], {PERCENT: "50"}, ToolSettings(window=250_000, percent=50)),
        ([], {"DISABLE_AUTO_COMPACT": "1"}, ToolSettings(is_off=True)),
        ([], {"DISABLE_COMPACT": "true"}, ToolSettings(is_off=True)),
        ([], {"DISABLE_AUTO_COMPACT": "0"}, NOTHING),
        ([{"autoCompactEnabled": False}], {}, ToolSettings(is_off=True)),
        ([{"autoCompactEnabled": True}], {}, NOTHING),
    ],
)
def test_settings_of_claude_code(files: list[dict[str, Any]], env: dict[str, str], chosen: ToolSettings) -> None:
    """Files set variables too, which beat those of the environment; of two files the first beats the second."""
    assert settings_in(CLAUDE, files, env) == chosen


@pytest.mark.parametrize(
    "value",
    [
        "",
        "x",
        "0",
        "-5",
        "nan",
        "inf",
        "1e99",
        "9" * 400,
        "9" * 5_000,
        pytest.param(16**5_000, id="huge"),
        True,
        None,
        [100_000],
        {"a": 1},
        10**30,
    ],
)
def test_odd_values_set_nothing(value: object) -> None:
    """A window is a positive number of tokens, and a percentage at most 100."""
    assert settings_in(CLAUDE, [{"autoCompactWindow": value, "env": {PERCENT: value}}], {}) == NOTHING
    assert settings_in(CLAUDE, [{"env": [value]}, {"autoCompactWindow": {}}], {PERCENT: "101"}) == NOTHING


def test_files_of_the_user_and_of_the_folder(home: Path) -> None:
    """A project's own settings beat those of the user, and local ones both."""
    shop = home / "shop"
    put(home / ".claude/settings.json", {"autoCompactWindow": 300_000, "env": {PERCENT: "80"}})
    assert read_tool_settings("claude-code", str(shop)) == ToolSettings(window=300_000, percent=80)

    put(shop / ".claude/settings.json", {"autoCompactWindow": 200_000})
    assert read_tool_settings("claude-code", str(shop)) == ToolSettings(window=200_000, percent=80)

    put(shop / ".claude/settings.local.json", {"autoCompactWindow": 150_000})
    assert read_tool_settings("claude-code", str(shop)) == ToolSettings(window=150_000, percent=80)
    assert (
        read_tool_settings("claude-code", None)
        == read_tool_settings("claude-code", "shop")
        == ToolSettings(window=300_000, percent=80)
    )


def test_a_folder_that_the_user_moved(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings are read where the tool reads them."""
    put(home / ".claude/settings.json", {"autoCompactWindow": 300_000})
    put(home / "else/settings.json", {"autoCompactWindow": 120_000})
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "else"))

    assert read_tool_settings("claude-code", None) == ToolSettings(window=120_000)


def test_other_tools(home: Path) -> None:
    """Codex has TOML, Gemini CLI a fraction in either of two places; a tool without settings has none."""
    put(home / ".codex/config.toml", 'model = "gpt-5.5"\nmodel_auto_compact_token_limit = 50_000\n')
    put(home / ".gemini/settings.json", {"model": {"compressionThreshold": 0.7}})
    assert read_tool_settings("codex", None) == ToolSettings(tokens=50_000)
    assert read_tool_settings("gemini", None) == ToolSettings(share=0.7)

    put(home / ".gemini/settings.json", {"chatCompression": {"contextPercentageThreshold": 0.4}})
    assert read_tool_settings("gemini", None) == ToolSettings(share=0.4)
    assert read_tool_settings("roo", None) == read_tool_settings("unknown", None) == NOTHING


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", "[" * 100_000, "\ud800".encode("utf-16", "surrogatepass"), b"\xff"]
)
def test_damaged_files_set_nothing(home: Path, content: str | bytes) -> None:
    """Whatever is in a file, it is passed over."""
    for name in (".claude/settings.json", ".codex/config.toml"):
        (home / name).parent.mkdir()
        (home / name).write_bytes(content.encode() if isinstance(content, str) else content)

    assert read_tool_settings("claude-code", None) == read_tool_settings("codex", None) == NOTHING


def test_what_is_no_small_file_is_not_read(home: Path) -> None:
    """Folders, and files that are larger than settings are, say nothing."""
    (home / ".claude/settings.json").mkdir(parents=True)
    put(home / ".codex/config.toml", "model_context_window = 1\n" + "#" * LARGEST_FILE)

    assert read_tool_settings("claude-code", "\0") == read_tool_settings("codex", None) == NOTHING
