"""Requests for a summary: what of a chat a model needs, in one request if it fits, else in portions (rule T8)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import Message, Part, Text, ToolCall, ToolResult, Unknown, result_text
from compact_chat.errors import NothingToCompact, checkpoint
from compact_chat.facts import (
    Step,
    file_kind,
    file_records,
    instruction_sections,
    joined_records,
    listed_todos,
    recorded,
)
from compact_chat.plan import find_exchanges
from compact_chat.prompt.transcript import (
    DEFAULT_LIMITS,
    LABELLED,
    NUMBERED,
    ROLE_HEADS,
    Limits,
    Rendering,
    clip,
    opening_summary,
    shown_summary,
    shrinking,
    squeezing,
)
from compact_chat.styles import STYLES, MaskedSummary, Material, Request, Task
from compact_chat.text import line_feeds, strip_summary_wrappers, without_codes

if TYPE_CHECKING:
    from compact_chat.redact import MaskedMessage

Voice = Literal["person", "host", "tool"]

LEAST_ROOM = 4000  # minimum, since a chat in crumbs would be thousands of requests that say nothing
LONGEST_SUMMARY = 32_000  # characters; more than a model writes at once
RENDERINGS: Mapping[str, Rendering] = {"labels": LABELLED, "numbers": NUMBERED, "roles": ROLE_HEADS}


# Sift the messages: each text under its speaker, without what the host repeats. A message may hold a person's words,
# text that the host put around them, and results with reminders in them. These become messages of their own, so that
# what a transcript labels as the user's is what a person typed (rules G8 and T9).

_REMINDER = re.compile(r"<(/?)([\w-]{0,30}reminder[\w-]{0,30})>", re.IGNORECASE)
_BLOCKS = re.compile(r"\n\s*\n|\n(?=<[A-Za-z][^<>\n]{0,300}>\n)")
_OPENED, _CLOSED = re.compile(r"<([\w-]{1,40})>\s*\Z"), re.compile(r"\s*</([\w-]{1,40})>")
_NUMBERED = re.compile(r"[ \t]*(\d{1,6})(?:→|\t|: |[ \t]?\|[ \t]?)(.*)")
_COUNTER, _DIGITS = re.compile(r"\d%|\b\d+ ?(?:/|of) ?\d"), re.compile(r"\d+")
OUTPUT_LIMITS = frozenset({"yield_time_ms", "max_output_tokens", "timeout", "timeout_ms"})
FOLDERS = ("workdir", "cwd")  # of a command
_ENVELOPE = re.compile(
    r"(?:Chunk ID|Wall time|Original token count|Background PIDs|Process Group PGID|Directory): [^\n]{0,200}"
    r"|(?:Signal: 0|Error: \(none\)|Output: \(empty\))"
)
LONGEST_ECHO = 500  # characters of the answer to an edit that worked, which mostly repeats the new code
LONGEST_COUNTER = 80  # characters of a passage that tells a count
LONGEST_TAG = 60  # characters before words, where the tag around them may begin
SHORTEST_LISTING = SHORTEST_RUN = 3  # numbered lines, and lines that count on
NEAR = 8  # typed words that are looked for next; they come in their order
SHORT_NOTE, LONG_TEXT = 60, 2000  # characters: of a host's note that counts each time; beyond which it is cut


def sift(messages: Sequence[MaskedMessage]) -> tuple[MaskedMessage, ...]:
    """Part the speakers of each message, and leave out what tells a summary nothing."""
    return tuple(_Sieve().through(messages))


class _Sieve:
    """What of the chat has passed: the calls that edit or list todos, the todos, and the host's texts."""

    def __init__(self) -> None:
        self._calls: dict[str, ToolCall] = {}
        self._todos: dict[str, str] = {}
        self._seen: set[str] = set()
        self._folders: dict[str, object] = {}

    def through(self, messages: Sequence[MaskedMessage]) -> Iterator[MaskedMessage]:
        """Yield the messages that are left, each of one speaker."""
        for message in messages:
            checkpoint()
            if message.role == "assistant":
                self._calls |= {call.id: call for call in message.calls}
                yield replace(message, parts=tuple(map(self._shorter_call, message.parts)))
            elif message.role == "system" or message.is_summary:
                yield message
            else:
                for voice, pieces in groupby(self._pieces(message), lambda piece: piece[0]):
                    parts = tuple(part for _, part in pieces)
                    yield replace(message, parts=parts, by_host=voice == "host", typed=None)

    def _shorter_call(self, part: Part) -> Part:
        """Return a call without limits for its output and the folder of the one before; of todos, what it changed."""
        if not isinstance(part, ToolCall):
            return part
        listed = listed_todos(step := Step("", part))
        if listed is None:
            if not step.command:
                return part
            given = {name: value for name, value in part.input.items() if name not in OUTPUT_LIMITS}
            folders = {name: given[name] for name in FOLDERS if name in given}
            same, self._folders = folders == self._folders, folders
            return replace(part, input={name: given[name] for name in given if not (same and name in folders)})
        changed = [f"{todo.status}: {todo.text}" for todo in listed if self._todos.get(todo.text) != todo.status]
        self._todos |= {todo.text: todo.status for todo in listed}
        return replace(part, input={"todos": changed})

    def _pieces(self, message: MaskedMessage) -> Iterator[tuple[Voice, Part]]:
        """Yield what a person, the host and tools said in a message of the user's role; typed words all are in it."""
        everything = message.typed is None and not message.by_host
        waiting = [line_feeds(words) for words in message.typed or ()]
        for part in message.parts:
            match part:
                case Text() if everything:
                    yield "person", part
                case Text(text):
                    yield from self._spoken(line_feeds(text), waiting)
                case ToolResult():
                    yield from self._result(part, waiting)
                case _:
                    yield "host" if message.by_host else "person", part
        yield from (("person", Text(words)) for words in waiting)

    def _spoken(self, text: str, waiting: list[str]) -> Iterator[tuple[Voice, Part]]:
        """Part a text into the words that are still waited for and the host's text around them."""
        if text.strip() and any(text.strip() in words for words in waiting[:NEAR]):
            waiting[:] = [words for words in waiting if words != text.strip()]
            yield "person", Text(text.strip())
            return
        while found := next((words for words in waiting[:NEAR] if words in text), None):
            waiting.remove(found)
            before, _, text = text.partition(found)
            opened, closed = _OPENED.search(before, max(0, len(before) - LONGEST_TAG)), _CLOSED.match(text)
            if opened and closed and opened[1] == closed[1]:
                before, text = before[: opened.start()], text[closed.end() :]
            yield from self._of_host(before)
            yield "person", Text(found)
        yield from self._of_host(text)

    def _of_host(self, text: str) -> Iterator[tuple[Voice, Part]]:
        """Yield what of a text the host did not say before; instructions for summaries in a long one by themselves."""
        blocks = [block for block in _BLOCKS.split(text) if block.strip()]
        if len(blocks) > 1 or len(text) > SHORT_NOTE:
            blocks = [block for block in blocks if _key(block) not in self._seen]
            self._seen.update(map(_key, blocks))
        if blocks:
            yield "host", Text("\n\n".join(blocks).strip("\n"))
        if blocks and len(text) > LONG_TEXT:
            for section in instruction_sections(text):
                yield "host", Text(f"## Summary instructions\n{section}")

    def _result(self, result: ToolResult, waiting: list[str]) -> Iterator[tuple[Voice, Part]]:
        """Yield a result without what surrounds it, then the host's reminders and a person's words in it."""
        call = self._calls.get(result.call_id)
        step = Step("", call) if call else None
        told = line_feeds(result_text(result))
        if step is None or listed_todos(step) is None or result.is_error:
            is_echo = step is not None and file_kind(step) in ("write", "edit") and not result.is_error
            parts = (
                replace(part, text=_plain(part.text, LONGEST_ECHO if is_echo else None))
                if isinstance(part, Text)
                else part
                for part in result.content
            )
            yield "tool", replace(result, content=tuple(parts))
        for start, end in _reminders(told):
            yield from self._spoken(told[start:end], waiting)
        for words in [words for words in waiting[:NEAR] if words in told]:
            waiting.remove(words)
            yield "person", Text(words)


