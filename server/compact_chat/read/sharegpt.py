"""Conversations in the form of ShareGPT, in which data sets keep them: who speaks, and what."""

from __future__ import annotations

from collections.abc import Iterator

from compact_chat.chat import Chat, JsonObject, Message, Role, Text, Unknown, Warning
from compact_chat.read.lenient import objects, word
from compact_chat.read.records import left_out, title_of
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

_NAME = "sharegpt"
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "chatgpt", "bing", "bard", "function_call"), "assistant"),
    "system": "system",
}
_TOOLS = frozenset({"tool", "function", "observation", "function_response"})  # they name no call that they answer


def sniff(source: Source) -> bool:
    """Whether the source holds a conversation, or a list of them, of entries with `from` and `value`."""
    return not source.strict and next(_conversations(source), None) is not None


def read(source: Source) -> Chat:
    """Read the first conversation, and say how many others there are."""
    found = list(_conversations(source))
    entries = found[0]["conversations"]
    messages = [_message(entry, place) for place, entry in enumerate(entries) if _is_entry(entry)]
    faults = [f"$.conversations[{place}] is no entry" for place, entry in enumerate(entries) if not _is_entry(entry)]
    typed = (message.text for message in messages if message.role == "user" and not message.by_host)
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=with_summary_marked(messages),
        system=word(found[0].get("system")),
        title=title_of(word(found[0].get("title"))) or next(map(title_of, typed), None),
        warnings=(*source.damage, *left_out(faults), *_others(len(found) - 1)),
    )


def _conversations(source: Source) -> Iterator[JsonObject]:
    held = source.document
    records = objects(held) if isinstance(held, list) else source.records
    return (record for record in records if any(map(_is_entry, objects(record.get("conversations")))))


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("from"), str) and isinstance(entry.get("value"), str)


def _message(entry: JsonObject, place: int) -> Message:
    speaker, name = entry["from"], f"m{place}"
    if speaker in _TOOLS:
        return Message(name, "user", (Text(entry["value"]),), by_host=True)
    role = _ROLES.get(speaker)
    return Message(name, role, (Text(entry["value"]),)) if role else Message(name, "user", (Unknown(speaker, entry),))


def _others(more: int) -> tuple[Warning, ...]:
    told = f"The file holds {more:,} more conversations; only its first is read."
    return (Warning("moreChats", told),) if more else ()
