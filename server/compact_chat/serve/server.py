"""The server's life: from taking standard input and output to leaving the process."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Collection, Coroutine, Generator
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn, TypeAlias

from cattrs import Converter
from lsprotocol import types
from lsprotocol.types import TextDocumentSyncKind
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from compact_chat import __version__
from compact_chat.chat import JsonObject
from compact_chat.errors import CompactChatError, InvalidParams, TooLarge
from compact_chat.serve.client import (
    Channel,
    ClientHost,
    Progress,
    Questions,
    Reader,
    Refused,
    Tokens,
    Writer,
    tokens_of,
)
from compact_chat.serve.log import Journal
from compact_chat.serve.rpc import (
    Body,
    ClientState,
    InvalidRequest,
    Message,
    MessageId,
    MethodNotFound,
    Notification,
    NotInitialized,
    Offer,
    Reply,
    Request,
    built,
    log_failure,
    size_of,
)
from compact_chat.serve.settings import SECTION, Settings, member
from compact_chat.serve.watch import Watching

if TYPE_CHECKING:
    from compact_chat.serve.tcp import Listening

# An operation that is asked for: as a request of its own, or as a command.


METHODS, COMMANDS = "compactChat/", "compactChat."


class Asked(NamedTuple):
    """An operation with its params, however it was asked for."""

    name: str
    params: JsonObject
    tokens: Tokens


def by_request(name: str, params: JsonObject) -> Asked:
    """Read the params of `compactChat/<name>`."""
    return Asked(name, params, tokens_of(params))


def by_command(command: JsonObject, known: Collection[str]) -> Asked:
    """Read the params of `workspace/executeCommand`: one object in `arguments` or nothing, and tokens here or there.

    pygls 2.1.1 refuses `arguments: []` where a handler takes an argument, and fails where they are left out.
    """
    name = command.get("command")
    if not isinstance(name, str):
        raise InvalidParams.at("$.command", "expected a string")
    if not (name.startswith(COMMANDS) and name.removeprefix(COMMANDS) in known):
        raise InvalidParams.at("$.command", "there is no such command")
    arguments = command.get("arguments")
    params = _only([] if arguments is None else arguments)
    return Asked(name.removeprefix(COMMANDS), params, tokens_of(command, params))


def _only(arguments: Any) -> JsonObject:
    """Give the one object that a command is called with; none at all means an empty one."""
    if not isinstance(arguments, list) or len(arguments) > 1:
        raise InvalidParams.at("$.arguments", "expected an array with one object at most")
    params = arguments[0] if arguments and arguments[0] is not None else {}
    if not isinstance(params, dict):
        raise InvalidParams.at("$.arguments[0]", "expected an object")
    return params


# The operations under way: where requests and commands meet, and what a cancellation reaches.


MAX_CALLS = 1000
MAX_BYTES = 256 * 2**20  # of the requests under way


class Call(NamedTuple):
    """One operation under way: its request's id and size, where it reports, and its task."""

    id: MessageId
    size: int
    progress: Progress
    task: asyncio.Task[JsonObject]


