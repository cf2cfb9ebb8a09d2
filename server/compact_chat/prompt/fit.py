"""Shrink a transcript step by step until it fits the window of the model that reads it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.prompt.transcript import DEFAULT_LIMITS, transcript

_RESULTS_CUT = replace(DEFAULT_LIMITS, tool_result=500)
_THINKING_OUT = replace(_RESULTS_CUT, thinking=0)
_ARGUMENTS_CUT = replace(_THINKING_OUT, arguments=200)
_ASSISTANT_CUT = replace(_ARGUMENTS_CUT, assistant=2000)
_USER_CUT = replace(_ASSISTANT_CUT, user=4000)
_STEPS = (_RESULTS_CUT, _THINKING_OUT, _ARGUMENTS_CUT, _ASSISTANT_CUT, _USER_CUT)


class Fitted(Struct, frozen=True):
    """A transcript, or a request that holds one, and whether the transcript is as short as was asked for."""

    text: str
    fits: bool


def fit(messages: Sequence[Message], max_chars: int) -> Fitted:
    """The fullest transcript of at most `max_chars`, or else the shortest there is (rule T8)."""
    text = transcript(messages)
    for limits in _STEPS:
        if len(text) <= max_chars:
            break
        text = transcript(messages, limits)
    return Fitted(text, len(text) <= max_chars)
