"""Progress of one operation, from any thread to the client."""

from __future__ import annotations

import asyncio
import contextlib
import select
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams
from compact_chat.models import HostRefused
from compact_chat.operations import json_text
from compact_chat.serve.log import Journal
from compact_chat.serve.rpc import (
    OURS,
    Body,
    Message,
    MessageId,
    MethodNotFound,
    Reply,
    Tell,
    bodies,
    frame,
    read_message,
    wire_error,
)
from compact_chat.serve.settings import member

# A client's two streams, each with a thread of its own, and bounds on what waits in either.


UNREAD = 64 * 2**20  # bytes of answers that a client may leave unread before nothing more is read from it
BEHIND = 2**14  # bytes, beyond which a client gets no news until it has read what it asked for
AHEAD = 32  # messages that are read before the first of them is looked at
LOOK = 0.5  # seconds between two looks whether a client that leaves too much unread is still there


class Writer:
    """Writes frames in their order on a thread of its own, so that a client that does not read holds up nothing.

    pygls 2.1.1 writes on the event loop, where a full pipe stops everything, and from worker threads, where two frames
    get mixed up (no upstream issue known).
    """

    def __init__(self, stream: BinaryIO, ended: Callable[[], object], drained: Callable[[], object]) -> None:
        self._stream, self._ended, self._drained = stream, ended, drained
        self._frames: deque[bytes] = deque()
        self._waiting = 0  # bytes
        self._finishing = self._over = False
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._write_all, name="write", daemon=True)
        self._thread.start()

    @property
    def is_full(self) -> bool:
        """Whether the client leaves too much unread."""
        return self._waiting > UNREAD

    @property
    def is_behind(self) -> bool:
        """Whether the client has something to read before it gets news."""
        return self._waiting > BEHIND

    def write(self, data: bytes) -> None:
        """Have a frame written after those before it; where nobody reads any more, it is dropped."""
        with self._news:
            if not self._over:
                self._frames.append(data)
                self._waiting += len(data)
                self._news.notify_all()

    def wait_for_room(self, seconds: float) -> bool:
        """Hold up a thread while the client leaves too much unread; say whether that is over."""
        with self._news:
            return self._news.wait_for(lambda: not self.is_full, seconds)

    def finish(self) -> None:
        """Take no more; `ended` is called when what waits is written, or cannot be."""
        with self._news:
            self._finishing = True
            self._news.notify_all()

    def join(self, seconds: float) -> None:
        """Wait until all is written, as far as the client takes it within this time."""
        self._thread.join(seconds)

    def _write_all(self) -> None:
        try:
            while (data := self._next()) is not None:
                self._write_one(data)
                del data  # a large one is not kept until the next
        except OSError:  # nobody reads any more
            pass
        finally:
            self._end()

    def _next(self) -> bytes | None:
        with self._news:
            self._news.wait_for(lambda: self._frames or self._finishing)
            return self._frames.popleft() if self._frames else None

    def _write_one(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._stream.write(rest) :]
        with self._news:
            was_full = self.is_full
            self._waiting -= len(data)
            self._news.notify_all()
        if was_full and not self.is_full:
            self._drained()

    def _end(self) -> None:
        """Keep nothing, and hold up nobody, where nobody reads any more."""
        with self._news:
            self._over = True
            self._frames.clear()
            self._waiting = 0
            self._news.notify_all()
        _close(self._stream)
        self._drained()
        self._ended()


class Reader:
    """Reads messages on a thread that nothing ever waits for, no further ahead than can be used."""

    def __init__(self, take: Callable[[Message, Body], object], writer: Writer, ended: Callable[[], object]) -> None:
        self._take, self._writer, self._ended = take, writer, ended
        self._ahead = threading.Semaphore(AHEAD)

    def start(self, stream: BinaryIO) -> None:
        """Read a stream until it ends, and close it."""
        threading.Thread(target=self._read_all, args=(stream,), name="read", daemon=True).start()

    def go_on(self) -> None:
        """Read one further, since a message was looked at."""
        self._ahead.release()

    def _read_all(self, stream: BinaryIO) -> None:
        try:
            for body in bodies(stream):
                if not self._has_room(stream):
                    return
                self._hand_on(body)
                del body  # a large one is not kept until the next
        except OSError:  # as good as its end
            pass
        finally:
            _close(stream)
            self._ended()

    def _hand_on(self, body: Body) -> None:
        message = read_message(body)
        self._ahead.acquire()
        self._take(message, body)

    def _has_room(self, stream: BinaryIO) -> bool:
        """Wait while the client leaves too much unread; nobody waits for one that has gone."""
        while not self._writer.wait_for_room(LOOK):
            if _has_hung_up(stream):
                return False
        return True


