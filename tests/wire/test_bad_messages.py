"""What is no proper message is answered, under its id or under null, and the server goes on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.serve.rpc import MAX_BODY
from tests.servers.wire_client import WireClient

NOT_JSON = (
    b"{",
    b"",
    b" ",
    b'{"jsonrpc": "2.0", "id": 1, "method": "compactChat/echo", "params": {"n": NaN}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "caf\xe9"}',
    b'{"id": "\xff\xfe"}',
    "\ufeff{}".encode("utf-16"),
    b'{"id": 1' + b"0" * 10_000 + b"}",
)
NOT_A_REQUEST: tuple[tuple[Any, Any], ...] = (
    ([], None),
    ([{"jsonrpc": "2.0", "id": 1, "method": "compactChat/echo"}], None),
    ("text", None),
    (5, None),
    (None, None),
    ({}, None),
    ({"id": "a7", "method": "compactChat/echo"}, "a7"),
    ({"jsonrpc": "1.0", "id": "a7", "method": "compactChat/echo"}, "a7"),
    ({"jsonrpc": 2.0, "id": "a7", "method": "compactChat/echo"}, "a7"),
    ({"jsonrpc": "2.0", "id": "a7"}, "a7"),
    ({"jsonrpc": "2.0", "id": "a7", "method": 5}, "a7"),
    ({"jsonrpc": "2.0", "id": "a7", "method": None}, "a7"),
    ({"jsonrpc": "1.0", "method": "initialized"}, None),
    ({"jsonrpc": "2.0", "id": True, "method": "compactChat/echo"}, None),
    ({"jsonrpc": "2.0", "id": [1], "method": "compactChat/echo"}, None),
    ({"jsonrpc": "2.0", "id": {"a": 1}, "method": 5}, None),
)


@pytest.mark.parametrize("body", NOT_JSON, ids=lambda body: str(body[:30]))
def test_what_is_not_json_is_a_parse_error_under_null(client: WireClient, body: bytes) -> None:
    """What is not JSON in UTF-8 is answered with -32700 under `id: null`, written out."""
    error = client.reply_to(body)["error"]
    assert (error["code"], error["data"]) == (-32700, {"kind": "parseError"})


@pytest.mark.parametrize(("message", "under"), NOT_A_REQUEST, ids=str)
def test_what_is_no_request_is_an_invalid_request(client: WireClient, message: Any, under: Any) -> None:
    """JSON that is no JSON-RPC message is answered with -32600, under its id where that can be read."""
    error = client.reply_to(json.dumps(message).encode(), under)["error"]
    assert (error["code"], error["data"]) == (-32600, {"kind": "invalidRequest"})


@pytest.mark.parametrize("number", [0, -1, 2**63, 1.5, "", "ä", None])
def test_any_id_comes_back_as_it_was(client: WireClient, number: object) -> None:
    """The answer bears the request's own id, whatever string or number it is; null is written out."""
    message = {"jsonrpc": "2.0", "id": number, "method": "compactChat/echo", "params": {"a": 1}}
    assert client.reply_to(json.dumps(message).encode(), number) == {"jsonrpc": "2.0", "id": number, "result": {"a": 1}}


@pytest.mark.parametrize("params", [[1], "text", 5, True])
def test_params_that_are_no_object_are_invalid(client: WireClient, params: Any) -> None:
    """Params of a wrong type are answered with -32602 at the params root."""
    error = client.error("compactChat/echo", params)
    assert (error["code"], error["data"]["kind"]) == (-32602, "invalidParams")
    assert error["data"]["problems"] == [{"path": "$", "message": "expected an object"}]


def test_params_may_be_left_out(client: WireClient) -> None:
    """Params that are missing, null or an empty array mean none."""
    assert [client.call("compactChat/echo"), client.call("compactChat/echo", None)] == [{}, {}]
    assert client.call("compactChat/echo", []) == {}


def test_unknown_methods_are_not_found(client: WireClient) -> None:
    """An unknown method is answered with -32601, an LSP method that is not offered too; a notification is ignored."""
    client.notify("compactChat/nonsense", {})
    client.notify("textDocument/didOpen", {"nope": 1})
    for method in ("compactChat/nonsense", "compactChat/", "echo", "textDocument/hover", "$/nonsense"):
        error = client.error(method, {"nope": 1})
        assert (error["code"], error["data"]) == (-32601, {"kind": "methodNotFound"})


@pytest.mark.parametrize("name", ["compactChat.nonsense", "echo", "compactChat/echo", "compactChat.", ""])
def test_unknown_commands_are_invalid_params(client: WireClient, name: str) -> None:
    """An unknown command is answered with -32602 that names the path of it, not what was sent."""
    error = client.error("workspace/executeCommand", {"command": name, "arguments": []})
    assert (error["code"], error["data"]["kind"]) == (-32602, "invalidParams")
    assert error["data"]["problems"] == [{"path": "$.command", "message": "there is no such command"}]


def test_a_message_beyond_the_limit_is_too_large(client: WireClient) -> None:
    """A body beyond the limit is passed over and answered with -32047 under null; the next message is read."""
    error = client.reply_to(b" " * (MAX_BODY + 1))["error"]
    assert (error["code"], error["data"]) == (-32047, {"kind": "tooLarge"})
    assert client.call("compactChat/echo", {"a": 1}) == {"a": 1}


def test_headers_may_be_written_in_any_case(client: WireClient) -> None:
    """Header names are read in any case, other headers and stray lines are passed over."""
    body = b'{"jsonrpc": "2.0", "id": "any case", "method": "compactChat/echo"}'
    client.raw(b"noise\r\n\r\ncontent-length:%d\r\nContent-Type: application/json\r\n\r\n%b" % (len(body), body))
    assert client.answer("any case")["result"] == {}
