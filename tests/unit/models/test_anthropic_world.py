"""The fake Messages API itself: what it holds against a request, so that other tests may rely on its silence."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.oracles.messages_api_rules import of_messages
from tests.servers.messages_api import Api, serving
from tests.servers.messages_api_bodies import REPLY

CURRENT = {"x-api-key": "k", "anthropic-version": "2026-10-21"}
HELLO = {"role": "user", "content": "How many loaves?"}
BODY = {"model": "m", "max_tokens": 9, "messages": [HELLO]}


def call(name: str) -> dict[str, Any]:
    """A turn that calls a tool."""
    return {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "look", "input": {}}]}


def result(name: str) -> dict[str, Any]:
    """A turn that answers a call."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": "9"}]}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A turn of the assistant's."""
    return {"role": "assistant", "content": list(blocks)}


def asked(api: Api, method: str, path: str, body: Any = None, headers: dict[str, str] = CURRENT) -> tuple[int, Any]:
    """Speak HTTP with the fake, without the SDK."""
    link = http.client.HTTPConnection(urlsplit(api.url).netloc, timeout=20)
    link.request(method, path, json.dumps(body) if body else None, headers)
    answer = link.getresponse()
    status, told = answer.status, answer.read().decode()
    link.close()
    return status, json.loads(told) if told.startswith("{") else told


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([], "first message"),
        ([assistant({"type": "text", "text": "Hello"}), HELLO], "first message"),
        ([HELLO, call("a")], "prefill"),
        ([HELLO, call("a"), HELLO], "without `tool_result`"),
        ([HELLO, call("a"), HELLO, result("a")], "without `tool_result`"),
        ([HELLO, result("a")], "unexpected `tool_use_id`"),
        ([HELLO, call("a"), result("a"), call("a"), result("a")], "unique"),
        ([HELLO, assistant(), HELLO], "non-empty"),
        ([{"role": "user", "content": " \n"}], "non-empty"),
        ([HELLO, assistant({"type": "thinking", "thinking": "x"}), HELLO], "signature"),
        ([HELLO, {"role": "tool", "content": "x"}, HELLO], "role"),
    ],
)
def test_the_fake_holds_rule_v(messages: list[dict[str, Any]], told: str) -> None:
    """V2, V3, V4, V8: calls without results, empty texts and wrong first or last turns are refused."""
    assert told in (of_messages(messages) or "")


def test_the_fake_takes_a_valid_chat() -> None:
    """V2: calls that are answered in the very next message are right."""
    assert of_messages([HELLO, call("a"), result("a"), call("b"), result("b")]) is None


@pytest.mark.parametrize(
    ("more", "headers", "status"),
    [
        ({"temperature": 1}, CURRENT, 400),
        ({"thinking": {"type": "enabled"}}, CURRENT, 400),
        ({"max_tokens": 0}, CURRENT, 400),
        ({"messages": [{"role": "user", "content": "a" * 900_000}]}, CURRENT, 400),
        ({}, {"anthropic-version": "2026-10-21"}, 401),
        ({}, {"x-api-key": "k"}, 400),
        ({}, CURRENT, 200),
    ],
)
def test_the_fake_holds_the_apis_own_rules(more: dict[str, Any], headers: dict[str, str], status: int) -> None:
    """Keys, versions, sampling, lengths: what the API refuses is refused."""
    with serving() as api:
        assert asked(api, "POST", "/v1/messages", BODY | more, headers)[0] == status


def test_the_fake_speaks_without_a_stream() -> None:
    """A request that wants no stream gets one body; models and counts are answered too."""
    with serving(window=3000) as api:
        status, message = asked(api, "POST", "/v1/messages", BODY)
        counted = asked(api, "POST", "/v1/messages/count_tokens", BODY)[1]
        model = asked(api, "GET", "/v1/models/claude-x")[1]

    assert (status, message["content"][0]["text"], message["stop_reason"]) == (200, REPLY, "end_turn")
    assert counted["input_tokens"] > 0
    assert (model["id"], model["max_input_tokens"]) == ("claude-x", 3000)
    assert api.problems == []
