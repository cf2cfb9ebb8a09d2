"""What the Anthropic provider sends, how it reads replies, and how a cancellation ends it."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from typing import Any

import pytest

from compact_chat.models import Choice, Failure, anthropic
from compact_chat.models.anthropic import load
from compact_chat.styles import MaskedRequest
from compact_chat.wire import TokensSpent
from tests.servers.host import SILENCE, FakeHost
from tests.servers.messages_api import Api
from tests.servers.messages_api_behaviours import saying
from tests.servers.messages_api_calls import KEY, MODEL, PATIENCE, PHASES, REQUEST, access, writing

COUNTED, LOOKED_UP = "/v1/messages/count_tokens", f"/v1/models/{MODEL}"


def body(api: Api, **wishes: Any) -> Any:
    """Have a request answered, and return its body."""
    asyncio.run(writing(**wishes))
    return api.requests[-1].json


def choices(*models: str) -> tuple[Choice, ...]:
    """Return the choices among these models."""
    return asyncio.run(anthropic.choices(models, access()))


def test_an_answer_has_text_model_stop_and_usage(api: Api) -> None:
    """A whole reply comes with its model, its stop reason and what it cost."""
    api.then(saying("A talk about bread."))

    answer = asyncio.run(writing())

    assert (answer.text, answer.model, answer.stop_reason) == ("A talk about bread.", MODEL, "end_turn")
    assert answer.usage is not None
    assert answer.usage.input_tokens > 0
    assert answer.usage == TokensSpent(answer.usage.input_tokens, 42)


@pytest.mark.parametrize(("name", "text"), [("ok_two_blocks", "first\nsecond"), ("ok_thinking_first", "second")])
def test_blocks_of_text_are_joined(api: Api, name: str, text: str) -> None:
    """L3: text blocks are joined by a line feed, others are ignored, and the streamed text equals the result."""
    api.then(name)
    pieces: list[str] = []

    answer = asyncio.run(writing(tell=pieces.append))

    assert answer.text == "".join(pieces) == text


@pytest.mark.parametrize(("system", "sent"), [("", {}), (" \n", {}), ("Be brief.", {"system": "Be brief."})])
def test_the_body_is_one_user_message(api: Api, system: str, sent: dict[str, str]) -> None:
    """L2, G6: one user message, the style's own system text if it has one, no tools, no thinking, no sampling."""
    assert body(api, request=MaskedRequest("m", "t", system)) == {
        "model": MODEL,
        "max_tokens": 500,
        "stream": True,
        "messages": [{"role": "user", "content": "m\n\nt"}],
        **sent,
    }


def test_material_that_is_sent_again_may_be_cached(api: Api) -> None:
    """T8, V3: what several requests share is a block of its own with a cache breakpoint, unless a part is empty."""
    material, text = body(api, cache=True)["messages"][0]["content"]

    assert material == {"type": "text", "text": REQUEST.material, "cache_control": {"type": "ephemeral"}}
    assert material["text"] + text["text"] == REQUEST.message
    assert body(api, cache=True, request=MaskedRequest("", "All in one."))["messages"][0]["content"] == "All in one."


def test_halves_of_surrogate_pairs_are_replaced(api: Api) -> None:
    """G2: a chat with half a pair is still sent, and whole pairs survive, even if they were split."""
    sent = body(api, request=MaskedRequest("", "a\ud800b 🥖 \ud83e\udd56 \udfff"))

    assert sent["messages"][0]["content"] == "a\ufffdb 🥖 🥖 \ufffd"


def test_a_failure_of_the_listener_is_its_own(api: Api) -> None:
    """An exception in `tell` is not the provider's failure, and propagates unchanged."""

    def refuse(text: str) -> None:
        raise LookupError(text[:0])

    api.then("stall")

    with pytest.raises(LookupError):
        asyncio.run(writing(tell=refuse))

    assert api.requests[0].gone.wait(PATIENCE)


def test_the_editors_models_are_left_to_the_editor(api: Api) -> None:
    """G6: requested models keep their order, without the editor's and blank names; without one no call is made."""
    with pytest.raises(Failure) as failure:
        choices("editor:gpt")
    assert failure.value.kind == "noModel"
    assert api.lookups == []

    assert choices("editor:gpt", MODEL, " ", "x") == (Choice(MODEL, api.window), Choice("x", api.window))


def test_the_chat_is_not_logged(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the chat nor the key gets into a log, whatever its level."""
    caplog.set_level("DEBUG")

    asyncio.run(writing())

    assert api.requests
    assert "loaves" not in caplog.text
    assert KEY not in caplog.text


def test_the_sdk_is_not_loaded_before_it_is_needed() -> None:
    """Importing the provider imports neither the SDK nor what it needs."""
    program = "import sys, compact_chat.models.anthropic; print({'anthropic', 'httpx2'} & set(sys.modules))"

    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "set()"


def test_what_is_loaded_for_good_is_no_work_for_the_collector() -> None:
    """The SDK's hundred thousand objects are excluded from garbage collection."""
    gc.unfreeze()

    load.__wrapped__()

    assert gc.get_freeze_count() > 100_000


@pytest.mark.parametrize("phase", PHASES)
def test_a_cancellation_closes_the_connection(api: Api, monkeypatch: pytest.MonkeyPatch, phase: str) -> None:
    """L4: cancelled in any phase, a call propagates the cancellation and hangs up; the next one works."""
    api.then(PHASES[phase])
    if phase == "connect":
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url.replace("http:", "https:"))

    async def run() -> None:
        task = asyncio.create_task(writing())
        seen = await asyncio.to_thread(api.waiting.get, True, PATIENCE)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert await asyncio.to_thread(seen.gone.wait, PATIENCE)

    asyncio.run(run())

    api.then("ok")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
    assert asyncio.run(writing()).text == api.text


