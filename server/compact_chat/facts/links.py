"""Which tool result answers which call, by id and place (rules K8, S3 and V2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from msgspec import Struct

from compact_chat.chat import Message, ToolCall, ToolResult

_KINDS = (ToolCall, ToolResult)  # as a tuple, which is looked through faster than a union
Place = tuple[int, int]  # the index of a message, and of a part in it


class Links(Struct, frozen=True):
    """The results of a chat beside their calls; a result answers the newest earlier message with a call of its id."""

    answers: dict[Place, Place]  # from the result to its call
    repeats: dict[Place, Place]  # the same, of results to calls that have their answer
    orphans: frozenset[Place]
    unanswered: tuple[Place, ...]


def find_links(messages: Sequence[Message]) -> Links:
    """The calls and results of a chat, matched by id; calls of one message that share an id are met in their order."""
    unmet: dict[str, deque[Place]] = {}
    newest: dict[str, Place] = {}
    answers: dict[Place, Place] = {}
    repeats: dict[Place, Place] = {}
    orphans: set[Place] = set()
    parts = tool_parts(messages)
    for place, part in parts:
        if isinstance(part, ToolCall):
            if newest.get(part.id, (-1, 0))[0] != place[0]:
                unmet[part.id] = deque()
            unmet[part.id].append(place)
            newest[part.id] = place
        elif part.call_id not in newest:
            orphans.add(place)
        elif unmet[part.call_id]:
            answers[place] = unmet[part.call_id].popleft()
        else:
            repeats[place] = newest[part.call_id]
    met = set(answers.values())
    calls = (place for place, part in parts if isinstance(part, ToolCall))
    return Links(answers, repeats, frozenset(orphans), tuple(place for place in calls if place not in met))


def tool_parts(messages: Sequence[Message]) -> list[tuple[Place, ToolCall | ToolResult]]:
    """The calls and results of a chat with their places, in order."""
    return [
        ((index, number), part)
        for index, message in enumerate(messages)
        for number, part in enumerate(message.parts)
        if isinstance(part, _KINDS)
    ]
