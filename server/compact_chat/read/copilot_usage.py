"""How full the window was: what the provider reported of a call, and Copilot's own count of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compact_chat.chat import JsonObject, Usage
from compact_chat.read.copilot_events import SUMMARY, Event
from compact_chat.read.counts import tokens
from compact_chat.read.lenient import word

_SPLIT = ("systemTokens", "conversationTokens", "toolDefinitionsTokens")
_MESSAGES = frozenset({"system.message", "user.message", "assistant.message", "tool.execution_complete", SUMMARY})


def usages_of(live: Sequence[Event]) -> Mapping[int, Usage]:
    """The sizes, by the place of the event that each belongs to; Copilot's own count only where it is the newest."""
    found = _reported(live)
    told = next((place for place in reversed(range(len(live))) if _own_count(live[place])), -1)
    if max(found, default=-1) > told:
        return found
    newest = next((place for place in range(told, -1, -1) if live[place].kind in _MESSAGES), None)
    if newest is not None:
        model = word(live[told].data.get("currentModel"))
        found[newest] = Usage(_own_count(live[told]), 0, model, whole=True)
    return found


def _reported(live: Sequence[Event]) -> dict[int, Usage]:
    """What was reported in each turn, by the message of that turn, before or behind which it stands."""
    found: dict[int, Usage] = {}
    spoken: int | None = None
    early: Usage | None = None
    for place, event in enumerate(live):
        if event.kind == "assistant.turn_start":
            spoken = early = None
        elif event.kind == "assistant.usage":
            early = _usage(event.data)
        elif event.kind == "assistant.message":
            spoken = place
        if spoken is not None and early is not None:
            found[spoken] = early
            early = None
    return found


def _usage(data: JsonObject) -> Usage | None:
    prompt = tokens(data.get("inputTokens"))
    return Usage(prompt, tokens(data.get("outputTokens")), word(data.get("model"))) if prompt else None


def _own_count(event: Event) -> int:
    """The tokens of the next prompt: as one sum, or as parts of which none may be missing."""
    if event.kind == "session.shutdown" and (current := tokens(event.data.get("currentTokens"))):
        return current
    parts = [tokens(event.data.get(name)) for name in _SPLIT]
    return sum(parts) if event.kind in ("session.shutdown", SUMMARY) and all(parts) else 0
