"""What all tests share: the hypothesis profiles and the folder of real chats."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]  # xdist has no types

# A test says the same of the same code each time; `--hypothesis-profile=search` looks where nobody has looked yet.
patient = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("compact-chat", patient, derandomize=True)
settings.register_profile("search", patient, max_examples=500)
settings.load_profile("compact-chat")

# What a test, or a server that it starts, may remember goes here and not among the user's own files.
STATE = tempfile.TemporaryDirectory(prefix="compact-chat-tests-")
os.environ["XDG_STATE_HOME"] = os.environ["LOCALAPPDATA"] = STATE.name

# A shell has what it runs in the background ignore interrupts; the servers of the tests would too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No test asks a model of the person who runs it.
for name in [name for name in os.environ if name.startswith("ANTHROPIC_") or name.lower().endswith("_proxy")]:
    del os.environ[name]
os.environ["NO_PROXY"] = "127.0.0.1"

SHARED_CHATS = Path(__file__).resolve().parents[2] / "shared" / "chats"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let whoever has looked at the differences write the snapshots of the corpus anew."""
    parser.addoption("--accept", action="store_true", help="write the snapshots of tests/corpus/ anew")


@pytest.fixture
def accept(request: pytest.FixtureRequest) -> bool:
    """Whether snapshots are written anew."""
    return bool(request.config.getoption("--accept"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Have one worker run all tests of a module about the workbench, which share windows; others one by one."""
    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = lambda nodeid: nodeid.split("::", 1)[0] if nodeid.startswith("tests/vscode/") else nodeid
    return scheduler


@pytest.fixture(scope="session")
def shared_chats() -> Path:
    """The folder of real sessions that lies beside the project on some machines."""
    if not SHARED_CHATS.is_dir():
        pytest.skip("the collection of real chats does not lie beside the project")
    return SHARED_CHATS


@pytest.fixture(scope="session")
def bakery() -> Path:
    """The example chat that the README uses."""
    return Path(__file__).resolve().parents[1] / "examples" / "bakery.jsonl"
