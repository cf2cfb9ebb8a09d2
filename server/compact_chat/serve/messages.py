"""JSON-RPC messages: from bytes to one of three kinds, and from plain values to bytes."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.errors import CompactChatError, TooLarge
from compact_chat.serve.decode import TooDeep, TooMany, decode
from compact_chat.serve.frames import HEAD, MAX_BODY, Body, Oversized
from compact_chat.serve.refusals import InvalidRequest, ParseError

MessageId: TypeAlias = str | int | float | None
OURS = "compact-chat-"  # how the ids of our own requests begin
# What clients write before and behind the params: Neovim writes the members in any order, and each slash as `\/`.
_NAME = rb'"(?:jsonrpc|method)"\s*:\s*"(?:[^"\\]|\\/){0,99}"'
_ID = rb'"id"\s*:\s*(?:(-?\d{1,18})|"([ -~]{1,99}?)")'
_HEAD = re.compile(rb"\s*\{\s*(?:%b\s*,\s*){0,2}%b\s*[,}]" % (_NAME, _ID))
_TAIL = re.compile(rb",\s*(?:%b\s*,\s*){0,2}%b\s*(?:,\s*%b\s*){0,2}\}\s*\Z" % (_NAME, _ID, _NAME))
_NOTICE = re.compile(rb'"method"\s*:\s*"((?:textDocument|notebookDocument)\\?/did[A-Z]\w*)"')


class Request(NamedTuple):
    """A message that wants an answer."""

    id: MessageId
    method: str
    params: Any
    size: int  # in bytes, as it came


class Notification(NamedTuple):
    """A message that wants none."""

    method: str
    params: Any


class Reply(NamedTuple):
    """The client's answer to a request of ours."""

    id: MessageId
    result: Any
    error: Any


class Unfit(NamedTuple):
    """What came is no message: the id to answer under, and the error to answer with."""

    id: MessageId
    error: CompactChatError


Message: TypeAlias = Request | Notification | Reply | Unfit


def read_message(body: Body) -> Message:
    """Read one message.

    pygls 2.1.1 leaves what it cannot read unanswered (no upstream issue known), and takes an object with a `jsonrpc`
    key anywhere inside params for a message (pygls#140). Here only the outermost object is one; the rest stays.
    """
    if isinstance(body, Oversized):
        return _beyond(*body, f"A message may have {MAX_BODY // 2**20} MiB; give a larger chat as a file.")
    try:
        message = decode(body)
    except TooMany:
        return _beyond(body[:HEAD], body[-HEAD:], "The message holds too many values; give a larger chat as a file.")
    except TooDeep:
        return _beyond(body[:HEAD], body[-HEAD:], "The message is nested too deeply.")
    except ValueError:
        return Unfit(None, ParseError("The message is not JSON in UTF-8."))
    return _kind_of(message, len(body))


def _beyond(head: bytes, tail: bytes, sentence: str) -> Message:
    """Refuse what is beyond a limit, under the id at its beginning or end; what an editor only tells is passed over."""
    found = _HEAD.match(head) or _TAIL.search(tail)
    if found is None and (notice := _NOTICE.search(head[:200]) or _NOTICE.search(tail[-200:])):
        return Notification(notice[1].decode().replace("\\", ""), {})
    number, name = found.groups() if found else (None, None)
    under = int(number) if number else name.decode() if name and b"\\" not in name else None
    if isinstance(under, str) and under.startswith(OURS) and b'"method"' not in head + tail:
        return Reply(under, None, sentence)
    return Unfit(under, TooLarge(sentence))


def _kind_of(message: object, size: int) -> Message:
    if not isinstance(message, dict):
        return Unfit(None, InvalidRequest("A message must be one JSON object; batches are not supported."))
    if "method" not in message and ("result" in message or "error" in message):
        return Reply(_id_of(message), message.get("result"), message.get("error"))
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return Unfit(_id_of(message), InvalidRequest('A message must have "jsonrpc": "2.0" and a method.'))
    return _called(message, size)


def _called(message: JsonObject, size: int) -> Message:
    """Tell a request from a notification; params that are missing, null or an empty array mean none."""
    method, params = message["method"], message.get("params")
    params = {} if params is None or params == [] else params
    if "id" not in message:
        return Notification(method, params)
    if not _is_id(message["id"]):
        return Unfit(None, InvalidRequest("The id of a request must be a string or a number."))
    return Request(message["id"], method, params, size)


def _id_of(message: JsonObject) -> MessageId:
    found: MessageId = message.get("id")
    return found if _is_id(found) else None


def _is_id(value: object) -> bool:
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool)) or _is_finite(value)


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)
