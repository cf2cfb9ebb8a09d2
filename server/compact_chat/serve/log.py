"""The log for people who look for a fault: what passed on the wire by lengths and hashes, never by its text."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Collection
from io import TextIOWrapper
from typing import Any

from compact_chat import __version__
from compact_chat.chat import JsonObject
from compact_chat.serve.rpc import Body, Message, Notification, Reply, Request, Unfit

MAX_LOG = 5 * 2**20  # bytes, after which a second file is begun; one old file is kept
# A pipe that nobody reads is an error, and nothing to wait for.
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
logger = logging.getLogger(__name__)


class Journal:
    """Notes each message of one client, where a log file is kept."""

    def __init__(self, client: int) -> None:
        self._client = client
        self.known: Collection[str] = ()  # the methods that we know; others might hold anything
        self._begun: dict[Any, tuple[str, float]] = {}
        self._on = logger.isEnabledFor(logging.INFO)

    def came(self, message: Message, body: Body) -> None:
        """Note a message from the client."""
        if not self._on:
            return
        match message:
            case Request(id=number, method=method):
                self._begun[number] = method, time.monotonic()
                self._note("<- request", self._name(method), _id(number), *_measures(body))
            case Notification(method=method):
                self._note("<- notification", self._name(method), *_measures(body))
            case Reply(id=number, error=error):
                self._note("<- answer", _id(number), "error" if error else "result", *_measures(body))
            case Unfit(error=error):
                self._note("<- unfit", error.kind, *_measures(body))

    def went(self, message: JsonObject, body: bytes) -> None:
        """Note a message to the client."""
        if not self._on:
            return
        if "method" in message:
            number = [_id(message["id"])] if "id" in message else []
            self._note("->", message["method"], *number, *_measures(body))
        else:
            method, began = self._begun.pop(message["id"], ("", time.monotonic()))
            outcome = message["error"]["data"]["kind"] if "error" in message else "result"
            took = f"seconds={time.monotonic() - began:.3f}"
            self._note("-> answer", self._name(method), _id(message["id"]), outcome, took, *_measures(body))

    def _name(self, method: str) -> str:
        return method if method in self.known else f"unknown:{_digest(method)}"

    def _note(self, *words: str) -> None:
        logger.info("client=%d %s", self._client, " ".join(words))


def keep_log(path: str) -> None:
    """Write the log, and failures of ours, to a file that only its owner can read; raise OSError if it cannot be."""
    import platform
    from logging.handlers import RotatingFileHandler

    class PrivateFile(RotatingFileHandler):
        def _open(self) -> TextIOWrapper:
            handle = os.open(self.baseFilename, _FLAGS, 0o600)
            return TextIOWrapper(os.fdopen(handle, "wb"), encoding="utf-8", line_buffering=True)

    handler = PrivateFile(path, maxBytes=MAX_LOG, backupCount=1)
    handler.setFormatter(_in_utc())
    ours = logging.getLogger("compact_chat")
    ours.addHandler(handler)
    ours.setLevel(logging.INFO)
    ours.propagate = False
    logger.info("compact-chat %s, Python %s, process %d", __version__, platform.python_version(), os.getpid())


def _in_utc() -> logging.Formatter:
    form = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    return form


def _measures(body: Body) -> tuple[str, str]:
    """Tell a body's length and hash, by which two people can see that they speak of the same message."""
    data = body if isinstance(body, bytes) else body.head
    told = len(data) if isinstance(body, bytes) else "beyond-limit"
    return f"bytes={told}", f"blake2={hashlib.blake2b(data, digest_size=6).hexdigest()}"


def _id(number: Any) -> str:
    return f"id={number}" if isinstance(number, int | float | None) else f"id={_digest(number)}"


def _digest(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return f"{len(data)}:{hashlib.blake2b(data, digest_size=6).hexdigest()}"
