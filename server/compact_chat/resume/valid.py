"""A chat that model APIs accept (rules V1 to V8), as a row of small passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec

from compact_chat.cancel import checkpoint
from compact_chat.chat import (
    JsonObject,
    Message,
    Part,
    PartPlace,
    Text,
    ToolCall,
    ToolResult,
    find_links,
    raws,
    tool_parts,
    with_plain_results,
)
from compact_chat.plan import front_length, open_end, seen, with_parts

# Calls and results in pairs, as model APIs ask for them (rules V2 and V7).


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
        checkpoint()
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


def _call_names(messages: Sequence[Message]) -> dict[PartPlace, str]:
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


def _renamed(message: Message, index: int, names: dict[PartPlace, str]) -> Message:
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


# Turns of a chat: neighbours of one role are merged (rule V5).


def merged(messages: Iterable[Message]) -> list[Message]:
    """The chat with one message for each run of one role; system messages, which need not alternate, stay apart."""
    turns: list[Message] = []
    for role, group in groupby(messages, key=lambda message: message.role):
        checkpoint()
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


# A chat that model APIs accept (rules V1 to V8), as a row of small passes.


_OMITTED = Message("omitted", "user", (Text("[Earlier messages omitted]"),), by_host=True)


def make_valid(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat as an API accepts it, but for calls that the host has yet to answer; a second time changes nothing."""
    shown = [message for message in map(seen, messages) if message.parts]
    turns = merged(paired(list(map(with_plain_results, shown))))
    return _user_first(merged(answered(turns, open_from=open_end(turns))))


def sendable(messages: Sequence[Message], closing: str) -> tuple[Message, ...]:
    """The valid chat with the user's word last: `closing`, unless the host has yet to answer a call (rule V8)."""
    turns = make_valid(messages)
    if turns and (turns[-1].role == "user" or turns[-1].calls):
        return turns
    return (*turns, Message("closing", "user", (Text(closing),), by_host=True))


def _user_first(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat with a line of the user's where the assistant would begin (rule V4)."""
    front = front_length(messages)
    if messages[front : front + 1] and messages[front].role == "assistant":
        return (*messages[:front], _OMITTED, *messages[front:])
    return tuple(messages)
