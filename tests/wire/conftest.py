"""Server processes for the wire tests."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence

import pytest

from tests.servers.messages_api import Api, serving
from tests.servers.wire_client import FAKE, SERVE, WireClient


@pytest.fixture
def start() -> Iterator[Callable[..., WireClient]]:
    """Start servers with the operations of `tests/servers/wire_server.py`, not yet initialized."""
    started: list[WireClient] = []

    def start_one() -> WireClient:
        started.append(WireClient(FAKE))
        return started[-1]

    yield start_one
    for client in started:
        _close(client)


@pytest.fixture(scope="session")
def client() -> Iterator[WireClient]:
    """One such server, initialized, for all tests that leave it as it was."""
    yield from _initialized(FAKE)


@pytest.fixture(scope="session")
def real() -> Iterator[WireClient]:
    """The server as it is shipped, initialized."""
    yield from _initialized(SERVE)


@pytest.fixture
def own() -> Iterator[WireClient]:
    """The server as it is shipped, for one test that changes it or counts what comes."""
    yield from _initialized(SERVE)


@pytest.fixture(scope="module")
def served() -> Iterator[Api]:
    """A fake Messages API, of which the environment tells servers."""
    with serving() as served, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_BASE_URL", served.url)
        patch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        yield served


@pytest.fixture
def api(served: Api) -> Api:
    """The same, as if it had been asked nothing yet."""
    served.requests.clear()
    served.window, served.waiting = 200_000, queue.SimpleQueue()
    return served


def _initialized(command: Sequence[str]) -> Iterator[WireClient]:
    client = WireClient(command)
    client.initialize()
    yield client
    _close(client)


def _close(client: WireClient) -> None:
    """Whatever a test did, only frames may have come, and no raw error may have popped up in the editor."""
    client.close()
    assert client.stray == []
    assert client.asked("window/showMessage") == []
    assert "Traceback" not in "".join(client.log)
    assert "secret" not in "".join(client.log)
