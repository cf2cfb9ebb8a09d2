"""Requests for a summary: one for a whole chat if it fits the model, else one portion after the other (rule T8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message, ToolResult, Unknown
from compact_chat.errors import NothingToCompact
from compact_chat.facts import file_records, joined_records, recorded
from compact_chat.plan import find_exchanges
from compact_chat.prompt.sift import sift
from compact_chat.prompt.transcript import (
    DEFAULT_LIMITS,
    LABELLED,
    NUMBERED,
    ROLE_HEADS,
    Limits,
    Rendering,
    opening_summary,
    shown_summary,
    shrinking,
    squeezing,
)
from compact_chat.styles import STYLES, MaskedSummary, Material, Request, Task
from compact_chat.text import strip_summary_wrappers

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

LEAST_ROOM = 4000  # minimum, since a chat in crumbs would be thousands of requests that say nothing
LONGEST_SUMMARY = 32_000  # characters; more than a model writes at once
LONGEST_RECORDS = 8000  # characters of file records in a request
RENDERINGS: Mapping[str, Rendering] = {"labels": LABELLED, "numbers": NUMBERED, "roles": ROLE_HEADS}


class Portion(Struct, frozen=True):
    """Messages for one request, their limits, and the room for them and for the summary of those before."""

    messages: tuple[MaskedMessage, ...]
    limits: Limits
    room: int
    earlier: str = ""  # the summary that the chat begins with, if it has a frame of its own (rule P23)
    more: bool = False  # whether another portion follows

    @property
    def summary_room(self) -> int:
        """How much of the room the summary of the earlier portions may take."""
        return min(self.room // 2, LONGEST_SUMMARY)


def compose_request(task: Task, portion: Portion, previous: MaskedSummary | None = None) -> Request:
    """Write one request; given the summary of what precedes this portion, it asks for one that covers both."""
    return STYLES[task.style].prompt(task, material(task, portion, previous))


def material(task: Task, portion: Portion, previous: MaskedSummary | None) -> Material:
    """Render a portion, and the summary of what precedes it."""
    rendering = RENDERINGS[STYLES[task.style].transcript]
    earlier = "\n\n".join(filter(None, (portion.earlier, strip_summary_wrappers(previous.text if previous else ""))))
    shown = shown_summary(earlier, portion.summary_room, rendering)
    chat = rendering.within(portion.messages, portion.limits, portion.room - len(shown))
    if not chat:
        raise NothingToCompact("There is nothing to summarize: none of these messages holds anything to read.")
    files = joined_records(file_records(portion.messages), recorded(earlier))
    return Material(chat, shown, portion.more, files)


def cut_portions(task: Task, room: int) -> tuple[Portion, ...]:
    """Cut all messages in order; `room` is for the characters of the chat and of the user's own instructions."""
    style = STYLES[task.style]
    rendering = RENDERINGS[style.transcript]
    records = min(LONGEST_RECORDS, room // 4) if style.keeps_records else 0
    room = max(LEAST_ROOM, room - len(task.instructions) - len(task.project_rules) - records)
    earlier, messages = opening_summary(task.messages) if style.updates else ("", task.messages)
    messages = sift(messages)
    whole = Portion(messages, rendering.usual, room, earlier)
    most = room - len(shown_summary(earlier, whole.summary_room, rendering))
    text, limits = _first_fitting(messages, shrinking(rendering.usual), most, rendering)
    whole = replace(whole, limits=limits)
    return (whole,) if len(text) <= most else tuple(_chunks(whole, rendering))


def _chunks(whole: Portion, rendering: Rendering) -> Iterator[Portion]:
    """Yield as many exchanges as fit at a time, always whole; one that does not fit alone is shortened more."""
    messages, most = whole.messages, whole.room - whole.summary_room

    def chunk(begin: int, end: int) -> Portion:
        steps = (whole.limits, *squeezing(whole.limits))
        _, limits = _first_fitting(messages[begin:end], steps, most, rendering)
        earlier = "" if begin else whole.earlier
        return Portion(messages[begin:end], limits, whole.room, earlier, more=end < len(messages))

    cuts = [index for index, clean in enumerate(find_exchanges(messages).clean) if clean]
    between = len("\n\n") + len(str(len(messages)))  # an entry's number may have more digits than in this rendering
    begin, used = 0, 0
    for start, end in pairwise(cuts):
        size = len(rendering.text(messages[start:end], whole.limits))
        needed = size + between * (end - start) if size else 0
        if used and needed and used + needed > most:
            yield chunk(begin, start)
            begin, used = start, 0
        used += needed
    yield chunk(begin, len(messages))


def _first_fitting(
    messages: Sequence[MaskedMessage], steps: Sequence[Limits], max_chars: int, rendering: Rendering
) -> tuple[str, Limits]:
    """Return the first rendering that fits, else the last, with its limits."""
    *most, last = steps
    for limits in most:
        text = rendering.text(messages, limits)
        if len(text) <= max_chars:
            return text, limits
    return rendering.text(messages, last), last


def fit(messages: Sequence[MaskedMessage], max_chars: int) -> tuple[str, bool]:
    """Return the fullest transcript within `max_chars`, else the shortest one, and whether it fits (T8)."""
    text, _ = _first_fitting(messages, shrinking(DEFAULT_LIMITS), max_chars, LABELLED)
    return text, len(text) <= max_chars


def skipped(messages: Sequence[Message]) -> int:
    """Count the blocks of unknown types, of which only the type's name is shown (rule T7)."""
    parts = [part for message in messages for part in message.parts]
    inner = (part for result in parts if isinstance(result, ToolResult) for part in result.content)
    return sum(isinstance(part, Unknown) for part in (*parts, *inner))
