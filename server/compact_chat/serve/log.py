"""Private logs: failures by their place in the code, messages by length and hash, never by their text."""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import time
from collections.abc import Collection
from io import TextIOWrapper
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from queue import Queue
from typing import Any

from compact_chat import __version__
from compact_chat.chat import JsonObject
from compact_chat.serve.rpc import Body, Message, Notification, Reply, Request, Unfit

MAX_LOG = 5 * 2**20  # bytes, after which a second file is begun; one old file is kept
# For a pipe without a reader, report an error instead of waiting.
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
logger = logging.getLogger(__name__)


def log_failure(what: str, error: BaseException | None) -> None:
    """Log an error's type, module and line only: its text might quote a chat, and its traceback reveal paths."""
    step = error.__traceback__ if error is not None else None
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = f"{step.tb_frame.f_globals.get('__name__')}:{step.tb_lineno}" if step else "no place"
    logger.error("%s failed: %s at %s", what, type(error).__name__, place)


class _PrivateFile(RotatingFileHandler):
    def _open(self) -> TextIOWrapper:
        handle = os.open(self.baseFilename, _FLAGS, 0o600)
        return TextIOWrapper(os.fdopen(handle, "wb"), encoding="utf-8", line_buffering=True)


def open_log(path: str | None) -> None:
    """Log messages and failures to a private file; raise OSError if it cannot be opened.

    Without a file log failures to standard error, on a thread of its own, and drop lines beyond a hundred, since some
    clients never read them.
    """
    logging.raiseExceptions = False  # a log that cannot be written neither interrupts nor quotes
    root = logging.getLogger("compact_chat")
    root.propagate = False
    if path is None:
        lines: Queue[Any] = Queue(100)
        QueueListener(lines, logging.StreamHandler()).start()
        root.addHandler(QueueHandler(lines))
        return

    handler = _PrivateFile(path, maxBytes=MAX_LOG, backupCount=1)
    form = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler.setFormatter(form)
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logger.info("compact-chat %s, Python %s, process %d", __version__, platform.python_version(), os.getpid())


class Journal:
    """Logs each message of one client, if there is a log file."""

    def __init__(self, client: int) -> None:
        self._client = client
        self.known: Collection[str] = ()  # method names that are safe to log; others might contain anything
        self._begun: dict[Any, tuple[str, float]] = {}
        self._on = logger.isEnabledFor(logging.INFO)

    def received(self, message: Message, body: Body) -> None:
        """Log a message from the client."""
        if not self._on:
            return
        match message:
            case Request(id=number, method=method):
                self._begun[number] = method, time.monotonic()
                self._note("<- request", self._name(method), _id(number), body=body)
            case Notification(method=method):
                self._note("<- notification", self._name(method), body=body)
            case Reply(id=number, error=error):
                self._note("<- answer", _id(number), "error" if error else "result", body=body)
            case Unfit(error=error):
                self._note("<- unfit", error.kind, body=body)

    def sent(self, message: JsonObject, body: bytes) -> None:
        """Log a message to the client."""
        if not self._on:
            return
        if "method" in message:
            number = [_id(message["id"])] if "id" in message else []
            self._note("->", message["method"], *number, body=body)
        else:
            method, began = self._begun.pop(message["id"], ("", time.monotonic()))
            outcome = message["error"]["data"]["kind"] if "error" in message else "result"
            took = f"seconds={time.monotonic() - began:.3f}"
            self._note("-> answer", self._name(method), _id(message["id"]), outcome, took, body=body)

    def _name(self, method: str) -> str:
        return method if method in self.known else f"unknown:{_digest(method)}"

    def _note(self, *words: str, body: Body) -> None:
        """Write a line with a body's length and hash, by which two people can tell that they mean the same message."""
        data, length = (body, str(len(body))) if isinstance(body, bytes) else (body.head, "beyond-limit")
        digest = hashlib.blake2b(data, digest_size=6).hexdigest()
        logger.info("client=%d %s bytes=%s blake2=%s", self._client, " ".join(words), length, digest)


def _id(number: Any) -> str:
    return f"id={number}" if isinstance(number, int | float | None) else f"id={_digest(number)}"


def _digest(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return f"{len(data)}:{hashlib.blake2b(data, digest_size=6).hexdigest()}"
