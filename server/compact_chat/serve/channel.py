"""What goes out to the client: answers, errors, requests and notifications, each as one frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from compact_chat.chat import JsonObject
from compact_chat.operations.json_text import json_text
from compact_chat.serve.frames import frame
from compact_chat.serve.journal import Journal
from compact_chat.serve.messages import MessageId
from compact_chat.serve.refusals import wire_error


class Channel:
    """Writes messages; `id: null` is written out, which pygls 2.1.1 leaves away (no upstream issue known)."""

    def __init__(
        self, write: Callable[[bytes], None], journal: Journal, is_behind: Callable[[], bool] = lambda: False
    ) -> None:
        self._write, self._journal = write, journal
        self.is_behind = is_behind  # whether the client leaves unread what it was sent

    def answer(self, under: MessageId, result: Any) -> None:
        """Answer a request; a result that cannot be written is an error like another."""
        try:
            self._send({"id": under, "result": result})
        except (TypeError, ValueError, RecursionError) as error:
            self.refuse(under, error)

    def refuse(self, under: MessageId, error: BaseException) -> None:
        """Answer a request with an error, without the traceback that pygls 2.1.1 adds (no upstream issue known)."""
        self._send({"id": under, "error": wire_error(error)})

    def ask(self, number: MessageId, method: str, params: Any) -> None:
        """Send a request of ours."""
        self._send({"id": number, "method": method, "params": params})

    def tell(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def _send(self, message: JsonObject) -> None:
        body = encode({"jsonrpc": "2.0", **message})
        self._journal.went(message, body)
        self._write(frame(body))


def encode(message: JsonObject) -> bytes:
    """Write one message as JSON; pygls 2.1.1 writes `NaN`, which is none (no upstream issue known)."""
    try:
        return msgspec.json.encode(message)
    except (TypeError, ValueError):  # half a surrogate pair goes out as an escape
        return json_text(message).encode("ascii")
