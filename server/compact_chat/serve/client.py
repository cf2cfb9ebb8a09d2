"""One client: its answers, notifications and requests, its progress, its settings, and its watches."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import count
from threading import Event, Thread
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled, CompactChatError, HostRefused, InvalidParams, MethodNotFound, WireError
from compact_chat.operations import ClientState, TakesLong
from compact_chat.serve.log import Journal, log_failure
from compact_chat.serve.rpc import MessageId, Reply, encode, frame, member

Tell: TypeAlias = Callable[[str], None]
UNREAD = 64 * 2**20  # unread bytes of answers beyond which nothing more is read from a client
BEHIND = 2**14  # unread bytes beyond which a client gets no notifications until it has read its answers


class Client:
    """Sends answers, notifications and requests to one client, within the capabilities that it declared.

    pygls 2.1.1 writes on the event loop, where a full pipe stops everything, leaves `id: null` out of answers, puts
    tracebacks into errors (no upstream issues known), and neither cancels nor forgets a request to the client that was
    cancelled (pygls#621, cured by pygls#628 after 2.1.1).
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._frames: asyncio.Queue[bytes] = asyncio.Queue()  # to write; an empty one is the last
        self._unread = 0  # bytes of unwritten frames
        self._gone = False
        self.room = asyncio.Event()  # set while the client reads its answers
        self.room.set()
        self.language_models = self.secrets = False
        self._numbers = count(1)
        self._waiting: dict[MessageId, asyncio.Future[Any]] = {}
        self._listeners: dict[str, Tell] = {}  # by progress token

    async def write_to(self, stream: BinaryIO, threads: Executor) -> None:
        """Write frames in order, on a thread, until `finish` or until the client stops reading."""
        write = asyncio.get_running_loop().run_in_executor
        with contextlib.suppress(OSError):
            while data := await self._frames.get():
                await write(threads, _write_whole, stream, data)
                self._unread -= len(data)
                if self._unread <= UNREAD:
                    self.room.set()
                del data  # do not keep a large one until the next
        self._gone = True
        self._frames = asyncio.Queue()
        self._unread = 0
        self.room.set()
        with contextlib.suppress(OSError):  # broken, and therefore closed
            stream.close()

    def finish(self) -> None:
        """End the writing after the frames in the queue."""
        self._frames.put_nowait(b"")

    @property
    def is_behind(self) -> bool:
        """Whether the client has unread output, so that notifications have to wait."""
        return self._unread > BEHIND

    def answer(self, under: MessageId, result: Any) -> None:
        """Answer a request; a result that cannot be written is an error like any other."""
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
        """Make an id for a request or progress token of the server."""
        return f"compact-chat-{next(self._numbers)}"

    async def request(self, method: str, params: Any) -> Any:
        """Send a request and return its result; raise HostRefused if it is answered with an error."""
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
        """Deliver a reply; return whether it was expected."""
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
        """Remember which requests the client accepts."""
        self.language_models = member(declared, "languageModels") is True
        self.secrets = member(declared, "secrets") is True

    async def ask(self, method: str, params: JsonObject, tell: Tell | None = None) -> Any:
        """Send the client a request as a host; text streamed before its answer goes to `tell`, on the event loop."""
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
        """Deliver a piece of text from `$/progress`; without a listener, or if not text, it is dropped."""
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
            self._frames.put_nowait(data)
            if self._unread > UNREAD:
                self.room.clear()


def _write_whole(stream: BinaryIO, data: bytes) -> None:
    """Write everything to an unbuffered stream, which may accept only part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def wire_error(error: BaseException) -> JsonObject:
    """Return an answer's error object; an unforeseen error reveals nothing of what was being processed."""
    if isinstance(error, asyncio.CancelledError):
        error = Cancelled()
    if not isinstance(error, WireError):
        log_failure("operation", error)
        error = CompactChatError("Compact Chat failed unexpectedly; nothing was changed.")
    return {"code": error.code, "message": error.sentence, "data": error.payload()}


Token: TypeAlias = str | int
PAUSE = 0.025  # seconds between two reports of one operation; half of the latency allowed for text
LONG = 0.5  # seconds after which a client shows work for which it gave no token


class Tokens(NamedTuple):
    """The tokens for an operation's progress; nothing is sent without one."""

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
        """The callback to which an operation streams text, from any thread; None if the client wants none."""
        if self._text_token is None:
            return None

        def add(text: str) -> None:
            self._pieces.append(text)
            self._wake()

        return add

    def begin(self, shows_progress: bool) -> None:
        """Report the beginning: now, or once the work is long if the client shows progress but gave no token."""
        if self.token is not None:
            # A percentage must be in the first report for clients to show later ones.
            begun = {"kind": "begin", "title": self._title, "cancellable": True, "percentage": 0}
            self._notify(self.token, begun)
        elif shows_progress:
            self._late = self._loop.create_task(self._begin_late())

    async def _begin_late(self) -> None:
        await asyncio.sleep(LONG)
        token = self._client.new_id()
        with contextlib.suppress(HostRefused):
            await self._client.request("window/workDoneProgress/create", {"token": token})
            self.token = token
            self.begin(shows_progress=True)

    def end(self) -> None:
        """Send what is left and report the end; later reports from threads are dropped."""
        if self._late is not None:
            self._late.cancel()
        self._send()
        self._ended = True
        self._notify(self.token, {"kind": "end"})

    def report(self, message: str, percentage: int | None) -> None:
        """Accept an operation's state, from any thread; without a token it goes no further."""
        self._state = (message, percentage)
        self._wake()

    def _wake(self) -> None:
        """Wake the loop to send; called from any thread, after storing the news and before reading the flag."""
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


SECTION = "compactChat"  # of the client's settings
CHANGED = "workspace/didChangeConfiguration"
PATIENCE = 2.0  # seconds that operations wait for requested settings


class Settings:
    """Keeps a client's settings: pulled if it supports that, else as it sends them."""

    def __init__(self, state: ClientState, ask: Callable[[str, Any], Awaitable[Any]]) -> None:
        self._state, self._ask = state, ask
        self._can_pull = self._can_register = self.shows_progress = False
        self._started = False
        self._pull: asyncio.Task[None] | None = None
        self._registering: asyncio.Task[None] | None = None
        self._patience_ends = 0.0

    def declare(self, capabilities: JsonObject) -> None:
        """Remember what the client supports."""
        self.shows_progress = member(capabilities, "window", "workDoneProgress") is True
        self._can_pull = member(capabilities, "workspace", "configuration") is True
        self._can_register = member(capabilities, "workspace", "didChangeConfiguration", "dynamicRegistration") is True

    def start(self, _: JsonObject) -> None:
        """Request the settings, and change notifications; only the first time."""
        if self._started:
            return
        self._started = True
        if self._can_pull:
            self._pull_now()
        if self._can_register:
            wanted = {"id": CHANGED, "method": CHANGED, "registerOptions": {"section": SECTION}}
            registration = self._request("client/registerCapability", {"registrations": [wanted]}, lambda _: None)
            self._registering = asyncio.get_running_loop().create_task(registration)

    def changed(self, params: JsonObject) -> None:
        """Apply settings that were sent along, or request them."""
        if (section := member(params, "settings", SECTION)) is not None:
            self.stop()
            self._state.configure(section)
        elif self._can_pull:
            self._pull_now()

    async def settled(self) -> None:
        """Wait for requested settings, but not for a client that keeps silent."""
        now = asyncio.get_running_loop().time
        latest = now() + PATIENCE
        while self._pull is not None and not self._pull.done():  # a newer request may replace it
            patience = min(latest, self._patience_ends) - now()
            if patience <= 0:
                break
            await asyncio.wait({self._pull}, timeout=patience)

    def stop(self) -> None:
        """Stop requesting."""
        if self._pull is not None:
            self._pull.cancel()

    def _pull_now(self) -> None:
        self.stop()

        def take(sections: Any) -> None:
            if isinstance(sections, list) and sections:
                self._state.configure(sections[0])

        loop = asyncio.get_running_loop()
        pull = self._request("workspace/configuration", {"items": [{"section": SECTION}]}, take)
        self._pull = loop.create_task(pull)
        self._patience_ends = loop.time() + PATIENCE

    async def _request(self, method: str, params: JsonObject, take: Callable[[Any], None]) -> None:
        """Send the request; a refusal leaves everything as it is."""
        try:
            take(await self._ask(method, params))
        except Exception as error:  # noqa: BLE001 -- never awaited, so log it here
            log_failure(method, error)


METER = "compactChat/meter"
EVERY = 0.25  # seconds between two polls


class Watching:
    """Polls on a thread of its own, which sleeps without watches: waiting on the event loop takes twice the work.

    A client gets each chat's newest report, at most once per poll, and none while it has unread output. Slow reads run
    one after the other on another thread, so that they delay no other chat.
    """

    def __init__(self, state: ClientState, client: Client) -> None:
        self._watches, self._client = state.watches, client
        self._loop = asyncio.get_running_loop()
        self._thread: Thread | None = None
        self._slow, self._reads = ThreadPoolExecutor(1, "watch-slow"), dict[str, Future[JsonObject | None]]()
        self._ready = Event()  # set once a watch has begun
        self._stopped = Event()

    def begin(self, result: JsonObject) -> None:
        """Begin the watch whose id the client just received, if this result contains one."""
        name = result.get("watchId")
        if self._stopped.is_set() or not isinstance(name, str) or not self._watches.begin(name):
            return
        if self._thread is None:
            thread = Thread(target=self._poll_all, name="watch", daemon=True)
            thread.start()
            self._thread = thread
        self._ready.set()

    def stop(self) -> None:
        """End all watches and their work."""
        self._stopped.set()
        self._watches.clear()
        self._ready.set()
        self._slow.shutdown(wait=False)

    def _poll_all(self) -> None:
        while not self._stopped.wait(EVERY):
            self._ready.clear()
            if not self._watches.begun():
                self._ready.wait()
            if not self._client.is_behind:
                self._poll()

    def _poll(self) -> None:
        """Poll each chat once, and notify the client of what is new."""
        begun = self._watches.begun()
        self._reads = {name: read for name, read in self._reads.items() if name in begun}
        for name, poll in begun.items():
            try:
                news = self._news(name, poll)
            except Cancelled:  # it ended meanwhile
                continue
            except Exception as error:  # noqa: BLE001 -- one failing chat must not stop the others
                log_failure("watch", error)
                continue
            if news is not None:
                with contextlib.suppress(RuntimeError):  # the loop has ended, with its client
                    self._loop.call_soon_threadsafe(self._notify, name, news)

    def _news(self, name: str, poll: Callable[..., JsonObject | None]) -> JsonObject | None:
        """Return what is new: at once if quick, else after a slow read."""
        if (read := self._reads.get(name)) is not None:
            return self._reads.pop(name).result() if read.done() else None
        try:
            return poll(at_once=True)
        except TakesLong:
            self._reads[name] = self._slow.submit(poll)
        return None

    def _notify(self, name: str, news: JsonObject) -> None:
        if name in self._watches.begun():
            self._client.notify(METER, {"watchId": name, **news})
