"""JSON-RPC messages: from bytes to one of three kinds, and from plain values to bytes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import os
import re
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from queue import Full, Queue
from typing import Any, BinaryIO, NamedTuple, NoReturn, Protocol, TypeAlias

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled, CompactChatError, TooLarge
from compact_chat.models import Host

# What a server offers: the card, and the functions of the operations behind it.


Report: TypeAlias = Callable[[str, int | None], None]
Tell: TypeAlias = Callable[[str], None]


class Watches(Protocol):
    """The chats that one client watches; each begins once the client has been told of it."""

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to look at."""

    def begin(self, name: str) -> bool:
        """Begin with a watch, if there is one of this name that has not begun."""

    def when_ready(self, call: Callable[[], None]) -> None:
        """Have something called, from any thread, whenever the next look has something to tell already."""

    def begun(self) -> Sequence[tuple[str, Callable[[], JsonObject | None]]]:
        """Give each watch with what looks at its chat, and gives what there is to tell."""

    def has(self, name: str) -> bool:
        """Say whether a watch has begun and not ended."""

    def clear(self) -> None:
        """End all."""


class ClientState(Protocol):
    """What is remembered for one client; big operations wait while `room` is not set, and `host` is what it answers."""

    room: asyncio.Event | None
    host: Host | None

    @property
    def watches(self) -> Watches:
        """The chats that it watches."""

    def configure(self, section: object) -> None:
        """Take over the client's settings."""

    def greet(self, options: object) -> None:
        """Take over what the client told of itself."""


class Job(Protocol):
    """One operation under way."""

    def cancel(self) -> None:
        """Stop it at its next step."""


class Offer(NamedTuple):
    """The operations as the server needs them; each client gets a state, each request a job."""

    card: JsonObject
    state: Callable[[], ClientState]
    job: Callable[[Any, Report | None, Tell | None], Job]
    perform: Callable[[str, object, Any], Awaitable[JsonObject]]


def built() -> Offer:
    """Offer all operations that are built."""
    from compact_chat.operations import ClientState, Job, card, perform

    return Offer(card(), ClientState, Job, perform)


# JSON from a client to plain values, within limits.


MAX_DEPTH = 128  # levels; what reads a chat goes down by recursion
MAX_VALUES = 4_000_000  # counted by commas and brackets, since each value may take a hundred bytes of memory


class TooDeep(Exception):
    """Nested beyond the limit."""


class TooMany(Exception):
    """More values than the limit."""


def decode(body: bytes) -> Any:
    """Decode one value; raise ValueError where it is not JSON in UTF-8."""
    brackets = body.count(b"[") + body.count(b"{")
    if len(body) > MAX_VALUES and brackets + body.count(b",") > MAX_VALUES:
        raise TooMany
    try:
        value = _decoded(body)
    except RecursionError:
        raise TooDeep from None
    if brackets > MAX_DEPTH and _is_deep(value):
        raise TooDeep
    return value


def _decoded(body: bytes) -> Any:
    try:
        return _DECODER.decode(body)
    except ValueError:  # half a surrogate pair or a huge number, which the standard library takes
        return _FORGIVING.decode(body.decode())


def _is_deep(value: Any) -> bool:
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        if not level:
            return False
        level = [child for node in level for child in _containers(node.values() if type(node) is dict else node)]
    return bool(level)


def _containers(values: Any) -> list[Any]:
    return [value for value in values if type(value) is dict or type(value) is list]


def _no_constant(_: str) -> NoReturn:
    raise ValueError


_DECODER = msgspec.json.Decoder()
_FORGIVING = json.JSONDecoder(parse_constant=_no_constant)  # but NaN and Infinity are no JSON


# Messages on a byte stream: `Content-Length` headers, a blank line, a body.


MAX_BODY = 64 * 2**20
MAX_HEADER = 2**16
MAX_SKIPPED = 2**32  # a length beyond it is a mistake, and waiting for so many bytes would be for ever
HEAD = 4096
# A body that is longer than its header said may stand before the next header on its line.
_CONTENT_LENGTH = re.compile(rb"(?<![\w-])content-length\s*:\s*(\d{1,18})\s*\Z", re.IGNORECASE)


