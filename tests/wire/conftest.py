"""Server processes for the wire tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

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
