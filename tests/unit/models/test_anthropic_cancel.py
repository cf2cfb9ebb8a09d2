"""A cancellation ends a call to Anthropic at once, wherever it is."""

from __future__ import annotations

import asyncio
import threading

import pytest

from compact_chat.models import anthropic as anthropic_client
from tests.servers.host import SILENCE, FakeHost
from tests.servers.messages_api import serving
from tests.servers.messages_api_calls import PHASES, access, environment, seconds_to_hang_up, writing

SOON = 0.010  # seconds from the cancellation to the closed connection
TRIES = 5  # on a machine that others use too, the best of them counts


@pytest.mark.parametrize("phase", PHASES)
def test_a_cancellation_closes_the_connection(monkeypatch: pytest.MonkeyPatch, phase: str) -> None:
    """L4: cancelled in any phase, a call passes the cancellation on and hangs up within 10 ms; the next one works."""
    with serving(PHASES[phase]) as api:
        environment(monkeypatch, api)
        if phase == "connect":
            monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url.replace("http:", "https:"))

        assert min(asyncio.run(seconds_to_hang_up(api)) for _ in range(TRIES)) < SOON

        api.then("ok")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        assert asyncio.run(writing()).text == api.text


def test_a_cancellation_does_not_wait_for_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is cancelled while the SDK is being loaded ends before that is done."""
    environment(monkeypatch)
    loading, done = threading.Event(), threading.Event()

    def load() -> None:
        loading.set()
        done.wait()

    monkeypatch.setattr(anthropic_client, "load", load)

    async def run() -> None:
        task = asyncio.create_task(writing())
        await asyncio.to_thread(loading.wait)
        task.cancel()
        await asyncio.wait({task})
        done.set()
        assert task.cancelled()

    asyncio.run(run())


def test_a_cancellation_reaches_the_client_that_looks_for_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is cancelled while the client is asked for the key tells the client."""
    environment(monkeypatch, key=None)
    host = FakeHost(secret=SILENCE)

    async def run() -> None:
        task = asyncio.create_task(writing(access(host)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    asyncio.run(run())

    assert host.cancelled == ["compactChat/secret"]