@pytest.mark.usefixtures("api")
def test_a_cancellation_does_not_wait_for_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call cancelled while the SDK is loading ends before that is done."""
    loading, done = threading.Event(), threading.Event()

    def slow() -> None:
        loading.set()
        done.wait()

    monkeypatch.setattr(anthropic, "load", slow)

    async def run() -> None:
        task = asyncio.create_task(writing())
        await asyncio.to_thread(loading.wait)
        task.cancel()
        await asyncio.wait({task})
        done.set()
        assert task.cancelled()

    asyncio.run(run())


@pytest.mark.usefixtures("api")
def test_a_cancellation_reaches_the_client_that_looks_for_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call cancelled while the client is asked for the key notifies the client."""
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    host = FakeHost(secret=SILENCE)

    async def run() -> None:
        task = asyncio.create_task(writing(access(host)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    asyncio.run(run())

    assert host.cancelled == ["compactChat/secret"]


# The limits of a model: looked up once, and respected before anything is sent.


@pytest.fixture
def small(api: Api) -> Api:
    """The fake with small models."""
    api.window, api.output = 3000, 1000
    return api


def learned_and_written(text: str, wished: int = 500) -> str:
    """Look up the limits, as a summary does first, and have a text answered; return the outcome."""
    choices(MODEL)
    try:
        asyncio.run(writing(max_output_tokens=wished, request=MaskedRequest("", text)))
    except Failure as failure:
        return failure.kind
    return "answer"


def test_a_models_window_is_learned_once(small: Api) -> None:
    """The API is asked once for each model, even by several callers."""
    assert choices(MODEL, "claude-x", MODEL) == (Choice(MODEL, 3000), Choice("claude-x", 3000), Choice(MODEL, 3000))
    assert choices(MODEL) == (Choice(MODEL, 3000),)
    assert sorted(seen.path for seen in small.lookups) == [LOOKED_UP, "/v1/models/claude-x"]


@pytest.mark.parametrize("behaviour", ["page", "500", "close", "hang"])
def test_a_window_that_cannot_be_learned(small: Api, monkeypatch: pytest.MonkeyPatch, behaviour: str) -> None:
    """That is no failure: the window is unknown, and looked up again the next time."""
    monkeypatch.setattr(anthropic, "LOOK_SECONDS", 0.2)
    small.then_looked_up(behaviour)
    assert choices(MODEL) == (Choice(MODEL, None),)

    small.then_looked_up(None)
    assert choices(MODEL) == (Choice(MODEL, 3000),)


@pytest.mark.parametrize(
    ("size", "ending", "lookups"),
    [
        (1000, "answer", [LOOKED_UP]),
        (8000, "answer", [LOOKED_UP, COUNTED]),
        (11_000, "tooLong", [LOOKED_UP, COUNTED]),
        (20_000, "tooLong", [LOOKED_UP]),
    ],
)
def test_a_request_is_counted_near_the_limit(
    small: Api, monkeypatch: pytest.MonkeyPatch, size: int, ending: str, lookups: list[str]
) -> None:
    """L4: what may be too long is counted by the API, within its size limit; what is too long is not sent."""
    monkeypatch.setattr(anthropic, "MOST_BYTES", 20_000)

    assert learned_and_written("a" * size) == ending
    assert [seen.path for seen in small.lookups] == lookups
    assert len(small.requests) == (ending == "answer")


@pytest.mark.parametrize(
    ("counted", "size", "refusal", "kind"),
    [
        ("500", 6000, "400_malformed", "tooLong"),
        (None, 9700, "400_malformed", "tooLong"),
        (None, 9700, "400_tool_pairs", "badRequest"),
        (None, 9000, "400_malformed", "badRequest"),
    ],
)
def test_malformed_near_the_limit_means_too_long(
    small: Api, counted: str | None, size: int, refusal: str, kind: str
) -> None:
    """L4: gateways word it differently, so a refusal near the limit, or uncounted, is one unless it names a member."""
    small.then(refusal)
    choices(MODEL)
    small.then_looked_up(counted)

    assert learned_and_written("a" * size) == kind


@pytest.mark.parametrize(("wished", "asked"), [(500, 500), (8192, 1000), (0, 1), (2**53 - 1, 1000)])
def test_the_reply_is_clipped_to_what_the_model_gives(small: Api, wished: int, asked: int) -> None:
    """The maximum reply is the requested length, within the limit that the API reports for the model."""
    learned_and_written("a", wished)

    assert small.requests[-1].json["max_tokens"] == asked


@pytest.mark.parametrize(("model", "asked"), [("claude-haiku-4-5", 64_000), ("bakery-1", 90_000)])
def test_without_limits_of_the_api_the_table_counts(api: Api, model: str, asked: int) -> None:
    """Models in our table are limited by it, unknown ones by the request alone."""
    api.output = 100_000

    assert body(api, model=model, max_output_tokens=90_000)["max_tokens"] == asked
