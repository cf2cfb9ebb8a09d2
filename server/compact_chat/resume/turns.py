"""Turns of a chat: neighbours of one role are merged (rule V5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from compact_chat.chat import JsonObject, Message, Part, ToolResult, raws
from compact_chat.plan.seen import with_parts


def merged(messages: Iterable[Message]) -> list[Message]:
    """The chat with one message for each run of one role; system messages, which need not alternate, stay apart."""
    turns: list[Message] = []
    for role, group in groupby(messages, key=lambda message: message.role):
        run = list(group)
        turns.extend(run if role == "system" else [_joined(run)])
    return turns


def results_first(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts with the tool results in front of all others."""
    return tuple(sorted(parts, key=lambda part: not isinstance(part, ToolResult)))


def _joined(run: Sequence[Message]) -> Message:
    """One message for a run of one role, with the id of its first."""
    if len(run) == 1:
        return with_parts(run[0], results_first(run[0].parts))
    said = tuple(part for message in run for part in message.parts)
    parts = results_first(said)
    return Message(
        id=run[0].id,
        role=run[0].role,
        parts=parts,
        raw=_all_raws(run) if parts == said else None,
        is_summary=any(message.is_summary for message in run),
        by_host=all(message.by_host for message in run),
    )


def _all_raws(run: Sequence[Message]) -> tuple[JsonObject, ...] | None:
    """What the caller wrote for a run, if all of it is as it came."""
    return tuple(item for message in run for item in raws(message)) if all(map(raws, run)) else None
