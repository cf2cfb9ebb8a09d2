"""Sessions of Claude Code: JSON lines that only ever grow, of which a part is live."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compact_chat.chat import Chat, JsonObject, Text
from compact_chat.read.blocks import parts_of
from compact_chat.read.claude_host import typed_text
from compact_chat.read.claude_messages import cleared_ids, messages_of, model_of
from compact_chat.read.claude_tree import live_records
from compact_chat.read.lenient import fields, word
from compact_chat.read.source import Source
from compact_chat.read.summaries import with_summary_marked

_NAME = "claude-code"
_TYPES = ("user", "assistant", "attachment", "system", "progress")
_TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"))
_TITLE_LENGTH = 80


def sniff(source: Source) -> bool:
    """Whether a line is a record of Claude Code."""
    return any(_is_ours(record) for record in source.records)


def read(source: Source) -> Chat:
    """Read the live conversation, and say which lines were damaged."""
    records = source.records
    live = live_records(records)
    return Chat(
        format=_NAME,
        tool=_NAME,
        messages=with_summary_marked(messages_of(live, cleared_ids(records))),
        model=model_of(live),
        title=_title(records),
        workspace=next(filter(None, (word(record.get("cwd")) for record in records)), None),
        warnings=source.damage,
    )


def _is_ours(record: JsonObject) -> bool:
    return isinstance(record.get("sessionId"), str) and ("parentUuid" in record or record.get("type") in _TYPES)


def _title(records: Sequence[JsonObject]) -> str | None:
    for kind, key in _TITLES:
        given = [word(record.get(key)).strip() for record in records if record.get("type") == kind]
        if given and given[-1]:
            return given[-1]
    return next(map(_clipped, _typed_lines(records)), None)


def _clipped(line: str) -> str:
    """Clip a long title, at the end of a word if one ends in the last quarter."""
    if len(line) <= _TITLE_LENGTH:
        return line
    end = line.rfind(" ", _TITLE_LENGTH * 3 // 4, _TITLE_LENGTH)
    return line[: _TITLE_LENGTH - 1 if end < 0 else end].rstrip() + "…"


def _typed_lines(records: Sequence[JsonObject]) -> Iterator[str]:
    for record in records:
        by_host = record.get("isMeta") is True or record.get("isCompactSummary") is True
        if record.get("type") != "user" or by_host:
            continue
        for part in parts_of(fields(record.get("message")).get("content")):
            if isinstance(part, Text) and (typed := typed_text(part.text)):
                yield typed.partition("\n")[0].strip()
