"""The editor provider: the client's language models, called over the wire (rules L2, L9 and L10)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.convert import convert
from compact_chat.errors import Cancelled, HostRefused
from compact_chat.models.ladder import (
    MOST_TRIES,
    OF_EDITOR,
    Access,
    Answer,
    Assignment,
    Choice,
    Failure,
    FailureKind,
    Host,
    Tell,
    positive,
)
from compact_chat.wire import TokensSpent

# A request to the editor with its timeouts, and its refusals as failures.


_REFUSED, _CANCELLED = -32803, -32800  # error codes
_REASONS: dict[str, tuple[FailureKind, str]] = {
    "noModel": ("noModel", "The editor has no language model."),
    "noConsent": ("noConsent", "The editor's user did not allow its model to be asked."),
    "blocked": ("blocked", "The editor's model is blocked: a quota is used up, or the request is not let through."),
    "notFound": ("modelNotFound", "The editor does not have the model any more."),
    "tooLong": ("tooLong", "The request is too long for the editor's model."),
    "failed": ("server", "The editor's model failed."),
}
_NOT_UNDERSTOOD = frozenset({-32700, -32600, -32601, -32602, 0})  # 0 is an error of another shape


async def asked(host: Host, method: str, params: JsonObject, access: Access, tell: Tell | None = None) -> Any:
    """Return the client's result; on silence, timeout or refusal, raise and have the client stop."""
    now = asyncio.get_running_loop().time
    end = now() + access.total_timeout
    limit = asyncio.timeout_at(min(end, now() + access.idle_timeout))

    def add(text: str) -> None:
        if tell is not None and not limit.expired():
            limit.reschedule(min(end, now() + access.idle_timeout))
            tell(text)

    try:
        async with limit:
            return await host.ask(method, params, add if tell else None)
    except TimeoutError:
        if now() >= end:
            raise Failure("timeout", f"The editor's model took longer than {access.total_timeout:g} s.") from None
        raise Failure("timeout", f"The editor's model was silent for {access.idle_timeout:g} s.") from None
    except HostRefused as refused:
        if refused.code == _CANCELLED:  # in the client: that ends the whole operation (rule L4)
            raise Cancelled from None
        reason = refused.data.get("reason")
        if refused.code == _REFUSED and isinstance(reason, str) and reason in _REASONS:
            raise Failure(*_REASONS[reason]) from None
        if refused.code in _NOT_UNDERSTOOD:
            raise Failure("protocol", "The editor did not understand the question for its model.") from None
        raise Failure("server", "The editor could not ask its model.") from None


# Validation of the editor's answers: its models, and the reply of one of them.


T = TypeVar("T")
_STOPPED: dict[str | None, str | None] = {
    "endTurn": "end_turn",
    "stopSequence": "stop_sequence",
    "unknown": None,
    None: None,
}
_BROKEN_OFF: dict[str | None, tuple[FailureKind, str]] = {
    "maxTokens": ("truncated", "The reply of the editor's model was cut off."),
    "toolUse": ("empty", "The editor's model called a tool in place of a reply."),
    "refusal": ("refusal", "The editor's model refused to reply."),
}


class _Text(Struct, frozen=True):
    type: Literal["text"]
    text: str


class _Reply(Struct, frozen=True, rename="camel"):
    role: Literal["assistant"]
    content: _Text
    model: str | None = None
    stop_reason: str | None = None
    usage: Any = None


def models_of(result: Any) -> dict[str, tuple[Choice, bool]]:
    """Decode the editor's models, each with its consent; skip anything else."""
    named = result.get("models") if isinstance(result, dict) else None
    if not isinstance(named, list):
        raise Failure("protocol", "The editor's list of models has another shape.")
    models = {}
    for one in named:
        name = one.get("id") if isinstance(one, dict) else None
        if isinstance(name, str) and name:
            models[name] = Choice(name, positive(one.get("maxInputTokens"))), one.get("consent") is True
    return models


def answer_of(result: Any, asked_for: str | None) -> Answer:
    """Decode a complete reply; raise what is wrong with any other."""
    reply = _converted(result, _Reply)
    if reply is None:
        raise Failure("protocol", "The reply of the editor's model has another shape.")
    if reply.stop_reason not in _STOPPED:
        other: tuple[FailureKind, str] = ("truncated", "The reply of the editor's model ended for an unknown reason.")
        raise Failure(*_BROKEN_OFF.get(reply.stop_reason, other))
    if not reply.content.text.strip():
        raise Failure("empty", "The reply of the editor's model is empty.")
    usage = _converted(reply.usage, TokensSpent)
    return Answer(reply.content.text, reply.model or asked_for, _STOPPED[reply.stop_reason], usage)


def _converted(value: Any, kind: type[T]) -> T | None:
    try:
        return convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):  # the latter for half a surrogate pair in a key
        return None


# The provider itself.


_JUSTIFICATION = "Compact Chat writes a summary of a chat."


async def choices(requested: Sequence[str], access: Access) -> tuple[Choice, ...]:
    """Return the requested models that the client has, else its first; if no person started it, only with consent."""
    models = models_of(await asked(_host(access), "compactChat/languageModels", {}, access))
    if not models:
        raise Failure("noModel", "The editor has no language model.")
    ids = [name.removeprefix(OF_EDITOR) for name in requested if name.startswith(OF_EDITOR)] or models
    found = [models[name] for name in dict.fromkeys(ids) if name in models]
    if not found:
        raise Failure("modelNotFound", "The editor has none of the requested models.")
    allowed = [choice for choice, consent in found if consent or access.user_initiated]
    if not allowed:
        raise Failure("noConsent", "The editor's user has not allowed its models to be asked.")
    return tuple(allowed[:MOST_TRIES])


async def write(assignment: Assignment, access: Access, tell: Tell) -> Answer:
    """Have one of the client's models reply; stream at the end whatever the client did not."""
    request = assignment.request
    pieces: list[str] = []

    def add(text: str) -> None:
        pieces.append(text)
        tell(text)

    params = {
        **({} if assignment.model is None else {"model": assignment.model}),
        "messages": [{"role": "user", "content": {"type": "text", "text": request.message}}],
        "systemPrompt": request.system,
        "maxTokens": assignment.max_output_tokens,
        "justification": _JUSTIFICATION,
        "userInitiated": access.user_initiated,
    }
    result = await asked(_host(access), "compactChat/languageModel", params, access, add)
    answer = answer_of(result, assignment.model)
    streamed = "".join(pieces)
    if answer.text.startswith(streamed) and answer.text != streamed:  # else something else was streamed
        tell(answer.text.removeprefix(streamed))
    return answer


def _host(access: Access) -> Host:
    if access.host is None or not access.host.language_models:
        raise Failure("noModel", "There is no editor that offers its language models.")
    return access.host