def _key(block: str) -> str:
    """Return by what a passage of the host is known again: a short one that counts on or tells the time, any count."""
    block = block.strip()
    return _DIGITS.sub("0", block) if len(block) <= LONGEST_COUNTER and _COUNTER.search(block) else block


def _reminders(text: str) -> list[tuple[int, int]]:
    """Find the elements that call themselves reminders."""
    found, opened = [], None
    for tag in _REMINDER.finditer(text):
        if not tag[1]:
            opened = tag
        elif opened and opened[2] == tag[2]:
            found.append((opened.start(), tag.end()))
            opened = None
    return found


def without_reminders(text: str) -> str:
    """Return a text without the elements that call themselves reminders."""
    pieces, place = [], 0
    for start, end in _reminders(text):
        pieces.append(text[place:start].rstrip())
        place = end
    return "".join((*pieces, text[place:]))


def _plain(text: str, limit: int | None) -> str:
    """Return the text of a result without reminders, control codes, line numbers, counters and measures of the run."""
    overwritten = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))  # as a terminal shows it
    text = without_reminders(without_codes("\n".join(overwritten)))
    lines = [line for line in text.split("\n") if not _ENVELOPE.fullmatch(line)]
    return clip("\n".join(_without_counters(_without_numbers(lines))).strip("\n"), limit)


def _without_numbers(lines: list[str]) -> list[str]:
    """Strip the numbers of a listing's lines: those of a search, which leave lines out, tell where something is."""
    found = [(place, match) for place, line in enumerate(lines) if (match := _NUMBERED.fullmatch(line))]
    follow = sum(int(second[1][1]) == int(first[1][1]) + 1 for first, second in pairwise(found))
    if len(found) < SHORTEST_LISTING or follow < len(found) - 1 - len(found) // 10:
        return lines
    bare = {place: match[2] for place, match in found}
    return [bare.get(place, line) for place, line in enumerate(lines)]


def _without_counters(lines: list[str]) -> Iterator[str]:
    """Yield the last of consecutive lines that only count on: `12/76`, `40%`."""
    for _, run in groupby(lines, lambda line: _DIGITS.sub("0", line) if _COUNTER.search(line) else line):
        same = list(run)
        yield from same if same[0] == same[-1] or len(same) < SHORTEST_RUN else same[-1:]


# Cut the messages into portions, and write a request for each.


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
    records = min(style.most_records, room // 4)
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
