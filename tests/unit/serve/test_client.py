"""One client: what it is sent, asked and refused, its settings, and that nothing of a question is left over."""

from __future__ import annotations

import asyncio
import io
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, cast

import pytest

from compact_chat.errors import Cancelled, ChatNotFound, HostRefused, InvalidParams, ParseError
from compact_chat.operations import ClientState
from compact_chat.serve import client as module
from compact_chat.serve.client import PATIENCE, Client, Progress, Settings, Tokens, tokens_of, wire_error
from compact_chat.serve.log import Journal, log_failure
from compact_chat.serve.rpc import Reply, read_body, read_message

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


async def test_the_answer_comes_as_it_is() -> None:
    """The result is the client's own, keys and all; the second answer under the id is dropped."""
    peer = Peer()
    task = await peer.requested()
    peer.answer(result={"class": 1})
    peer.answer(result="late")
    assert await task == {"class": 1}
    assert peer.messages[0] == {"jsonrpc": "2.0", "id": peer.messages[0]["id"], "method": "m", "params": {"jsonrpc": 1}}
    assert peer.is_forgotten()


@pytest.mark.parametrize(
    ("declared", "answers"),
    [
        ({"languageModels": True}, {MODELS, MODEL}),
        ({"secrets": True}, {SECRET}),
        (ALL, {MODELS, MODEL, SECRET}),
        ({"languageModels": "true", "secrets": 1}, set()),
        ([True], set()),
    ],
)
async def test_a_client_is_asked_for_what_it_declared(declared: Any, answers: set[str]) -> None:
    """Only what a client declared as `true` is asked; any other question is refused without a message."""
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


async def test_text_is_heard_in_its_order_up_to_the_answer() -> None:
    """Text under the question's token is passed on in order, also just before the answer; then it is forgotten."""
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


async def test_questions_at_once_are_not_mixed_up() -> None:
    """Each hears its own text and gets its own answer, in whatever order they end."""
    peer, heard = Peer(), [list[str]() for _ in range(3)]
    tasks = [asyncio.create_task(peer.client.ask(MODEL, {}, one.append)) for one in heard]
    await asyncio.sleep(0)
    for place in (2, 0, 1):
        peer.stream(peer.messages[place]["params"]["partialResultToken"], text(f"of {place}"))
        peer.answer(place, result=place)
    assert (await asyncio.gather(*tasks), heard) == ([0, 1, 2], [["of 0"], ["of 1"], ["of 2"]])
    assert peer.is_forgotten()


@pytest.mark.parametrize("token", ["compact-chat-99", 1, None])
@pytest.mark.parametrize("value", [None, {"kind": "text"}, text(None), {"kind": "x", "text": "x"}])
async def test_what_is_no_text_of_the_question_is_ignored(token: Any, value: Any) -> None:
    """Text under another token, and progress that is no piece of text, is dropped, as is an answer to nothing."""
    peer = Peer()
    task = await peer.asked()
    peer.stream(token, text("forged"))
    peer.stream(peer.token, value)
    peer.client.replied(Reply(token, "stray", None))
    peer.answer(result=1)
    assert await task == 1
    assert peer.heard == []


@pytest.mark.parametrize(
    ("error", "code", "data"),
    [
        ({"code": -32803, "message": "no", "data": {"reason": "noModel"}}, -32803, {"reason": "noModel"}),
        ({"code": -32601, "message": "no"}, -32601, {}),
        ({"code": True, "data": ["x"]}, 0, {}),
        ("no", 0, {}),
    ],
)
async def test_a_refusal_has_its_code_and_data(error: Any, code: int, data: Any) -> None:
    """An error answer is raised with its code and data; one of another shape hurts nothing."""
    peer = Peer()
    task = await peer.asked()
    peer.answer(error=error)
    with pytest.raises(HostRefused) as caught:
        await task
    assert (caught.value.code, caught.value.data) == (code, data)
    assert peer.is_forgotten()


