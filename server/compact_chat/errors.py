"""Failures that a caller can act on, and cancellation: long loops call `checkpoint()`, which raises `Cancelled`.

Apart from these, `HostRefused`: a client's refusal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar


class WireError(Exception):
    """What a client is answered in place of a result: a code, a kind for programs and one sentence for a person."""

    code: ClassVar[int] = -32603
    kind: str = "internal"

    def __init_subclass__(cls, code: int | None = None, kind: str = "") -> None:
        cls.code, cls.kind = cls.code if code is None else code, kind

    def __init__(self, sentence: str, **data: Any) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.data: dict[str, Any] = data

    def payload(self) -> dict[str, Any]:
        """Return the `error.data` of the answer."""
        return {"kind": self.kind, **self.data}


class CompactChatError(WireError, kind="internal"):
    """A failure that a caller may catch and go on; catching it never swallows a cancellation."""


class InvalidParams(CompactChatError, code=-32602, kind="invalidParams"):
    """The caller's params are wrong, with the path of each problem."""

    def __init__(self, problems: list[dict[str, str]]) -> None:
        first = problems[0]
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        super().__init__(f"{first['path']}: {first['message']}{more}", problems=problems)

    @classmethod
    def at(cls, path: str, message: str) -> InvalidParams:
        """Report one problem at one path."""
        return cls([{"path": path, "message": message}])

    @classmethod
    @contextmanager
    def below(cls, path: str) -> Iterator[None]:
        """Move the paths of all problems that are raised within below this one."""
        try:
            yield
        except InvalidParams as found:
            raise cls([{**one, "path": one["path"].replace("$", path, 1)} for one in found.data["problems"]]) from None


class Cancelled(WireError, code=-32800, kind="cancelled"):
    """The caller cancelled; nothing was changed."""

    def __init__(self) -> None:
        super().__init__("The operation was cancelled; nothing was changed.")


class ChatNotFound(CompactChatError, code=-32040, kind="chatNotFound"):
    """No such file, or no permission."""


class ChatUnreadable(CompactChatError, code=-32041, kind="chatUnreadable"):
    """Not a chat in a known format, or nothing of it could be read."""


class MessageNotFound(CompactChatError, code=-32042, kind="messageNotFound"):
    """A pin, drop or scope names no message."""


class PlanOutdated(CompactChatError, code=-32043, kind="planOutdated"):
    """The plan is forgotten, or its chat has changed."""


class NothingToCompact(CompactChatError, code=-32044, kind="nothingToCompact"):
    """Too short, or already compact."""


class NoSummary(CompactChatError, code=-32045, kind="noSummary"):
    """A reply without a summary, or with one that is empty or has no sections."""

    def __init__(self, sentence: str, kind: str = "noSummary") -> None:
        super().__init__(sentence)
        self.kind = kind


class ProviderFailed(CompactChatError, code=-32046, kind="providerFailed"):
    """The chosen provider gave no summary, with each attempt."""


class TooLarge(CompactChatError, code=-32047, kind="tooLarge"):
    """Beyond the documented limits."""


class FileExists(CompactChatError, code=-32048, kind="fileExists"):
    """An export would overwrite a file."""


class CompactionNotFound(CompactChatError, code=-32049, kind="compactionNotFound"):
    """An id that no compaction has."""


class NoGain(CompactChatError, code=-32050, kind="noGain"):
    """The result would not be smaller than the chat."""


class DraftOutdated(CompactChatError, code=-32051, kind="draftOutdated"):
    """A change of a version of a draft that is not the newest any more, with the draft as it is."""


class NoPlace(CompactChatError, code=-32052, kind="noPlace"):
    """Nothing tells where the tool would look for the session, or nothing can be written there."""


class ParseError(CompactChatError, code=-32700, kind="parseError"):
    """What came is not JSON in UTF-8."""


class InvalidRequest(CompactChatError, code=-32600, kind="invalidRequest"):
    """What came is JSON, but no JSON-RPC message that can be served now."""


class TokenRefused(InvalidRequest, kind="tokenRefused"):
    """A client over TCP without the right token."""


class MethodNotFound(CompactChatError, code=-32601, kind="methodNotFound"):
    """A method that this server does not have."""


class NotInitialized(CompactChatError, code=-32002, kind="notInitialized"):
    """A request before `initialize`."""


class HostRefused(Exception):
    """The client answered a request of the server with an error; operations turn it into one of their own."""

    def __init__(self, code: int, data: dict[str, Any]) -> None:
        super().__init__("the host refused")
        self.code, self.data = code, data


_check: ContextVar[Callable[[], None] | None] = ContextVar("compact_chat_check", default=None)


def checkpoint() -> None:
    """Raise `Cancelled` if the operation that this runs for was cancelled; do nothing outside of one."""
    if (check := _check.get()) is not None:
        check()


@contextmanager
def checkpoints(check: Callable[[], None]) -> Iterator[None]:
    """Have every checkpoint of this context, and of threads that run in a copy of it, call `check`."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
