"""JSON-RPC messages in frames: from bytes to one of four kinds, and from plain values to bytes.

pygls 2.1.1 never answers what it cannot parse, takes any object with a `jsonrpc` key inside params for a message
(pygls#140), reads header names in one case only, has no limits, and writes `NaN`. So this module replaces its
reading and writing.
"""

from __future__ import annotations

import json
import math
import re
from types import NoneType
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.convert import is_deeper
from compact_chat.errors import CompactChatError, InvalidRequest, ParseError, TooLarge
from compact_chat.text import json_text

MAX_BODY = 64 * 2**20  # bytes
MAX_DEPTH = 128  # levels; the readers of chats recurse
MAX_VALUES = 4_000_000  # counted by commas and brackets, since each value may take a hundred bytes of memory
MAX_HEADER = 2**16
MAX_SKIPPED = 2**32  # a longer one is an error, and waiting for so many bytes would never end
END = 4096  # bytes searched for the id at each end of a message beyond a limit

MessageId: TypeAlias = str | int | float | None


class Request(NamedTuple):
    """A message that expects an answer."""

    id: MessageId
    method: str
    params: Any
    size: int  # in bytes, as it came


class Notification(NamedTuple):
    """A message that expects none."""

    method: str
    params: Any


class Reply(NamedTuple):
    """The client's answer to a request of the server."""

    id: MessageId
    result: Any
    error: Any


class Unfit(NamedTuple):
    """An invalid message: the id to answer under, and the error to answer with."""

    id: MessageId
    error: CompactChatError


class Oversized(NamedTuple):
    """A body beyond the limit, which was skipped: its beginning and end."""

    head: bytes
    tail: bytes


Message: TypeAlias = Request | Notification | Reply | Unfit
Body: TypeAlias = bytes | Oversized

# The end of a body longer than announced may precede the next header on its line.
_CONTENT_LENGTH = re.compile(rb"(?<![\w-])content-length\s*:\s*(\d{1,18})\s*\Z", re.IGNORECASE)


def read_body(stream: BinaryIO) -> Body | None:
    """Read the next body, skipping lines that are no header; None at the end of the stream or within a body."""
    length = None
    while line := stream.readline(MAX_HEADER):
        if found := _CONTENT_LENGTH.search(line):
            length = int(found[1])
        elif length is not None and not line.strip():
            break
    if length is None or not line:
        return None
    if length <= MAX_BODY:
        body = stream.read(length)
        return body if len(body) == length else None

    left = length if length <= MAX_SKIPPED else 0
    head = tail = stream.read(min(left, END))
    left -= len(head)
    while left > 0 and (chunk := stream.read(min(left, 2**20))):
        left, tail = left - len(chunk), (tail + chunk)[-END:]
    return Oversized(head, tail)


def frame(body: bytes) -> bytes:
    """Put the header before a body."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def encode(message: JsonObject) -> bytes:
    """Write one message as JSON; numbers that JSON cannot write go out as null."""
    try:
        return msgspec.json.encode(message)
    except (TypeError, ValueError):  # half a surrogate pair goes out as an escape
        return json_text(message).encode("ascii")


def read_message(body: Body) -> Message:
    """Decode one message; only the outermost object counts, whatever its params contain."""
    if isinstance(body, Oversized):
        sentence = f"A message may have {MAX_BODY // 2**20} MiB; give a larger chat as a file."
        return _beyond(*body, TooLarge(sentence))
    try:
        message = decode(body)
    except TooLarge as error:
        return _beyond(body[:END], body[-END:], error)
    except ValueError:
        return Unfit(None, ParseError("The message is not JSON in UTF-8."))
    if not isinstance(message, dict):
        return Unfit(None, InvalidRequest("A message must be one JSON object; batches are not supported."))
    under = message.get("id")
    has_id = type(under) in (str, int, NoneType) or (type(under) is float and math.isfinite(under))
    if "method" not in message and ("result" in message or "error" in message):
        return Reply(under if has_id else None, message.get("result"), message.get("error"))
    method, params = message.get("method"), message.get("params")
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str):
        sentence = 'A message must have "jsonrpc": "2.0" and a method.'
        return Unfit(under if has_id else None, InvalidRequest(sentence))
    params = {} if params is None or params == [] else params
    if "id" not in message:
        return Notification(method, params)
    if not has_id:
        return Unfit(None, InvalidRequest("The id of a request must be a string or a number."))
    return Request(under, method, params, len(body))


# Members that clients write before and after the params, in any order; Neovim writes each slash as `\/`.
_NAME = rb'"(?:jsonrpc|method)"\s*:\s*"[^"]{0,99}"'
_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[ !#-\[\]-~]{1,99}")'
_HEAD = re.compile(rb"\s*\{\s*(?:%b\s*,\s*){0,2}%b\s*[,}]" % (_NAME, _ID))
_TAIL = re.compile(rb",\s*(?:%b\s*,\s*){0,2}%b\s*(?:,\s*%b\s*){0,2}\}\s*\Z" % (_NAME, _ID, _NAME))
_NOTICE = re.compile(rb'"method"\s*:\s*"((?:textDocument|notebookDocument)\\?/did[A-Z]\w*)"')


def _beyond(head: bytes, tail: bytes, error: TooLarge) -> Message:
    """Refuse a message beyond a limit under the id at its beginning or end; ignore an editor's notifications."""
    found = _HEAD.match(head) or _TAIL.search(tail)
    if found is None and (notice := _NOTICE.search(head[:200]) or _NOTICE.search(tail[-200:])):
        return Notification(notice[1].decode().replace("\\", ""), {})
    under: MessageId = json.loads(found[1]) if found else None
    return Unfit(under, error)


_DECODER = msgspec.json.Decoder()
_LENIENT = json.JSONDecoder(parse_constant=int)  # which raises ValueError for NaN and Infinity: they are not JSON


def decode(body: bytes) -> Any:
    """Decode one JSON value; raise ValueError if it is not JSON in UTF-8, TooLarge beyond a limit."""
    brackets = body.count(b"[") + body.count(b"{")
    if len(body) > MAX_VALUES and brackets + body.count(b",") > MAX_VALUES:
        raise TooLarge("The message holds too many values; give a larger chat as a file.")
    try:
        try:
            value = _DECODER.decode(body)
        except ValueError:  # half a surrogate pair or a huge number, which the standard library accepts
            value = _LENIENT.decode(body.decode())
        is_deep = brackets > MAX_DEPTH and is_deeper(value, MAX_DEPTH)
    except RecursionError:
        is_deep = True
    if is_deep:
        raise TooLarge("The message is nested too deeply.")
    return value


def member(value: Any, *names: str) -> Any:
    """Return a member of nested objects; None if one is missing or no object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
