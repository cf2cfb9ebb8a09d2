"""The preview foretells the request that a model would get, from what is known without asking anybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compact_chat.operations import ClientState
from tests.servers.host import FakeHost
from tests.servers.messages_api import serving

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for Anthropic is in the environment, and nobody answers there."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")


def test_without_a_model_there_is_no_request(ask: Ask, messages: Messages) -> None:
    """Who has no key and no editor gets the offline summary, for which nobody is asked."""
    assert ask("preview", chat={"messages": messages})["request"] is None


@pytest.mark.usefixtures("key")
def test_the_first_model_of_the_ladder_is_named(ask: Ask, messages: Messages) -> None:
    """L9: with a key it is Anthropic's, the model that is wished for, in one call."""
    request = ask("preview", chat={"messages": messages}, options={"maxOutputTokens": 5000})["request"]

    assert (request["provider"], request["model"], request["calls"]) == ("anthropic", "claude-haiku-5-5", 1)
    assert request["maxOutputTokens"] == 5000


@pytest.mark.usefixtures("key")
def test_rules_need_no_request(ask: Ask, messages: Messages) -> None:
    """Strategies without a summary, and a provider offline by setting, ask no model."""
    keep = {"strategy": "keep", "keepRecent": 4, "keepToolResults": False}

    assert ask("preview", chat={"messages": messages}, options=keep)["request"] is None


def test_a_setting_says_who_is_asked(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The setting `provider` counts in the preview as it does later."""
    client.configure({"provider": "anthropic"})
    chosen = ask("preview", chat={"messages": messages})["request"]
    client.configure({"provider": "offline"})

    assert chosen["provider"] == "anthropic"
    assert ask("preview", chat={"messages": messages})["request"] is None


def test_a_request_says_whose_is_foretold(ask: Ask, client: ClientState, messages: Messages) -> None:
    """The param `provider` beats the setting, as in `summarize`; offline nobody is asked; the plan is the same."""
    client.configure({"provider": "offline"})
    client.host = FakeHost()
    names = ("anthropic", "editor", "auto", "offline")
    found = [ask("preview", chat={"messages": messages}, provider=name) for name in names]

    told = [one["request"] and one["request"]["provider"] for one in found]
    assert told == ["anthropic", "editor", "anthropic", None]
    assert len({one["planId"] for one in found}) == 1
    assert ask("preview", chat={"messages": messages})["request"] is None


def test_the_editors_model_is_named_where_it_was(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A client with models is asked where no key is known; which of them answers is not known before."""
    client.host = host = FakeHost()
    host.secrets = False
    unnamed = ask("preview", chat={"messages": messages})["request"]
    named = ask("preview", chat={"messages": messages}, options={"summaryModel": "editor:copilot/gpt-5"})["request"]

    assert (unnamed["provider"], unnamed["model"]) == ("editor", None)
    assert named["model"] == "copilot/gpt-5"


@pytest.mark.parametrize(
    ("name", "value"), [("ANTHROPIC_CUSTOM_HEADERS", "x-api-key: gateway"), ("ANTHROPIC_API_KEY", " ")]
)
def test_what_proves_who_asks_is_looked_for_as_in_a_call(
    ask: Ask, messages: Messages, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """L9: a header for a gateway is a key; a blank key is none (rule G6)."""
    monkeypatch.setenv(name, value)

    request = ask("preview", chat={"messages": messages})["request"]

    assert (request and request["provider"]) == ("anthropic" if value.strip() else None)


@pytest.mark.usefixtures("key")
def test_a_provider_none_of_whose_models_is_wished_for_is_not_foretold(
    ask: Ask, client: ClientState, messages: Messages
) -> None:
    """L9: with none but the editor's models, the editor is asked first, though there is a key."""
    client.host = FakeHost()
    editors = {"summaryModel": "editor:copilot/gpt-5", "fallbackModels": []}

    request = ask("preview", chat={"messages": messages}, options=editors)["request"]

    assert (request["provider"], request["model"]) == ("editor", "copilot/gpt-5")


def test_a_client_without_a_key_is_known_for_it(ask: Ask, client: ClientState, messages: Messages) -> None:
    """A safe may hold a key until it was asked; when it had none, the editor's model is foretold."""
    client.host = FakeHost(secret={"value": None}, languageModels={"models": []})
    before = ask("preview", chat={"messages": messages})["request"]
    ask("summarize", chat={"messages": messages})
    after = ask("preview", chat={"messages": messages})["request"]

    assert (before["provider"], after["provider"]) == ("anthropic", "editor")


def test_the_estimate_is_near_what_is_sent(ask: Ask, messages: Messages, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokens in are those of the request within a fifth and the prompt's own, and so are the calls."""
    long = [{**message, "content": message["content"]} for message in messages * 20]
    with serving() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-a-test")
        foretold = ask("preview", chat={"messages": long})["request"]
        sent = ask("prompt", chat={"messages": long})["tokens"]
        ask("summarize", chat={"messages": long}, provider="anthropic")

    assert abs(foretold["inputTokens"] - sent) < 0.2 * sent + 3000
    assert foretold["calls"] == len(api.requests)
