"""What a user set in a coding tool about its own compaction."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.disk import read_tool_settings
from compact_chat.disk.settings import LARGEST_FILE, settings_in
from compact_chat.measure import ToolSettings
from compact_chat.tools import tool_named
from tests.oracles.snapshots import check_functions

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


def test_settings_of_claude_code(accept: bool) -> None:
    """What its files and variables set, and odd values that set nothing."""
    functions = {"settings_in": lambda given: settings_in(CLAUDE, *given)}
    check_functions(Path(__file__).with_name("settings.txt"), functions, accept=accept)


def test_a_number_without_end_sets_nothing() -> None:
    """One that Python does not even write down."""
    assert settings_in(CLAUDE, [{"autoCompactWindow": 16**5_000, "env": {PERCENT: 16**5_000}}], {}) == NOTHING


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