async def test_a_cancelled_question_is_cancelled_in_the_client() -> None:
    """Cancelling sends `$/cancelRequest` for the request, forgets its token, and drops a late answer (pygls#621)."""
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


@pytest.mark.parametrize(
    ("error", "code", "data"),
    [
        (ParseError("s"), -32700, {"kind": "parseError"}),
        (
            InvalidParams.at("$.a", "m"),
            -32602,
            {"kind": "invalidParams", "problems": [{"path": "$.a", "message": "m"}]},
        ),
        (ChatNotFound("s", uri="u"), -32040, {"kind": "chatNotFound", "uri": "u"}),
        (Cancelled(), -32800, {"kind": "cancelled"}),
        (asyncio.CancelledError("secret"), -32800, {"kind": "cancelled"}),
        (ValueError("secret"), -32603, {"kind": "internal"}),
    ],
)
def test_each_error_has_its_code_and_kind(error: BaseException, code: int, data: object) -> None:
    """The contract's code and kind go out, and nothing of an error's own text where it was not foreseen."""
    found = wire_error(error)
    assert (found["code"], found["data"]) == (code, data)
    assert "secret" not in str(found)


def test_only_places_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The log names type, module and line: no text, no path, no traceback."""
    with caplog.at_level(logging.DEBUG):
        try:
            int("secret")
        except ValueError as error:
            log_failure("something", error)
    assert caplog.record_tuples == [("compact_chat.serve.log", logging.ERROR, caplog.messages[0])]
    assert caplog.messages[0].startswith(f"something failed: ValueError at {__name__}:")
    assert caplog.records[0].exc_info is None


async def written(client: Client, stream: BinaryIO) -> None:
    """Write what waits for a client, and what comes while that goes on."""
    with ThreadPoolExecutor(1) as threads:
        await client.write_to(stream, threads)


async def test_frames_are_written_whole_and_in_order() -> None:
    """Large and small frames come out of the pipe as they went in, without waiting for the reader."""
    reading, writing = os.pipe()
    texts = ["ab"[n % 2] * (n % 3 * 100_000 + 1) for n in range(20)]
    client = Client(Journal(1))
    task = asyncio.create_task(written(client, os.fdopen(writing, "wb", buffering=0)))
    for text in texts:
        client.notify("m", {"text": text})
    client.finish()
    with os.fdopen(reading, "rb") as source:
        found = [await asyncio.to_thread(read_body, source) for _ in texts]
        assert await asyncio.to_thread(source.read) == b""
    await task
    messages = [read_message(one) for one in found if one is not None]
    assert messages == [("m", {"text": text}) for text in texts]


async def test_a_closed_pipe_ends_the_writing() -> None:
    """Where the other side has closed, the writing ends, and what is sent later is dropped."""
    reading, writing = os.pipe()
    os.close(reading)
    client = Client(Journal(1))
    client.notify("m", {})
    await written(client, os.fdopen(writing, "wb", buffering=0))
    client.notify("m", {"text": "x" * 2**20})
    assert not client.is_behind
    assert client.room.is_set()


async def test_room_ends_where_too_much_is_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound there is no room, until the client has taken some."""
    monkeypatch.setattr(module, "UNREAD", 100_000)
    client = Client(Journal(1))
    client.notify("m", {"text": "x" * 90_000})
    assert client.room.is_set()
    client.notify("m", {"text": "x" * 90_000})
    assert not client.room.is_set()
    task = asyncio.create_task(written(client, cast("BinaryIO", io.BytesIO())))
    await client.room.wait()
    client.finish()
    await task
    assert not client.is_behind


