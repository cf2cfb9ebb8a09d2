"""JSON-RPC messages: from bytes to one of three kinds, and from plain values to bytes."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple, NoReturn, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.errors import CompactChatError
from compact_chat.operations.json_text import json_text
from compact_chat.serve.refusals import InvalidRequest, ParseError

MessageId: TypeAlias = str | int | float | None


class Request(NamedTuple):
    """A message that wants an answer."""

    id: MessageId
    method: str
    params: Any


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


def read_message(body: bytes) -> Message:
    """Read one message.

    pygls 2.1.1 leaves what it cannot read unanswered (no upstream issue known), and takes an object with a `jsonrpc`
    key anywhere inside params for a message (pygls#140). Here only the outermost object is one; the rest stays.
    """
    try:
        message = _DECODER.decode(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return Unfit(None, ParseError("The message is not JSON in UTF-8, or is nested too deeply."))
    if not isinstance(message, dict):
        return Unfit(None, InvalidRequest("A message must be one JSON object; batches are not supported."))
    if "method" not in message and ("result" in message or "error" in message):
        return Reply(_id_of(message), message.get("result"), message.get("error"))
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return Unfit(_id_of(message), InvalidRequest('A message must have "jsonrpc": "2.0" and a method.'))
    return _called(message)


def encode(message: JsonObject) -> bytes:
    """Write one message as JSON; pygls 2.1.1 writes `NaN`, which is none (no upstream issue known)."""
    return json_text(message).encode("ascii")


def _called(message: JsonObject) -> Message:
    """Tell a request from a notification; params that are missing, null or an empty array mean none."""
    method, params = message["method"], message.get("params") or {}
    if "id" not in message:
        return Notification(method, params)
    if not _is_id(message["id"]):
        return Unfit(None, InvalidRequest("The id of a request must be a string or a number."))
    return Request(message["id"], method, params)


def _id_of(message: JsonObject) -> MessageId:
    found: MessageId = message.get("id")
    return found if _is_id(found) else None


def _is_id(value: object) -> bool:
    return value is None or (isinstance(value, str | int) and not isinstance(value, bool)) or _is_finite(value)


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _no_constant(_: str) -> NoReturn:
    raise ValueError


_DECODER = json.JSONDecoder(parse_constant=_no_constant)  # NaN and Infinity are no JSON
