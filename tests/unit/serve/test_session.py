"""The pygls server of one client, without a process."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from typing import Any, BinaryIO, cast

import pytest
from pygls.exceptions import FeatureRequestError

from compact_chat.serve.rpc import read_message
from compact_chat.serve.server import ChatServer
from tests.samples.hostile.requests import GREETINGS


class Session:
    """A server, what it sends, and the codes it would leave with."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self._outgoing = io.BytesIO()
        self._outgoing.close = lambda: None  # type: ignore[method-assign]  # what was written is read afterwards
        self.server = ChatServer(cast("BinaryIO", self._outgoing), self.codes.append, lambda _: None)

    async def messages(self) -> list[dict[str, Any]]:
        """End, and give all that was sent."""
        await self.server.close()
        await self.server.writing
        return [json.loads(one[one.index(b"{") :]) for one in self._outgoing.getvalue().split(b"Content-Length")[1:]]

    def take(self, **message: Any) -> None:
        """Give the server a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.receive(read_message(body), body)


def test_pygls_says_nothing() -> None:
    """No logger of pygls has anything to say once there is a server, since it would quote what it was sent."""

    async def story() -> None:
        Session()
        assert not logging.getLogger("pygls.protocol.json_rpc").isEnabledFor(logging.CRITICAL)

    asyncio.run(story())


def test_what_fails_within_pygls_is_logged_by_its_place(caplog: pytest.LogCaptureFixture) -> None:
    """An error that pygls reports is neither shown in the editor nor quoted in the log."""

    async def story() -> None:
        session = Session()
        session.server.report_server_error(ValueError("secret"), FeatureRequestError)
        assert caplog.messages == ["FeatureRequestError failed: ValueError at no place"]
        assert await session.messages() == []

    asyncio.run(story())


def test_a_failure_of_initialize_is_internal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pygls fails over its part, the answer says nothing of it, and the server is not initialized."""

    async def story() -> None:
        session = Session()
        with monkeypatch.context() as patch:
            patch.setattr("pygls.protocol.language_server.Workspace", lambda *_: int("secret"))
            session.take(id=1, method="initialize", params={})
        session.take(id=2, method="shutdown")
        session.take(id=3, method="initialize")
        messages = await session.messages()
        assert [one.get("error", {}).get("code") for one in messages] == [-32603, -32002, None]
        assert "secret" not in str(messages)

    asyncio.run(story())


def test_each_phase_has_its_order() -> None:
    """`exit` leaves with 1 before `shutdown` and with 0 behind it; notifications out of their time are ignored."""

    async def story() -> None:
        session = Session()
        session.take(method="initialized")
        session.take(id=1, method="initialize", params={})
        session.take(method="exit")
        session.take(id=2, method="shutdown")
        session.take(method="workspace/didChangeConfiguration", params={"settings": {"compactChat": {}}})
        session.take(method="exit")
        assert session.codes == [1, 0]
        messages = await session.messages()
        assert [one["id"] for one in messages] == [1, 2]
        assert messages[1] == {"jsonrpc": "2.0", "id": 2, "result": None}

    asyncio.run(story())


@pytest.mark.parametrize("place", range(len(GREETINGS)))
def test_an_odd_greeting_is_taken(place: int) -> None:
    """No client is refused for what its `initialize` holds beside the few members that are needed."""

    async def story() -> None:
        session = Session()
        session.take(id=1, method="initialize", params=GREETINGS[place])
        session.take(method="initialized", params={})
        session.take(id=2, method="compactChat/nonsense")
        answers = [one for one in await session.messages() if "method" not in one]
        assert answers[0]["result"]["serverInfo"]["name"] == "compact-chat"
        assert answers[1]["error"]["code"] == -32601

    asyncio.run(story())
