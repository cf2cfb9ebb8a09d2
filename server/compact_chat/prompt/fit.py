"""Shrink a transcript step by step until it fits the window of the model that reads it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.prompt.limits import Limits, shrinking
from compact_chat.prompt.rendering import Rendering
from compact_chat.prompt.transcript import LABELLED


class Fitted(Struct, frozen=True):
    """A transcript, and whether it is as short as was asked for."""

    text: str
    fits: bool


def fit(messages: Sequence[Message], max_chars: int) -> Fitted:
    """The fullest transcript of at most `max_chars`, or else the shortest there is (rule T8)."""
    text, _ = first_fitting(messages, shrinking(LABELLED.usual), max_chars, LABELLED)
    return Fitted(text, len(text) <= max_chars)


def first_fitting(
    messages: Sequence[Message], steps: Sequence[Limits], max_chars: int, rendering: Rendering
) -> tuple[str, Limits]:
    """The rendering that fits first, or else the last, with its limits."""
    *most, last = steps
    for limits in most:
        text = rendering.text(messages, limits)
        if len(text) <= max_chars:
            return text, limits
    return rendering.text(messages, last), last
