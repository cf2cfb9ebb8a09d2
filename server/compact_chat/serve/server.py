"""The language server of one client: its requests, running operations, and the life of the process around it.

pygls 2.1.1 is the base of the server, and answers `initialize` and `shutdown`. Chats do not pass through its typed
messages, which rename keys and turn numbers into strings; each docstring names the fault that its class cures.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeAlias

from cattrs import Converter
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from compact_chat import __version__
from compact_chat.chat import JsonObject
from compact_chat.errors import (
    CompactChatError,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    NotInitialized,
    TooLarge,
)
from compact_chat.operations import ClientState, Job, card, perform
from compact_chat.serve.client import SECTION, Client, Progress, Settings, Tokens, Watching, tokens_of
from compact_chat.serve.log import Journal, log_failure, open_log
from compact_chat.serve.rpc import (
    Body,
    Message,
    MessageId,
    Notification,
    Reply,
    Request,
    Unfit,
    member,
    read_body,
    read_message,
)

METHODS, COMMANDS = "compactChat/", "compactChat."
MAX_CALLS = 1000
MAX_BYTES = 256 * 2**20  # of the running requests
LEFT, INTERRUPTED = 0, 130  # exit codes
GRACE = 1.0  # seconds in which a client may still read pending output
LARGE = 2**20  # bytes of a message after which memory is returned to the system
QUIET = 1.0  # seconds without another large message before that happens
AHEAD = 16  # small messages read before the first of them is served; a large one is read alone
LOOK = 0.05  # seconds between two polls of a client that leaves too much unread
M_MMAP_THRESHOLD = -3
SWITCH = 0.001  # seconds after which a busy thread yields: a cancellation passes through three

Leave: TypeAlias = Callable[[int], None]


class Call(NamedTuple):
    """A running operation."""

    id: MessageId
    size: int  # bytes of its request
    progress: Progress
    task: asyncio.Task[JsonObject]


class ChatProtocol(LanguageServerProtocol):
    """Handles the messages of one client: every request gets exactly one answer, however its operation ends.

    pygls 2.1.1 lets the coroutine of a cancelled command run to its end (no upstream issue known), runs cancelled
    requests that were still queued (pygls#517), and serves at any time, but answers nothing after `shutdown`.
    """

    def __init__(self, server: ChatServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._leave, self._client, self._card = server.leave, server.client, card()
        self._state = ClientState()
        self._state.room, self._state.host = self._client.room, self._client
        self._settings = Settings(self._state, self._client.request)
        self._watching = Watching(self._state, self._client)
        self._calls: set[Call] = set()
        self._bytes = 0  # of the running requests
        self._ready = False
        self._process: asyncio.Task[None] | None = None
        self._notifications: dict[str, Callable[[JsonObject], None]] = {
            types.CANCEL_REQUEST: partial(self._cancel, "id"),
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: partial(self._cancel, "token"),
            types.PROGRESS: self._client.progressed,
            types.INITIALIZED: self._settings.start,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._settings.changed,
        }
        self._requests = {METHODS + name for name in self._card["operations"]}
        self._requests |= {types.INITIALIZE, types.SHUTDOWN, types.WORKSPACE_EXECUTE_COMMAND}
        self.methods = frozenset((*self._requests, *self._notifications, types.EXIT))

    def receive(self, message: Message) -> None:
        """Handle an incoming message."""
        match message:
            case Request():
                try:
                    self._serve(message)
                except Exception as error:  # noqa: BLE001 -- every request is answered
                    self._client.refuse(message.id, error)
            case Notification(types.EXIT):
                self._leave(LEFT if self._shutdown else 1)
            case Notification(method, params):
                if self._ready and not self._shutdown and method in self._notifications:
                    try:
                        self._notifications[method](params if isinstance(params, dict) else {})
                    except Exception as error:  # noqa: BLE001 -- a notification has no answer; log it
                        log_failure(method, error)
            case Reply():
                self._client.replied(message)
            case Unfit(under, error):
                if not self._client.replied(Reply(under, None, error.kind)):  # an answer beyond the limits is one too
                    self._client.refuse(under, error)

    async def end(self) -> None:
        """Stop all work for a client that left, and answer its running requests."""
        self._stop()
        if self._process is not None:
            self._process.cancel()
        if self._calls:
            await asyncio.wait([call.task for call in self._calls])

    def _stop(self) -> None:
        self._settings.stop()
        self._watching.stop()
        for call in self._calls:
            call.task.cancel()

    def _serve(self, request: Request) -> None:
        """Serve a request, or raise why not."""
        method, params = request.method, request.params
        if self._shutdown:
            raise InvalidRequest("The server was shut down.")
        if self._ready and method == types.INITIALIZE:
            raise InvalidRequest("The server was initialized before.")
        if not self._ready and method != types.INITIALIZE:
            raise NotInitialized("The first request must be `initialize`.")
        if method not in self._requests:
            raise MethodNotFound("There is no such method.")
        if not isinstance(params, dict):
            raise InvalidParams.at("$", "expected an object")

        if method == types.INITIALIZE:
            self._initialize(request)
        elif method == types.SHUTDOWN:
            self._stop()
            self._handle_request(request.id, method, None)  # type: ignore[arg-type]  # ids of any type are only echoed
        elif method == types.WORKSPACE_EXECUTE_COMMAND:
            name, arguments = read_command(params, self._card["operations"])
            self._start(request, name, arguments, tokens_of(params, arguments))
        else:
            self._start(request, method.removeprefix(METHODS), params, tokens_of(params))

    def _initialize(self, request: Request) -> None:
        """Read only what the server uses, so that an editor with newer values is not refused."""
        params = request.params
        process, capabilities = params.get("processId"), params.get("capabilities") or {}
        if process is not None and type(process) is not int:
            raise InvalidParams.at("$.processId", "expected an integer or null")
        if not isinstance(capabilities, dict):
            raise InvalidParams.at("$.capabilities", "expected an object")
        declared = member(params.get("initializationOptions"), SECTION)
        self._state.greet(declared)
        self._client.declare(declared)
        self._settings.declare(capabilities)
        if process is not None:
            self._process = asyncio.get_running_loop().create_task(process_ended(process))
            self._process.add_done_callback(
                lambda ended: None if ended.cancelled() or ended.exception() else self._leave(LEFT)
            )
        known = types.InitializeParams(types.ClientCapabilities(), process_id=process)
        self._handle_request(request.id, types.INITIALIZE, known)  # type: ignore[arg-type]  # ids of any type are only echoed

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Advertise the operations, and nothing else."""
        result = yield from super().lsp_initialize(params)
        result.capabilities = types.ServerCapabilities(
            text_document_sync=types.TextDocumentSyncOptions(open_close=False, change=types.TextDocumentSyncKind.None_),
            execute_command_provider=types.ExecuteCommandOptions([COMMANDS + one for one in self._card["operations"]]),
            experimental={"compactChat": self._card},
        )
        self._ready = True
        return result

    def _send_response(self, msg_id: MessageId, result: Any = None, error: types.ResponseError | None = None) -> None:
        """Send pygls' answers, whose own errors contain tracebacks in 2.1.1 (no upstream issue known)."""
        if error is None:
            self._client.answer(msg_id, self._converter.unstructure(result))
        else:
            self._client.refuse(msg_id, RuntimeError())

    def _start(self, request: Request, name: str, params: JsonObject, tokens: Tokens) -> None:
        """Start an operation as a task that is answered once, however it ends, even if it is cancelled at once."""
        if len(self._calls) >= MAX_CALLS or self._bytes + request.size > MAX_BYTES:
            raise TooLarge("Too many requests are under way; send the next one after an answer.")
        progress = Progress(f"Compact Chat: {name}", tokens, self._client)
        task = asyncio.get_running_loop().create_task(self._run(name, params, progress))
        call = Call(request.id, request.size, progress, task)
        self._calls.add(call)
        self._bytes += call.size
        task.add_done_callback(lambda _: self._end(call))

    async def _run(self, name: str, params: JsonObject, progress: Progress) -> JsonObject:
        """Perform an operation; cancelling the task stops the work in its thread too."""
        await self._settings.settled()
        job = Job(self._state, progress.report, progress.text)
        progress.begin(self._settings.shows_progress)
        try:
            return await perform(name, params, job)
        except asyncio.CancelledError:
            job.cancel()
            raise
        finally:
            progress.end()

    def _end(self, call: Call) -> None:
        self._calls.discard(call)
        self._bytes -= call.size
        error = asyncio.CancelledError() if call.task.cancelled() else call.task.exception()
        if error is None:
            self._client.answer(call.id, call.task.result())
            self._watching.begin(call.task.result())
        else:
            self._client.refuse(call.id, error)

    def _cancel(self, key: str, params: JsonObject) -> None:
        """Cancel what `$/cancelRequest` identifies by `id`, or `window/workDoneProgress/cancel` by `token`."""
        wanted = params.get(key)
        for call in self._calls:
            name = call.id if key == "id" else call.progress.token
            if name is not None and name == wanted and not isinstance(wanted, bool):  # `true` is not 1
                call.task.cancel()


def read_command(command: JsonObject, operations: Collection[str]) -> tuple[str, JsonObject]:
    """Return the operation and the params of `workspace/executeCommand`: one object in `arguments`, or nothing.

    pygls 2.1.1 refuses `arguments: []` where a handler takes an argument, and fails where they are left out.
    """
    name = command.get("command")
    if not isinstance(name, str):
        raise InvalidParams.at("$.command", "expected a string")
    if not (name.startswith(COMMANDS) and name.removeprefix(COMMANDS) in operations):
        raise InvalidParams.at("$.command", "there is no such command")
    arguments = [] if command.get("arguments") is None else command["arguments"]
    if not isinstance(arguments, list) or len(arguments) > 1:
        raise InvalidParams.at("$.arguments", "expected an array with one object at most")
    params = arguments[0] if arguments and arguments[0] is not None else {}
    if not isinstance(params, dict):
        raise InvalidParams.at("$.arguments[0]", "expected an object")
    return name.removeprefix(COMMANDS), params


PARENT = os.getppid()  # the parent process; it may die before it sends its process id
EVERY = 1.0  # seconds between two polls, if the system has no notification


async def process_ended(number: int) -> None:
    """Wait until a process has ended; forever if it does not exist, since its id is then from another machine.

    pygls 2.1.1 stores the number of the client's process only (pygls#118, pygls#149).
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError, OverflowError, AttributeError):  # a kernel, sandbox or Python without it
            handle = os.pidfd_open(number)  # readable once the process ended, even before its exit code was fetched
            loop, ended = asyncio.get_running_loop(), asyncio.Event()
            loop.add_reader(handle, ended.set)
            try:
                await ended.wait()
            finally:
                loop.remove_reader(handle)
                os.close(handle)
            return
    runs = partial(is_alive, number)
    if sys.platform == "win32":
        import ctypes

        runs = windows_life_of(number, ctypes.windll.kernel32)
    if not runs() and number != PARENT:
        await asyncio.get_running_loop().create_future()
    while runs():  # noqa: ASYNC110 -- this system has no notification to wait for
        await asyncio.sleep(EVERY)


def is_alive(number: int) -> bool:
    """Return whether a process is running; signal 0 only checks."""
    try:
        os.kill(number, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def windows_life_of(number: int, kernel: Any) -> Callable[[], bool]:
    """The same on Windows, where signal 0 would end the process; the open handle keeps its id from being reused."""
    synchronize, still_running = 0x0010_0000, 0x0000_0102
    handle = kernel.OpenProcess(synchronize, False, number) if 0 < number < 2**32 else 0
    return lambda: bool(handle) and kernel.WaitForSingleObject(handle, 0) == still_running


class ChatServer(LanguageServer):
    """The pygls server of one client, and its streams until one side leaves.

    `leave` is called when either side wants to end it, and `gone` when nothing more can be written. pygls 2.1.1 logs
    bodies and params, shows errors with their text in the editor, and has no limits on what a client sends or leaves
    unread (no upstream issues known).
    """

    protocol: ChatProtocol

    def __init__(self, outgoing: BinaryIO, leave: Leave, gone: Leave, number: int = 1) -> None:
        self._loop = asyncio.get_running_loop()
        self._journal = Journal(number)
        self.client, self.leave, self._gone = Client(self._journal), leave, gone
        for name in ("pygls", "asyncio"):  # asyncio logs arguments in debug mode
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        no_documents = types.TextDocumentSyncKind.None_
        super().__init__("compact-chat", __version__, no_documents, None, ChatProtocol, default_converter)
        self._journal.known = self.protocol.methods
        self._threads = ThreadPoolExecutor(2, "streams")  # one reads, one writes
        self._ahead = threading.Semaphore(AHEAD)
        self._closing = False
        self._reading: asyncio.Task[None] | None = None
        self._tidying: asyncio.TimerHandle | None = None
        self.writing = self._loop.create_task(self.client.write_to(outgoing, self._threads))
        self.writing.add_done_callback(self._written)

    def read(self, incoming: BinaryIO) -> None:
        """Serve incoming messages until the input ends."""
        self._reading = self._loop.create_task(self._read(incoming))

    def receive(self, message: Message, body: Body) -> None:
        """Serve one message; after a large one, return memory once no other follows."""
        if self._closing:
            return
        self._journal.received(message, body)
        self.protocol.receive(message)
        if isinstance(body, bytes) and len(body) >= LARGE:
            if self._tidying is not None:
                self._tidying.cancel()
            self._tidying = self._loop.call_later(QUIET, self._loop.run_in_executor, None, give_memory_back)

    async def close(self) -> None:
        """Stop all work; each running request still gets its answer, and pending output is still written."""
        self._closing = True
        for waiting in (self._reading, self._tidying):
            if waiting is not None:
                waiting.cancel()
        await self.protocol.end()
        self.client.finish()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log where something failed in pygls."""
        log_failure(source.__name__, error)

    async def _read(self, incoming: BinaryIO) -> None:
        try:
            await self._loop.run_in_executor(self._threads, self._read_all, incoming)
            incoming.close()
        finally:
            self.leave(LEFT)

    def _read_all(self, incoming: BinaryIO) -> None:
        """Read messages on a thread: few before the first of them is served, none while too much is unread.

        A client that leaves too much unread may hang up, though there is more to read from it.
        """
        with contextlib.suppress(OSError):  # treat it as the end of input
            while (body := read_body(incoming)) is not None:
                message = read_message(body)
                while not self.client.room.is_set():
                    if has_hung_up(incoming):
                        return
                    time.sleep(LOOK)
                share = AHEAD if isinstance(body, bytes) and len(body) >= LARGE else 1
                for _ in range(share):
                    self._ahead.acquire()
                self._loop.call_soon_threadsafe(self._take, message, body, share)
                del body, message  # do not keep large ones until the next

    def _take(self, message: Message, body: Body, share: int) -> None:
        self._ahead.release(share)
        self.receive(message, body)

    def _written(self, _: object) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._threads.shutdown(wait=False)
        self._gone(LEFT)


def has_hung_up(stream: BinaryIO) -> bool:
    """Return whether the other side has closed, even if there is more to read; not detectable on Windows."""
    if not hasattr(select, "poll"):
        return False
    looking = select.poll()
    looking.register(stream, getattr(select, "POLLRDHUP", 0))
    return bool(looking.poll(0))


def give_memory_back() -> None:
    """Collect the garbage of large messages, and have glibc return it to the system.

    After eight reports on chats of 40 MB a server holds 180 MB with it, 230 to 290 MB without.
    """
    gc.collect()
    call_glibc("malloc_trim", 0)


def call_glibc(function: str, *values: int) -> None:
    """Call a glibc function that tunes memory; other C libraries lack it, or do so by themselves."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(AttributeError, OSError):
            getattr(ctypes.CDLL(None), function)(*values)


def serve_stdio(log_file: str | None = None) -> NoReturn:
    """Serve the client on standard input and output until one side leaves; the process ends here."""
    prepare(log_file)
    incoming, outgoing = take_stdio()

    async def serve(left: asyncio.Future[int], leave: Leave) -> int:
        server = ChatServer(outgoing, leave, leave)
        server.read(incoming)
        code = await left
        await server.close()
        await asyncio.wait({server.writing}, timeout=GRACE)
        return code

    live(serve)


def prepare(log_file: str | None) -> None:
    """Open the log, make threads switch fast, and have glibc map large blocks, which are returned when freed.

    After the thousand hostile inputs of the tests a server holds 157 MB with such blocks, 239 MB without.
    """
    sys.setswitchinterval(SWITCH)
    call_glibc("mallopt", M_MMAP_THRESHOLD, 2**17)
    try:
        open_log(log_file)
    except OSError as problem:
        raise CompactChatError(f"The log file cannot be written: {problem.strerror}.") from problem


def take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Take over standard input and output, and redirect the descriptors 0 and 1 for code that reads or prints.

    In pygls 2.1.1 a `print` anywhere, here, in a C library or in a child process, lands between two frames
    (no upstream issue known). Now it goes to standard error, and standard input reads as empty.
    """
    nothing = os.open(os.devnull, os.O_RDWR)  # takes the descriptor of standard error if that is closed
    incoming, outgoing = os.dup(0), os.dup(1)
    if sys.platform != "win32":
        for descriptor in (incoming, outgoing):
            os.set_blocking(descriptor, True)  # Node passes non-blocking pipes
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0)


