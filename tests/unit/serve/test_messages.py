"""Messages: what kind came, and what goes out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.serve.rpc import END, MAX_BODY, Notification, Oversized, Reply, Request, Unfit, encode, read_message

NAN = float("nan")
texts = st.text(st.characters(exclude_categories=()), max_size=20)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | st.just("jsonrpc"), inner, max_size=4),
)


@given(values)
def test_what_is_encoded_reads_back(value: Any) -> None:
    """Any JSON value survives, lone surrogates too, in UTF-8."""
    assert json.loads(encode({"value": value}).decode()) == {"value": value}


@given(values)
def test_params_come_as_they_were_sent(value: Any) -> None:
    """Only the outermost object is a message; whatever is inside stays."""
    params = {"value": value}
    body = encode({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params})
    assert read_message(body) == Request(1, "m", params, len(body))


def test_a_number_that_json_cannot_write_is_null() -> None:
    """NaN and the infinities become null, at any depth; the message that is given stays as it was."""
    message = {"a": [NAN, (float("inf"), {"b": -float("inf")})], "c": 1.5}
    assert json.loads(encode(message)) == {"a": [None, [None, {"b": None}]], "c": 1.5}
    assert message["c"] == 1.5
    assert message["a"][0] is NAN  # type: ignore[index]  # it is the list above


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "m"}, Request(1, "m", {}, 0)),
        ({"jsonrpc": "2.0", "id": None, "method": "m", "params": None}, Request(None, "m", {}, 0)),
        ({"jsonrpc": "2.0", "id": "1", "method": "m", "params": [1]}, Request("1", "m", [1], 0)),
        ({"jsonrpc": "2.0", "method": "m", "params": {"a": 1}}, Notification("m", {"a": 1})),
        ({"jsonrpc": "2.0", "id": "s", "result": None}, Reply("s", None, None)),
        ({"jsonrpc": "2.0", "id": "s", "error": {"code": 1}}, Reply("s", None, {"code": 1})),
        ({"id": "s", "result": 1}, Reply("s", 1, None)),
        ({"jsonrpc": "2.0", "id": ["s"], "result": 1}, Reply(None, 1, None)),
    ],
)
def test_a_message_is_one_of_three(message: dict[str, Any], read: object) -> None:
    """Requests have an id, a method and a size, notifications a method, replies a result or an error."""
    found = read_message(encode(message))
    assert (found._replace(size=0) if isinstance(found, Request) else found) == read


@pytest.mark.parametrize(
    ("body", "code", "under"),
    [
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b'{"id": Infinity}', -32700, None),
        (b"[]", -32600, None),
        (b'{"id": 7}', -32600, 7),
        (b'{"id": 1e999, "method": "m"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": false, "method": "m"}', -32600, None),
    ],
)
def test_what_is_no_message_is_unfit(body: bytes, code: int, under: object) -> None:
    """What cannot be read comes with its error, and with its id where that is one."""
    unfit = read_message(body)
    assert isinstance(unfit, Unfit)
    assert (unfit.error.code, unfit.id) == (code, under)


AROUND: tuple[tuple[bytes, bytes, object], ...] = (
    (b'{"jsonrpc":"2.0","id":7,"method":"m","params":', b"}", 7),
    (b'{ "jsonrpc": "2.0" , "method": "m" , "id": "a-7" , "params": ', b" }", "a-7"),
    (b'\n{"id":-1,"params":', b',"method":"m"}', -1),
    (b'{"params":', b',"id":7,"method":"compactChat\\/preview","jsonrpc":"2.0"}', 7),
    (b'{"method":"compactChat\\/preview","params":', b', "jsonrpc": "2.0", "id": "x" }\n', "x"),
    (b'{"jsonrpc":"2.0","method":"m","params":', b"}", None),
    (b'{"jsonrpc":"2.0","id":1.5,"params":', b"}", None),
    (b'{"jsonrpc":"2.0","id":"a\\u0041","params":', b"}", None),
    (b'{"jsonrpc":"2.0","id":null,"params":', b"}", None),
    (b'{"params":{"id":7},"x":', b"}", None),
    (b'{"params":', b',"x":{"id":7}}', None),
)


def beyond(head: bytes, tail: bytes) -> list[object]:
    """Read a message with this around its params as too large, too deep and with too many values."""
    too_deep, too_many = head + b"[" * 200 + b"]" * 200 + tail, head + b"[" + b"1," * 4_000_000 + b"1]" + tail
    assert len(too_many) < MAX_BODY
    large = Oversized((head + b"x" * END)[:END], (b"x" * END + tail)[-END:])
    return [read_message(large), read_message(too_deep), read_message(too_many)]


@pytest.mark.parametrize(("head", "tail", "under"), AROUND)
def test_what_is_beyond_a_limit_is_refused_under_its_id(head: bytes, tail: bytes, under: object) -> None:
    """A message beyond a limit gets its answer under its id, on whichever side of the params an editor writes that."""
    for unfit in beyond(head, tail):
        assert isinstance(unfit, Unfit)
        assert (unfit.error.code, unfit.error.kind, unfit.id) == (-32047, "tooLarge", under)


@pytest.mark.parametrize("method", ["textDocument/didOpen", r"notebookDocument\/didChange"])
def test_a_notification_of_a_document_beyond_a_limit_is_passed_over(method: str) -> None:
    """An editor tells of huge files whether anybody wants to know or not; no answer can be matched to that."""
    head = b'{"jsonrpc":"2.0","method":"' + method.encode() + b'","params":'

    for read in beyond(head, b"}"):
        assert read == Notification(method.replace("\\", ""), {})
