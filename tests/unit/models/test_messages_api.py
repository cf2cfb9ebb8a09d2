"""What the fake Messages API has against a request, so that other tests may rely on its silence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.oracles.messages_api_rules import of_messages, problem_of
from tests.servers.messages_api_wire import Seen

CURRENT = {"x-api-key": "k", "anthropic-version": "2026-10-21"}
HELLO = {"role": "user", "content": "How many loaves?"}


def call(name: str) -> dict[str, Any]:
    """A turn that calls a tool."""
    return {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "look", "input": {}}]}


def result(name: str) -> dict[str, Any]:
    """A turn that answers a call."""
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": "9"}]}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    """A turn of the assistant's."""
    return {"role": "assistant", "content": list(blocks)}


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([HELLO, call("a"), result("a"), call("b"), result("b")], None),
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
def test_the_fake_checks_rule_v(messages: list[dict[str, Any]], problem: str | None) -> None:
    """V2, V3, V4, V8: calls without results, empty texts and wrong first or last turns are refused."""
    found = of_messages(messages)
    assert found is problem is None or (problem or "?") in (found or "")


@pytest.mark.parametrize(
    ("more", "headers", "status"),
    [
        ({"temperature": 1}, CURRENT, 400),
        ({"thinking": {"type": "enabled"}}, CURRENT, 400),
        ({"max_tokens": 0}, CURRENT, 400),
        ({}, {"anthropic-version": "2026-10-21"}, 401),
        ({}, {"x-api-key": "k"}, 400),
        ({}, CURRENT, None),
    ],
)
def test_the_fake_checks_the_apis_own_rules(more: dict[str, Any], headers: dict[str, str], status: int | None) -> None:
    """Keys, versions, sampling, lengths: what the API refuses is refused."""
    body = {"model": "m", "max_tokens": 9, "messages": [HELLO], **more}
    problem = problem_of(Seen("POST", "/v1/messages", headers, json.dumps(body).encode()), 1000)

    assert (problem and problem[0]) == status
