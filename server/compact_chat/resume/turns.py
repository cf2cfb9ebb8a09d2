"""Turns of a chat: change their parts, and merge neighbours of one role (rule V5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec

from compact_chat.chat import Message, Part, ToolResult


def merged(messages: Iterable[Message]) -> list[Message]:
    """The chat with one message for each run of one role; system messages, which need not alternate, stay apart."""
    turns: list[Message] = []
    for role, group in groupby(messages, key=lambda message: message.role):
        run = list(group)
        turns.extend(run if role == "system" else [_joined(run)])
    return turns


def with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    """The message with these parts; itself if it has them already, so that `raw` survives."""
    return message if parts == message.parts else msgspec.structs.replace(message, parts=parts, raw=None)


def results_first(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts with the tool results in front of all others."""
    return tuple(sorted(parts, key=lambda part: not isinstance(part, ToolResult)))


def _joined(run: Sequence[Message]) -> Message:
    """One message for a run of one role, with the id of its first."""
    if len(run) == 1:
        return with_parts(run[0], results_first(run[0].parts))
    return Message(
        id=run[0].id,
        role=run[0].role,
        parts=results_first([part for message in run for part in message.parts]),
        is_summary=any(message.is_summary for message in run),
        by_host=all(message.by_host for message in run),
    )
