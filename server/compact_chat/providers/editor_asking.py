"""A question to the editor, for as long as its answer may take, and the failures that stand for its refusals."""

from __future__ import annotations

import asyncio
from typing import Any

from compact_chat.chat import JsonObject
from compact_chat.errors import Cancelled
from compact_chat.providers.host import Host, HostRefused
from compact_chat.providers.provider import Access, Failure, FailureKind, Tell

_REFUSED, _CANCELLED = -32803, -32800  # codes of errors
_REASONS: dict[str, tuple[FailureKind, str]] = {
    "noModel": ("noModel", "The editor has no language model."),
    "noConsent": ("noConsent", "The editor's user did not allow its model to be asked."),
    "blocked": ("blocked", "The editor's model is blocked: a quota is used up, or the request is not let through."),
    "notFound": ("modelNotFound", "The editor does not have the model any more."),
    "tooLong": ("tooLong", "The request is too long for the editor's model."),
    "failed": ("server", "The editor's model failed."),
}
_NOT_UNDERSTOOD = frozenset({-32700, -32600, -32601, -32602, 0})  # 0 stands for an error of another shape


async def asked(host: Host, method: str, params: JsonObject, access: Access, tell: Tell | None = None) -> Any:
    """Give the client's result; silence, too long a call and a refusal are failures, and the client is told to stop."""
    now = asyncio.get_running_loop().time
    end = now() + access.total_timeout
    limit = asyncio.timeout_at(min(end, now() + access.idle_timeout))

    def heard(text: str) -> None:
        if tell is not None and not limit.expired():
            limit.reschedule(min(end, now() + access.idle_timeout))
            tell(text)

    try:
        async with limit:
            return await host.ask(method, params, heard if tell else None)
    except TimeoutError:
        raise _late(access, now() >= end) from None
    except HostRefused as refused:
        raise _failure(refused) from None


def _late(access: Access, is_over: bool) -> Failure:
    if is_over:
        return Failure("timeout", f"The editor's model took longer than {access.total_timeout:g} s.")
    return Failure("timeout", f"The editor's model was silent for {access.idle_timeout:g} s.")


def _failure(refused: HostRefused) -> Exception:
    """Say what a refusal means; one that was cancelled in the client ends the whole operation (rule L4)."""
    reason = refused.data.get("reason")
    if refused.code == _CANCELLED:
        return Cancelled()
    if refused.code == _REFUSED and isinstance(reason, str) and reason in _REASONS:
        return Failure(*_REASONS[reason])
    if refused.code in _NOT_UNDERSTOOD:
        return Failure("protocol", "The editor did not understand the question for its model.")
    return Failure("server", "The editor could not ask its model.")
