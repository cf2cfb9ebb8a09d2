"""Hostile bytes: headers of every form, wrong lengths, noise, bodies that are not JSON, too deep or too large."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import (
    MEGABYTE,
    METHOD,
    SECRET,
    SMALL,
    Row,
    Want,
    body,
    given,
    has,
    nameless,
    new_id,
    refused,
    text_row,
)
from tests.servers.wire_client import framed

LONGEST = 64 * MEGABYTE  # bytes of a message
VALUES, MESSAGES = 4_000_000, 100_000
# Valid prefixes of a body that must be answered; `<n>` is its length.
READABLE = (
    *(b"cOnTeNt-LeNgTh:<n>\r\n\r\n", b"Content-Length:\t<n>\n\n", b"Content-Length: <n>\r\r\n\r\r\n"),
    b"Content-Length: 3\r\nContent-Length: 000000000000<n>\r\n\r\n",
    b"Content-Length: <n>\r\nX-Content-Length: 3\r\nnonsense\r\n: nonsense\r\n\r\n",
    b"X-Note: content-length: 3\r\nTransfer-Encoding: chunked\r\nX: \xff\xfe\x00\r\nContent-Length: <n>\r\n\r\n",
    *(b"X: %b\r\nContent-Length: <n>\r\n\r\n" % (b"x" * size) for size in (2**16 - 5, 2**16 - 4, MEGABYTE)),
    b"%bContent-Length: <n>\r\n\r\n" % (b"X-Note: shelf\r\n" * 1000),
)
# Noise between two messages, which must be skipped.
NOISE = (
    *(b"\n" * MEGABYTE, b" " * MEGABYTE + b"\n", b"\xfe" * MEGABYTE, codecs.BOM_UTF8, bytes(range(256)) + b"\n"),
    b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n\r\n<html></html>\r\n",
    *(b'{"jsonrpc": "2.0", "id": 1, "method": "compactChat/preview"}', b"Content-Len\r\n"),
)
# Headers without a readable length: the body behind them is noise.
UNREADABLE = (
    *(b"\r\n", b"Content-Length: \r\n\r\n", b"Content-Length: -<n>\r\n\r\n", b"Content-Length: 0x<n>\r\n\r\n"),
    *(b"Content-Length: <n>_0\r\n\r\n", b"Content-Length: 5, <n>\r\n\r\n", b"Content-Length: <n>\0\r\n\r\n"),
    *("Content-Length: ٥٥\r\n\r\n".encode(), b"Content-Length: %b\r\n\r\n" % (b"9" * MEGABYTE)),
    *(b"Content-LenContent-Length: <n>\r\n\r\n", b"Content-Length: <n>\r\r"),
)
# Bodies in other encodings.
ENCODED = ("utf-8-sig", "utf-16", "latin-1")
# Params that are not JSON, in an otherwise well-formed message.
FLAWED = (
    *("{", '{"a":1,}', '{"a":1 "b":2}', "[,1]", '["a"', "NaN", "-Infinity", "01", ".5", "1e", "0x10", '"a', r'"\x41"'),
    *('"a\tb"', '"a\x00b"', "/* words */ 1", "\u00a01", "\ufeff1"),
)
# Whole bodies that are not JSON.
BODIES = (
    *(b"", b"\0", b"{}\n{}", b'{"jsonrpc": "2.0", "id": "half", "meth', bytes(range(256))),
    *(body("end", METHOD, SMALL) + b";", b")]}',\n" + body("guard", METHOD, SMALL)),
    *(sign * MEGABYTE for sign in (b" ", b'"', b"7", b"\xff")),
    *(b"[" + b"," * MEGABYTE, b'{"id": "' + b"a" * MEGABYTE, gzip.compress(body("gzip", METHOD, SMALL), mtime=0)),
)
# Bytes that are not UTF-8, each for a different reason.
NO_UTF8 = (b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3", b"\xf0\x9f\x98", b"caf\xe9")
UTF8_PLACES = (
    b'{"jsonrpc": "2.0", "id": "u", "method": "compactChat/continuation", "params": {"<!>": 1}}',
    b'{"jsonrpc": "2.0", "id": "<!>", "method": "compactChat/continuation"}',
    b'{"jsonrpc": "2.0", "id": "u", "method": "<!>"}',
    b'{"jsonrpc": "2.0", "id": "u", "method": "compactChat/continuation"}<!>',
    b'{"id": "u", "params": {"summary": "%b<!>"}}' % (b"a" * MEGABYTE),
)


def frames() -> Iterator[Row]:
    """Yield headers, noise, and lengths that differ from the body's."""
    for before in (*READABLE, *(noise + b"Content-Length: <n>\r\n\r\n" for noise in NOISE)):
        yield Row(_headed(before, said := new_id()), (Want(said),))
    for before in UNREADABLE:
        yield Row(_headed(before, new_id()))
    fault, good, reported = Want(None, "parseError"), framed(body("good", METHOD, SMALL)), body("lie", METHOD, SMALL)
    for length in (len(reported) - 5, len(reported) - 1, 0, 1):
        yield Row(_lying(length, reported) + good, (fault, Want("good")))
    for more in (10, 23, len(good)):  # their length covers part of the next message
        yield Row(_lying(len(reported) + more, reported) + good, (fault,))
    for length in (10**15, 10**18 - 1):  # waiting for that many would never end
        yield Row(_lying(length, reported) + good, (Want(None, "tooLarge"), Want("good")))
    for behind in (b"\n", b",", b"\0"):
        yield Row(framed(reported) + behind, (Want("lie"),))


