"""Shared by all tests: the hypothesis profiles and the folder of real chats."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # xdist has no types

# Tests are deterministic; `--hypothesis-profile=search` explores new examples.
patient = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("compact-chat", patient, derandomize=True)
settings.register_profile("search", patient, max_examples=500)
settings.load_profile("compact-chat")

# State that a test, or a server that it starts, may store goes here instead of among the user's own files.
STATE = tempfile.TemporaryDirectory(prefix="compact-chat-tests-")
os.environ["XDG_STATE_HOME"] = os.environ["LOCALAPPDATA"] = STATE.name

# Shells ignore interrupts in background processes; the servers of the tests would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test calls a model of the person who runs it.
for name in [name for name in os.environ if name.startswith("ANTHROPIC_") or name.lower().endswith("_proxy")]:
    del os.environ[name]
for name in ("DISABLE_COMPACT", "DISABLE_AUTO_COMPACT", "CLAUDE_CODE_AUTO_COMPACT_WINDOW", "CLAUDE_CONFIG_DIR"):
    os.environ.pop(name, None)  # settings of the person who runs the tests
os.environ.pop("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", None)
os.environ["NO_PROXY"] = "127.0.0.1"

SHARED_CHATS = Path(__file__).resolve().parents[2] / "shared" / "chats"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites the snapshots of the corpus, once their differences were reviewed."""
    parser.addoption("--accept", action="store_true", help="write the snapshots of tests/corpus/ anew")


@pytest.fixture(autouse=True)
def no_chats_of_others(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the chats of the person who runs the tests out of them, and what was remembered of other tests' chats."""
    if request.node.nodeid.startswith(("tests/unit/", "tests/wire/")):
        monkeypatch.setenv("HOME", STATE.name)
        (Path(STATE.name) / "compact-chat" / "neighbors.json").unlink(missing_ok=True)


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether to rewrite snapshots."""
    return bool(request.config.getoption("--accept"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run all tests of a workbench module on one worker, since they share windows; distribute the others one by one."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = lambda nodeid: nodeid.split("::", 1)[0] if nodeid.startswith("tests/vscode/") else nodeid
    return scheduler


@pytest.fixture(scope="session")
def shared_chats() -> Path:
    """The folder of real sessions next to the project, present on some machines."""
    if not SHARED_CHATS.is_dir():
        pytest.skip("the collection of real chats does not lie beside the project")
    return SHARED_CHATS


@pytest.fixture(scope="session")
def bakery() -> Path:
    """The example chat of the README."""
    return Path(__file__).resolve().parents[1] / "examples" / "bakery.jsonl"


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the sessions of `/demo/shop` in an empty home, of Claude Code alone."""
    for name in [name for name in os.environ if name.startswith(("CLAUDE", "XDG_", "CODEX", "VSCODE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    folder = tmp_path / ".claude" / "projects" / "-demo-shop"
    folder.mkdir(parents=True)
    return folder
