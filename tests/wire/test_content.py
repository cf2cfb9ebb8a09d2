"""What a chat holds comes through the wire as it is, and large answers come whole."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.wire_client import WireClient

BARE_KEY = {"jsonrpc": "2.0"}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"a": 1}}
NESTED: tuple[Any, ...] = (
    {"turn": BARE_KEY},
    {"turn": {"jsonrpc": "yes"}},
    {"turn": CALL},
    {"turn": [{"deep": CALL}]},
    {"turn": {"jsonrpc": "2.0", "id": 1, "result": {"x": 1}}},
    {"turn": {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "m"}}},
    {"turn": {"jsonrpc": "2.0", "method": "initialized", "params": None}},
    CALL,
)
ODD_TEXTS = ("\ud800", "a\udc00b", "\r\n\u2028\u0085", "\0", "é👩‍💻", "</summary>", "\\u0000")


def ways(params: Any) -> list[tuple[str, Any]]:
    """The request and the command that echo params."""
    command = {"command": "compactChat.echo", "arguments": [params]}
    return [("compactChat/echo", params), ("workspace/executeCommand", command)]


@pytest.mark.parametrize("params", NESTED, ids=str)
def test_json_rpc_inside_params_is_data(client: WireClient, params: Any) -> None:
    """An object with a `jsonrpc` key inside params stays what it is, both ways."""
    assert [client.call(*way) for way in ways(params)] == [params, params]


@pytest.mark.parametrize(
    "params", [{"class": 1, "a-b": 2, "_1": 3, "type_name": "x", "": 4}, {"n": [0, None, [], 7.9]}]
)
def test_keys_and_values_stay_as_they_are(client: WireClient, params: Any) -> None:
    """Keys that are no names stay, and so do values that equal a default."""
    assert [client.call(*way) for way in ways(params)] == [params, params]


@pytest.mark.parametrize("text", ODD_TEXTS, ids=ascii)
def test_any_text_comes_back_as_it_was(client: WireClient, text: str) -> None:
    """Lone surrogates, line ends, NULs and other characters survive."""
    assert client.call("compactChat/echo", {text: text}) == {text: text}


def test_numbers_that_json_cannot_write_go_out_as_null(client: WireClient) -> None:
    """NaN and the infinities are null on the wire."""
    assert client.call("compactChat/odd") == {"numbers": [None, None, None, 1.5]}


@pytest.mark.parametrize("depth", [126, 127, 900, 960, 990, 1000, 5000, 100_000])
def test_deep_nesting_is_echoed_or_refused(client: WireClient, depth: int) -> None:
    """A message of 128 levels is served; a deeper one is too large, whatever the interpreter could take."""
    body = b'{"jsonrpc": "2.0", "id": "%d", "method": "compactChat/echo", "params": {"a": %b%b}}'
    answer = client.reply_to(body % (depth, b"[" * depth, b"]" * depth), str(depth))
    assert "result" in answer if depth == 126 else answer["error"]["data"] == {"kind": "tooLarge"}


def test_large_answers_come_whole(client: WireClient) -> None:
    """Answers of megabytes that are asked for at once come each in one piece."""
    numbers = [client.start("compactChat/large", {"characters": 700_000}) for _ in range(5)]
    assert all(client.answer(number)["result"]["text"] == "é" * 700_000 for number in numbers)


def test_a_chat_of_four_megabytes_comes_back_whole(real: WireClient) -> None:
    """Four megabytes go through a real operation and back, as request and as command."""
    summary = "Shelf 7 holds «rye» bread. 👍\n" * 140_000
    params = {"summary": summary}
    command = {"command": "compactChat.continuation", "arguments": [params]}
    found = [real.call("compactChat/continuation", params), real.call("workspace/executeCommand", command)]
    assert found[0] == found[1]
    assert summary.strip() in found[0]["message"]
