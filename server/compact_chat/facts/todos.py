"""The todo list as the last call that touched it left it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import JsonObject
from compact_chat.facts.steps import Step

Status = Literal["open", "doing", "done"]

# The whole list in one argument; the first name that is there counts.
_LISTS: Mapping[str, tuple[str, ...]] = {
    "todowrite": ("todos",),
    "updateplan": ("plan",),
    "managetodolist": ("todoList", "todos"),
    "writetodos": ("todos",),
    "updatetodolist": ("todos",),
}
_TEXTS = ("content", "step", "title", "subject", "description", "text")
_STATUS: Mapping[str, Status] = {
    "inprogress": "doing",
    "doing": "doing",
    "completed": "done",
    "complete": "done",
    "done": "done",
    "cancelled": "done",
    "deleted": "done",
}
_CHECKBOX = re.compile(r"^[ \t]*+[-*+]?[ \t]*+\[([ xX~-])\][ \t]*+([^\n]++)", re.MULTILINE)
_NUMBER = re.compile(r"#(\d{1,9})")


class Todo(Struct, frozen=True):
    """One item, and the id of the message that set its status."""

    text: str
    status: Status
    message: str


def todos(taken: Sequence[Step]) -> tuple[Todo, ...]:
    """The items of the newest list, in its order."""
    items: dict[str, Todo] = {}
    for step in taken:
        if step.outcome == "failed":
            continue
        if step.tool in _LISTS:
            items = _whole_list(step, items)
        elif step.tool == "taskcreate":
            items[_new_id(step, items)] = Todo(_text_of(step.call.input), "open", step.message)
        elif step.tool == "taskupdate":
            items = _updated(step, items)
    return tuple(item for item in items.values() if item.text)


def _whole_list(step: Step, before: dict[str, Todo]) -> dict[str, Todo]:
    given = step.call.input
    value = next((given[name] for name in _LISTS[step.tool] if name in given), None)
    if isinstance(value, str):
        return {str(place): item for place, item in enumerate(_checkboxes(value, step.message))}
    if not isinstance(value, list):  # a call that only reads the list
        return before
    entries = (entry for entry in value if isinstance(entry, dict))
    return {
        str(place): Todo(_text_of(entry), _status(entry.get("status")), step.message)
        for place, entry in enumerate(entries)
    }


def _checkboxes(text: str, message: str) -> Iterator[Todo]:
    marks: Mapping[str, Status] = {"x": "done", "X": "done", "-": "doing", "~": "doing"}
    for box in _CHECKBOX.finditer(text):
        yield Todo(box[2].strip(), marks.get(box[1], "open"), message)


def _new_id(step: Step, items: Mapping[str, Todo]) -> str:
    number = _NUMBER.search((step.answer or "")[:200])
    return number[1] if number else str(len(items) + 1)


def _updated(step: Step, items: dict[str, Todo]) -> dict[str, Todo]:
    key, status = str(step.call.input.get("taskId")), step.call.input.get("status")
    if key not in items or status is None:
        return items
    return items | {key: replace(items[key], status=_status(status), message=step.message)}


def _text_of(entry: JsonObject) -> str:
    return next((value.strip() for name in _TEXTS if isinstance(value := entry.get(name), str)), "")


def _status(value: object) -> Status:
    return _STATUS.get(str(value).lower().replace("_", "").replace("-", "").replace(" ", ""), "open")
