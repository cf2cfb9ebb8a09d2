"""Sessions of Continue: a history of messages with the files and results that go with each."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from compact_chat.chat import Chat, JsonObject, Message, Text
from compact_chat.read.continue_messages import answered_ids, messages_of
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.records import left_out, stable_ids, title_of
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

_NAME = "continue"
_SUMMARY = "conversationSummary"
_UNTITLED = ("", "New Session")


def sniff(source: Source) -> bool:
    """Whether the source is one object with a history of messages."""
    document = {} if source.strict else fields(source.document)
    history = document.get("history")
    if history == []:
        return isinstance(document.get("sessionId"), str)
    return any(isinstance(item.get("message"), dict) for item in objects(history))


def read(source: Source) -> Chat:
    """Read the history from the last summary on."""
    document = fields(source.document)
    stored = document["history"]
    items = [item for item in objects(stored) if isinstance(item.get("message"), dict)]
    faults = [f"$.history[{place}] has no message" for place, item in enumerate(stored) if not _holds_message(item)]
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=with_summary_marked(_live(items)),
        model=_model(items) or word(document.get("chatModelTitle")) or None,
        title=_title(document),
        workspace=_folder(word(document.get("workspaceDirectory"))) or None,
        warnings=left_out(faults),
    )


def _holds_message(item: object) -> bool:
    return isinstance(fields(item).get("message"), dict)


def _live(items: Sequence[JsonObject]) -> list[Message]:
    names = stable_ids([word(item["message"].get("id")) for item in items])
    last = next((place for place in reversed(range(len(items))) if word(items[place].get(_SUMMARY)).strip()), -1)
    behind, answered = range(last + 1, len(items)), answered_ids(items[last + 1 :])
    opening = [_summary(items[last][_SUMMARY], names[last])] if last >= 0 else []
    return [*opening, *(one for place in behind for one in messages_of(items[place], names[place], answered))]


def _summary(text: str, name: str) -> Message:
    """What Continue adds to the system prompt in place of the message and all before it."""
    return Message(f"{name}.summary", "user", (Text(text),), is_summary=True, by_host=True)


def _model(items: Sequence[JsonObject]) -> str:
    logs = (log for item in reversed(items) for log in reversed(objects(item.get("promptLogs"))))
    return next(filter(None, (word(log.get("modelTitle")) for log in logs)), "")


def _folder(place: str) -> str:
    """The path of a folder, which newer versions write as a URI."""
    if not place.startswith("file://"):
        return place
    path = unquote(place.removeprefix("file://"))
    return path.removeprefix("/") if path[2:3] == ":" else path


def _title(document: JsonObject) -> str | None:
    given = word(document.get("title")).strip()
    return None if given in _UNTITLED else title_of(given)
