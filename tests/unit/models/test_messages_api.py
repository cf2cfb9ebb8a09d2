"""What the fake Messages API has against a request, so that other tests may rely on its silence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.oracles.messages_api_rules import problem_of
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


def test_the_fake_checks_rule_v() -> None:
    """V2, V3, V4, V8: calls without results, empty texts and wrong first or last turns are refused."""
    refused: list[list[dict[str, Any]]] = [
        [],
        [assistant({"type": "text", "text": "Hello"}), HELLO],
        [HELLO, assistant({"type": "text", "text": "Hello"})],
        [HELLO, call("a"), HELLO],
        [HELLO, call("a"), HELLO, result("a")],
        [HELLO, result("a")],
        [HELLO, call("a"), result("a"), call("a"), result("a")],
        [HELLO, assistant(), HELLO],
        [{"role": "user", "content": " \n"}],
        [HELLO, assistant({"type": "thinking", "thinking": "x"}), HELLO],
        [HELLO, {"role": "tool", "content": "x"}, HELLO],
    ]
    assert [messages for messages in refused if not refusal({"messages": messages}, CURRENT)] == []
    assert refusal({"messages": [HELLO, call("a"), result("a"), call("b"), result("b")]}, CURRENT) is None


def refusal(more: dict[str, Any], headers: dict[str, str]) -> tuple[int, str] | None:
    """What the fake has against a request."""
    body = {"model": "m", "max_tokens": 9, "messages": [HELLO], **more}
    return problem_of(Seen("POST", "/v1/messages", headers, json.dumps(body).encode()), 1000)


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
    problem = refusal(more, headers)

    assert (problem and problem[0]) == status