class Settled:
    """A client's state, and the client that is asked for settings, whose answers a test gives."""

    def __init__(self) -> None:
        self.sections: list[object] = []
        self.questions: list[asyncio.Future[Any]] = []
        self.settings = Settings(cast("ClientState", self), self._ask)
        self.settings.declare({"workspace": {"configuration": True}})

    def configure(self, section: object) -> None:
        """Keep the settings."""
        self.sections.append(section)

    async def _ask(self, _: str, __: Any) -> Any:
        self.questions.append(asyncio.get_running_loop().create_future())
        return await self.questions[-1]

    async def start(self) -> None:
        """Begin, and wait until the question is out."""
        self.settings.start({})
        await self.later()

    async def later(self) -> None:
        """Let all be done that can be done now."""
        for _ in range(10):
            await asyncio.sleep(0)

    def wait(self) -> asyncio.Task[None]:
        """Begin an operation that needs the settings."""
        return asyncio.get_running_loop().create_task(self.settings.settled())


@pytest.mark.in_jumps
async def test_settings_that_are_sent_beat_an_answer_before_them() -> None:
    """Settings that come by themselves are newer than an answer that has come just before, and than all questions."""
    peer = Settled()
    await peer.start()
    peer.questions[0].set_result([1])
    peer.settings.changed({"settings": None})
    peer.settings.changed({"settings": {"compactChat": 2}})
    await peer.later()
    assert (peer.sections, len(peer.questions)) == ([2], 1)


@pytest.mark.in_jumps
async def test_operations_wait_for_the_question_that_took_the_place() -> None:
    """An operation that waits for an answer waits for the newer question's, where one takes its place."""
    peer = Settled()
    await peer.start()
    waiting = peer.wait()
    await peer.later()
    peer.settings.changed({"settings": None})
    await peer.later()
    assert peer.questions[0].cancelled()
    assert not waiting.done()
    peer.questions[1].set_result([2])
    await waiting
    assert peer.sections == [2]


@pytest.mark.in_jumps
async def test_no_operation_waits_for_long() -> None:
    """A client that keeps silent is not waited for, however often it says that its settings have changed."""
    peer = Settled()
    await peer.start()
    waiting = peer.wait()
    for _ in range(12):
        await asyncio.sleep(PATIENCE / 10)
        peer.settings.changed({"settings": None})
    assert waiting.done()
    peer.settings.stop()
    await peer.later()


@pytest.mark.in_jumps
async def test_after_the_end_nothing_is_asked() -> None:
    """A question that was about to be asked is not asked once the client is leaving."""
    peer = Settled()
    await peer.start()
    peer.settings.changed({"settings": None})
    peer.settings.stop()
    await peer.later()
    assert len(peer.questions) == 1
    assert peer.questions[0].cancelled()


# Progress: few notifications, whole text, silence behind the end.


BOTH = Tokens("w", "p")


class Listener:
    """A client that keeps what it is told and when, and can be waited on."""

    def __init__(self) -> None:
        self.reported: list[tuple[float, Any]] = []
        self.asked: list[Any] = []
        self._news = asyncio.Event()

    def progress(self, tokens: Tokens) -> Progress:
        """Show it the progress of an operation."""
        return Progress("Title", tokens, cast("Client", self))

    def new_id(self) -> str:
        """Name a token."""
        return "ours"

    async def request(self, method: str, params: dict[str, Any]) -> None:
        """Take a request."""
        self.asked.append((method, params))

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Take a notification."""
        assert method == "$/progress"
        self.reported.append((asyncio.get_running_loop().time(), params))
        self._news.set()

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait until what was told will do."""
        async with asyncio.timeout(10):
            while not wanted():
                self._news.clear()
                await self._news.wait()

    def kinds(self, token: str) -> list[str]:
        """The kinds that came on a token."""
        return [params["value"]["kind"] for _, params in self.reported if params["token"] == token]


