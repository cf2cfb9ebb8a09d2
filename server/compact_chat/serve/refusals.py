"""What is answered where no result can be: JSON-RPC's own errors, and the wire form of every error."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from queue import Full, Queue

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled, CompactChatError

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
