"""What a VS Code chat sent before its newest compaction: the rounds up to its boundary, from the one before it on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from compact_chat.chat import JsonObject, Message, Text
from compact_chat.read.lenient import fields
from compact_chat.read.replaced import Replaced
from compact_chat.read.source import Source
from compact_chat.read.vscode_boundary import Boundary, newest_boundary
from compact_chat.read.vscode_oplog import decoded, replay
from compact_chat.read.vscode_turns import Turn, live_turns


def newest(source: Source, name: str) -> Replaced | None:
    """Read the rounds that the newest summary replaced."""
    turns = live_turns(_state(source, name))
    boundary = newest_boundary(turns)
    if boundary is None:
        return None
    before = _up_to(turns, boundary, boundary.round + 1)
    earlier = newest_boundary(_up_to(turns, boundary, boundary.round))
    summary = Message(boundary.round_id, "user", (Text(boundary.text),), is_summary=True, by_host=True)
    return Replaced(tuple(_messages(before, earlier)), (summary,))


def _up_to(turns: Sequence[Turn], boundary: Boundary, rounds: int) -> list[Turn]:
    last = turns[boundary.turn]
    return [*turns[: boundary.turn], replace(last, rounds=last.rounds[:rounds])]


def _messages(turns: Sequence[Turn], earlier: Boundary | None) -> Iterator[Message]:
    first = earlier.turn if earlier else 0
    for place, turn in enumerate(turns[first:], first):
        if earlier and place == first:
            yield from turn.messages_from(earlier.round + 1)
        else:
            yield from turn.messages()


def _state(source: Source, name: str) -> JsonObject:
    if name != "vscode-log":
        return fields(source.document)
    state, _ = replay(source.byte_lines(), source.values_of)
    return fields(decoded(state)) if state is not None else {}
