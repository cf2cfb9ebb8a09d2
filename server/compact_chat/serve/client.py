"""One client: what is sent to it, what it is asked, and the progress it is shown."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from itertools import count
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled, CompactChatError, HostRefused, InvalidParams, MethodNotFound
from compact_chat.serve.log import Journal, log_failure
from compact_chat.serve.rpc import MessageId, Reply, encode, frame, member

Tell: TypeAlias = Callable[[str], None]
UNREAD = 64 * 2**20  # bytes of answers that a client may leave unread before nothing more is read from it
BEHIND = 2**14  # bytes, beyond which a client gets no news until it has read what it asked for
BATCH = 2**14  # bytes of small frames that are written at once, which saves switches between threads


class Client:
    """Sends answers, news and questions to one client, and asks it for no more than it declared when it connected.

    pygls 2.1.1 writes on the event loop, where a full pipe stops everything, leaves `id: null` out of answers, puts
    tracebacks into errors (no upstream issues known), and neither cancels nor forgets a request to the client that was
    cancelled (pygls#621, cured by pygls#628 after 2.1.1).
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._frames: deque[bytes] = deque()
        self._news = asyncio.Event()  # set while there are frames to write, and once there will be no more
        self._unread = 0  # bytes of frames that are not written yet
        self._finishing = self._gone = False
        self.room = asyncio.Event()  # set while the client reads its answers
        self.room.set()
        self.language_models = self.secrets = False
        self._numbers = count(1)
        self._waiting: dict[MessageId, asyncio.Future[Any]] = {}
        self._listeners: dict[str, Tell] = {}  # by the tokens under which text may come

    async def write_to(self, stream: BinaryIO, threads: Executor) -> None:
        """Write frames in their order, on a thread, until `finish` or until the client reads no more."""
        write = asyncio.get_running_loop().run_in_executor
        with contextlib.suppress(OSError):
            while True:
                await self._news.wait()
                if not self._frames:
                    break
                data = self._frames.popleft()
                while self._frames and len(data) + len(self._frames[0]) <= BATCH:
                    data += self._frames.popleft()
                await write(threads, _write_whole, stream, data)
                self._unread -= len(data)
                if self._unread <= UNREAD:
                    self.room.set()
                if not self._frames and not self._finishing:
                    self._news.clear()
                del data  # a large one is not kept until the next
        self._gone = True
        self._frames.clear()
        self._unread = 0
        self.room.set()
        with contextlib.suppress(OSError):  # it is broken, and so it is closed
            stream.close()

    def finish(self) -> None:
        """Have the writing end behind what waits."""
        self._finishing = True
        self._news.set()

    @property
    def is_behind(self) -> bool:
        """Whether the client has something to read before it gets news."""
        return self._unread > BEHIND

    def answer(self, under: MessageId, result: Any) -> None:
        """Answer a request; a result that cannot be written is an error like another."""
        try:
            self._send({"id": under, "result": result})
        except (TypeError, ValueError, RecursionError) as error:
            self.refuse(under, error)

    def refuse(self, under: MessageId, error: BaseException) -> None:
        """Answer a request with an error."""
        self._send({"id": under, "error": wire_error(error)})

    def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def new_id(self) -> str:
        """Make a name for a request or a progress token of the server's own."""
        return f"compact-chat-{next(self._numbers)}"

    async def request(self, method: str, params: Any) -> Any:
        """Send a request and give its result; raise HostRefused where it is answered with an error."""
        number = self.new_id()
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": number})
            raise
        finally:
            del self._waiting[number]

    def replied(self, reply: Reply) -> bool:
        """Pass on an answer; say whether it was awaited."""
        answer = self._waiting.get(reply.id)
        if answer is None or answer.done():
            return False
        if reply.error is None:
            answer.set_result(reply.result)
        else:
            code, data = member(reply.error, "code"), member(reply.error, "data")
            answer.set_exception(HostRefused(code if type(code) is int else 0, data if isinstance(data, dict) else {}))
        return True

    def declare(self, declared: Any) -> None:
        """Remember what the client said it can be asked."""
        self.language_models = member(declared, "languageModels") is True
        self.secrets = member(declared, "secrets") is True

    async def ask(self, method: str, params: JsonObject, tell: Tell | None = None) -> Any:
        """Ask the client as a host; text that it streams before its answer goes to `tell`, on the event loop."""
        allowed = {
            "compactChat/languageModels": self.language_models,
            "compactChat/languageModel": self.language_models,
            "compactChat/secret": self.secrets,
        }
        if not allowed.get(method):
            raise HostRefused(MethodNotFound.code, {})
        if tell is None:
            return await self.request(method, params)
        token = self.new_id()
        self._listeners[token] = tell
        try:
            return await self.request(method, {**params, "partialResultToken": token})
        finally:
            del self._listeners[token]

    def progressed(self, params: JsonObject) -> None:
        """Pass on a piece of text that came as `$/progress`; what has no listener, or is no text, is dropped."""
        token, value = params.get("token"), params.get("value")
        tell = self._listeners.get(token) if isinstance(token, str) else None
        text = member(value, "text")
        if tell is not None and member(value, "kind") == "text" and isinstance(text, str):
            tell(text)

    def _send(self, message: JsonObject) -> None:
        body = encode({"jsonrpc": "2.0", **message})
        self._journal.sent(message, body)
        if not self._gone:
            data = frame(body)
            self._unread += len(data)
            self._frames.append(data)
            self._news.set()
            if self._unread > UNREAD:
                self.room.clear()


def _write_whole(stream: BinaryIO, data: bytes) -> None:
    """Write to an unbuffered stream, which may take less than it is given."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def wire_error(error: BaseException) -> JsonObject:
    """Give the error object of an answer; an unforeseen error says nothing of what was being worked on."""
    if isinstance(error, asyncio.CancelledError):
        error = Cancelled()
    if not isinstance(error, CompactChatError):
        log_failure("operation", error)
        error = CompactChatError("Compact Chat failed unexpectedly; nothing was changed.")
    return {"code": error.code, "message": error.sentence, "data": error.payload()}


Token: TypeAlias = str | int
PAUSE = 0.025  # seconds between two reports of one operation; half of what text may take on its way
LONG = 0.5  # seconds after which a client shows work that it gave no token for


class Tokens(NamedTuple):
    """Where the client wants the progress of an operation; nothing is sent that it did not ask for."""

    work_done: Token | None
    partial_result: Token | None


def tokens_of(*places: JsonObject) -> Tokens:
    """Find each token in the first place that has it."""
    found: dict[str, Token | None] = {"workDoneToken": None, "partialResultToken": None}
    for name in found:
        token = next((place[name] for place in places if place.get(name) is not None), None)
        if isinstance(token, bool) or not isinstance(token, str | int | None):
            raise InvalidParams.at(f"$.{name}", "expected a string or an integer")
        found[name] = token
    return Tokens(*found.values())


class Progress:
    """Sends an operation's newest state and all of its text, at most every 25 ms, until it ends.

    In pygls 2.1.1 reports go on after the answer, and tokens are never forgotten (pygls#607).
    """

    def __init__(self, title: str, tokens: Tokens, client: Client) -> None:
        self._title, self._client = title, client
        self.token, self._text_token = tokens
        self._loop = asyncio.get_running_loop()
        self._late: asyncio.Task[None] | None = None
        self._state: tuple[str, int | None] = ("", None)
        self._sent: tuple[str, int | None] = self._state
        self._pieces: deque[str] = deque()
        self._due = self._ended = False
        self._last = 0.0

    @property
    def text(self) -> Tell | None:
        """Where an operation streams text, from any thread; None where the client wants none."""
        return None if self._text_token is None else self._add_text

    def begin(self, shows_progress: bool) -> None:
        """Say that the work begins: now, or once it is long where the client shows progress but gave no token."""
        if self.token is not None:
            # A percentage must be in the first report for clients to show later ones.
            begun = {"kind": "begin", "title": self._title, "cancellable": True, "percentage": 0}
            self._notify(self.token, begun)
        elif shows_progress:
            self._late = self._loop.create_task(self._begin_late())

    def end(self) -> None:
        """Send what is left and say that the work ended; whatever a thread still reports is dropped."""
        if self._late is not None:
            self._late.cancel()
        self._send()
        self._ended = True
        self._notify(self.token, {"kind": "end"})

    def report(self, message: str, percentage: int | None) -> None:
        """Take an operation's state, from any thread; without a token it goes no further."""
        self._state = (message, percentage)
        self._wake()

    def _add_text(self, text: str) -> None:
        self._pieces.append(text)
        self._wake()

    def _wake(self) -> None:
        """Have the loop send soon; called from any thread, after the news was stored and before the flag is read."""
        if not self._due and not self._ended:
            self._due = True
            self._loop.call_soon_threadsafe(lambda: self._loop.call_at(self._last + PAUSE, self._send))

    def _send(self) -> None:
        if self._ended:
            return
        self._due, self._last = False, self._loop.time()
        if self._state != self._sent:
            self._sent = message, percentage = self._state
            share = {} if percentage is None else {"percentage": percentage}
            self._notify(self.token, {"kind": "report", "message": message, **share})
        if text := "".join(self._pieces.popleft() for _ in range(len(self._pieces))):
            self._notify(self._text_token, {"kind": "text", "text": text})

    def _notify(self, token: Token | None, value: JsonObject) -> None:
        if token is not None:
            self._client.notify("$/progress", {"token": token, "value": value})

    async def _begin_late(self) -> None:
        await asyncio.sleep(LONG)
        token = self._client.new_id()
        with contextlib.suppress(HostRefused):
            await self._client.request("window/workDoneProgress/create", {"token": token})
            self.token = token
            self.begin(shows_progress=True)
