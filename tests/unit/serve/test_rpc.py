"""JSON-RPC in frames: bodies in any stream, JSON within limits, and what kind of message each is."""

from __future__ import annotations

import io
import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import TooLarge
from compact_chat.serve.rpc import (
    END,
    MAX_BODY,
    MAX_DEPTH,
    MAX_VALUES,
    Body,
    Notification,
    Oversized,
    Reply,
    Request,
    Unfit,
    decode,
    encode,
    frame,
    read_body,
    read_message,
)

NAN = float("nan")
texts = st.text(st.characters(exclude_categories=()), max_size=20)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts | st.just("jsonrpc"), inner, max_size=4),
)


def bodies(stream: io.BytesIO) -> list[Body]:
    """Read all bodies of a stream."""
    return list(iter(partial(read_body, stream), None))


@given(st.lists(st.binary(max_size=200)))
def test_bodies_are_what_was_framed(sent: list[bytes]) -> None:
    """Any bodies come back in their order."""
    assert bodies(io.BytesIO(b"".join(map(frame, sent)))) == sent


@pytest.mark.parametrize(
    "headers",
    [
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Length: 2\n\n",
        b"Content-Type: a; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: a\r\n\r\n",
        b"noise\r\n\r\n\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: many\r\n\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: -2\r\n\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nContent-Length: 2\r\n\r\n",
        b"x" * 200_000 + b"\r\nContent-Length: 2\r\n\r\n",
    ],
    ids=lambda headers: str(headers[:30]),
)
def test_headers_are_read_as_they_come(headers: bytes) -> None:
    """Names in any case, other headers before and behind, bare line feeds and noise do not matter."""
    assert bodies(io.BytesIO(headers + b"{}" + frame(b"[]"))) == [b"{}", b"[]"]


@pytest.mark.parametrize(
    "stray",
    [b"Content-Length: abc\r\n\r\n{}", b"Content-Length: -1\r\n\r\n{}", b"{}", b"Content-Length: %d\r\n\r\n" % 10**17],
    ids=["no number", "negative", "no header", "absurd"],
)
def test_the_stream_finds_its_feet_again(stray: bytes) -> None:
    """After a body without a usable header the next message comes whole, although both share a line."""
    found = bodies(io.BytesIO(stray + frame(b"[1]") + frame(b"[2]")))

    assert [one for one in found if isinstance(one, bytes)][-2:] == [b"[1]", b"[2]"]


def test_a_length_that_is_short_costs_one_message() -> None:
    """Who counts characters and not bytes loses that message, and no other."""
    body = '["é"]'.encode()
    short = b"Content-Length: %d\r\n\r\n%b" % (len(body) - 1, body)

    assert bodies(io.BytesIO(short + frame(b"[1]"))) == [body[:-1], b"[1]"]


def test_a_body_beyond_the_limit_is_passed_over() -> None:
    """For a body that is too large come its beginning and its end, and the next body comes whole."""
    found = bodies(io.BytesIO(frame(b"[" + b" " * MAX_BODY + b"]") + frame(b"{}")))
    assert found == [Oversized(b"[" + b" " * (END - 1), b" " * (END - 1) + b"]"), b"{}"]


@pytest.mark.parametrize(
    "rest", [b"", b"Content-Length: 5", b"Content-Length: 5\r\n", b"Content-Length: 5\r\n\r\n1234"]
)
def test_a_cut_frame_is_dropped(rest: bytes) -> None:
    """Where the stream ends within a frame, that frame does not come."""
    assert bodies(io.BytesIO(frame(b"{}") + rest)) == [b"{}"]


@given(values)
def test_params_come_as_they_were_sent(value: Any) -> None:
    """Only the outermost object is a message; whatever is inside stays, lone surrogates too."""
    params = {"value": value}
    body = encode({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params})
    assert read_message(body) == Request(1, "m", params, len(body))


def test_a_number_that_json_cannot_write_is_null() -> None:
    """NaN and the infinities become null, at any depth; the message that is given stays as it was."""
    message = {"a": [NAN, (float("inf"), {"b": -float("inf")})], "c": 1.5}
    assert json.loads(encode(message)) == {"a": [None, [None, {"b": None}]], "c": 1.5}
    assert message["c"] == 1.5
    assert message["a"][0] is NAN  # type: ignore[index]  # JSON of any shape


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
    """Emacs tells of huge files whether anybody wants to know or not; no answer can be matched to that."""
    head = b'{"jsonrpc":"2.0","method":"' + method.encode() + b'","params":'

    for read in beyond(head, b"}"):
        assert read == Notification(method.replace("\\", ""), {})


@given(st.binary(max_size=40) | texts.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_what_is_no_json_is_a_value_error(body: bytes) -> None:
    """Any bytes give a value that the standard library gives too, or a ValueError."""
    try:
        found = decode(body)
    except ValueError:
        return
    assert found == json.loads(body)


@pytest.mark.parametrize("body", [b"[NaN]", b"[Infinity]", b"-Infinity", b'{"a": nan}', b"[1,]", b"", b"[1] x", b"01"])
def test_near_misses_are_no_json(body: bytes) -> None:
    """What some writers write, and readers forgive, is refused."""
    with pytest.raises(ValueError, match=r"^"):
        decode(body)


@pytest.mark.parametrize("pair", [b"[]", b'{"a":}'])
def test_depth_is_bounded(pair: bytes) -> None:
    """128 levels are read, one more is not, nor as many as no reader can take."""
    opening, closing = pair[:-1], pair[-1:]
    inner = b"1" if pair == b'{"a":}' else b""
    decode(opening * MAX_DEPTH + inner + closing * MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 500, 950, 2000, 100_000):
        with pytest.raises(TooLarge, match="nested too deeply"):
            decode(opening * depth + inner + closing * depth)


def test_many_brackets_are_no_depth() -> None:
    """Brackets within texts and beside each other do not count as levels."""
    for value in (["[" * 1000, [[]] * 1000], "[" * 1000):
        assert decode(json.dumps(value).encode()) == value


def test_the_number_of_values_is_bounded() -> None:
    """A small message cannot become a large memory: beyond four million values it is not even decoded."""
    with pytest.raises(TooLarge, match="too many values"):
        decode(b"[" + b"[]," * (MAX_VALUES // 2) + b"1]")
    many = MAX_VALUES // 100
    assert len(decode(b"[" + b"[]," * many + b"1]")) == many + 1
