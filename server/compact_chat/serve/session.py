"""One client's session: a pygls server between two streams, until one side leaves."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

from lsprotocol.types import TextDocumentSyncKind
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from compact_chat import __version__
from compact_chat.serve.channel import Channel
from compact_chat.serve.frames import Body, size_of
from compact_chat.serve.journal import Journal
from compact_chat.serve.memory import Tidying
from compact_chat.serve.messages import Message
from compact_chat.serve.offer import Offer
from compact_chat.serve.protocol import ChatProtocol
from compact_chat.serve.refusals import log_failure
from compact_chat.serve.streams import Reader, Writer

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