async def test_a_client_without_a_token_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a token nothing is sent, nor is one created for work that ends soon."""
    monkeypatch.setattr("compact_chat.serve.client.LONG", 0)
    for shows_progress in (False, True):
        listener = Listener()
        progress = listener.progress(Tokens(None, None))
        progress.begin(shows_progress)
        progress.report("state", 1)
        progress.end()
        for _ in range(5):
            await asyncio.sleep(0)
        assert (progress.token, progress.text, listener.reported, listener.asked) == (None, None, [], [])


async def test_the_first_report_goes_out_at_once_and_later_ones_are_spaced() -> None:
    """Two notifications of one operation are at least 25 ms apart, and the newest state is the one that comes."""
    listener = Listener()
    progress = listener.progress(Tokens("w", None))
    progress.report("first", 1)
    await listener.until(lambda: len(listener.reported) == 1)
    for number in range(2, 100):
        progress.report("later", number)
    await listener.until(lambda: len(listener.reported) == 2)
    (first, _), (second, params) = listener.reported
    assert second - first > 0.024
    assert params["value"] == {"kind": "report", "message": "later", "percentage": 99}


@pytest.mark.in_jumps
async def test_text_goes_out_within_25_ms() -> None:
    """Text waits 25 ms at most, whenever it comes and whatever was told just before."""
    listener, loop, reported = Listener(), asyncio.get_running_loop(), []
    progress = listener.progress(BOTH)
    assert progress.text is not None
    for number in range(200):
        progress.report("state", number)
        await asyncio.sleep(0.001 * (number % 13))
        reported.append(loop.time())
        progress.text(f"{number};")
        await asyncio.sleep(0.001 * (number % 7))
    progress.end()
    came = [at for at, one in listener.reported for _ in range(one["value"].get("text", "").count(";"))]
    assert max(late - early for early, late in zip(reported, came, strict=True)) <= 0.0251


async def test_no_text_is_lost_between_threads() -> None:
    """Text of several threads comes whole: each piece once, none behind the end."""
    listener = Listener()
    progress = listener.progress(BOTH)
    text = progress.text
    assert text is not None

    def write(name: str) -> None:
        for number in range(2000):
            text(f"{name}{number};")

    await asyncio.gather(*(asyncio.to_thread(write, name) for name in "abc"))
    progress.end()
    pieces = "".join(p["value"]["text"] for _, p in listener.reported if p["token"] == "p").split(";")[:-1]
    for name in "abc":
        assert [one for one in pieces if one.startswith(name)] == [f"{name}{number}" for number in range(2000)]


async def test_nothing_comes_behind_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a thread still tells after the end is dropped, also where it was already on its way."""
    monkeypatch.setattr("compact_chat.serve.client.PAUSE", 0)
    listener = Listener()
    progress = listener.progress(BOTH)
    progress.begin(shows_progress=False)
    assert progress.text is not None
    progress.report("on its way", 1)
    progress.end()
    progress.report("late", 2)
    progress.text("late")
    await asyncio.to_thread(progress.report, "later", 3)
    for _ in range(5):
        await asyncio.sleep(0)
    assert listener.kinds("w") == ["begin", "report", "end"]
    assert listener.kinds("p") == []


async def test_long_work_is_shown_under_a_token_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that shows progress but gave no token is asked to create one, and hears from begin to end."""
    monkeypatch.setattr("compact_chat.serve.client.LONG", 0)
    listener = Listener()
    progress = listener.progress(Tokens(None, None))
    progress.begin(shows_progress=True)
    await listener.until(lambda: progress.token == "ours")
    progress.report("half", 50)
    progress.end()
    assert listener.asked == [("window/workDoneProgress/create", {"token": "ours"})]
    begun = {"kind": "begin", "title": "Title", "cancellable": True, "percentage": 0}
    assert listener.reported[0][1]["value"] == begun
    assert (progress.token, listener.kinds("ours")) == ("ours", ["begin", "report", "end"])


@pytest.mark.parametrize("token", ["", "a", 0, -1])
def test_tokens_are_strings_or_integers(token: Any) -> None:
    """Any string and any integer is a token; the first place that has one counts."""
    assert tokens_of({"workDoneToken": None}, {"workDoneToken": token}) == Tokens(token, None)


@pytest.mark.parametrize("token", [True, 1.5, [], {}])
def test_other_tokens_are_refused(token: Any) -> None:
    """Anything else is wrong params, with its path."""
    with pytest.raises(InvalidParams, match=r"^\$\.partialResultToken: "):
        tokens_of({"partialResultToken": token})
