"""Which messages of a task of Roo Code are live: it marks what a summary or a cut replaced, and deletes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import JsonObject
from compact_chat.read.cline_task import Task, said
from compact_chat.read.lenient import word
from compact_chat.read.records import whole_number

_EVENTS = ("condense_context", "sliding_window_truncation")


def live_items(task: Task) -> dict[int, JsonObject]:
    """The messages that are sent: those from the last summary on, without what a cut has hidden."""
    start = next((place for place, item in reversed(task.items.items()) if item.get("isSummary") is True), -1)
    behind = {place: item for place, item in task.items.items() if place >= start}
    marks = (item for item in behind.values() if item.get("isTruncationMarker") is True)
    cuts = {word(mark.get("truncationId")) for mark in marks} - {""}
    shown = {place: item for place, item in behind.items() if word(item.get("truncationParent")) not in cuts}
    return _opening(task.items, start) | shown


def measured_since(ui: Sequence[JsonObject]) -> int:
    """When the task was last shortened, in the tool's own time; -1 where it never was."""
    times = (whole_number(message.get("ts")) for message in ui if said(message) in _EVENTS)
    return max((time for time in times if time is not None), default=-1)


def _opening(items: dict[int, JsonObject], start: int) -> dict[int, JsonObject]:
    """Older versions wrote the summary as the assistant's, and kept the user's first message in front of it."""
    first = min(items, default=start)
    is_kept = first < start and items[start].get("role") != "user" and items[first].get("role") == "user"
    return {first: items[first]} if is_kept else {}
