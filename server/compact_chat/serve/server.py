"""The server's life: from taking standard input and output to leaving the process."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, NoReturn

from compact_chat.errors import CompactChatError
from compact_chat.serve.memory import return_large_blocks
from compact_chat.serve.offer import Offer, built
from compact_chat.serve.stdio import take_stdio

if TYPE_CHECKING:
    from compact_chat.serve.listening import Listening

SWITCH = 0.001  # seconds that a busy thread keeps the interpreter to itself while others have something to do
logging.raiseExceptions = False  # a log that cannot be written disturbs nobody, and quotes nothing


def serve_stdio(offer: Offer | None = None, log_file: str | None = None) -> NoReturn:
    """Serve the client on standard input and output until one side leaves; the process ends here."""
    _begin(log_file)
    incoming, outgoing = take_stdio()
    gc.disable()  # the collector would go through all of pygls several times while it loads
    from compact_chat.serve.session import stdio_session

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
        from compact_chat.serve.refusals import log_to_standard_error

        log_to_standard_error()
        return
    from compact_chat.serve.journal import keep_log

    try:
        keep_log(log_file)
    except OSError as problem:
        raise CompactChatError(f"The log file cannot be written: {problem.strerror}.") from problem


def _live(story: Coroutine[None, None, int]) -> NoReturn:
    """Live until the end, and leave at once: the interpreter would wait for threads, which nobody can stop."""
    os._exit(asyncio.new_event_loop().run_until_complete(story))