class Oversized(NamedTuple):
    """A body beyond the limit, which was passed over: how it begins and ends."""

    head: bytes
    tail: bytes


Body = bytes | Oversized


def size_of(body: Body) -> int:
    """Give the bytes that a body takes here."""
    return len(body) if isinstance(body, bytes) else 0


def frame(body: bytes) -> bytes:
    """Put the headers before a body."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def bodies(stream: BinaryIO) -> Iterator[Body]:
    """Give each body until the stream ends; while the next one is awaited, nothing of the last is kept."""
    return iter(partial(_next_body, stream), None)


def _next_body(stream: BinaryIO) -> Body | None:
    length = _next_length(stream)
    if length is None:
        return None
    if length > MAX_BODY:
        return Oversized(*_skip(stream, length if length <= MAX_SKIPPED else 0))
    body = stream.read(length)
    return body if len(body) == length else None


def _next_length(stream: BinaryIO) -> int | None:
    """Read up to a body; lines that are no header are passed over, so that the stream finds its feet again."""
    length = None
    while line := stream.readline(MAX_HEADER):
        if found := _CONTENT_LENGTH.search(line) if length is None else _CONTENT_LENGTH.match(line):
            length = int(found[1])
        elif length is not None and not line.strip():
            return length
    return None


def _skip(stream: BinaryIO, length: int) -> tuple[bytes, bytes]:
    """Pass over a body, and give its beginning and its end."""
    head = tail = stream.read(min(length, HEAD))
    left = length - len(head)
    while left > 0 and (chunk := stream.read(min(left, 2**20))):
        left, tail = left - len(chunk), (tail + chunk)[-HEAD:]
    return head, tail


# What is answered where no result can be: JSON-RPC's own errors, and the wire form of every error.


logger = logging.getLogger(__name__)


class ParseError(CompactChatError):
    """What came is not JSON in UTF-8."""

    code = -32700
    kind = "parseError"


class InvalidRequest(CompactChatError):
    """What came is JSON, but no JSON-RPC message that can be served now."""

    code = -32600
    kind = "invalidRequest"


class MethodNotFound(CompactChatError):
    """A method that this server does not have."""

    code = -32601
    kind = "methodNotFound"


class NotInitialized(CompactChatError):
    """A request before `initialize`."""

    code = -32002
    kind = "notInitialized"


class TokenRefused(InvalidRequest):
    """A client over TCP that does not know the token."""

    kind = "tokenRefused"


def wire_error(error: BaseException) -> JsonObject:
    """Give the error object of an answer; an unforeseen error tells nothing of what was being worked on."""
    if isinstance(error, asyncio.CancelledError):
        error = Cancelled()
    if not isinstance(error, CompactChatError):
        log_failure("operation", error)
        error = CompactChatError("Compact Chat failed unexpectedly; nothing was changed.")
    return {"code": error.code, "message": error.sentence, "data": error.payload()}


class _Beside(logging.Handler):
    """Writes to standard error on a thread of its own, and drops what nobody reads: logging must hold up nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Queue[str] = Queue(100)
        threading.Thread(target=self._write_all, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Have a line written, if there is room for it."""
        with contextlib.suppress(Full):
            self._lines.put_nowait(self.format(record))

    def _write_all(self) -> None:
        with contextlib.suppress(OSError):
            while line := self._lines.get():
                os.write(2, f"{line}\n".encode())


def log_to_standard_error() -> None:
    """Log there what fails, as long as somebody reads it."""
    ours = logging.getLogger("compact_chat")
    ours.addHandler(_Beside())
    ours.propagate = False


def log_failure(what: str, error: BaseException | None) -> None:
    """Log an error's type, module and line alone: its text might quote a chat, and its traceback show paths."""
    step = error.__traceback__ if error is not None else None
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f"{step.tb_frame.f_globals.get('__name__')}:{step.tb_lineno}" if step else "no place"
    logger.error("%s failed: %s at %s", what, type(error).__name__, place)


# JSON-RPC messages: from bytes to one of three kinds, and from plain values to bytes.


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
