"""One client: what it is sent and asked, how it answers, and that nothing of a question is left over."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from compact_chat.errors import HostRefused
from compact_chat.serve.client import Client
from compact_chat.serve.log import Journal
from compact_chat.serve.rpc import Reply

MODELS, MODEL, SECRET = "compactChat/languageModels", "compactChat/languageModel", "compactChat/secret"
ALL = {"languageModels": True, "secrets": True}


class Peer:
    """A client that a test plays; it stands in for the journal, which sees all messages."""

    def __init__(self, declared: Any = ALL) -> None:
        self.heard: list[str] = []
        self.messages: list[dict[str, Any]] = []
        self.client = Client(cast("Journal", self))
        self.client.declare(declared)

    def sent(self, message: dict[str, Any], _: bytes) -> None:
        """Note a message."""
        self.messages.append({"jsonrpc": "2.0", **message})

    async def asked(self, params: dict[str, Any] | None = None) -> asyncio.Task[Any]:
        """Have its model asked, and wait until the question is sent."""
        task = asyncio.get_running_loop().create_task(self.client.ask(MODEL, params or {}, self.heard.append))
        await asyncio.sleep(0)
        return task

    async def requested(self) -> asyncio.Task[Any]:
        """Send it a request."""
        task = asyncio.get_running_loop().create_task(self.client.request("m", {"jsonrpc": 1}))
        await asyncio.sleep(0)
        return task

    @property
    def token(self) -> Any:
        """The token of the newest question."""
        return self.messages[-1]["params"]["partialResultToken"]

    def stream(self, token: Any, value: Any) -> None:
        """Send progress."""
        self.client.progressed({"token": token, "value": value})

    def answer(self, place: int = -1, result: Any = None, error: Any = None) -> None:
        """Answer a question."""
        self.client.replied(Reply(self.messages[place]["id"], result, error))

    def is_forgotten(self) -> bool:
        """Whether nothing of any question is left."""
        return not self.client._waiting and not self.client._listeners


def text(piece: Any) -> dict[str, Any]:
    """Give a piece of text as it is on the wire."""
    return {"kind": "text", "text": piece}


def test_the_answer_comes_as_it_is() -> None:
    """The result is the client's own, keys and all; the second answer under the id is dropped."""

    async def story() -> None:
        peer = Peer()
        task = await peer.requested()
        peer.answer(result={"class": 1})
        peer.answer(result="late")
        assert await task == {"class": 1}
        assert peer.messages[0] == {
            "jsonrpc": "2.0",
            "id": peer.messages[0]["id"],
            "method": "m",
            "params": {"jsonrpc": 1},
        }
        assert peer.is_forgotten()

    asyncio.run(story())


def test_an_answer_that_crosses_a_cancellation_is_harmless() -> None:
    """An answer between the cancellation and its arrival at the task raises nothing."""

    async def story() -> None:
        peer = Peer()
        task = await peer.requested()
        task.cancel()
        peer.answer(result="crossed")
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())


@pytest.mark.parametrize("under", ["unknown", None, 1])
def test_an_answer_to_nothing_is_dropped(under: Any) -> None:
    """An answer under an unknown id is not taken for the one that is awaited."""

    async def story() -> None:
        peer = Peer()
        task = await peer.requested()
        peer.client.replied(Reply(under, "stray", None))
        peer.answer(result="right")
        assert await task == "right"

    asyncio.run(story())


@pytest.mark.parametrize(
    ("declared", "answers"),
    [
        ({"languageModels": True}, {MODELS, MODEL}),
        ({"secrets": True}, {SECRET}),
        (ALL, {MODELS, MODEL, SECRET}),
        ({"languageModels": "true", "secrets": 1}, set()),
        ({"languageModels": None}, set()),
        ({}, set()),
        ([True], set()),
        ("languageModels", set()),
    ],
)
def test_a_client_is_asked_for_what_it_declared(declared: Any, answers: set[str]) -> None:
    """Only what a client declared as `true` is asked; any other question is refused without a message."""

    async def story() -> None:
        peer = Peer(declared)
        for method in (MODELS, MODEL, SECRET, "workspace/configuration"):
            task = asyncio.get_running_loop().create_task(peer.client.ask(method, {}))
            await asyncio.sleep(0)
            assert task.done() is (method not in answers)
            if task.done():
                assert isinstance(task.exception(), HostRefused)
            else:
                peer.answer(result=1)
                assert await task == 1
        assert {one["method"] for one in peer.messages} == answers
        assert peer.client.language_models is (MODEL in answers)
        assert peer.client.secrets is (SECRET in answers)

    asyncio.run(story())


