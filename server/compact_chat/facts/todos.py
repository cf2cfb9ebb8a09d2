"""The todo list as the last call that touched it left it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from compact_chat.chat import JsonObject
from compact_chat.facts.steps import Step, plain_name

Status = Literal["open", "doing", "done"]

# Tools that write the whole list, and the arguments that hold it.
_WRITERS = frozenset({"todowrite", "updateplan", "managetodolist", "writetodos"})
_LISTS = ("todos", "plan", "todoList")
_TEXTS = ("content", "step", "title", "subject", "description", "text")
_DONE = frozenset({"completed", "complete", "done", "cancelled", "deleted"})
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
        if step.tool in _WRITERS:
            items = _whole_list(step, items)
        elif step.tool == "taskcreate":
            items[_new_id(step, items)] = _todo(step.call.input, step)
        elif step.tool == "taskupdate":
            _update(step, items)
    return tuple(item for item in items.values() if item.text)


def _whole_list(step: Step, before: dict[str, Todo]) -> dict[str, Todo]:
    """The items of the call; those before where it only reads the list."""
    entries = next((value for name in _LISTS if isinstance(value := step.call.input.get(name), list)), None)
    if entries is None:
        return before
    return {str(place): _todo(entry, step) for place, entry in enumerate(entries) if isinstance(entry, dict)}


def _new_id(step: Step, items: Mapping[str, Todo]) -> str:
    number = _NUMBER.search((step.answer or "")[:200])
    return number[1] if number else str(len(items) + 1)


def _update(step: Step, items: dict[str, Todo]) -> None:
    key, status = str(step.call.input.get("taskId")), step.call.input.get("status")
    if key in items and status is not None:
        items[key] = replace(items[key], status=_status(status), message=step.message)


def _todo(entry: JsonObject, step: Step) -> Todo:
    text = next((value.strip() for name in _TEXTS if isinstance(value := entry.get(name), str)), "")
    return Todo(text, _status(entry.get("status")), step.message)


def _status(value: object) -> Status:
    name = plain_name(str(value)).replace(" ", "")
    return "done" if name in _DONE else "doing" if name in ("inprogress", "doing") else "open"
