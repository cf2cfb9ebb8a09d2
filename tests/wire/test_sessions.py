"""The chats on a machine, over the wire."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.samples.session_files import WRITERS, age, of_one_user
from tests.servers.wire_client import SERVE, WireClient

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the fakes lie where tools keep chats on Linux")
NAME = "compactChat/sessions"
COMMAND = "workspace/executeCommand"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's home with eighty chats of all tools, the first of them the newest."""
    folder, writers = tmp_path_factory.mktemp("home"), list(WRITERS.values())
    for number in range(80):
        place = f"/demo/shop-{number % 2}"
        age(writers[number % len(writers)](folder, number, f"Question {number}", place), number)
    return folder


@pytest.fixture(scope="module")
def client(home: Path) -> Iterator[WireClient]:
    """The server as that user starts it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            patch.delenv(name)
        for name, value in of_one_user(home).items():
            patch.setenv(name, value)
        client = WireClient(SERVE)
    client.initialize()
    yield client
    client.close()
    assert client.stray == []
    assert "Traceback" not in "".join(client.log)


def numbers(client: WireClient, **params: object) -> list[int]:
    """List the chats by the numbers in their titles."""
    return [int(one["title"].split()[1]) for one in client.call(NAME, params)["sessions"]]


def test_nothing_needs_to_be_said(client: WireClient) -> None:
    """Params and arguments may be left out, empty or null; the request and the command give the same."""
    ways: list[tuple[str, Any]] = [(NAME, {}), (NAME, None), (NAME, {"limit": None}), (NAME, {"tools": []})]
    ways += [
        (COMMAND, {"command": "compactChat.sessions"}),
        (COMMAND, {"command": "compactChat.sessions", "arguments": []}),
    ]
    answers = [client.call(*way) for way in ways] + [client.call(NAME)]

    assert len(answers[0]["sessions"]) == 50
    assert [answer == answers[0] for answer in answers] == [True] * len(answers)


def test_all_tools_are_there_newest_first(client: WireClient) -> None:
    """Chats of every tool stand in the order of their age."""
    told = client.call(NAME, {"limit": 80})["sessions"]

    assert [one["title"] for one in told] == [f"Question {n}" for n in range(80)]
    assert {one["tool"] for one in told} == set(WRITERS)
    assert all(set(one) == {"uri", "tool", "format", "title", "updatedAt", "bytes"} for one in told)


def test_a_workspace_narrows_the_list(client: WireClient) -> None:
    """Only chats of the folder come, and the limit counts these."""
    assert numbers(client, workspace="file:///demo/shop-1", limit=100) == list(range(1, 80, 2))
    assert numbers(client, workspace="file:///demo/shop-0/", limit=3) == [0, 2, 4]
    assert numbers(client, workspace="file:///demo/shop-0", tools=["codex"], limit=2) == [2, 10]


def test_a_chat_that_changes_moves_up(client: WireClient, home: Path) -> None:
    """Each listing looks at the disk anew; what did not change is not read again."""
    (uri,) = (one["uri"] for one in client.call(NAME, {"tools": ["codex"], "limit": 1})["sessions"])
    oldest = client.call(NAME, {"tools": ["codex"], "limit": 80})["sessions"][-1]
    path = Path(oldest["uri"].removeprefix("file://"))
    age(path, -5)

    assert client.call(NAME, {"tools": ["codex"], "limit": 1})["sessions"][0]["uri"] == oldest["uri"] != uri
    age(path, int(oldest["title"].split()[1]))
    assert home in path.parents


def test_what_is_wrong_is_told_by_its_path(client: WireClient) -> None:
    """Bad params are -32602, both ways, and the server goes on."""
    for params, path in (({"roots": ["relative"]}, "$.roots[0]"), ({"workspace": "nowhere"}, "$.workspace")):
        for method, sent in ((NAME, params), (COMMAND, {"command": "compactChat.sessions", "arguments": [params]})):
            error = client.error(method, sent)
            assert error["code"] == -32602
            assert [one["path"] for one in error["data"]["problems"]] == [path]
    assert numbers(client, limit=1) == [0]


def test_progress_begins_and_ends(client: WireClient) -> None:
    """Work on a token is told from the beginning to the end."""
    client.call(NAME, {"workDoneToken": "looking"})
    kinds = [one["kind"] for one in client.progress("looking")]

    assert (kinds[0], kinds[-1]) == ("begin", "end")


def test_a_shell_lists_the_same(client: WireClient, home: Path) -> None:
    """`compact-chat sessions --json` prints the result of the wire."""
    shell = [sys.executable, "-m", "compact_chat", "sessions", "--json", "--limit", "80"]
    done = subprocess.run(shell, capture_output=True, check=True, env=of_one_user(home))

    assert json.loads(done.stdout) == client.call(NAME, {"limit": 80})
