"""One client's session: a pygls server between two streams, until one side leaves."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

from lsprotocol.types import TextDocumentSyncKind
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from compact_chat import __version__
from compact_chat.serve.channel import Channel
from compact_chat.serve.offer import Offer
from compact_chat.serve.protocol import ChatProtocol
from compact_chat.serve.refusals import log_failure
from compact_chat.serve.stdio import Writer, start_reader

LEFT, INTERRUPTED = 0, 130


class ChatServer(LanguageServer):
    """The pygls server of one client."""

    protocol: ChatProtocol

    def __init__(self, offer: Offer, channel: Channel, leave: Callable[[int], None]) -> None:
        self.offer, self.channel, self.leave = offer, channel, leave
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


async def session(offer: Offer, incoming: BinaryIO, outgoing: BinaryIO) -> int:
    """Serve until somebody leaves, and give the exit code."""
    loop = asyncio.get_running_loop()
    left: asyncio.Future[int] = loop.create_future()

    def leave(code: int) -> None:
        loop.call_soon_threadsafe(_settle, left, code)

    loop.set_exception_handler(_log_unhandled)
    for number, code in ((signal.SIGTERM, LEFT), (signal.SIGINT, INTERRUPTED)):
        signal.signal(number, lambda *_, code=code: leave(code))
    writer = Writer(outgoing, partial(leave, LEFT))
    receive = ChatServer(offer, Channel(writer.write), leave).protocol.receive
    start_reader(incoming, lambda body: loop.call_soon_threadsafe(receive, body), partial(leave, LEFT))
    code = await left
    writer.close()
    return code


def _settle(left: asyncio.Future[int], code: int) -> None:
    if not left.done():
        left.set_result(code)


def _log_unhandled(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error that nobody awaited, without its text."""
    log_failure("event loop", context.get("exception"))