def flaws() -> Iterator[Row]:
    """Yield bodies that are not JSON, or not UTF-8."""
    for encoding in ENCODED:
        text = f'{{"jsonrpc": "2.0", "id": "e", "method": "{METHOD}", "params": {{"summary": "Käse {SECRET}"}}}}'
        yield nameless(text.encode(encoding))
    for text in FLAWED:
        yield nameless(f'{{"jsonrpc": "2.0", "id": "flaw", "method": "{METHOD}", "params": {text}}}'.encode())
    for data in (*BODIES, *(UTF8_PLACES[0].replace(b"<!>", one) for one in NO_UTF8)):
        yield nameless(data)
    for place in UTF8_PLACES:
        yield nameless(place.replace(b"<!>", b"\xe9"))


PREVIEW = '"jsonrpc": "2.0", "method": "compactChat/preview"'
# Beginnings and ends of messages that are too long, and whether the answer has their id.
TOO_LONG: tuple[tuple[str, str, Any], ...] = (
    ('{"jsonrpc": "2.0", "id": "<id>", "method": "a/b", "params": {"x": "', '"}}', "long"),
    (f'{{{PREVIEW}, "params": {{"x": "', '"}, "id": "<id>"}', "long"),
    (f'{{{PREVIEW}, "params": {{"id": "<id>", "x": "', '"}}', None),
    ("<!doctype html>", "</html>", None),
)
MANY = (f"[{'0,' * VALUES}0]", "{" + '"a":0,' * VALUES + '"b":0}', f'"{"[" * (VALUES + 1)}"')


def limits(step: int = 1) -> Iterator[Row]:
    """Yield messages that are too long, with too many values, or too many at once; of the longest only every n-th."""
    for opening, ending, under in TOO_LONG[::step]:
        begun, end = opening.replace("<id>", "long").encode(), ending.replace("<id>", "long").encode()
        yield Row(framed(begun.ljust(LONGEST + 1 - len(end)) + end), (Want(under, "tooLarge"),))
    yield Row(framed(body("longest", METHOD, SMALL).ljust(LONGEST)), (Want("longest", holds=has("message")),))
    for text in MANY[::step]:
        yield text_row(
            f'{{"jsonrpc": "2.0", "id": "<id>", "method": "{METHOD}", "params": {{"x": {text}}}}}', "tooLarge"
        )
        yield text_row(
            f'{{"jsonrpc": "2.0", "method": "{METHOD}", "params": {{"x": {text}}}, "id": "<id>"}}', "tooLarge"
        )
    yield given(METHOD, {**SMALL, "x": "," * (VALUES - 100)}, has("message"))
    deep = "[" * 100_000 + "]" * 100_000
    yield text_row(f'{{"jsonrpc": "2.0", "id": "<id>", "method": "{METHOD}", "params": {{"x": {deep}}}}}', "tooLarge")
    turn = {"role": "user", "content": "a"}
    many = {"messages": [turn] * (MESSAGES + 1)}
    for name in ("countTokens", "summarize"):
        yield refused(f"compactChat/{name}", {"chat": many}, "tooLarge")
    yield refused(METHOD, {"summary": "a", **many}, "tooLarge")
    lines = '{"role": "user", "content": "a"}\n' * (MESSAGES + 1)
    yield refused("compactChat/countTokens", {"chat": {"text": lines}}, "tooLarge")


def _headed(header: bytes, under: str) -> bytes:
    data = body(under, METHOD, SMALL)
    return header.replace(b"<n>", b"%d" % len(data)) + data


def _lying(length: int, data: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (length, data)
