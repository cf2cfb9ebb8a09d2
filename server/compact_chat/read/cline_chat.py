"""The chat that a task of Cline or its kin makes, once it is known which of its messages are live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Message, Text, Usage
from compact_chat.read.cline_host import environment_of, typed_texts
from compact_chat.read.cline_messages import message_of, without_orphans
from compact_chat.read.cline_task import Task, said
from compact_chat.read.cline_ui import messages_of
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.records import stable_ids, title_of, whole_number
from compact_chat.read.summaries import with_summary_marked


def live_messages(task: Task, live: Mapping[int, JsonObject], usages: Mapping[int, Usage]) -> dict[int, Message]:
    """Decode the live part of the history, by the places in it; what was cut in two goes."""
    wanted = (whole_number(item.get("ts")) for item in task.items.values())
    names = dict(zip(task.items, stable_ids(["" if time is None else str(time) for time in wanted]), strict=True))
    found = {place: replace(message_of(item, names[place]), usage=usages.get(place)) for place, item in live.items()}
    return found if len(live) == len(task.items) else without_orphans(found)


def chat_of(name: str, task: Task, messages: Sequence[Message]) -> Chat:
    """Make the chat; without a history, of what the screen shows."""
    shown = messages if task.has_history else messages_of(task.ui)
    first = [message_of(item, "") for item in list(task.items.values())[:1]]
    told = environment_of([*first, *shown])
    return Chat(
        format=name,
        tool=name,
        messages=with_summary_marked(shown),
        model=next(filter(None, _models(task)), told.model),
        title=next(filter(None, _titles(task, [*first, *shown])), None),
        workspace=told.workspace,
        window=told.window,
        warnings=task.warnings,
    )


def _models(task: Task) -> Iterator[str]:
    """The models that were called, the newest first; what stands beside the history is asked last."""
    for record in (*reversed(task.items.values()), *reversed(task.ui)):
        yield word(fields(record.get("modelInfo")).get("modelId"))
    for use in reversed(objects(fields(task.metadata).get("model_usage"))):
        yield word(use.get("model_id"))


def _titles(task: Task, messages: Sequence[Message]) -> Iterator[str | None]:
    shown = (word(message.get("text")) for message in task.ui[:1] if said(message) in ("task", "text"))
    yield from map(title_of, shown)
    for message in messages:
        if message.role == "user" and not message.by_host:
            yield from map(title_of, typed_texts([part.text for part in message.parts if isinstance(part, Text)]))
