"""Editors for the tests, and the chats that they open."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.editors.driven import COMMANDS, Driven, check, require
from tests.servers.wire_client import SERVE

SETTINGS = {"compactChat": {"minKeep": 9}}


@pytest.fixture(scope="session", params=sorted(COMMANDS))
def name(request: pytest.FixtureRequest) -> str:
    """Each editor in turn."""
    found: str = request.param
    require(found)
    return found


@pytest.fixture(scope="session")
def editor(name: str, tmp_path_factory: pytest.TempPathFactory, chat: Path) -> Iterator[Driven]:
    """A shared editor of each kind, with the chat open and connected through a tap, for tests that do not change it."""
    editor = Driven(name, tmp_path_factory.mktemp(name))
    editor.start(chat, editor.wire.tapped(SERVE), SETTINGS)
    yield editor
    editor.close()
    check(editor.wire)
    assert "rror" not in editor.log(), editor.log()[-2000:]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Driven]]:
    """Start editors for a single test, with nothing opened yet."""
    started: list[Driven] = []

    def run_one(name: str, *command: str) -> Driven:
        require(name)
        started.append(Driven(name, tmp_path, command))
        return started[-1]

    yield run_one
    for editor in started:
        editor.close()


@pytest.fixture(scope="session")
def chat(tmp_path_factory: pytest.TempPathFactory, bakery: Path) -> Path:
    """A copy of the example chat whose name must be escaped in a URI."""
    return Path(shutil.copy(bakery, tmp_path_factory.mktemp("chats") / "Bäckerei 🥐 100%.jsonl"))


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chat that keeps the server busy: more than a second to count, seven to summarize."""
    messages = []
    for shelf in range(20_000):
        messages += [
            {"role": "user", "content": f"Good, now shelf {shelf}."},
            {"role": "assistant", "content": f"Shelf {shelf} 🥐 holds {shelf * 7} trays. " * 30},
        ]
    path = tmp_path_factory.mktemp("chats") / "large.json"
    path.write_text(json.dumps(messages))
    return path