class Calls:
    """Runs each operation as one task, answers it once however it ends, and cancels it by its id or its token.

    pygls 2.1.1 lets the coroutine of a cancelled command run to its end (no upstream issue known), and runs cancelled
    requests that were still queued (pygls#517); here nothing stands between a cancellation and the task.
    """

    def __init__(
        self,
        offer: Offer,
        client: ClientState,
        settings: Settings,
        channel: Channel,
        questions: Questions,
        sent: Callable[[JsonObject], object],
    ) -> None:
        self._offer, self._client, self._settings, self._channel = offer, client, settings, channel
        self._sent = sent  # is told each result that has gone out
        self._questions = questions
        self._numbers = count(1)
        self._calls: set[Call] = set()
        self._bytes = 0

    def start(self, under: MessageId, size: int, asked: Asked) -> None:
        """Start an operation."""
        if len(self._calls) >= MAX_CALLS or self._bytes + size > MAX_BYTES:
            raise TooLarge("Too many requests are under way; send the next one after an answer.")
        progress = Progress(f"Compact Chat: {asked.name}", asked.tokens, self._channel.tell)
        task = asyncio.get_running_loop().create_task(self._run(asked, progress))
        call = Call(under, size, progress, task)
        self._calls.add(call)
        self._bytes += size
        task.add_done_callback(lambda _: self._answer(call))

    def cancel(self, params: JsonObject) -> None:
        """Cancel the request that `$/cancelRequest` names, if it is still under way."""
        for call in self._calls:
            if call.id is not None and _same(call.id, params.get("id")):
                call.task.cancel()

    def cancel_progress(self, params: JsonObject) -> None:
        """Cancel the request whose progress `window/workDoneProgress/cancel` names."""
        for call in self._calls:
            if call.progress.token is not None and _same(call.progress.token, params.get("token")):
                call.task.cancel()

    def cancel_all(self) -> None:
        """Cancel whatever is under way."""
        for call in self._calls:
            call.task.cancel()

    async def answered(self) -> None:
        """Wait until nothing is under way, which after a cancellation is at once."""
        if self._calls:
            await asyncio.wait([call.task for call in self._calls])

    async def _run(self, asked: Asked, progress: Progress) -> JsonObject:
        """Perform an operation and report on it; where the task is cancelled, the work in its thread stops too."""
        await self._settings.settled()
        job = self._offer.job(self._client, progress.report, progress.text)
        showing = self._show(progress)
        try:
            return await self._offer.perform(asked.name, asked.params, job)
        except asyncio.CancelledError:
            job.cancel()
            raise
        finally:
            if showing is not None:
                showing.cancel()
            progress.end()

    def _show(self, progress: Progress) -> asyncio.Task[None] | None:
        """Begin to report: at once where the client gave a token, later under one of ours where it shows those."""
        progress.begin()
        if progress.token is not None or not self._settings.shows_progress:
            return None

        async def later() -> None:
            with contextlib.suppress(Refused):
                await progress.begin_late(f"compact-chat-{next(self._numbers)}", self._questions.ask)

        return asyncio.get_running_loop().create_task(later())

    def _answer(self, call: Call) -> None:
        self._calls.discard(call)
        self._bytes -= call.size
        error = asyncio.CancelledError() if call.task.cancelled() else call.task.exception()
        if error is None:
            self._channel.answer(call.id, call.task.result())
            self._sent(call.task.result())
        else:
            self._channel.refuse(call.id, error)


def _same(one: object, other: object) -> bool:
    """Compare as JSON does: `true` is not 1."""
    return one == other and isinstance(one, bool) is isinstance(other, bool)


# The client's process: where it is gone, the server has nobody left to serve.


PARENT = os.getppid()  # who started us; it may die before it can tell its number
EVERY = 1.0  # seconds between two looks, where the system does not tell by itself

Stop = Callable[[], object]
Lives = Callable[[], bool]


def watch_process(number: int, gone: Callable[[], object]) -> Stop:
    """Call `gone` once this process has ended, and give what ends the watch.

    pygls 2.1.1 stores the number only (pygls#118, pygls#149). A number that is unknown from the start names a process
    of another machine or container: there is nothing to watch.
    """
    if number <= 0:
        return _nothing
    if sys.platform == "linux":
        try:
            return _told_by_the_system(os.pidfd_open(number), gone)
        except ProcessLookupError:
            return _at_once(gone) if number == PARENT else _nothing
        except OverflowError:
            return _nothing
        except (OSError, AttributeError):  # a kernel, a sandbox or a Python without it
            pass
    lives = _life_of(number)
    return _Looks(lives, gone).stop if lives() or number == PARENT else _nothing


def _told_by_the_system(handle: int, gone: Callable[[], object]) -> Stop:
    """Wait on a handle, which tells the end of a process even while nobody has fetched its exit code."""
    loop = asyncio.get_running_loop()
    loop.add_reader(handle, gone)

    def stop() -> None:
        loop.remove_reader(handle)
        os.close(handle)

    return stop


