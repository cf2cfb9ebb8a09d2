"""Drafts over the wire: a rewrite is streamed and can be cancelled, and two servers share one state folder."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.servers.messages_api import Api
from tests.servers.messages_api_behaviours import OK
from tests.servers.messages_api_wire import Exchange
from tests.servers.wire_client import WireClient
from tests.strategies.wire_chats import long_chat

DRAFT = "compactChat/draft"
REWRITE = {"write": {"provider": "anthropic"}}


@pytest.fixture
def servers(api: Api, tmp_path: Path) -> Iterator[tuple[WireClient, WireClient]]:
    """Two servers with one archive."""
    clients = WireClient(), WireClient()
    for one in clients:
        one.initialize()
        settings = {"compactChat": {"archive": str(tmp_path / "archive")}}
        one.notify("workspace/didChangeConfiguration", {"settings": settings})
    yield clients
    for one in clients:
        one.close()
        assert one.stray == []


def change(shown: Any, **more: object) -> dict[str, Any]:
    """The params of a change of a draft."""
    return {"draftId": shown["draftId"], "version": shown["version"], **more}


def test_a_rewrite_is_streamed_and_kept(servers: tuple[WireClient, WireClient], api: Api) -> None:
    """The model's text stays when facts are added back, with what a person wrote, and can be left again."""
    server, _ = servers
    first = server.call(DRAFT, {"chat": long_chat(60), "options": {"summaryBudget": 4000}})
    api.then("ok")
    written = server.call(DRAFT, change(first, **REWRITE, partialResultToken="text"))
    streamed = "".join(one["text"] for one in server.progress("text"))
    lost = [fact["id"] for one in written["compaction"]["survival"]["classes"] for fact in one["lost"]]
    added = server.call(DRAFT, change(written, addBack=lost[:1]))
    back = server.call(DRAFT, {"draftId": first["draftId"], "version": 1})

    assert len(streamed) > 100
    assert [(one["by"], one["model"] is None) for one in back["versions"]] == [
        ("offline", True),
        ("model", False),
        ("model", False),
        ("offline", True),
    ]
    assert written["compaction"]["usage"] == added["compaction"]["usage"] != None  # noqa: E711 -- a chain
    assert back["compaction"]["continuation"] == first["compaction"]["continuation"]
    assert len(api.requests) == 1


def test_a_cancelled_rewrite_leaves_the_draft(servers: tuple[WireClient, WireClient], api: Api) -> None:
    """Whatever came of the text, the draft is as it was; so it is after a failure."""
    server, _ = servers
    first = server.call(DRAFT, {"chat": long_chat(61)})
    api.then("stall")
    number = server.start(DRAFT, change(first, **REWRITE, partialResultToken="part"))
    server.until(lambda one: one.get("method") == "$/progress" and one["params"]["token"] == "part")
    server.notify("$/cancelRequest", {"id": number})

    assert server.answer(number)["error"]["data"]["kind"] == "cancelled"
    api.then("close", "close")
    assert server.error(DRAFT, change(first, **REWRITE))["data"]["kind"] == "providerFailed"
    assert server.call(DRAFT, {"draftId": first["draftId"]}) == first


def test_what_changed_meanwhile_stays_in_a_rewrite(servers: tuple[WireClient, WireClient], api: Api) -> None:
    """A fact that another window adds back while a model writes is in the model's text, too."""
    server, other = servers
    first = server.call(DRAFT, {"chat": long_chat(60), "options": {"summaryBudget": 100}})
    lost = [fact["id"] for one in first["compaction"]["survival"]["classes"] for fact in one["lost"]]
    asked, released = Event(), Event()

    async def late(exchange: Exchange) -> None:
        asked.set()
        await asyncio.to_thread(released.wait, 60)
        await OK(exchange)

    api.then(late)
    number = server.start(DRAFT, change(first, **REWRITE))
    assert asked.wait(60)
    between = other.call(DRAFT, change(first, addBack=lost[:1]))
    released.set()
    written = server.answer(number)["result"]
    still = [fact["id"] for one in written["compaction"]["survival"]["classes"] for fact in one["lost"]]

    assert [one["by"] for one in written["versions"]] == ["offline", "offline", "model"]
    assert written["addBack"] == between["addBack"] == lost[:1]
    assert lost[0] not in still
