"""The token: without it nobody is served over TCP, and nobody gets a second try."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers.tcp_server import TcpServer, request
from tests.servers.wire_client import Message, framed

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
        told = json.loads(json.dumps(params).replace("TOKEN", server.token))
        assert error_of(server.answers_to(request("initialize", told))) == REFUSED
    for nothing in (None, [1], "text"):
        assert error_of(server.answers_to(request("initialize", nothing)))["code"] in {-32600, -32602}


def test_there_is_no_second_try(server: TcpServer) -> None:
    """After a wrong token the right one is not read; nobody can go through tokens on one connection."""
    answers = server.answers_to(server.hello("wrong") + server.hello(number=2))
    assert [one["id"] for one in answers] in ([1], [])  # the end may come before the refusal was read


@pytest.mark.parametrize(("method", "number"), [("compactChat/echo", 7), ("shutdown", "x"), ("nonsense", None)])
def test_other_requests_come_too_early(server: TcpServer, method: str, number: object) -> None:
    """A connection that begins with any other request is answered with −32002 under its id, and closed."""
    answers = server.answers_to(request(method, {"token": server.token}, number))
    assert error_of(answers, number) == {"code": -32002, "data": {"kind": "notInitialized"}}


@pytest.mark.parametrize("method", ["initialize", "exit", "compactChat/echo"])
def test_notifications_come_too_early(server: TcpServer, method: str) -> None:
    """A connection that begins with a notification is closed without a word, `exit` ends nothing but itself."""
    options = {"compactChat": {"token": server.token}}
    told = {"jsonrpc": "2.0", "method": method, "params": {"capabilities": {}, "initializationOptions": options}}
    assert server.answers_to(framed(json.dumps(told).encode())) == []
    assert server.process.poll() is None


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"5", b"{}", b"[{}]", b"\xff\xfe", b"[" * 100_000, b'{"id":1}', b'{"a":NaN}'),
        *(b'{"jsonrpc":"1.0","id":1,"method":"initialize"}', b'{"jsonrpc":"2.0","id":1,"result":{}}'),
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":' + b"[" * 1000 + b"]" * 1000 + b"}}",
    ],
    ids=lambda body: body[:60].decode("latin-1"),
)
def test_what_is_no_request_is_turned_away(server: TcpServer, body: bytes) -> None:
    """A connection that begins with no message of ours gets one error at most, and is closed."""
    answers = server.answers_to(framed(body))
    assert len(answers) <= 1
    assert all(one["error"]["code"] in {-32700, -32600, -32047} for one in answers)


def test_a_batch_is_turned_away(server: TcpServer) -> None:
    """The right token in a batch lets nobody in."""
    hello = json.loads(server.hello().partition(b"\r\n\r\n")[2])
    answers = server.answers_to(framed(json.dumps([hello]).encode()))
    assert [one["error"]["code"] for one in answers] in ([], [-32600])


def test_the_right_token_with_wrong_params_is_answered(server: TcpServer) -> None:
    """Who knows the token is told what is wrong with the rest of `initialize`."""
    told = json.loads(server.hello().partition(b"\r\n\r\n")[2])
    told["params"]["processId"] = "secret"
    with server.stranger() as client:
        client.send(told)
        error = client.answer(1)["error"]
        assert (error["code"], error["data"]["problems"][0]["path"]) == (-32602, "$.processId")
        assert "secret" not in str(client.inbox)


def test_a_client_that_was_let_in_is_in(server: TcpServer) -> None:
    """A second `initialize` is refused like anywhere, whatever its token, and the connection lives on."""
    with server.client() as client:
        for token in ("wrong", server.token):
            since = len(client.inbox)
            client.raw(server.hello(token, "again"))
            error = client.answer("again", since)["error"]
            assert (error["code"], error["data"]["kind"]) == (-32600, "invalidRequest")
        assert client.call("compactChat/echo", {"a": 1}) == {"a": 1}


def test_the_comparison_takes_constant_time() -> None:
    """The token is compared by the standard library's comparison in constant time; without it, none is right."""
    with TcpServer(command=(sys.executable, "-c", BLIND, "serve")) as server:
        assert error_of(server.answers_to(server.hello())) == REFUSED
