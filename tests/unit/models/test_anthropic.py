"""What the Anthropic provider asks, and what it takes for an answer."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from compact_chat.models import Choice, Failure, anthropic
from compact_chat.models.anthropic import load
from compact_chat.styles import Request
from compact_chat.wire import TokensSpent
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_behaviours import Behaviour, saying
from tests.servers.messages_api_calls import KEY, MODEL, PATIENCE, REQUEST, access, environment, writing
from tests.servers.messages_api_wire import Exchange


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """The fake, named by the environment."""
    with serving() as served:
        environment(monkeypatch, served)
        yield served
        assert served.problems == []


def body(api: Api, **wishes: Any) -> Any:
    """Have a request answered, and give what was sent."""
    asyncio.run(writing(**wishes))
    return api.requests[-1].json


def test_an_answer_tells_text_model_stop_and_usage(api: Api) -> None:
    """A whole reply comes with its model, its stop reason and what it cost."""
    api.then(saying("A talk about bread."))

    answer = asyncio.run(writing())

    assert (answer.text, answer.model, answer.stop_reason) == ("A talk about bread.", MODEL, "end_turn")
    assert answer.usage is not None
    assert answer.usage.input_tokens > 0
    assert answer.usage == TokensSpent(answer.usage.input_tokens, 42)


@pytest.mark.parametrize("name", ["ok_two_blocks", "ok_thinking_first"])
def test_blocks_of_text_are_joined(api: Api, name: str) -> None:
    """L3: text blocks are joined by a line feed, others are ignored, and what is told is what is given."""
    api.then(name)
    told: list[str] = []

    answer = asyncio.run(writing(tell=told.append))

    assert answer.text == "".join(told) == {"ok_two_blocks": "first\nsecond", "ok_thinking_first": "second"}[name]


def test_the_body_is_one_user_message(api: Api) -> None:
    """L2: one user message, no system text where the style has none, no tools, no thinking, no sampling."""
    assert body(api) == {
        "model": MODEL,
        "max_tokens": 500,
        "stream": True,
        "messages": [{"role": "user", "content": REQUEST.message}],
    }


def test_a_styles_system_text_is_the_only_one(api: Api) -> None:
    """L2: the style's own system text goes as such, and a blank one not at all (rule G6)."""
    assert body(api, request=Request("m", "t", "Be brief."))["system"] == "Be brief."
    assert "system" not in body(api, request=Request("m", "t", " \n"))


def test_material_that_is_sent_again_may_be_kept(api: Api) -> None:
    """T8: the part that several requests share is a block of its own with a breakpoint, and the words stay the same."""
    material, text = body(api, cache=True)["messages"][0]["content"]

    assert material == {"type": "text", "text": REQUEST.material, "cache_control": {"type": "ephemeral"}}
    assert material["text"] + text["text"] == REQUEST.message


def test_a_message_in_one_part_is_not_split_for_the_cache(api: Api) -> None:
    """V3: where a request has no material, no empty block is sent for it."""
    assert body(api, cache=True, request=Request("", "All in one."))["messages"][0]["content"] == "All in one."


def test_halves_of_surrogate_pairs_are_replaced(api: Api) -> None:
    """G2: a chat with half a pair is sent all the same, and whole pairs survive, also where they were parted."""
    sent = body(api, request=Request("", "a\ud800b 🥖 \ud83e\udd56 \udfff"))

    assert sent["messages"][0]["content"] == "a\ufffdb 🥖 🥖 \ufffd"


def test_nothing_is_tried_again_by_the_sdk(api: Api) -> None:
    """L10: the SDK's own retries are off."""
    api.then("529")

    with pytest.raises(Failure):
        asyncio.run(writing())

    assert len(api.requests) == 1


def test_text_is_told_before_the_next_is_sent(api: Api) -> None:
    """Streamed text is passed on as it comes: the fake goes on only when what it sent last has been told."""
    told = threading.Event()

    def one_by_one(behaviour: Behaviour) -> Behaviour:
        async def run(to: Exchange) -> None:
            send = to.tell

            async def tell(text: str, index: int = 0) -> None:
                told.clear()
                await send(text, index)
                assert await asyncio.to_thread(told.wait, PATIENCE)

            to.tell = tell  # type: ignore[method-assign]  # the one place where the fake waits for the test
            await behaviour(to)

        return run

    api.then(one_by_one(saying("A talk about bread, long enough for more than a single piece.")))

    assert asyncio.run(writing(tell=lambda _: told.set())).text.endswith("piece.")


def test_a_failure_of_the_listener_is_its_own(api: Api) -> None:
    """What `tell` raises is no fault of the provider's, and comes through as it is."""

    def refuse(text: str) -> None:
        raise LookupError(text[:0])

    api.then("stall")

    with pytest.raises(LookupError):
        asyncio.run(writing(tell=refuse))

    assert api.requests[0].gone.wait(PATIENCE)


def test_the_editors_models_are_left_to_the_editor(api: Api) -> None:
    """The wished models stay in their order, but for the editor's and blank names (rule G6)."""
    wished = ["editor:gpt", MODEL, " ", "claude-sonnet-5-5"]

    chosen = asyncio.run(anthropic.choices(wished, access()))

    assert chosen == (Choice(MODEL, api.window), Choice("claude-sonnet-5-5", api.window))


def test_without_a_model_there_is_no_choice(api: Api) -> None:
    """Where all wished models are the editor's, nothing is asked."""
    with pytest.raises(Failure) as failure:
        asyncio.run(anthropic.choices(["editor:gpt"], access()))

    assert failure.value.kind == "noModel"
    assert api.requests == api.lookups == []


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


@pytest.mark.parametrize("is_on", [True, False])
def test_what_is_loaded_for_good_is_no_work_for_the_collector(monkeypatch: pytest.MonkeyPatch, is_on: bool) -> None:
    """The SDK's hundred thousand objects are not gone through again and again, and the collector stays as it was."""
    switched: list[str] = []
    for name in ("disable", "freeze", "enable"):
        monkeypatch.setattr(gc, name, lambda name=name: switched.append(name))
    monkeypatch.setattr(gc, "isenabled", lambda: is_on)

    load.__wrapped__()

    assert switched == ["disable", "freeze", *(["enable"] if is_on else [])]
