"""Progress: few notifications, whole text, silence behind the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.serve.client import Client, Progress, Tokens, tokens_of

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