def live(story: Callable[[asyncio.Future[int], Leave], Coroutine[None, None, int]]) -> NoReturn:
    """Run until the main coroutine ends, then exit at once: the interpreter would wait for threads.

    `story` gets a future exit code, which a signal settles, and a function that settles it too. Errors that are not
    awaited are logged without their text. Frozen, the 51,000 objects of pygls are left out of collections, which take
    28 ms with them.
    """

    async def main() -> int:
        loop = asyncio.get_running_loop()
        left: asyncio.Future[int] = loop.create_future()
        loop.set_exception_handler(lambda _, context: log_failure("event loop", context.get("exception")))

        def leave(code: int) -> None:
            if not left.done():
                left.set_result(code)

        for name, code in {"SIGTERM": LEFT, "SIGHUP": LEFT, "SIGBREAK": LEFT, "SIGINT": INTERRUPTED}.items():
            number = getattr(signal, name, None)
            if number is None or (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):
                continue
            if sys.platform == "win32":
                signal.signal(number, lambda *_, code=code: loop.call_soon_threadsafe(leave, code))
            else:  # wakes the loop, whichever thread gets the signal
                loop.add_signal_handler(number, leave, code)
        return await story(left, leave)

    gc.freeze()
    gc.enable()
    os._exit(asyncio.new_event_loop().run_until_complete(main()))
