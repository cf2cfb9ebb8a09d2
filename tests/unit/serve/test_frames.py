"""Frames: headers around bodies, whatever else is on the stream."""

from __future__ import annotations

import io
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.serve.rpc import END, MAX_BODY, Body, Oversized, frame, read_body


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