class _Looks:
    """Looks again and again whether a process runs."""

    def __init__(self, lives: Lives, gone: Callable[[], object]) -> None:
        self._lives, self._gone = lives, gone
        self._next = asyncio.get_running_loop().call_later(EVERY, self._look)

    def stop(self) -> None:
        """Look no more."""
        self._next.cancel()

    def _look(self) -> None:
        if self._lives():
            self._next = asyncio.get_running_loop().call_later(EVERY, self._look)
        else:
            self._gone()


def _at_once(gone: Callable[[], object]) -> Stop:
    return asyncio.get_running_loop().call_soon(gone).cancel


def _nothing() -> None:
    """End a watch that never began."""


def _life_of(number: int) -> Lives:
    """Give what tells whether a process runs."""
    if sys.platform == "win32":
        import ctypes

        return windows_life_of(number, ctypes.windll.kernel32)
    return partial(is_alive, number)


def is_alive(number: int) -> bool:
    """Say whether a process runs; signal 0 asks without disturbing it."""
    try:
        os.kill(number, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def windows_life_of(number: int, kernel: Any) -> Lives:
    """The same on Windows, where signal 0 would end it; the handle stays open, so that the number is not given away."""
    synchronize, still_running = 0x0010_0000, 0x0000_0102
    handle = kernel.OpenProcess(synchronize, False, number) if number < 2**32 else 0
    return lambda: bool(handle) and kernel.WaitForSingleObject(handle, 0) == still_running


# The language server protocol as pygls has it, with its defects cured.


Handler: TypeAlias = Callable[[Request], None]


class ChatProtocol(LanguageServerProtocol):
    """One client: every request gets exactly one answer, and nothing of a chat gets anywhere else.

    pygls keeps `initialize` and `shutdown`. What may hold a chat goes past its typed messages, which rename keys and
    turn numbers into strings; documents, hovers and the like are not offered, so nothing of them is kept.
    """

    def __init__(self, server: ChatServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._leave, self._channel, self._card = server.leave, server.channel, server.offer.card
        self._client = server.offer.state()
        self._client.room = server.room
        self._questions = Questions(self._channel)
        self._client.host = self._host = ClientHost(self._questions.ask)
        self._settings = Settings(self._client, self._questions.ask)
        self._meters = Watching(self._client.watches, self._channel.tell, self._channel.is_behind)
        self._calls = Calls(
            server.offer, self._client, self._settings, self._channel, self._questions, self._meters.begin
        )
        self._ready = False
        self._stop_watching: Callable[[], object] = lambda: None
        self._requests: dict[str, Handler] = {
            types.INITIALIZE: self._initialize,
            types.SHUTDOWN: self._shut_down,
            types.WORKSPACE_EXECUTE_COMMAND: self._command,
            **{METHODS + name: partial(self._operation, name) for name in self._card["operations"]},
        }
        self._notifications: dict[str, Callable[[JsonObject], None]] = {
            types.CANCEL_REQUEST: self._calls.cancel,
            types.WINDOW_WORK_DONE_PROGRESS_CANCEL: self._calls.cancel_progress,
            types.PROGRESS: self._host.heard,
            types.INITIALIZED: self._settings.start,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._settings.changed,
        }

    def methods(self) -> frozenset[str]:
        """Name all that can come."""
        return frozenset((*self._requests, *self._notifications, types.EXIT))

    def receive(self, message: Message) -> None:
        """Take what came off the wire: a message, or the error that stands for one."""
        if isinstance(message, Request):
            self._begin(message)
        elif isinstance(message, Notification):
            self._take(message)
        elif isinstance(message, Reply):
            self._questions.answered(message)
        else:
            self._channel.refuse(*message)

    async def close(self) -> None:
        """Stop all that is done for a client that left, and answer what it was done for."""
        self._settings.stop()
        self._meters.stop()
        self._stop_watching()
        self._calls.cancel_all()
        await self._calls.answered()

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Offer the operations, and nothing else."""
        result = yield from super().lsp_initialize(params)
        commands = [COMMANDS + name for name in self._card["operations"]]
        result.capabilities = types.ServerCapabilities(
            text_document_sync=types.TextDocumentSyncOptions(open_close=False, change=types.TextDocumentSyncKind.None_),
            execute_command_provider=types.ExecuteCommandOptions(commands),
            experimental={"compactChat": self._card},
        )
        self._ready = True
        return result

    def _begin(self, asked: Request) -> None:
        try:
            self._check(asked)
            self._requests[asked.method](asked)
        except Exception as error:  # noqa: BLE001 -- whatever goes wrong, the request is answered
            self._channel.refuse(asked.id, error)

    def _check(self, asked: Request) -> None:
        """Raise what is in a request's way; pygls 2.1.1 serves at any time, but after `shutdown` answers nothing."""
        if self._shutdown:
            raise InvalidRequest("The server was shut down.")
        if self._ready and asked.method == types.INITIALIZE:
            raise InvalidRequest("The server was initialized before.")
        if not self._ready and asked.method != types.INITIALIZE:
            raise NotInitialized("The first request must be `initialize`.")
        if asked.method not in self._requests:
            raise MethodNotFound("There is no such method.")
        if not isinstance(asked.params, dict):
            raise InvalidParams.at("$", "expected an object")

    def _initialize(self, asked: Request) -> None:
        """Shake hands; only what the server uses is looked at, so that no editor is refused for a word too new."""
        params = asked.params
        process, capabilities = params.get("processId"), params.get("capabilities") or {}
        if process is not None and type(process) is not int:
            raise InvalidParams.at("$.processId", "expected an integer or null")
        if not isinstance(capabilities, dict):
            raise InvalidParams.at("$.capabilities", "expected an object")
        declared = member(params.get("initializationOptions"), SECTION)
        self._client.greet(declared)
        self._host.meet(declared)
        self._settings.meet(capabilities)
        if process is not None:
            self._stop_watching = watch_process(process, partial(self._leave, 0))
        self._pass_on(
            asked.id, types.INITIALIZE, types.InitializeParams(types.ClientCapabilities(), process_id=process)
        )

    def _shut_down(self, asked: Request) -> None:
        self._settings.stop()
        self._meters.stop()
        self._calls.cancel_all()
        self._pass_on(asked.id, types.SHUTDOWN, None)

    def _pass_on(self, under: MessageId, method: str, params: Any) -> None:
        """Leave a request to pygls, which answers it through `_send_response` before this returns."""
        self._handle_request(under, method, params)  # type: ignore[arg-type]  # any id will do, since it only comes back

    def _command(self, asked: Request) -> None:
        self._calls.start(asked.id, asked.size, by_command(asked.params, self._card["operations"]))

    def _operation(self, name: str, asked: Request) -> None:
        self._calls.start(asked.id, asked.size, by_request(name, asked.params))

    def _take(self, told: Notification) -> None:
        if told.method == types.EXIT:
            self._leave(0 if self._shutdown else 1)
        elif self._ready and not self._shutdown and told.method in self._notifications:
            try:
                self._notifications[told.method](told.params if isinstance(told.params, dict) else {})
            except Exception as error:  # noqa: BLE001 -- nobody waits for an answer to a notification
                log_failure(told.method, error)

    def _send_response(self, msg_id: MessageId, result: Any = None, error: types.ResponseError | None = None) -> None:
        """Answer for pygls, whose own errors hold tracebacks in 2.1.1 (no upstream issue known)."""
        if error is None:
            self._channel.answer(msg_id, self._converter.unstructure(result))
        else:
            self._channel.refuse(msg_id, RuntimeError())


# Memory that was used goes back to the system.


LARGE = 2**20  # bytes of a message that is worth tidying up behind
QUIET = 1.0  # seconds without another one before that is done
_M_MMAP_THRESHOLD, _BLOCK = -3, 2**17


def return_large_blocks() -> None:
    """Have glibc take each large block from the system and give it back.

    Otherwise it learns from one large message to keep blocks of that size, and a server that was asked for much once
    holds it for ever. Other C libraries do so by themselves or cannot be told.
    """
    _tell_glibc("mallopt", _M_MMAP_THRESHOLD, _BLOCK)


class Tidying:
    """Collects and gives back what large messages left, once they have stopped coming."""

    def __init__(self) -> None:
        self._next: asyncio.TimerHandle | None = None

    def behind(self, size: int) -> None:
        """Note a message of this size."""
        if size >= LARGE:
            self.stop()
            loop = asyncio.get_running_loop()
            self._next = loop.call_later(QUIET, loop.run_in_executor, None, _tidy_up)

    def stop(self) -> None:
        """Leave it to others."""
        if self._next is not None:
            self._next.cancel()


def _tidy_up() -> None:
    gc.collect()
    _tell_glibc("malloc_trim", 0)


def _tell_glibc(function: str, *values: int) -> None:
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(AttributeError, OSError):
            getattr(ctypes.CDLL(None), function)(*values)


# One client's session: a pygls server between two streams, until one side leaves.


LEFT, INTERRUPTED = 0, 130
GRACE = 1.0  # seconds in which a client may take what is left for it
_SIGNALS = {"SIGTERM": LEFT, "SIGHUP": LEFT, "SIGBREAK": LEFT, "SIGINT": INTERRUPTED}

Leave = Callable[[int], None]


class ChatServer(LanguageServer):
    """The pygls server of one client."""

    protocol: ChatProtocol

    def __init__(self, offer: Offer, channel: Channel, leave: Leave, room: asyncio.Event) -> None:
        self.offer, self.channel, self.leave, self.room = offer, channel, leave, room
        for name in ("pygls", "asyncio"):  # pygls 2.1.1 logs bodies and params, asyncio in debug mode arguments
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        super().__init__(
            "compact-chat",
            __version__,
            text_document_sync_kind=TextDocumentSyncKind.None_,
            protocol_cls=ChatProtocol,
            converter_factory=default_converter,
        )

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log where something failed; pygls 2.1.1 shows the raw text in the editor (no upstream issue known)."""
        log_failure(source.__name__, error)


class Session:
    """A client's streams and its server.

    On the loop `leave` is called when either side wants to end it, and `gone` when nothing more can be written.
    """

    def __init__(self, offer: Offer, outgoing: BinaryIO, leave: Leave, gone: Leave, number: int = 1) -> None:
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self._tidying = Tidying()
        self._room = asyncio.Event()
        self._room.set()
        later = self._loop.call_soon_threadsafe
        self.writer = Writer(outgoing, partial(later, gone, LEFT), partial(later, self._room.set))
        self._reader = Reader(self._came, self.writer, partial(later, leave, LEFT))
        self._journal = Journal(number)
        channel = Channel(self._write, self._journal, lambda: self.writer.is_behind)
        self._protocol = ChatServer(offer, channel, leave, self._room).protocol
        self._journal.known = self._protocol.methods()

    def read(self, incoming: BinaryIO) -> None:
        """Serve what comes, until it ends."""
        self._reader.start(incoming)

    def take(self, message: Message, body: Body) -> None:
        """Serve one message, unless the client has left."""
        if not self._closed:
            self._journal.came(message, body)
            self._protocol.receive(message)

    async def close(self) -> None:
        """Stop all work; each request that was under way still gets its answer, and what waits is still written."""
        self._closed = True
        self._tidying.stop()
        await self._protocol.close()
        self.writer.finish()

    def _came(self, message: Message, body: Body) -> None:
        self._loop.call_soon_threadsafe(self._take, message, body)

    def _take(self, message: Message, body: Body) -> None:
        self.take(message, body)
        self._tidying.behind(size_of(body))
        self._reader.go_on()

    def _write(self, data: bytes) -> None:
        self.writer.write(data)
        if self.writer.is_full:
            self._room.clear()


async def stdio_session(offer: Offer, incoming: BinaryIO, outgoing: BinaryIO) -> int:
    """Serve one client until somebody leaves, and give the exit code."""
    left = leaving()
    session = Session(offer, outgoing, partial(_settle, left), partial(_settle, left))
    session.read(incoming)
    code = await left
    await session.close()
    session.writer.join(GRACE)
    return code


def leaving() -> asyncio.Future[int]:
    """Give what a signal settles with an exit code; errors that nobody awaits are logged without their text."""
    loop = asyncio.get_running_loop()
    left: asyncio.Future[int] = loop.create_future()
    loop.set_exception_handler(lambda _, context: log_failure("event loop", context.get("exception")))
    for name, code in _SIGNALS.items():
        number = getattr(signal, name, None)
        if number is not None and not (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):
            _on_signal(number, partial(_settle, left, code))
    return left


def _on_signal(number: signal.Signals, settle: Callable[[], None]) -> None:
    """Have the loop told of a signal, whichever thread it comes to; on Windows the loop wakes up by itself."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(settle))
    else:
        loop.add_signal_handler(number, settle)


def _settle(left: asyncio.Future[int], code: int) -> None:
    if not left.done():
        left.set_result(code)


# Standard input and output for frames alone.


def take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Give streams of standard input and output, and leave the numbers 0 and 1 to whoever else reads or prints.

    In pygls 2.1.1 a `print` anywhere, here, in a C library or in a child process, lands between two frames
    (no upstream issue known). What is printed now goes to standard error; who reads from standard input reads nothing.
    """
    nothing = os.open(os.devnull, os.O_RDWR)  # takes the number of standard error where that is closed
    incoming, outgoing = os.dup(0), os.dup(1)
    if sys.platform != "win32":
        for number in (incoming, outgoing):
            os.set_blocking(number, True)  # some clients hand over pipes that never wait
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb", buffering=0)


# The server's life: from taking standard input and output to leaving the process.


SWITCH = 0.001  # seconds that a busy thread keeps the interpreter to itself while others have something to do
logging.raiseExceptions = False  # a log that cannot be written disturbs nobody, and quotes nothing


def serve_stdio(offer: Offer | None = None, log_file: str | None = None) -> NoReturn:
    """Serve the client on standard input and output until one side leaves; the process ends here."""
    _begin(log_file)
    incoming, outgoing = take_stdio()
    gc.disable()  # the collector would go through all of pygls several times while it loads

    offer = offer or built()
    gc.freeze()
    gc.enable()
    _live(stdio_session(offer, incoming, outgoing))


def serve_tcp(listening: Listening, offer: Offer | None = None, log_file: str | None = None) -> NoReturn:
    """Tell where the server listens, then serve clients there until a signal; the process ends here."""
    _begin(log_file)
    from compact_chat.serve.tcp import tcp_sessions

    try:
        os.write(1, f"{listening.line}\n".encode())
    except OSError as problem:
        raise CompactChatError("Standard output cannot be written, so nobody would know where to connect.") from problem
    take_stdio()
    _live(tcp_sessions(offer or built(), *listening))


def _begin(log_file: str | None) -> None:
    return_large_blocks()
    sys.setswitchinterval(SWITCH)  # a cancellation goes through three threads until it is answered
    if log_file is None:
        from compact_chat.serve.rpc import log_to_standard_error

        log_to_standard_error()
        return
    from compact_chat.serve.log import keep_log

    try:
        keep_log(log_file)
    except OSError as problem:
        raise CompactChatError(f"The log file cannot be written: {problem.strerror}.") from problem


def _live(story: Coroutine[None, None, int]) -> NoReturn:
    """Live until the end, and leave at once: the interpreter would wait for threads, which nobody can stop."""
    os._exit(asyncio.new_event_loop().run_until_complete(story))
