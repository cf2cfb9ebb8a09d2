"""The pygls server of one client, without a process."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, cast

import pytest
from pygls.exceptions import FeatureRequestError

from compact_chat.serve.client import Client
from compact_chat.serve.log import Journal
from compact_chat.serve.rpc import read_message
from compact_chat.serve.server import ChatServer
from tests.samples.hostile.starts import GREETINGS


class Session:
    """A server, what it sends, and the codes it would leave with."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.codes: list[int] = []
        self.server = ChatServer(Client(cast("Journal", self)), self.codes.append)

    def sent(self, message: dict[str, Any], body: bytes) -> None:
        """Note a message, as a journal does."""
        assert "jsonrpc" not in message
        self.messages.append(json.loads(body))

    def take(self, **message: Any) -> None:
        """Give the server a message."""
        self.server.protocol.receive(read_message(json.dumps({"jsonrpc": "2.0", **message}).encode()))


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
        assert session.messages == []

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
        assert [one.get("error", {}).get("code") for one in session.messages] == [-32603, -32002, None]
        assert "secret" not in str(session.messages)

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
        assert [one["id"] for one in session.messages] == [1, 2]
        assert session.messages[1] == {"jsonrpc": "2.0", "id": 2, "result": None}

    asyncio.run(story())


@pytest.mark.parametrize("name", GREETINGS)
def test_an_odd_greeting_is_taken(name: str) -> None:
    """No client is refused for what its `initialize` holds beside the few members that are needed."""

    async def story() -> None:
        session = Session()
        session.take(id=1, method="initialize", params=GREETINGS[name])
        session.take(method="initialized", params={})
        session.take(id=2, method="compactChat/nonsense")
        answers = [one for one in session.messages if "method" not in one]
        assert answers[0]["result"]["serverInfo"]["name"] == "compact-chat"
        assert answers[1]["error"]["code"] == -32601

    asyncio.run(story())