def _has_hung_up(stream: BinaryIO) -> bool:
    """Say whether the other side has closed, though there may be more to read; Windows cannot tell."""
    if not hasattr(select, "poll"):
        return False
    looking = select.poll()
    looking.register(stream, getattr(select, "POLLRDHUP", 0))
    return bool(looking.poll(0))


def _close(stream: BinaryIO) -> None:
    with contextlib.suppress(OSError):  # it is broken, and so it is closed
        stream.close()


# What goes out to the client: answers, errors, requests and notifications, each as one frame.


class Channel:
    """Writes messages; `id: null` is written out, which pygls 2.1.1 leaves away (no upstream issue known)."""

    def __init__(
        self, write: Callable[[bytes], None], journal: Journal, is_behind: Callable[[], bool] = lambda: False
    ) -> None:
        self._write, self._journal = write, journal
        self.is_behind = is_behind  # whether the client leaves unread what it was sent

    def answer(self, under: MessageId, result: Any) -> None:
        """Answer a request; a result that cannot be written is an error like another."""
        try:
            self._send({"id": under, "result": result})
        except (TypeError, ValueError, RecursionError) as error:
            self.refuse(under, error)

    def refuse(self, under: MessageId, error: BaseException) -> None:
        """Answer a request with an error, without the traceback that pygls 2.1.1 adds (no upstream issue known)."""
        self._send({"id": under, "error": wire_error(error)})

    def ask(self, number: MessageId, method: str, params: Any) -> None:
        """Send a request of ours."""
        self._send({"id": number, "method": method, "params": params})

    def tell(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _send(self, message: JsonObject) -> None:
        body = encode({"jsonrpc": "2.0", **message})
        self._journal.went(message, body)
        self._write(frame(body))


def encode(message: JsonObject) -> bytes:
    """Write one message as JSON; pygls 2.1.1 writes `NaN`, which is none (no upstream issue known)."""
    try:
        return msgspec.json.encode(message)
    except (TypeError, ValueError):  # half a surrogate pair goes out as an escape
        return json_text(message).encode("ascii")


# Requests from the server to its client.


class Refused(Exception):
    """The client answered with an error."""

    def __init__(self, error: Any) -> None:
        super().__init__("the client refused")
        self.error = error


class Questions:
    """Asks the client and waits for its answer.

    In pygls 2.1.1 a cancelled request is neither cancelled in the client nor forgotten, and its late answer raises
    (pygls#621, cured by pygls#628 after 2.1.1); results come as namedtuples that rename keys.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._numbers = count(1)
        self._waiting: dict[MessageId, asyncio.Future[Any]] = {}

    async def ask(self, method: str, params: Any) -> Any:
        """Give the client's result; raise `Refused` where it answers with an error."""
        number = f"{OURS}{next(self._numbers)}"
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._channel.ask(number, method, params)
        try:
            return await answer
        except asyncio.CancelledError:
            self._channel.tell("$/cancelRequest", {"id": number})
            raise
        finally:
            del self._waiting[number]

    def answered(self, reply: Reply) -> None:
        """Pass on an answer; one that nobody waits for any more is dropped."""
        answer = self._waiting.get(reply.id)
        if answer is None or answer.done():
            return
        if reply.error is None:
            answer.set_result(reply.result)
        else:
            answer.set_exception(Refused(reply.error))


# The client as a host: what it declared that it answers, and the text that it streams while it is asked.


AskHost: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]
_OF_MODELS = frozenset({"compactChat/languageModels", "compactChat/languageModel"})
_OF_SECRETS = frozenset({"compactChat/secret"})


class ClientHost:
    """Asks one client, and for no more than it declared when it connected."""

    def __init__(self, ask: AskHost) -> None:
        self.language_models = self.secrets = False
        self._ask = ask
        self._numbers = count(1)
        self._listeners: dict[str, Tell] = {}  # by the tokens under which text may come

    def meet(self, declared: Any) -> None:
        """Remember what the client can be asked."""
        self.language_models = member(declared, "languageModels") is True
        self.secrets = member(declared, "secrets") is True

    async def ask(self, method: str, params: JsonObject, tell: Tell | None = None) -> Any:
        """Give the client's result; text that it streams before its answer goes to `tell`, on the event loop."""
        if not self._answers(method):
            raise HostRefused(MethodNotFound.code, {})
        if tell is None:
            return await self._asked(method, params)
        token = f"{OURS}text-{next(self._numbers)}"
        self._listeners[token] = tell
        try:
            return await self._asked(method, {**params, "partialResultToken": token})
        finally:
            del self._listeners[token]

    def heard(self, told: JsonObject) -> None:
        """Pass on a piece of text that came as `$/progress`; what has no listener, or is no text, is dropped."""
        token, value = told.get("token"), told.get("value")
        tell = self._listeners.get(token) if isinstance(token, str) else None
        text = member(value, "text")
        if tell is not None and member(value, "kind") == "text" and isinstance(text, str):
            tell(text)

    def _answers(self, method: str) -> bool:
        return (self.language_models and method in _OF_MODELS) or (self.secrets and method in _OF_SECRETS)

    async def _asked(self, method: str, params: JsonObject) -> Any:
        try:
            return await self._ask(method, params)
        except Refused as refused:
            code, data = member(refused.error, "code"), member(refused.error, "data")
            raise HostRefused(code if type(code) is int else 0, data if isinstance(data, dict) else {}) from None


