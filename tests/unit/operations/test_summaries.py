"""A summary by a model, over the real SDK: the ladder, what it streams, and what a cancellation leaves."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from compact_chat.errors import ProviderFailed
from compact_chat.models import anthropic as anthropic_limits
from compact_chat.models.anthropic import load
from compact_chat.operations import ClientState, Job, perform
from compact_chat.operations import archives as kept
from compact_chat.operations import summarize as module
from tests.samples.styles import EARLIER_TITLES
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_behaviours import saying
from tests.unit.operations.conftest import Messages

SUMMARY = "\n\n".join(f"{number}. {title}:\nThe shelves are counted." for number, title in enumerate(EARLIER_TITLES, 1))
REPLY = f"<analysis>trays</analysis>\n<summary>\n{SUMMARY}\n</summary>"
Story = Callable[["asyncio.Task[Any]"], Awaitable[None]]
PATIENCE = 20  # seconds for what comes at once, on a machine that others use too


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """A fake Messages API that the SDK finds by its usual variables."""
    monkeypatch.setattr(anthropic_limits, "_LEARNED", {})  # another fake may have had the same address
    with serving(text=REPLY) as served:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        yield served


@pytest.fixture
def client() -> ClientState:
    """A client that waits a moment for models, not minutes."""
    client = ClientState()
    client.configure({"idleTimeout": 0.4, "totalTimeout": 1.2, "archive": "off"})
    return client


def summarize(client: ClientState, messages: Messages, heard: list[str] | None = None, **params: object) -> Any:
    """Run the operation as a server does."""
    job = Job(client, stream=None if heard is None else heard.append)
    return asyncio.run(perform("summarize", {"chat": {"messages": messages}, **params}, job))


def outcomes(attempts: Any) -> list[tuple[str, str | None, str]]:
    """Whom the attempts asked, and what came of it."""
    return [(one["provider"], one["model"], one["outcome"]) for one in attempts]


def test_a_model_writes_the_summary(api: Api, client: ClientState, messages: Messages) -> None:
    """L1 and L2: one user message, no tools, no thinking; the text is streamed, the cost is told."""
    heard: list[str] = []

    done = summarize(client, messages, heard, provider="anthropic", include=["raw"])

    assert (done["provider"], done["model"], done["summary"]) == (
        "anthropic",
        "claude-haiku-5-5",
        f"Summary:\n{SUMMARY}",
    )
    assert outcomes(done["attempts"]) == [("anthropic", "claude-haiku-5-5", "ok")]
    assert "".join(heard) == done["raw"] == REPLY
    assert done["usage"]["inputTokens"] > 0
    assert api.problems == []
    [request] = api.requests
    body = request.json
    assert [message["role"] for message in body["messages"]] == ["user"]
    assert body.keys() & {"tools", "thinking", "temperature", "top_p"} == set()
    assert "EARLIER portion" in json.dumps(body)


@pytest.mark.parametrize(
    ("ending", "came"), [("529", "failed"), ("max_tokens", "failed"), (saying("Sorry, no."), "rejected")]
)
def test_the_fallback_is_asked_once(api: Api, client: ClientState, messages: Messages, ending: Any, came: str) -> None:
    """L4 and L5: after a failure, a cut off reply and one without a summary the fallback's summary is taken."""
    api.then(ending, "ok")

    done = summarize(client, messages, provider="anthropic")

    assert [one["outcome"] for one in done["attempts"]] == [came, "ok"]
    assert done["model"] == "claude-sonnet-5-5"


def test_without_a_key_auto_goes_on(client: ClientState, messages: Messages) -> None:
    """L9: who has no key and no editor gets the offline summary, and is told why."""
    done = summarize(client, messages)

    assert outcomes(done["attempts"]) == [
        ("anthropic", None, "skipped"),
        ("editor", None, "skipped"),
        ("offline", None, "ok"),
    ]


