"""Where the key for Anthropic comes from, and how gateways and proxies are reached."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from compact_chat.errors import HostRefused
from compact_chat.models import Failure, anthropic
from compact_chat.models.anthropic import Credential
from tests.servers.host import SILENCE, FakeHost
from tests.servers.messages_api import Api
from tests.servers.messages_api_calls import KEY, MODEL, access, writing

SECRET = ("compactChat/secret", {"name": "anthropicApiKey"})


@pytest.fixture(autouse=True)
def _no_key(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the environment with the address alone."""
    assert api.url
    monkeypatch.delenv("ANTHROPIC_API_KEY")


@pytest.mark.parametrize(
    ("variables", "sent"),
    [
        ({"ANTHROPIC_API_KEY": f" {KEY}\n"}, (f"Bearer {KEY}", None)),
        ({"ANTHROPIC_AUTH_TOKEN": f" {KEY}\n"}, (f"Bearer {KEY}", None)),
        ({"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": "token"}, (f"Bearer {KEY}", None)),
        ({"ANTHROPIC_API_KEY": " ", "ANTHROPIC_AUTH_TOKEN": "token"}, ("Bearer token", None)),
        (
            {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_CUSTOM_HEADERS": "x-team: bakery\nx-api-key: gateway"},
            (f"Bearer {KEY}", "gateway"),
        ),
        ({"ANTHROPIC_CUSTOM_HEADERS": "X-Api-Key: gateway"}, (None, "gateway")),
        ({"ANTHROPIC_CUSTOM_HEADERS": "Authorization: Basic x"}, ("Basic x", None)),
    ],
)
def test_a_key_of_the_environment(
    api: Api, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], sent: tuple[str | None, str | None]
) -> None:
    """G6: the key comes before the token, a blank one is absent, a gateway's header is enough; no client is asked."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    host = FakeHost(secret={"value": "another"})

    asyncio.run(writing(access(host)))

    headers = api.requests[-1].headers
    assert (headers.get("authorization"), headers.get("x-api-key")) == sent
    assert headers.get("x-team") == ("bakery" if "bakery" in str(variables) else None)
    assert host.asked == []


def test_the_client_is_asked_once_for_a_summary(api: Api) -> None:
    """Contract: the key is asked when a call needs it, once for all parts of a summary, and again for the next."""
    host = FakeHost(secret={"value": f" {KEY}\n"})

    async def two_summaries() -> None:
        for given in (access(host), access(host)):
            await anthropic.choices([MODEL], given)
            await writing(given)
            await writing(given)

    asyncio.run(two_summaries())

    assert host.asked == [SECRET, SECRET]
    assert {seen.headers["authorization"] for seen in api.requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "answer",
    [
        *(None, {}, {"value": None}, {"value": " "}, {"value": 7}, [], HostRefused(-32803, {}), SILENCE),
        *({"value": "sk-ant-ä"}, {"value": "sk-ant\nx-evil: 1"}, {"value": "sk\x00"}),
    ],
)
def test_a_client_without_a_usable_key(api: Api, answer: Any) -> None:
    """Without a key that a header takes nothing is sent; the sentence says what to do, without repeating the key."""
    with pytest.raises(Failure, match=r"ANTHROPIC_API_KEY|copy it again") as failure:
        asyncio.run(anthropic.choices([MODEL], access(FakeHost(secret=answer), total=0.05)))

    assert failure.value.kind == "auth"
    assert "sk" not in str(failure.value)
    assert api.requests == api.lookups == []


@pytest.mark.parametrize("host", [None, FakeHost()])
def test_a_client_that_declared_no_secrets_is_not_asked(host: FakeHost | None) -> None:
    """L9: nor is there a client in a shell."""
    if host is not None:
        host.secrets = False

    with pytest.raises(Failure) as failure:
        asyncio.run(anthropic.choices([MODEL], access(host)))

    assert failure.value.kind == "auth"
    assert host is None or host.asked == []


def test_a_credential_does_not_show_itself() -> None:
    """What prints a credential does not print a key."""
    assert KEY not in f"{Credential(key=KEY)!r} {Credential(token=KEY)}"


@pytest.mark.parametrize(
    ("address", "proxy", "target"),
    [
        ("http://messages.invalid", "", "http://messages.invalid/v1/messages"),
        ("", "http://127.0.0.1:9", "/v1/messages"),
    ],
)
def test_a_proxy_is_used(api: Api, monkeypatch: pytest.MonkeyPatch, address: str, proxy: str, target: str) -> None:
    """HTTP_PROXY is asked for the whole URL; the hosts of NO_PROXY are reached directly."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address or api.url)
    monkeypatch.setenv("HTTP_PROXY", proxy or api.url)
    monkeypatch.setenv("NO_PROXY", "" if address else "127.0.0.1")

    asyncio.run(writing())

    assert api.requests[0].target == target


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
