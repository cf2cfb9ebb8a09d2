"""The token: without it nobody is served over TCP, and nobody gets a second try."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.tcp_server import TcpServer, request
from tests.servers.wire_client import Message

REFUSED = {"code": -32600, "data": {"kind": "tokenRefused"}}
BLIND = """
import hmac, secrets, sys
hmac.compare_digest = secrets.compare_digest = lambda *_: False
from compact_chat.cli import main
sys.exit(main())
"""


@pytest.fixture(scope="module")
def server() -> Iterator[TcpServer]:
    """A server with the fake operations, which must still serve after all that was tried on it."""
    with TcpServer() as server:
        yield server
        assert server.process.poll() is None
        assert server.client().call("compactChat/echo", {"a": 1}) == {"a": 1}


def error_of(answers: list[Message], number: object = 1) -> dict[str, Any]:
    """Give the code and the data of the one answer, which holds a sentence and no result."""
    assert [(one["id"], "result" in one) for one in answers] == [(number, False)], answers
    assert answers[0]["error"]["message"].endswith(".")
    return {name: answers[0]["error"][name] for name in ("code", "data")}


def changed(token: str) -> list[Any]:
    """Give values that are almost the token, and values that are nothing like one."""
    first, last = ("B" if end == "A" else "A" for end in (token[0], token[-1]))
    near = [first + token[1:], token[:-1] + last, token[:-1], token + "x", token[1:], " " + token, token + "\0"]
    odd = ["", "é" * len(token), "\ud800" * len(token), "x" * 100_000]
    return [*near, *odd, None, True, 0, [token], list(token), {"token": token}]


def test_any_other_token_is_refused(server: TcpServer) -> None:
    """A token that is wrong in its letters, its length, its alphabet or its type: −32600 `tokenRefused`, the end."""
    for token in changed(server.token):
        answers = server.answers_to(server.hello(token))
        assert error_of(answers) == REFUSED, repr(token)[:100]
        assert server.token not in str(answers)


def test_a_token_in_another_place_is_none(server: TcpServer) -> None:
    """The token counts at `initializationOptions.compactChat.token` alone; without it there, −32600 `tokenRefused`."""
    ours: tuple[Any, ...] = ({}, None, "text", {"Token": "TOKEN"}, {"capabilities": {"token": "TOKEN"}})
    outer: tuple[Any, ...] = ({}, None, [], "text", {"token": "TOKEN"}, {"compactChat.token": "TOKEN"})
    for options in (*outer, *({"compactChat": one} for one in ours)):
        params = {"capabilities": {}, "processId": None, "token": server.token, "initializationOptions": options}
        reported = json.loads(json.dumps(params).replace("TOKEN", server.token))
        assert error_of(server.answers_to(request("initialize", reported))) == REFUSED
    for nothing in (None, [1], "text"):
        assert error_of(server.answers_to(request("initialize", nothing)))["code"] in {-32600, -32602}


def test_the_comparison_takes_constant_time() -> None:
    """The token is compared by the standard library's comparison in constant time; without it, none is right."""
    with TcpServer(command=(sys.executable, "-c", BLIND, "serve")) as server:
        assert error_of(server.answers_to(server.hello())) == REFUSED
