"""What is summarised at once: a whole chat where it fits, else one chunk after the other (rule T8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message
from compact_chat.plan import find_exchanges
from compact_chat.prompt.request import Task, custom, project_rules
from compact_chat.prompt.transcript import (
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
from compact_chat.wire import Style

# Shrink a transcript step by step until it fits the window of the model that reads it.


class Fitted(Struct, frozen=True):
    """A transcript, and whether it is as short as was asked for."""

    text: str
    fits: bool


def fit(messages: Sequence[Message], max_chars: int) -> Fitted:
    """The fullest transcript of at most `max_chars`, or else the shortest there is (rule T8)."""
    text, _ = first_fitting(messages, shrinking(LABELLED.usual), max_chars, LABELLED)
    return Fitted(text, len(text) <= max_chars)


def first_fitting(
    messages: Sequence[Message], steps: Sequence[Limits], max_chars: int, rendering: Rendering
) -> tuple[str, Limits]:
    """The rendering that fits first, or else the last, with its limits."""
    *most, last = steps
    for limits in most:
        text = rendering.text(messages, limits)
        if len(text) <= max_chars:
            return text, limits
    return rendering.text(messages, last), last


# What is summarised at once: a whole chat where it fits, else one chunk after the other (rule T8).


RENDERINGS: Mapping[Style, Rendering] = {
    "detailed": LABELLED,
    "checkpoint": LABELLED,
    "structured": NUMBERED,
    "brief": ROLE_HEADS,
}
LEAST_ROOM = 4000  # Less is taken for that much: a chat in crumbs would be thousands of requests that say nothing.
LONGEST_SUMMARY = 32_000  # characters; more than a model writes at once
LONGEST_RECORDS = 8000  # characters of file records in a request; longer ones would fill the reply


class Portion(Struct, frozen=True):
    """Messages for one request, how they are shortened, and the room for them and the summary of those before."""

    messages: tuple[Message, ...]
    limits: Limits
    room: int
    earlier: str = ""  # the summary that the chat begins with, where it has a frame of its own (rule P23)
    more: bool = False  # whether the chat goes on in another portion

    @property
    def summary_room(self) -> int:
        """How much of the room the summary of the portions before may take."""
        return min(self.room // 2, LONGEST_SUMMARY)


def cut_portions(task: Task, room: int) -> tuple[Portion, ...]:
    """All messages in their order; `room` is for the characters of the chat and of what its user says of summaries."""
    room = max(LEAST_ROOM, room - _kept_back(task, room))
    rendering = RENDERINGS[task.style]
    earlier, messages = opening_summary(task.messages) if task.style == "checkpoint" else ("", task.messages)
    whole = Portion(messages, rendering.usual, room, earlier)
    most = room - len(shown_summary(earlier, whole.summary_room, rendering))
    text, limits = first_fitting(messages, shrinking(rendering.usual), most, rendering)
    whole = replace(whole, limits=limits)
    return (whole,) if len(text) <= most else tuple(_chunks(whole, rendering))


def _kept_back(task: Task, room: int) -> int:
    """The characters of what stands beside the chat and differs from task to task."""
    records = min(LONGEST_RECORDS, room // 4) if task.style == "checkpoint" else 0
    return len(custom(task.focus)) + len(project_rules(task.rules)) + records


def _chunks(whole: Portion, rendering: Rendering) -> Iterator[Portion]:
    """As many exchanges as fit at a time; one that does not fit alone has limits of its own."""
    most = whole.room - whole.summary_room
    for start, end in _bounds(whole.messages, whole.limits, most, rendering):
        held, earlier = whole.messages[start:end], "" if start else whole.earlier
        _, limits = first_fitting(held, (whole.limits, *squeezing(whole.limits)), most, rendering)
        yield Portion(held, limits, whole.room, earlier, more=end < len(whole.messages))


def _bounds(messages: Sequence[Message], limits: Limits, most: int, rendering: Rendering) -> Iterator[tuple[int, int]]:
    """Where each chunk begins and ends, never inside an exchange."""
    cuts = [index for index, clean in enumerate(find_exchanges(messages).clean) if clean]
    between = len("\n\n") + len(str(len(messages)))  # an entry's number may be longer than where it stands alone
    begin, used = 0, 0
    for start, end in pairwise(cuts):
        size = len(rendering.text(messages[start:end], limits))
        needed = size + between * (end - start) if size else 0
        if used and needed and used + needed > most:
            yield begin, start
            begin, used = start, 0
        used += needed
    yield begin, len(messages)
