"""What an editor answers, checked: its models, and the reply of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from compact_chat.providers.provider import Answer, Failure, FailureKind
from compact_chat.results import TokensSpent

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


class Model(Struct, frozen=True):
    """A model of the editor's; `window` is the input that fits, where the editor tells."""

    id: str
    window: int | None
    consent: bool


class _Text(Struct, frozen=True):
    type: Literal["text"]
    text: str


class _Reply(Struct, frozen=True, rename="camel"):
    role: Literal["assistant"]
    content: _Text
    model: str | None = None
    stop_reason: str | None = None
    usage: Any = None


def models_of(result: Any) -> list[Model]:
    """Read the models that an editor names; what is none is passed over."""
    named = result.get("models") if isinstance(result, dict) else None
    if not isinstance(named, list):
        raise Failure("protocol", "The editor's list of models has another shape.")
    return list(_models(named))


def answer_of(result: Any, asked_for: str | None) -> Answer:
    """Read a reply that ended as a reply should; raise what is wrong with any other."""
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


def _models(named: list[Any]) -> Iterator[Model]:
    for one in named:
        name = one.get("id") if isinstance(one, dict) else None
        if isinstance(name, str) and name:
            window = one.get("maxInputTokens")
            fits = window if type(window) is int and window > 0 else None
            yield Model(name, fits, one.get("consent") is True)


def _converted(value: Any, kind: type[T]) -> T | None:
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):  # the latter for half a surrogate pair in a key
        return None
