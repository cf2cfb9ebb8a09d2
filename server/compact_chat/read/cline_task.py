"""The files of a task of Cline or one of its kin: what went to the model, and what the screen shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from compact_chat.chat import JsonObject, Warning
from compact_chat.read.beside import API_HISTORY, CONTEXT_EDITS, TASK_METADATA, UI_MESSAGES
from compact_chat.read.json_text import parse
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.records import left_out
from compact_chat.read.source import Source

_BROKEN = Warning("brokenFile", "The file itself cannot be read; the chat is made of what lies beside it.")
_LOOKED_AT = 20  # messages on the screen; the first may be damaged


class Task(Struct, frozen=True):
    """What the files of a task hold, each where it is there; `items` by their places in the history."""

    items: dict[int, JsonObject]
    ui: tuple[JsonObject, ...]
    edits: object = None
    metadata: object = None
    has_history: bool = False
    warnings: tuple[Warning, ...] = ()


def task_of(source: Source) -> Task:
    """Take the files of the task apart."""
    history = history_of(source)
    entries = history or []
    return Task(
        items={place: fields(entry) for place, entry in enumerate(entries) if _is_item(entry)},
        ui=ui_of(source),
        edits=_beside(source, CONTEXT_EDITS),
        metadata=_beside(source, TASK_METADATA),
        has_history=history is not None,
        warnings=(*left_out(list(_faults(entries))), *_unreadable(source)),
    )


def said(message: JsonObject) -> str:
    """The kind of a message on the screen."""
    kind = message.get("type")
    return word(message.get(kind)) if kind in ("ask", "say") else ""


def inner(message: JsonObject) -> JsonObject:
    """The object that a message on the screen carries as its text."""
    text = word(message.get("text"))
    try:
        return fields(parse(text)) if text.lstrip()[:1] == "{" else {}
    except (ValueError, RecursionError):
        return {}


def history_of(source: Source) -> list[object] | None:
    """The messages as they went to the model: those of the source itself, or of the file beside it."""
    if _is_ui(source.document):
        return _items(_beside(source, API_HISTORY))
    return _items(source.document)


def ui_of(source: Source) -> tuple[JsonObject, ...]:
    """The messages on the screen: those of the source itself, or of the file beside it."""
    documents = [source.document, *(_beside(source, name) for name in UI_MESSAGES)]
    return tuple(next((objects(document) for document in documents if _is_ui(document)), ()))


def _beside(source: Source, name: str) -> object:
    return source.beside[name].document if name in source.beside else None


def _items(document: object) -> list[object] | None:
    """The entries of a history, in an envelope or not."""
    if isinstance(document, dict) and document.get("version") == 2:
        document = document.get("messages")
    return document if isinstance(document, list) and any(map(_is_item, document)) else None


def _is_item(entry: object) -> bool:
    item = fields(entry)
    return isinstance(item.get("role"), str) or item.get("type") == "reasoning"


def _is_ui(document: object) -> bool:
    return isinstance(document, list) and any(map(_is_shown, islice(document, _LOOKED_AT)))


def _is_shown(entry: object) -> bool:
    shown = fields(entry)
    kind = shown.get("type")
    return kind in ("ask", "say") and isinstance(shown.get(kind), str) and "ts" in shown


def _faults(entries: Sequence[object]) -> Iterator[str]:
    for place, entry in enumerate(entries):
        if not _is_item(entry):
            yield f"$[{place}] is no message"


def _unreadable(source: Source) -> Iterator[Warning]:
    """Say which files are broken: the chat may look other than it is, or longer."""
    if source.document is None:
        yield _BROKEN
    for name, held in source.beside.items():
        if held.document is None:
            yield Warning("brokenFile", f"{name} beside the chat cannot be read; what it tells of the chat is missing.")
