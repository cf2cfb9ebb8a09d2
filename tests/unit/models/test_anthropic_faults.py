"""Every behaviour of the fake Messages API ends as an answer or in the right failure."""

from __future__ import annotations

import asyncio
import queue
import socket
from collections.abc import Iterator

import pytest

from compact_chat.models import Access, Failure
from compact_chat.models.anthropic import choices
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_behaviours import BEHAVIOURS, SAID
from tests.servers.messages_api_calls import KEY, MODEL, PATIENCE, access, environment, writing

IDLE, TOTAL = 0.15, 0.4
EXPECTED = {
    "answer": "ok ok_stop_sequence ok_two_blocks ok_thinking_first ok_unknown_event ok_unknown_delta ok_no_block_stop "
    "ok_no_message_stop ok_then_hang ok_then_cut ok_then_reset other_type",
    "auth": "401 403 403_page",
    "proxy": "407",
    "quota": "402 400_credit 429_spend 429_contract",
    "rateLimit": "429 429_hour 429_date 429_nonsense 429_ramp error_rate_limit",
    "overloaded": "529 529_page error_first error_overloaded",
    "server": "409 500 502_page 503_page 504 error_api error_timeout error_unknown error_text",
    "network": "cut_error close reset not_http bad_chunk cut cut_in_event cut_by_reset",
    "timeout": "408 hang half_headers half_error stall stall_at_headers stall_before_stop pings comments "
    "unknown_events endless",
    "protocol": "page page_as_stream not_packed empty_body other_json broken_json message_json redirect not_modified "
    "garbage garbage_ascii empty_stream no_message_start two_message_starts delta_of_no_block null_delta "
    "number_as_text text_as_stop block_twice list_event bad_json bad_utf8",
    "tooLong": "400_too_long 400_length_and_output 400_gateway_length 413 413_page",
    "badRequest": "400_malformed 400_tool_pairs 400_extra_input 405 422 431",
    "modelNotFound": "404 404_page",
    "truncated": "cut_cleanly cut_before_stop no_stop_reason message_stop_alone max_tokens window_exceeded pause_turn "
    "brand_new_stop",
    "refusal": "refusal refusal_first",
    "empty": "tool_use no_blocks blank only_thinking",
}
KINDS = {name: kind for kind, names in EXPECTED.items() for name in names.split()}


@pytest.fixture(scope="module")
def served() -> Iterator[Api]:
    """One fake for all behaviours."""
    with serving() as api:
        yield api


@pytest.fixture
def api(served: Api, monkeypatch: pytest.MonkeyPatch) -> Api:
    """The fake, named by the environment."""
    environment(monkeypatch, served)
    served.requests.clear()
    return served


def failure(given: Access) -> Failure:
    """Have a request fail."""
    with pytest.raises(Failure) as found:
        asyncio.run(writing(given))
    return found.value


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_each_behaviour_has_its_end(api: Api, name: str) -> None:
    """L4, L10: whatever SDK, network and proxy do is classified within the deadlines; nothing cut off is an answer.

    A failure is one sentence for a person, repeats neither the key nor what the provider said, and is not tried again.
    """
    asyncio.run(choices([MODEL], access()))  # no deadline pays for loading the SDK
    api.then(name)
    if KINDS[name] == "answer":
        assert asyncio.run(writing()).text
        return
    found = failure(access(idle=IDLE, total=TOTAL) if KINDS[name] == "timeout" else access())

    assert found.kind == KINDS[name]
    assert found.sentence.endswith(".")
    assert not any(word in str(found) for word in (KEY, SAID, "loaves", "stock", "<html", "{"))
    assert found.__suppress_context__ or found.__context__ is None
    assert len(api.requests) == 1


@pytest.mark.parametrize(
    ("name", "seconds"), [("429", 1.0), ("429_hour", 3600.0), ("503_page", 2.0), ("429_nonsense", None), ("529", None)]
)
def test_retry_after_is_read_and_not_waited_for(api: Api, name: str, seconds: float | None) -> None:
    """L10: the failure says how long the provider asks to wait, in seconds or by a date."""
    api.then(name)
    assert failure(access()).retry_after == seconds

    api.then("429_date")
    assert (failure(access()).retry_after or 0) > 1e9


def test_silence_and_the_whole_call_have_deadlines_of_their_own(api: Api) -> None:
    """L10: text without an end keeps the watchdog quiet, and ends at the deadline of the whole call."""
    api.then("endless")
    assert "not done" in failure(access(idle=IDLE, total=TOTAL)).sentence

    api.then("pings")
    assert "silent" in failure(access(idle=IDLE)).sentence


def test_a_refused_connection_is_lost(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """L4: nobody listens at the address."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{unused.getsockname()[1]}")
        assert failure(access()).kind == "network"
    assert api.requests == []


def test_a_connection_that_nobody_accepts(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """L10: the wait for a connection ends as silence does, here for the answer to a handshake, and leaves none open."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url.replace("http:", "https:"))
    api.waiting = queue.SimpleQueue()

    assert failure(access(idle=IDLE)).kind == "timeout"
    assert api.waiting.get(timeout=PATIENCE).gone.wait(PATIENCE)


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ANTHROPIC_BASE_URL", "nonsense"),
        ("ANTHROPIC_BASE_URL", "ftp://127.0.0.1"),
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:port"),
        ("ANTHROPIC_CUSTOM_HEADERS", "bäckerei: mara"),
    ],
)
def test_an_unusable_address_or_header(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """L4: it is the environment's fault, which no other model mends."""
    monkeypatch.setenv(name, value)

    found = failure(access())

    assert (found.kind, "headers" in found.sentence) == ("badRequest", True)


def test_a_redirect_is_not_followed(api: Api) -> None:
    """A chat goes to no other place than the one that the user chose."""
    api.then("redirect")
    before = len(api.lookups)

    assert failure(access()).kind == "protocol"
    assert len(api.lookups) == before
