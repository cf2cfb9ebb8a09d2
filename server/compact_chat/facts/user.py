"""What the user wants: requests, todos, and a project's summary instructions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.cancel import checkpoint
from compact_chat.chat import JsonObject, Message, Text
from compact_chat.facts.steps import Step, plain_name
from compact_chat.text import is_summary_text, line_feeds, marked_lines, strip_summary_wrappers


class Request(Struct, frozen=True):
    """What a person typed in one message."""

    text: str
    message: str


def requests(messages: Sequence[Message]) -> tuple[Request, ...]:
    """List what a person typed, in order, as the readers recorded it: no host text, no earlier summaries."""
    return tuple(Request(message.typed_text, message.id) for message in messages if message.typed_text)


def earlier_summaries(messages: Sequence[Message]) -> tuple[Request, ...]:
    """List the summaries of earlier compactions, unwrapped."""
    found = []
    for message in messages:
        if summaries := summary_parts(message):
            texts = (part.text for part in message.parts if isinstance(part, Text) and part in summaries)
            found += [Request(strip_summary_wrappers(text), message.id) for text in texts]
    return tuple(summary for summary in found if summary.text)


def summary_parts(message: Message) -> frozenset[Text]:
    """Return a message's texts that are earlier summaries: those in a wrapper, else the first if a tool marked it."""
    checkpoint()
    if message.role != "user" and not message.is_summary:
        return frozenset()
    texts = [part for part in message.parts if isinstance(part, Text)]
    wrapped = frozenset(part for part in texts if message.role == "user" and is_summary_text(part.text))
    return wrapped or frozenset(texts[:1] if message.is_summary else ())


# The todo list as the last call left it.

Status = Literal["open", "doing", "done"]

# Tools that write the whole list, and the arguments that hold it.
_WRITERS = frozenset({"todowrite", "updateplan", "managetodolist", "writetodos"})
_LISTS = ("todos", "plan", "todoList")
_TEXTS = ("content", "step", "title", "subject", "description", "text")
_DONE = frozenset({"completed", "complete", "done", "cancelled", "deleted"})
_TASK_NUMBER = re.compile(r"#(\d{1,9})")


class Todo(Struct, frozen=True):
    """A todo item, and the ids of the messages that set its status and that first listed it."""

    text: str
    status: Status
    message: str
    first: str = ""
    details: str = ""


def listed_todos(step: Step) -> list[Todo] | None:
    """Return the todo list that a call writes whole; None for other calls, and for one that only reads it."""
    if step.tool not in _WRITERS:
        return None
    entries = next((value for name in _LISTS if isinstance(value := step.call.input.get(name), list)), None)
    return None if entries is None else [_todo(item, step) for item in entries if isinstance(item, dict)]


def todos(taken: Sequence[Step]) -> tuple[Todo, ...]:
    """List the items of the newest todo list, in order."""
    items: dict[str, Todo] = {}
    first: dict[str, str] = {}
    for step in taken:
        given = step.call.input
        if step.outcome == "failed":
            continue
        if (listed := listed_todos(step)) is not None:
            items = {str(place): item for place, item in enumerate(listed)}
            for item in listed:
                first.setdefault(item.text, item.message)
        elif step.tool == "taskcreate":
            number = _TASK_NUMBER.search((step.answer or "")[:200])
            item = items[number[1] if number else str(len(items) + 1)] = _todo(given, step)
            first.setdefault(item.text, item.message)
        elif step.tool == "taskupdate":
            key, status = str(given.get("taskId")), given.get("status")
            if key in items and status is not None:
                items[key] = replace(items[key], status=_status(status), message=step.message)
    return tuple(replace(item, first=first[item.text]) for item in items.values() if item.text)


def _todo(entry: JsonObject, step: Step) -> Todo:
    text, *more = [value.strip() for name in _TEXTS if isinstance(value := entry.get(name), str)] or [""]
    return Todo(text, _status(entry.get("status")), step.message, details=" ".join(more))


def _status(value: object) -> Status:
    name = plain_name(str(value)).replace(" ", "")
    return "done" if name in _DONE else "doing" if name in ("inprogress", "doing") else "open"


# The summary sections of a project's instruction file (rule P8).

_TITLES = frozenset({"compact instructions", "summary instructions"})
LONGEST_SECTION = 16_000  # characters; a longer one is cut after its last whole line
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)(.*)")
_NUMBER = re.compile(r"\d{1,3}[.)]")
_MARKS = " \t#*_:"


def instruction_sections(text: str) -> tuple[str, ...]:
    """Return the text under each heading for summaries, up to the next heading of the same or a higher level.

    Such a section inside another one belongs to that one; code fences have no headings.
    """
    marked = list(marked_lines(line_feeds(text.removeprefix("\ufeff"))))
    lines = [line for line, _ in marked]
    found: list[str] = []
    start = depth = 0  # depth: the level of the open section, 0 for none
    for place, (line, fenced) in enumerate(marked):
        heading = None if fenced else _HEADING.fullmatch(line)
        if heading is None:
            continue
        level = len(heading[1])
        if depth and level <= depth:
            found.append("\n".join(lines[start:place]))
            depth = 0
        if not depth:
            title = heading[2].strip(_MARKS)
            if number := _NUMBER.match(title):
                title = title[number.end() :].strip(_MARKS)
            if " ".join(title.lower().split()) in _TITLES:
                start, depth = place + 1, level
    if depth:
        found.append("\n".join(lines[start:]))
    sections = []
    for section in filter(None, map(str.strip, found)):
        cut = section[: LONGEST_SECTION + 1].rpartition("\n")[0] or section[:LONGEST_SECTION]
        sections.append(section if len(section) <= LONGEST_SECTION else cut.rstrip())
    return tuple(sections)
