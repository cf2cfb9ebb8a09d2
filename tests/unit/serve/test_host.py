"""The client as a host: asked for what it declared, heard while it is asked, and forgotten then."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from compact_chat.models import HostRefused
from compact_chat.serve.client import Channel, ClientHost, Questions
from compact_chat.serve.log import Journal
from compact_chat.serve.rpc import Reply

MODELS, MODEL, SECRET = "compactChat/languageModels", "compactChat/languageModel", "compactChat/secret"


class Client:
    """Keeps what the server sends, answers it, and streams."""

    def __init__(self, declared: Any = None) -> None:
        self.sent: list[dict[str, Any]] = []
        self.heard: list[str] = []
        self.questions = Questions(Channel(self._write, Journal(1)))
        self.host = ClientHost(self.questions.ask)
        self.host.meet({"languageModels": True, "secrets": True} if declared is None else declared)

    def _write(self, data: bytes) -> None:
        self.sent.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    async def asked(self, params: dict[str, Any] | None = None) -> asyncio.Task[Any]:
        """Have a model asked, and wait until the question is out."""
        task = asyncio.get_running_loop().create_task(self.host.ask(MODEL, params or {}, self.heard.append))
        await asyncio.sleep(0)
        return task

    @property
    def token(self) -> Any:
        """The token of the newest question."""
        return self.sent[-1]["params"]["partialResultToken"]

    def stream(self, token: Any, value: Any) -> None:
        """Tell progress."""
        self.host.heard({"token": token, "value": value})

    def answer(self, place: int = -1, result: Any = None, error: Any = None) -> None:
        """Answer a question."""
        self.questions.answered(Reply(self.sent[place]["id"], result, error))


def text(piece: Any) -> dict[str, Any]:
    """Give a piece of text as it stands on the wire."""
    return {"kind": "text", "text": piece}


@pytest.mark.parametrize(
    ("declared", "answers"),
    [
        ({"languageModels": True}, {MODELS, MODEL}),
        ({"secrets": True}, {SECRET}),
        ({"languageModels": True, "secrets": True}, {MODELS, MODEL, SECRET}),
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
        client = Client(declared)
        for method in (MODELS, MODEL, SECRET, "workspace/configuration"):
            task = asyncio.get_running_loop().create_task(client.host.ask(method, {}))
            await asyncio.sleep(0)
            assert task.done() is (method not in answers)
            if task.done():
                assert isinstance(task.exception(), HostRefused)
            else:
                client.answer(result=1)
                assert await task == 1
        assert {one["method"] for one in client.sent} == answers
        assert client.host.language_models is (MODEL in answers)
        assert client.host.secrets is (SECRET in answers)

    asyncio.run(story())


def test_text_is_heard_in_its_order_up_to_the_answer() -> None:
    """Text under the question's token is told in order, also just before the answer; then the token is forgotten."""

    async def story() -> None:
        client = Client()
        task = await client.asked({"model": "m"})
        token = client.token
        assert client.sent[-1]["params"] == {"model": "m", "partialResultToken": token}
        for piece in ("one ", "", "two"):
            client.stream(token, text(piece))
        client.answer(result={"class": 1})
        assert await task == {"class": 1}
        client.stream(token, text("late"))
        assert client.heard == ["one ", "", "two"]
        assert client.host._listeners == {}

    asyncio.run(story())


@pytest.mark.parametrize("token", ["compact-chat-text-2", "compact-chat-1", "", 1, None, True, [], {}, 1.5])
def test_an_unknown_token_is_ignored(token: Any) -> None:
    """Text under a token that nobody gave away is dropped in silence, whatever the token is."""

    async def story() -> None:
        client = Client()
        task = await client.asked()
        client.stream(token, text("forged"))
        client.answer()
        assert await task is None
        assert client.heard == []

    asyncio.run(story())


@pytest.mark.parametrize(
    "value",
    [None, "text", 1, [], {}, {"kind": "text"}, {"text": "x"}, text(None), text(["x"]), {"kind": "x", "text": "x"}],
)
def test_what_is_no_text_is_ignored(value: Any) -> None:
    """Progress under the right token that is no piece of text is dropped in silence."""

    async def story() -> None:
        client = Client()
        task = await client.asked()
        client.stream(client.token, value)
        client.host.heard({"token": client.token})
        client.answer(result=1)
        assert await task == 1
        assert client.heard == []

    asyncio.run(story())


def test_each_question_has_a_token_of_its_own() -> None:
    """Text of two questions at once is not mixed up, and one that is answered leaves the other its token."""

    async def story() -> None:
        client, other = Client(), [""]
        first = await client.asked()
        one = client.token
        second = asyncio.get_running_loop().create_task(client.host.ask(MODEL, {}, other.append))
        await asyncio.sleep(0)
        client.stream(client.token, text("second"))
        client.answer(0)
        await first
        client.stream(one, text("late"))
        client.stream(client.token, text("still"))
        client.answer(1)
        await second
        assert (client.heard, other) == ([], ["", "second", "still"])

    asyncio.run(story())


def test_who_does_not_listen_gives_no_token() -> None:
    """Without a listener the params go out as they are."""

    async def story() -> None:
        client = Client()
        task = asyncio.get_running_loop().create_task(client.host.ask(SECRET, {"name": "anthropicApiKey"}))
        await asyncio.sleep(0)
        assert client.sent[0]["params"] == {"name": "anthropicApiKey"}
        client.answer()
        await task

    asyncio.run(story())


@pytest.mark.parametrize(
    ("error", "code", "data"),
    [
        ({"code": -32803, "message": "no", "data": {"reason": "noModel"}}, -32803, {"reason": "noModel"}),
        ({"code": -32601, "message": "no"}, -32601, {}),
        ({"code": "x", "data": ["x"]}, 0, {}),
        ({"code": True}, 0, {}),
        ("The message is nested too deeply.", 0, {}),
        ([1], 0, {}),
    ],
)
def test_a_refusal_has_its_code_and_data(error: Any, code: int, data: Any) -> None:
    """An error answer is raised with its code and data; one of another shape hurts nothing."""

    async def story() -> None:
        client = Client()
        task = await client.asked()
        client.answer(error=error)
        with pytest.raises(HostRefused) as caught:
            await task
        assert (caught.value.code, caught.value.data) == (code, data)
        assert client.host._listeners == {}

    asyncio.run(story())


def test_a_cancelled_question_is_cancelled_in_the_client() -> None:
    """Cancelling sends `$/cancelRequest` for our request, forgets its token, and drops what comes late."""

    async def story() -> None:
        client = Client()
        task = await client.asked()
        token, number = client.token, client.sent[0]["id"]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert client.sent[1:] == [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": number}}]
        client.stream(token, text("late"))
        client.answer(0, result="late")
        assert (client.heard, client.host._listeners) == ([], {})

    asyncio.run(story())