def in_parts(client: ClientState, messages: Messages) -> Any:
    """Have a chat summarized that a small model takes in parts."""
    return summarize(client, messages * 12, provider="anthropic", options={"minKeep": 2}, include=["raw"])


@pytest.mark.parametrize("reported", [True, False])
def test_a_chat_larger_than_the_window_goes_in_parts(
    api: Api, client: ClientState, messages: Messages, reported: bool
) -> None:
    """T8: each part is one request, with the summary of those before it; the last reply is the summary, all cost.

    So is what the model refuses as too long, where its window could not be looked up.
    """
    api.window = 14_000
    if not reported:
        api.then_looked_up("404")

    done = in_parts(client, messages)

    assert outcomes(done["attempts"]) == [("anthropic", "claude-haiku-5-5", "ok")]
    assert len(api.requests) > 1
    assert "<previous-summary>" in json.dumps(api.requests[-1].json)
    assert done["summary"] == f"Summary:\n{SUMMARY}"
    if reported:
        assert api.problems == []
        assert done["usage"]["outputTokens"] == 42 * len(api.requests)


@pytest.mark.parametrize(
    "first",
    [
        "no_stop_reason",
        "refusal",
        "tool_use",
        saying("Sorry, no."),
        saying("<summary>\nI'm sorry, but I can't help with that.\n</summary>"),
        saying("<summary> </summary>"),
    ],
)
def test_no_part_is_built_upon_what_is_no_summary(
    api: Api, client: ClientState, messages: Messages, first: Any
) -> None:
    """L4 and L5: a part that is cut off, blank or refused is no summary either, so that the fallback is asked."""
    api.window = 14_000
    api.then("ok", first, "ok")

    done = in_parts(client, messages)

    assert [one["outcome"] for one in done["attempts"]][1:] == ["ok"]
    assert (done["model"], done["raw"]) == ("claude-sonnet-5-5", REPLY)
    assert "can't help" not in json.dumps([seen.json for seen in api.requests])


def test_a_chosen_model_always_gives_what_it_wrote(api: Api, client: ClientState, messages: Messages) -> None:
    """L7: if every reply lacks its form, a chosen provider's text is mended and reported; `auto` goes on to offline."""
    loose = "The shelves are counted up to the eighth, and the ninth is still open. " * 5
    api.then(saying(loose), saying(loose), saying(loose), saying(loose))

    done = summarize(client, messages, provider="anthropic")

    assert done["sections"]["currentWork"] == loose.strip()
    assert "mended" in [warning["code"] for warning in done["warnings"]]
    assert [one["outcome"] for one in done["attempts"]] == ["ok", "rejected"]
    assert summarize(client, messages, provider="auto")["provider"] == "offline"


def test_what_is_short_is_not_cut_for_a_model_that_takes_nothing(
    api: Api, client: ClientState, messages: Messages
) -> None:
    """L6: a request that every model takes is sent once to each model, though each calls it too long."""
    api.then("400_too_long")

    for fallback, number in ({}, 2), ({"fallbackModels": ["claude-haiku-5-5"]}, 1):
        api.requests.clear()
        with pytest.raises(ProviderFailed):
            summarize(client, messages, provider="anthropic", options=fallback)
        assert len(api.requests) == number