# Progress of one operation, from any thread to the client.


Token: TypeAlias = str | int
State: TypeAlias = tuple[str, int | None]
Notify: TypeAlias = Callable[[str, JsonObject], None]
AskProgress: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]
PAUSE = 0.025  # seconds between two reports of one operation; half of what text may take on its way
LONG = 0.5  # seconds after which a client shows work that it gave no token for


class Tokens(NamedTuple):
    """Where the client wants to hear of an operation; nothing is sent that it did not ask for."""

    work_done: Token | None
    partial_result: Token | None


def tokens_of(*places: JsonObject) -> Tokens:
    """Find the tokens in the first place that has them."""
    return Tokens(_token(places, "workDoneToken"), _token(places, "partialResultToken"))


def _token(places: tuple[JsonObject, ...], name: str) -> Token | None:
    for place in places:
        if (token := place.get(name)) is not None:
            if not isinstance(token, str | int) or isinstance(token, bool):
                raise InvalidParams.at(f"$.{name}", "expected a string or an integer")
            return token
    return None


class Progress:
    """Passes on what an operation tells: the newest state and all of the text, at most every 25 ms, until it ends."""

    def __init__(self, title: str, tokens: Tokens, notify: Notify) -> None:
        self._title, self._tokens, self._notify = title, tokens, notify
        self._loop = asyncio.get_running_loop()
        self._state: State = ("", None)
        self._sent: State = self._state
        self._pieces: deque[str] = deque()
        self._due = self._ended = False
        self._last = 0.0

    @property
    def token(self) -> Token | None:
        """Where the state is shown, if it is."""
        return self._tokens.work_done

    @property
    def text(self) -> Tell | None:
        """Where an operation streams text, from any thread; None where nobody listens."""
        return None if self._tokens.partial_result is None else self._tell_text

    def begin(self) -> None:
        """Say that the work begins; a percentage must stand here for clients to show later ones."""
        begun = {"kind": "begin", "title": self._title, "cancellable": True, "percentage": 0}
        self._tell(self._tokens.work_done, begun)

    async def begin_late(self, token: Token, ask: AskProgress) -> None:
        """Have the client show the work under a token of ours, once it has become long."""
        await asyncio.sleep(LONG)
        await ask("window/workDoneProgress/create", {"token": token})
        self._tokens = Tokens(token, self._tokens.partial_result)
        self.begin()

    def end(self) -> None:
        """Send what is left and say that the work ended; whatever a thread still tells is dropped."""
        self._send()
        self._ended = True
        self._tell(self._tokens.work_done, {"kind": "end"})

    def report(self, message: str, percentage: int | None) -> None:
        """Take an operation's state, from any thread; where nobody listens it goes no further."""
        self._state = (message, percentage)
        self._wake()

    def _tell_text(self, text: str) -> None:
        self._pieces.append(text)
        self._wake()

    def _wake(self) -> None:
        """Have the loop send soon; called from any thread, so the news stands before the mark is looked at."""
        if not self._due and not self._ended:
            self._due = True
            self._loop.call_soon_threadsafe(self._send_in_time)

    def _send_in_time(self) -> None:
        self._loop.call_at(self._last + PAUSE, self._send)

    def _send(self) -> None:
        if self._ended:
            return
        self._due, self._last = False, self._loop.time()
        if self._state != self._sent:
            self._sent = self._state
            self._tell(self._tokens.work_done, _reported(*self._sent))
        if text := "".join(self._pieces.popleft() for _ in range(len(self._pieces))):
            self._tell(self._tokens.partial_result, {"kind": "text", "text": text})

    def _tell(self, token: Token | None, value: JsonObject) -> None:
        if token is not None:
            self._notify("$/progress", {"token": token, "value": value})


def _reported(message: str, percentage: int | None) -> JsonObject:
    share = {} if percentage is None else {"percentage": percentage}
    return {"kind": "report", "message": message, **share}
