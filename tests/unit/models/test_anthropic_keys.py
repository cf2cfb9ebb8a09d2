"""Where the key for Anthropic comes from, and how gateways and proxies are reached."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from compact_chat.errors import HostRefused
from compact_chat.models import Access, Failure, anthropic
from compact_chat.models.anthropic import Credential
from tests.servers.host import SILENCE, FakeHost
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_calls import KEY, MODEL, access, environment, writing

SECRET = ("compactChat/secret", {"name": "anthropicApiKey"})


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """The fake, named by an environment without a key."""
    with serving() as served:
        environment(monkeypatch, served, key=None)
        yield served


def sent(api: Api, given: Access | None = None) -> tuple[str | None, str | None]:
    """Tell what was sent as authorization and as key."""
    asyncio.run(writing(given))
    headers = api.requests[-1].headers
    return headers.get("authorization"), headers.get("x-api-key")


async def summary(given: Access) -> None:
    """Do what one summary does: look for models, and ask twice."""
    await anthropic.choices([MODEL], given)
    await writing(given)
    await writing(given)


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_key_of_the_environment(api: Api, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Key and token are taken as they are, but for the space around them."""
    monkeypatch.setenv(name, f" {KEY}\n")

    assert sent(api) == (f"Bearer {KEY}", None)


def test_the_key_comes_before_the_token(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both are there, the key is used; a blank one counts as absent (rule G6)."""
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token")
    monkeypatch.setenv("ANTHROPIC_API_KEY", " ")
    assert sent(api) == ("Bearer token", None)

    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert sent(api) == (f"Bearer {KEY}", None)


def test_a_client_is_not_asked_where_the_environment_has_a_key(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's key comes first."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    host = FakeHost(secret={"value": "another"})

    assert sent(api, access(host)) == (f"Bearer {KEY}", None)
    assert host.asked == []


def test_the_client_is_asked_once_for_a_summary(api: Api) -> None:
    """Contract: the key is asked when a call needs it, once for all parts of a summary, and again for the next."""
    host = FakeHost(secret={"value": KEY})

    async def two_summaries() -> None:
        await summary(access(host))
        await summary(access(host))

    asyncio.run(two_summaries())

    assert host.asked == [SECRET, SECRET]
    assert {seen.headers["authorization"] for seen in api.requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "answer", [None, {}, {"value": None}, {"value": " "}, {"value": 7}, [], HostRefused(-32803, {})]
)
def test_a_client_without_a_key(api: Api, answer: Any) -> None:
    """Without a key nothing is sent, and the sentence says what to do."""
    with pytest.raises(Failure, match="ANTHROPIC_API_KEY") as failure:
        asyncio.run(anthropic.choices([MODEL], access(FakeHost(secret=answer))))

    assert failure.value.kind == "auth"
    assert api.requests == api.lookups == []


def test_a_client_that_does_not_answer(api: Api) -> None:
    """A client that keeps silent about the key is waited for no longer than for a whole call."""
    with pytest.raises(Failure) as failure:
        asyncio.run(writing(access(FakeHost(secret=SILENCE), total=0.05)))

    assert failure.value.kind == "auth"
    assert api.requests == []


@pytest.mark.parametrize("host", [None, FakeHost()])
def test_nobody_to_ask(monkeypatch: pytest.MonkeyPatch, host: FakeHost | None) -> None:
    """L9: a client that declared no secrets is not asked, nor is there one in a shell."""
    environment(monkeypatch, key=None)
    if host is not None:
        host.secrets = False

    with pytest.raises(Failure) as failure:
        asyncio.run(anthropic.choices([MODEL], access(host)))

    assert failure.value.kind == "auth"
    assert host is None or host.asked == []


@pytest.mark.parametrize("key", ["sk-ant-ä", "sk-ant\nx-evil: 1", "sk\x00"])
def test_a_key_that_is_none(api: Api, key: str) -> None:
    """A key with characters that no header takes is refused before anything is sent, without being repeated."""
    with pytest.raises(Failure) as failure:
        asyncio.run(writing(access(FakeHost(secret={"value": key}))))

    assert failure.value.kind == "auth"
    assert key not in str(failure.value)
    assert api.requests == []


def test_a_credential_does_not_show_itself() -> None:
    """What prints a credential does not print a key."""
    assert KEY not in f"{Credential(key=KEY)!r} {Credential(token=KEY)}"


def test_a_gateway_wants_a_header_beside_the_key(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's own headers go with each call."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: bakery\nx-api-key: gateway")

    assert sent(api) == (f"Bearer {KEY}", "gateway")
    assert api.requests[0].headers["x-team"] == "bakery"


@pytest.mark.parametrize(
    ("header", "expected"),
    [("X-Api-Key: gateway", (None, "gateway")), ("Authorization: Basic x", ("Basic x", None))],
)
def test_a_gateways_header_is_enough(
    api: Api, monkeypatch: pytest.MonkeyPatch, header: str, expected: tuple[str | None, str | None]
) -> None:
    """A header of the user's that proves who asks takes the place of a key, and nothing is sent beside it."""
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", header)

    assert sent(api) == expected


def test_a_proxy_is_used(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTP_PROXY: the proxy is asked for the whole URL."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://messages.invalid")
    monkeypatch.setenv("HTTP_PROXY", api.url)

    asyncio.run(writing())

    assert api.requests[0].target == "http://messages.invalid/v1/messages"


def test_some_hosts_are_reached_without_the_proxy(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_PROXY: the hosts named there are asked directly."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    asyncio.run(writing())

    assert api.requests[0].target == "/v1/messages"


@pytest.mark.parametrize(("proxy", "kind"), [(None, "network"), ("nonsense://x", "badRequest")])
def test_a_proxy_that_does_not_connect(api: Api, monkeypatch: pytest.MonkeyPatch, proxy: str | None, kind: str) -> None:
    """L4: a proxy that refuses is a lost connection, one that cannot be is the environment's fault."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://messages.invalid")
    monkeypatch.setenv("HTTPS_PROXY", proxy or api.url)

    with pytest.raises(Failure) as failure:
        asyncio.run(writing())

    assert failure.value.kind == kind
    assert "HTTPS_PROXY" in failure.value.sentence or kind == "badRequest"