@pytest.mark.usefixtures("api")
def test_certificates_that_cannot_be_read_end_the_provider(
    client: ClientState, messages: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L9: a wrong environment ends the provider, with a sentence that says where, and not the climb."""
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    load.cache_clear()

    done = summarize(client, messages)

    load.cache_clear()
    assert done["provider"] == "offline"
    assert "SSL_CERT_FILE" in done["attempts"][0]["detail"]


class Store:
    """Stands around the writing of the original: tells when it begins, and that it is done, and holds it up."""

    def __init__(self) -> None:
        self.store = kept.store
        self.begun, self.may_go_on = threading.Event(), threading.Event()
        self.done: Callable[[], object] = lambda: None

    def __call__(self, *things: Any) -> Any:
        """Store, once it may."""
        self.begun.set()
        assert self.may_go_on.wait(PATIENCE)
        stored = self.store(*things)
        self.done()
        return stored


class Room(asyncio.Event):
    """What is set while the client takes its answers; it tells when somebody waits for that."""

    def __init__(self) -> None:
        super().__init__()
        self.waited_for = asyncio.Event()

    async def wait(self) -> Literal[True]:
        """Wait, and tell."""
        if not self.is_set():
            self.waited_for.set()
        return await super().wait()


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    """The writing of originals, as a test wants it."""
    store = Store()
    monkeypatch.setattr(module, "store", store)
    return store


@pytest.fixture
def archive(client: ClientState, tmp_path: Path) -> Path:
    """Where originals are kept."""
    client.configure({"archive": str(tmp_path / "archive")})
    return tmp_path / "archive"


def files_of(archive: Path) -> list[Path]:
    """The files of an archive, but for its lock."""
    return [path for path in archive.rglob("*") if path.is_file() and path.name != "lock"]


def run(client: ClientState, messages: Messages, story: Story) -> bool:
    """Compact a chat while a story happens, and tell whether it was cancelled."""

    async def both() -> bool:
        params = {"chat": {"messages": messages}, "provider": "offline"}
        task = asyncio.ensure_future(perform("summarize", params, Job(client)))
        await story(task)
        done, _ = await asyncio.wait([task], timeout=PATIENCE)
        assert done
        return task.cancelled()

    return asyncio.run(both())


@pytest.mark.parametrize("times", [1, 3])
def test_what_was_being_written_is_taken_back(
    client: ClientState, messages: Messages, store: Store, archive: Path, times: int
) -> None:
    """However often it is cancelled, by a client and then by its leaving, nothing is left when the answer comes."""

    async def story(task: asyncio.Task[Any]) -> None:
        await asyncio.to_thread(store.begun.wait, PATIENCE)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert not task.done()
        store.may_go_on.set()

    assert run(client, messages, story)
    assert files_of(archive) == []


def test_taking_back_neither_holds_up_the_loop_nor_hides_the_cancellation(
    client: ClientState, messages: Messages, store: Store, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive may be locked by another program for seconds, or fail."""
    threads: list[threading.Thread] = []

    def failing(*_: object) -> None:
        threads.append(threading.current_thread())
        raise ValueError

    async def story(task: asyncio.Task[Any]) -> None:
        await asyncio.to_thread(store.begun.wait, PATIENCE)
        task.cancel()
        store.may_go_on.set()

    monkeypatch.setattr(module, "forget", failing)

    assert run(client, messages, story)
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()
    assert files_of(archive) != []


def test_what_waits_for_its_turn_ends_at_once(
    client: ClientState, messages: Messages, store: Store, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cancelled compaction does not wait until other big ones, or the client, leave it room to write."""
    finish, room = module.finish, Room()
    client.room = room
    room.set()

    def finish_and_close(*things: Any) -> Any:
        room.clear()
        return finish(*things)

    async def story(task: asyncio.Task[Any]) -> None:
        await room.waited_for.wait()
        task.cancel()

    monkeypatch.setattr(module, "finish", finish_and_close)
    store.may_go_on.set()

    assert run(client, messages * 9, story)
    assert not store.begun.is_set()
    assert files_of(archive) == []


@pytest.mark.parametrize("turns", range(0, 12, 2))
def test_there_is_a_result_with_its_archive_or_neither(
    client: ClientState, messages: Messages, store: Store, archive: Path, turns: int
) -> None:
    """However soon after the writing a cancellation comes, it comes too late, or what was written is taken back."""
    store.may_go_on.set()

    async def story(task: asyncio.Task[Any]) -> None:
        written, loop = asyncio.Event(), asyncio.get_running_loop()
        store.done = lambda: loop.call_soon_threadsafe(written.set)
        await written.wait()
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()

    was_cancelled = run(client, messages, story)

    assert was_cancelled is (files_of(archive) == [])
