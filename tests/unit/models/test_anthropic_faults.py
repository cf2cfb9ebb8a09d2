"""Every behaviour of the fake Messages API ends as an answer or in the right failure, in time."""

from __future__ import annotations

import asyncio
import queue
import socket
import time
from collections.abc import Iterator

import pytest

from compact_chat.models import Access, Failure
from compact_chat.models.anthropic import choices
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_behaviours import BEHAVIOURS
from tests.servers.messages_api_calls import KEY, MODEL, PATIENCE, access, environment, writing
from tests.servers.messages_api_refusals import SAID

IDLE, TOTAL = 0.15, 0.4
SOON = 2.0  # seconds beyond the deadline on a machine that others use too
EXPECTED = {
    "answer": "ok ok_stop_sequence ok_two_blocks ok_thinking_first ok_unknown_event ok_unknown_delta ok_no_block_stop "
    "ok_no_message_stop ok_then_hang ok_then_cut ok_then_reset other_type",
    "auth": "401 403 403_page 407",
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
    return served


def patience(name: str) -> Access:
    """Wait long for what should come at once, and not for what never comes."""
    return access(idle=IDLE, total=TOTAL) if KINDS[name] == "timeout" else access()


def failure(given: Access) -> Failure:
    """Have a request fail."""
    with pytest.raises(Failure) as found:
        asyncio.run(writing(given))
    return found.value


def outcome(given: Access) -> str:
    """Tell how a request ends."""
    try:
        asyncio.run(writing(given))
    except Failure as found:
        return found.kind
    return "answer"


def test_every_behaviour_has_its_end() -> None:
    """There are more than 50 behaviours, and for each it is written how it has to end."""
    assert KINDS.keys() == BEHAVIOURS.keys()
    assert len(KINDS) > 50


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_each_behaviour_ends_rightly_and_in_time(api: Api, name: str) -> None:
    """L4, L10: whatever SDK, network and proxy do is classified within the deadlines; nothing cut off is an answer."""
    asyncio.run(choices([MODEL], access()))  # no deadline pays for loading the SDK
    api.then(name)
    began = time.perf_counter()

    assert outcome(patience(name)) == KINDS[name]
    assert time.perf_counter() - began < TOTAL + SOON


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind != "answer"])
def test_failures_speak_to_a_person(api: Api, name: str) -> None:
    """A failure is one sentence, and repeats neither the key nor what the provider said."""
    api.then(name)
    found = failure(patience(name))

    assert found.sentence.endswith(".")
    assert not any(word in str(found) for word in (KEY, SAID, "loaves", "stock", "<html", "{"))
    assert found.__suppress_context__ or found.__context__ is None


@pytest.mark.parametrize(
    ("name", "seconds"), [("429", 1.0), ("429_hour", 3600.0), ("503_page", 2.0), ("429_nonsense", None), ("529", None)]
)
def test_retry_after_is_read_and_not_waited_for(api: Api, name: str, seconds: float | None) -> None:
    """L10: the failure tells how long the provider asks to wait."""
    api.then(name)

    assert failure(access()).retry_after == seconds


def test_retry_after_may_be_a_date(api: Api) -> None:
    """L10: a date far away is read as such."""
    api.then("429_date")

    assert (failure(access()).retry_after or 0) > 1e9


def test_silence_and_the_whole_call_have_deadlines_of_their_own(api: Api) -> None:
    """L10: text without an end keeps the watchdog quiet, and ends at the deadline of the whole call."""
    api.then("endless")
    assert "not done" in failure(access(total=TOTAL)).sentence

    api.then("pings")
    assert "silent" in failure(access(idle=IDLE)).sentence


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """L4: a refused connection is one that was lost."""
    environment(monkeypatch)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{unused.getsockname()[1]}")
        assert failure(access()).kind == "network"


def test_a_connection_that_nobody_accepts(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """L10: the wait for a connection ends as silence does, here for the answer to a handshake, and leaves none open."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url.replace("http:", "https:"))
    api.waiting = queue.SimpleQueue()

    assert failure(access(idle=IDLE)).kind == "timeout"
    assert api.waiting.get(timeout=PATIENCE).gone.wait(PATIENCE)


@pytest.mark.parametrize("address", ["nonsense", "ftp://127.0.0.1", "http://127.0.0.1:port"])
def test_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """L4: an address that cannot be used is the environment's fault, which no other model mends."""
    environment(monkeypatch)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)

    assert failure(access()).kind == "badRequest"


def test_a_redirect_is_not_followed(api: Api) -> None:
    """A chat goes to no other place than the one that the user chose."""
    api.then("redirect")
    before = len(api.lookups)

    assert failure(access()).kind == "protocol"
    assert len(api.lookups) == before


@pytest.mark.usefixtures("api")
def test_headers_that_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """L4: a header of the user's in other letters than HTTP has is his to mend, and is said to be."""
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "bäckerei: mara")

    found = failure(access())

    assert (found.kind, "headers" in found.sentence) == ("badRequest", True)
