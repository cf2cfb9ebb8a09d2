"""Sessions of Claude Code: JSON lines that only ever grow, of which a part is live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_chat.chat import Chat, JsonObject, Text, Warning
from compact_chat.read.blocks import parts_of, word
from compact_chat.read.claude_host import typed_text
from compact_chat.read.claude_messages import cleared_ids, messages_of, model_of
from compact_chat.read.claude_tree import live_records
from compact_chat.read.finish import finished
from compact_chat.read.source import Source

_NAME = "claude-code"
_TYPES = ("user", "assistant", "attachment", "system", "progress")
_TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"))
_TITLE_LENGTH = 80


def sniff(source: Source) -> bool:
    """Whether a line is a record of Claude Code."""
    return any(_is_ours(record.value) for record in source.records)


def read(source: Source) -> Chat:
    """Read the live conversation, and say which lines were damaged."""
    records = [record.value for record in source.records]
    live = live_records(records)
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=finished(messages_of(live, cleared_ids(records))),
        model=model_of(live),
        title=_title(records),
        workspace=next(filter(None, (word(record.get("cwd")) for record in records)), None),
        warnings=tuple(_damage(line) for line in source.damaged_lines),
    )


def _is_ours(record: JsonObject) -> bool:
    return isinstance(record.get("sessionId"), str) and ("parentUuid" in record or record.get("type") in _TYPES)


def _damage(line: int) -> Warning:
    return Warning("damagedLine", f"Line {line} is damaged; what could not be read of it was left out.", line)


def _title(records: Sequence[JsonObject]) -> str | None:
    for kind, key in _TITLES:
        given = [word(record.get(key)).strip() for record in records if record.get("type") == kind]
        if given and given[-1]:
            return given[-1]
    return next((line[:_TITLE_LENGTH] for line in _typed_lines(records)), None)


def _typed_lines(records: Sequence[JsonObject]) -> Iterator[str]:
    for record in records:
        message = record.get("message")
        by_host = record.get("isMeta") is True or record.get("isCompactSummary") is True
        if record.get("type") != "user" or by_host or not isinstance(message, dict):
            continue
        for part in parts_of(message.get("content")):
            if isinstance(part, Text) and (typed := typed_text(part.text)):
                yield typed.partition("\n")[0].strip()
