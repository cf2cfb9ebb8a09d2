"""Summaries by a model over the wire: streamed while they are written, stopped at any moment, and kept for undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.messages_api import Api
from tests.servers.messages_api_calls import PHASES
from tests.servers.wire_client import Message, WireClient
from tests.strategies.wire_chats import long_chat

SUMMARIZE = "compactChat/summarize"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Where the server keeps originals."""
    return tmp_path / "archive"


def begun(archive: Path, client: WireClient) -> WireClient:
    """Have a client's server use this archive."""
    client.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": {"archive": str(archive)}}})
    return client


def ended(client: WireClient) -> None:
    """End a server, which must not have printed or logged the key."""
    client.close()
    assert client.stray == []
    assert "key-of-a-test" not in "".join(client.log)


@pytest.fixture(scope="module")
def shared(served: Api) -> Iterator[WireClient]:
    """The server as it is shipped, whose provider is the fake."""
    client = WireClient()
    client.initialize()
    yield client
    ended(client)


@pytest.fixture
def server(shared: WireClient, archive: Path) -> WireClient:
    """The same with an empty archive."""
    shared.take_answers()
    return begun(archive, shared)


@pytest.fixture
def new(api: Api, archive: Path) -> Iterator[WireClient]:
    """A server of a test's own, which has not asked for the windows of models yet."""
    client = WireClient()
    client.initialize()
    yield begun(archive, client)
    ended(client)


def asked(**more: object) -> Message:
    """A request for a summary by Anthropic's model."""
    return {"chat": long_chat(60), "provider": "anthropic", **more}


def kept(archive: Path) -> list[Path]:
    """The files of the archive."""
    return [path for path in archive.rglob("*") if path.is_file()]


@pytest.mark.parametrize("phase", ["headers", "mid-stream"])
def test_cancelling_ends_the_call(server: WireClient, api: Api, archive: Path, phase: str) -> None:
    """In each phase the connection is closed, nothing is kept, and the next request gets its summary."""
    api.then(PHASES[phase], "ok")
    number = server.start(SUMMARIZE, asked())
    api.waiting.get(timeout=60)

    server.notify("$/cancelRequest", {"id": number})

    assert server.answer(number)["error"]["data"]["kind"] == "cancelled"
    assert api.requests[0].gone.wait(60)
    assert kept(archive) == []
    done = server.call(SUMMARIZE, asked())
    assert (done["provider"], done["archive"] is not None) == ("anthropic", True)
    assert kept(archive) != []


def test_the_second_part_is_cancelled(new: WireClient, api: Api, archive: Path) -> None:
    """T8: between the parts of a chat a cancellation ends all: the part that is asked for, and those to come."""
    api.window = 24_000
    api.then("ok", "stall", "ok")
    number = new.start(SUMMARIZE, {**asked(workDoneToken="work"), "chat": long_chat(600)})
    api.waiting.get(timeout=60)

    new.notify("$/cancelRequest", {"id": number})

    assert new.answer(number)["error"]["data"]["kind"] == "cancelled"
    assert api.requests[1].gone.wait(60)
    assert (len(api.requests), kept(archive)) == (2, [])
    assert "Summarizing part 2 of" in str(new.progress("work"))


@pytest.mark.parametrize("leave", ["close", "shutdown"])
def test_a_client_that_leaves_ends_its_calls(new: WireClient, api: Api, archive: Path, leave: str) -> None:
    """Whichever way a client leaves, its call is hung up, nothing is kept, and the server ends."""
    api.then("endless")
    new.start(SUMMARIZE, asked())
    seen = api.waiting.get(timeout=60)
    if leave == "close":
        new.stdin.close()
    else:
        new.call("shutdown")
        new.notify("exit", None)

    assert seen.gone.wait(60)
    new.process.wait(60)
    assert kept(archive) == []