def test_text_is_heard_in_its_order_up_to_the_answer() -> None:
    """Text under the question's token is passed on in order, also just before the answer; then it is forgotten."""

    async def story() -> None:
        peer = Peer()
        task = await peer.asked({"model": "m"})
        token = peer.token
        assert peer.messages[-1]["params"] == {"model": "m", "partialResultToken": token}
        for piece in ("one ", "", "two"):
            peer.stream(token, text(piece))
        peer.answer(result={"class": 1})
        assert await task == {"class": 1}
        peer.stream(token, text("late"))
        assert peer.heard == ["one ", "", "two"]
        assert peer.is_forgotten()

    asyncio.run(story())


@pytest.mark.parametrize("token", ["compact-chat-99", "", 1, None, True, [], {}, 1.5])
def test_an_unknown_token_is_ignored(token: Any) -> None:
    """Text under an unknown token is dropped in silence, whatever the token is."""

    async def story() -> None:
        peer = Peer()
        task = await peer.asked()
        peer.stream(token, text("forged"))
        peer.answer()
        assert await task is None
        assert peer.heard == []

    asyncio.run(story())


@pytest.mark.parametrize(
    "value",
    [None, "text", 1, [], {}, {"kind": "text"}, {"text": "x"}, text(None), text(["x"]), {"kind": "x", "text": "x"}],
)
def test_what_is_no_text_is_ignored(value: Any) -> None:
    """Progress under the right token that is no piece of text is dropped in silence."""

    async def story() -> None:
        peer = Peer()
        task = await peer.asked()
        peer.stream(peer.token, value)
        peer.client.progressed({"token": peer.token})
        peer.answer(result=1)
        assert await task == 1
        assert peer.heard == []

    asyncio.run(story())


def test_each_question_has_a_token_of_its_own() -> None:
    """Text of two questions at once is not mixed up, and one that is answered leaves the other its token."""

    async def story() -> None:
        peer, other = Peer(), [""]
        first = await peer.asked()
        one = peer.token
        second = asyncio.get_running_loop().create_task(peer.client.ask(MODEL, {}, other.append))
        await asyncio.sleep(0)
        peer.stream(peer.token, text("second"))
        peer.answer(0)
        await first
        peer.stream(one, text("late"))
        peer.stream(peer.token, text("still"))
        peer.answer(1)
        await second
        assert (peer.heard, other) == ([], ["", "second", "still"])

    asyncio.run(story())


def test_a_question_without_a_listener_has_no_token() -> None:
    """Without a listener the params go out as they are."""

    async def story() -> None:
        peer = Peer()
        task = asyncio.get_running_loop().create_task(peer.client.ask(SECRET, {"name": "anthropicApiKey"}))
        await asyncio.sleep(0)
        assert peer.messages[0]["params"] == {"name": "anthropicApiKey"}
        peer.answer()
        await task

    asyncio.run(story())


@pytest.mark.parametrize(
    ("error", "code", "data"),
    [
        ({"code": -32803, "message": "no", "data": {"reason": "noModel"}}, -32803, {"reason": "noModel"}),
        ({"code": -32601, "message": "no"}, -32601, {}),
        ({"code": "x", "data": ["x"]}, 0, {}),
        ({"code": True}, 0, {}),
        ("no", 0, {}),
        ([1], 0, {}),
    ],
)
def test_a_refusal_has_its_code_and_data(error: Any, code: int, data: Any) -> None:
    """An error answer is raised with its code and data; one of another shape hurts nothing."""

    async def story() -> None:
        peer = Peer()
        task = await peer.asked()
        peer.answer(error=error)
        with pytest.raises(HostRefused) as caught:
            await task
        assert (caught.value.code, caught.value.data) == (code, data)
        assert peer.is_forgotten()

    asyncio.run(story())


def test_a_cancelled_question_is_cancelled_in_the_client() -> None:
    """Cancelling sends `$/cancelRequest` for the request, forgets its token, and drops a late answer (pygls#621)."""

    async def story() -> None:
        peer = Peer()
        task = await peer.asked()
        token, number = peer.token, peer.messages[0]["id"]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert peer.messages[1:] == [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}]
        peer.stream(token, text("late"))
        peer.answer(0, result="late")
        assert peer.heard == []
        assert peer.is_forgotten()

    asyncio.run(story())
