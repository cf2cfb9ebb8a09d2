"""The real limits of Anthropic's models: learnt once, and kept to before anything is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from compact_chat.models import Choice, Failure, anthropic
from compact_chat.models import anthropic as anthropic_limits
from compact_chat.styles import Request
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_calls import MODEL, access, environment, writing
from tests.servers.messages_api_wire import Exchange

COUNTED = "/v1/messages/count_tokens"


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """The fake with small models, named by the environment."""
    with serving(window=3000, output=1000) as served:
        environment(monkeypatch, served)
        yield served


def choices(*models: str) -> tuple[Choice, ...]:
    """Give the choices among these models."""
    return asyncio.run(anthropic.choices(models, access()))


def learnt_and_written(text: str, wished: int = 500) -> None:
    """Learn the limits, as a summary does first, and have a text answered."""
    choices(MODEL)
    asyncio.run(writing(max_output_tokens=wished, request=Request("", text)))


def failed(text: str) -> str:
    """Tell how a text fails after the limits were learnt."""
    with pytest.raises(Failure) as failure:
        learnt_and_written(text)
    return failure.value.kind


def test_a_models_window_is_learnt_once(api: Api) -> None:
    """The API is asked for each model once, whoever asks again."""
    assert choices(MODEL, "claude-x", MODEL) == (Choice(MODEL, 3000), Choice("claude-x", 3000), Choice(MODEL, 3000))
    assert choices(MODEL) == (Choice(MODEL, 3000),)
    assert sorted(seen.path for seen in api.lookups) == [f"/v1/models/{MODEL}", "/v1/models/claude-x"]


@pytest.mark.parametrize("behaviour", ["page", "500", "close", "hang"])
def test_a_window_that_cannot_be_learnt(api: Api, monkeypatch: pytest.MonkeyPatch, behaviour: str) -> None:
    """No failure: the window is unknown, and asked for again the next time."""
    monkeypatch.setattr(anthropic_limits, "LOOK_SECONDS", 0.2)
    api.then_looked_up(behaviour)
    assert choices(MODEL) == (Choice(MODEL, None),)

    api.then_looked_up(None)
    assert choices(MODEL) == (Choice(MODEL, 3000),)


def test_a_short_request_is_sent_uncounted(api: Api) -> None:
    """What fits by far is sent at once."""
    learnt_and_written("a" * 1000)

    assert [seen.path for seen in api.lookups] == [f"/v1/models/{MODEL}"]


def test_a_request_that_may_be_too_long_is_counted(api: Api) -> None:
    """Near the limit the API counts first; what fits is sent."""
    learnt_and_written("a" * 8000)

    assert api.lookups[-1].path == COUNTED
    assert len(api.requests) == 1


def test_a_request_that_is_too_long_is_not_sent(api: Api) -> None:
    """L4: what leaves no room for the reply fails as too long, before it is sent."""
    assert failed("a" * 11_000) == "tooLong"
    assert api.requests == []


def test_a_request_without_end_is_neither_counted_nor_sent(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """L4: no body over the API's own bound is sent, not even to be counted."""
    monkeypatch.setattr(anthropic_limits, "MOST_BYTES", 20_000)

    assert failed("ä" * 10_000) == "tooLong"
    assert [seen.path for seen in api.lookups] == [f"/v1/models/{MODEL}"]


@pytest.mark.parametrize(("behaviour", "size"), [("500", 6000), (None, 9700)])
def test_malformed_near_the_limit_means_too_long(api: Api, behaviour: str | None, size: int) -> None:
    """L4: gateways word it in their own ways, so a refusal near the limit, or uncounted, is taken for that."""
    api.then("400_malformed")
    choices(MODEL)
    api.then_looked_up(behaviour)

    assert failed("a" * size) == "tooLong"


def test_malformed_far_from_the_limit_means_malformed(api: Api) -> None:
    """L4: elsewhere it is what it says."""
    api.then("400_malformed")

    assert failed("a" * 6000) == "badRequest"


@pytest.mark.parametrize(("wished", "asked"), [(500, 500), (8192, 1000), (0, 1), (2**53 - 1, 1000)])
def test_the_reply_is_clipped_to_what_the_model_gives(api: Api, wished: int, asked: int) -> None:
    """The longest reply is what is wished for, within what the API told of the model."""
    learnt_and_written("a", wished)

    assert api.requests[-1].json["max_tokens"] == asked


@pytest.mark.parametrize(("model", "asked"), [("claude-haiku-4-5", 64_000), ("bakery-1", 90_000)])
def test_what_nobody_told_is_taken_from_the_table(monkeypatch: pytest.MonkeyPatch, model: str, asked: int) -> None:
    """Where the API told nothing, our table's models are clipped, and unknown ones asked as is wished."""

    async def take(to: Exchange) -> None:
        await to.json(529, {})

    with serving(take, output=100_000) as api:
        environment(monkeypatch, api)
        with pytest.raises(Failure):
            asyncio.run(writing(model=model, max_output_tokens=90_000))

        assert api.requests[0].json["max_tokens"] == asked
