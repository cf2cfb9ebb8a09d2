"""Hostile inputs below JSON: headers in every dress, lengths that lie, and noise between messages."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator

from tests.samples.hostile.rows import SMALL, Row, Want, body, nameless
from tests.servers.wire_client import framed

METHOD = "compactChat/continuation"
TYPE = b"application/vscode-jsonrpc"
# What stands before a body that must be answered; `<n>` stands for its length.
READABLE = {
    "lower case": b"content-length: <n>\r\n\r\n",
    "upper case": b"CONTENT-LENGTH: <n>\r\n\r\n",
    "mixed case": b"cOnTeNt-LeNgTh: <n>\r\n\r\n",
    "no space after the colon": b"Content-Length:<n>\r\n\r\n",
    "many spaces after the colon": b"Content-Length:%b<n>\r\n\r\n" % (b" " * 500),
    "a tab after the colon": b"Content-Length:\t<n>\r\n\r\n",
    "a space before the colon": b"Content-Length : <n>\r\n\r\n",
    "spaces at the end": b"Content-Length: <n>   \r\n\r\n",
    "line feeds alone": b"Content-Length: <n>\n\n",
    "line feed, then both": b"Content-Length: <n>\n\r\n",
    "both, then line feed": b"Content-Length: <n>\r\n\n",
    "carriage returns doubled": b"Content-Length: <n>\r\r\n\r\r\n",
    "leading zeros": b"Content-Length: 000000000000<n>\r\n\r\n",
    "the right length twice": b"Content-Length: <n>\r\nContent-Length: <n>\r\n\r\n",
    "a wrong length first": b"Content-Length: 3\r\nContent-Length: <n>\r\n\r\n",
    "Content-Type of the protocol": b"Content-Length: <n>\r\nContent-Type: %b; charset=utf-8\r\n\r\n" % TYPE,
    "Content-Type before": b"Content-Type: %b; charset=utf8\r\nContent-Length: <n>\r\n\r\n" % TYPE,
    "charset of another kind": b"Content-Length: <n>\r\nContent-Type: application/json; charset=utf-16\r\n\r\n",
    "charset in quotes": b'Content-Length: <n>\r\nContent-Type: application/json; charset="UTF-8"\r\n\r\n',
    "charset that is none": b"Content-Length: <n>\r\nContent-Type: application/json; charset=\r\n\r\n",
    "Content-Type of a form": b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: <n>\r\n\r\n",
    "Content-Type that is empty": b"Content-Type:\r\nContent-Length: <n>\r\n\r\n",
    "Content-Type on two lines": b"Content-Type: application/json;\r\n charset=utf-8\r\nContent-Length: <n>\r\n\r\n",
    "an unknown header": b"X-Editor: %d%s\r\nContent-Length: <n>\r\n\r\n",
    "a header without a colon": b"Content-Length: <n>\r\nnonsense\r\n\r\n",
    "a header without a name": b": nonsense\r\nContent-Length: <n>\r\n\r\n",
    "another length's name": b"Content-Length: <n>\r\nX-Content-Length: 3\r\n\r\n",
    "the name in an earlier value": b"X-Note: content-length: 3\r\nContent-Length: <n>\r\n\r\n",
    "Transfer-Encoding": b"Transfer-Encoding: chunked\r\nContent-Length: <n>\r\n\r\n",
    "a header with bytes that are no text": b"X: \xff\xfe\x00\r\nContent-Length: <n>\r\n\r\n",
    "a header of 64 KiB": b"X: %b\r\nContent-Length: <n>\r\n\r\n" % (b"x" * (2**16 - 5)),
    "a header of 64 KiB and a byte": b"X: %b\r\nContent-Length: <n>\r\n\r\n" % (b"x" * (2**16 - 4)),
    "a header of a megabyte": b"X: %b\r\nContent-Length: <n>\r\n\r\n" % (b"x" * 2**20),
    "a thousand headers": b"%bContent-Length: <n>\r\n\r\n" % (b"X-Note: shelf\r\n" * 1000),
}
# What stands between two messages, and must be passed over.
NOISE = {
    "a blank line": b"\r\n",
    "ten thousand blank lines": b"\r\n" * 10_000,
    "a megabyte of line feeds": b"\n" * 2**20,
    "a megabyte of spaces": b" " * 2**20 + b"\n",
    "NULs": b"\0" * 5000,
    "a line": b"Starting the language server\r\n",
    "a byte order mark": codecs.BOM_UTF8,
    "byte order marks of UTF-16": codecs.BOM_UTF16_LE + codecs.BOM_UTF16_BE,
    "a line in UTF-16": "warning: slow\n".encode("utf-16"),
    "a shell's colours": b"\x1b[31mred\x1b[0m\x07\r\n",
    "a request of HTTP": b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n\r\n",
    "an answer of HTTP": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html></html>\r\n",
    "the hello of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(11, 256)) + b"\r\n",
    "the greeting of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a megabyte without a line's end": b"\xfe" * 2**20,
    "JSON without a header": b'{"jsonrpc": "2.0", "id": 1, "method": "compactChat/preview"}\n',
    "JSON without a header, on the header's line": b'{"jsonrpc": "2.0", "id": 1, "method": "compactChat/preview"}',
    "half a header": b"Content-Len\r\n",
    "a length and no more": b"Content-Length: \r\n",
    "every byte": bytes(range(256)) + b"\n",
}
# What no length can be read from: the body behind it is noise.
UNREADABLE = {
    "no length": b"Content-Type: application/json\r\n\r\n",
    "no header": b"\r\n",
    "an empty length": b"Content-Length: \r\n\r\n",
    "a minus sign": b"Content-Length: -<n>\r\n\r\n",
    "a plus sign": b"Content-Length: +<n>\r\n\r\n",
    "hexadecimal": b"Content-Length: 0x<n>\r\n\r\n",
    "an exponent": b"Content-Length: <n>e0\r\n\r\n",
    "a fraction": b"Content-Length: <n>.0\r\n\r\n",
    "an underscore": b"Content-Length: <n>_0\r\n\r\n",
    "a list": b"Content-Length: 5, <n>\r\n\r\n",
    "a parameter": b"Content-Length: <n>; q=1\r\n\r\n",
    "quotes": b'Content-Length: "<n>"\r\n\r\n',
    "a space within": b"Content-Length: 1 <n>\r\n\r\n",
    "letters": b"Content-Length: many<n>\r\n\r\n",
    "digits of another script": "Content-Length: ٥٥\r\n\r\n".encode(),
    "digits of full width": "Content-Length: １５\r\n\r\n".encode(),
    "a NUL behind it": b"Content-Length: <n>\0\r\n\r\n",
    "not a number": b"Content-Length: NaN\r\n\r\n",
    "an underscore in the name": b"Content_Length: <n>\r\n\r\n",
    "a space in the name": b"Content Length: <n>\r\n\r\n",
    "an equals sign": b"Content-Length=<n>\r\n\r\n",
    "two to the sixty-fourth": b"Content-Length: 18446744073709551616\r\n\r\n",
    "a thousand digits": b"Content-Length: %b\r\n\r\n" % (b"9" * 1000),
    "a megabyte of digits": b"Content-Length: %b\r\n\r\n" % (b"9" * 2**20),
    "half a header on its line": b"Content-LenContent-Length: <n>\r\n\r\n",
    "carriage returns alone": b"Content-Length: <n>\r\r",
}
# Lengths that are not those of the body: how many bytes off, and whether the next message is still found.
LIES = {
    "five bytes too few": (-5, True),
    "one byte too few": (-1, True),
    "ten bytes of the next message": (10, False),
    "the next message's header": (22, False),
    "the next message's header and a byte": (23, False),
}
SAID = {"none at all": 0, "one byte": 1}
BEHIND = {"a line feed": b"\n", "two lines' ends": b"\r\n\r\n", "a comma": b",", "a NUL": b"\0"}
# No body can be so long: it would be waited for until the end of days.
VAST = {"a petabyte": 10**15, "two to the fifty-third": 2**53, "eighteen digits": 10**18 - 1}
# Bodies in other encodings.
ENCODED = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "latin-1", "cp500")


def frames() -> Iterator[Row]:
    """All of them."""
    for name, header in READABLE.items():
        yield _answered(f"header: {name}", header)
    for name, noise in NOISE.items():
        yield _answered(f"noise: {name}", noise + b"Content-Length: <n>\r\n\r\n")
    for name, header in UNREADABLE.items():
        yield Row(f"no length: {name}", _headed(header, body(f"no length: {name}", METHOD, SMALL)))
    yield from _lies()
    for encoding in ENCODED:
        text = f'{{"jsonrpc": "2.0", "id": "{encoding}", "method": "{METHOD}", "params": {{"summary": "Käse"}}}}'
        yield nameless(f"body in {encoding}", text.encode(encoding))
    yield nameless("body in gzip", gzip.compress(body("gzip", METHOD, SMALL), mtime=0))
    yield nameless("body in base64", codecs.encode(body("base64", METHOD, SMALL), "base64"))


def _answered(name: str, header: bytes) -> Row:
    return Row(name, _headed(header, body(name, METHOD, SMALL)), (Want(name),))


def _headed(header: bytes, data: bytes) -> bytes:
    return header.replace(b"<n>", b"%d" % len(data)) + data


def _lies() -> Iterator[Row]:
    """Lengths that are not those of the body, with a good message behind it."""
    good, fault = framed(body("good", METHOD, SMALL)), Want(None, "parseError")
    for name, (off, found) in LIES.items():
        told = body(name, METHOD, SMALL)
        yield Row(f"length: {name}", _said(len(told) + off, told) + good, (fault, Want("good")) if found else (fault,))
    for name, said in SAID.items():
        yield Row(f"length: {name}", _said(said, body(name, METHOD, SMALL)) + good, (fault, Want("good")))
    for name, said in VAST.items():
        yield Row(
            f"length: {name}", _said(said, body(name, METHOD, SMALL)) + good, (Want(None, "tooLarge"), Want("good"))
        )
    told = body("swallows", METHOD, SMALL)
    yield Row("length: all of the next message", _said(len(told) + len(good), told) + good, (fault,))
    for name, behind in BEHIND.items():
        yield Row(f"length: {name} behind it", framed(body(name, METHOD, SMALL)) + behind, (Want(name),))


def _said(length: int, data: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (length, data)
