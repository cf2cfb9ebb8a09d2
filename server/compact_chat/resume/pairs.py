"""Calls and results in pairs, as model APIs ask for them (rules V2 and V7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from compact_chat.chat import Message, Part, Text, ToolCall, ToolResult
from compact_chat.facts.links import Place, find_links, tool_parts
from compact_chat.plan.seen import with_parts

INTERRUPTED = "[Tool call interrupted]"


def paired(messages: Sequence[Message]) -> list[Message]:
    """The chat without results that answer no call or an answered one, and with an id of its own for every call."""
    names = _call_names(messages)
    names |= {result: names[call] for result, call in find_links(messages).answers.items()}
    turns = (_renamed(message, index, names) for index, message in enumerate(messages))
    return [turn for turn in turns if turn.parts]


def answered(messages: Sequence[Message], open_from: int) -> list[Message]:
    """The chat with all results of a turn right behind it; calls without one get one, but from `open_from` on."""
    given = {result.call_id: result for message in messages for result in message.results}
    order = {call_id: number for number, call_id in enumerate(given)}
    turns: list[Message] = []
    due: list[ToolResult] = []
    for index, message in enumerate(messages):
        parts: tuple[Part, ...] = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        if message.role == "system":
            turns.append(_reply(due))
            due = []
        elif message.role == "user":
            parts, due = (*due, *parts), []
        turns.append(with_parts(message, parts))
        found = sorted((call.id for call in message.calls if call.id in order), key=order.__getitem__)
        due += [given[call_id] for call_id in found]
        due += [_interrupted(call) for call in message.calls if call.id not in order and index < open_from]
    return [turn for turn in (*turns, _reply(due)) if turn.parts]


def _reply(results: Sequence[ToolResult]) -> Message:
    return Message("results", "user", tuple(results), by_host=True)


def _interrupted(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, (Text(INTERRUPTED),), is_error=True, as_text=True)


def _call_names(messages: Sequence[Message]) -> dict[Place, str]:
    """A name for each call that no other has: its own, or where that is taken one with a number."""
    taken: Counter[str] = Counter()
    calls = ((place, part) for place, part in tool_parts(messages) if isinstance(part, ToolCall))
    return {place: _free_name(call.id or "call", taken) for place, call in calls}


def _free_name(wanted: str, taken: Counter[str]) -> str:
    name = wanted
    while taken[name]:
        taken[wanted] += 1
        name = f"{wanted}-{taken[wanted]}"
    taken[name] += 1
    return name


def _renamed(message: Message, index: int, names: dict[Place, str]) -> Message:
    """The message with these names in its calls and results; a result without a name is left out."""
    parts = (_named(part, names.get((index, number))) for number, part in enumerate(message.parts))
    return with_parts(message, tuple(part for part in parts if part is not None))


def _named(part: Part, name: str | None) -> Part | None:
    match part:
        case ToolCall(id=old) if name and name != old:
            return msgspec.structs.replace(part, id=name)
        case ToolResult(call_id=old) if name != old:
            return msgspec.structs.replace(part, call_id=name) if name else None
        case _:
            return part
