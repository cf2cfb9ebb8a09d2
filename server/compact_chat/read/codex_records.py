"""The lines of a Codex session of any age, as the newest version writes them: a kind and what it carries."""

from __future__ import annotations

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.read.evidence import ROLELESS_ITEMS
from compact_chat.read.lenient import fields, objects, word
from compact_chat.read.source import Source

_KINDS = frozenset(
    {
        "compacted",
        "event_msg",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
        "response_item",
        "security_risk_score",
        "session_meta",
        "turn_context",
        "world_state",
    }
)
_BARE_ITEMS = ROLELESS_ITEMS | {"message"}
_BARE_HEADER = frozenset({"id", "timestamp", "instructions", "git"})


class Record(Struct, frozen=True):
    """A line of the log; `place` names it for as long as the file only grows."""

    place: str
    kind: str
    payload: JsonObject


def is_session(source: Source) -> bool:
    """Whether the source is a session: lines in envelopes, bare ones behind a header, or one object."""
    if source.strict:
        return False
    if _is_whole(fields(source.document)):
        return True
    bare = map(_is_bare_header, source.records[:1])
    return any(map(_is_enveloped, source.records)) or any(bare) or _has_states(source)


def whole_records(document: object) -> list[Record]:
    """The records of a session of the oldest form; none where a document is none."""
    held = fields(document)
    if not _is_whole(held):
        return []
    items = enumerate(objects(held["items"]), 1)
    lines = [Record(f"r{place}", "response_item", item) for place, item in items]
    return [Record("r0", "session_meta", held["session"]), *lines]


def record_at(place: int, record: JsonObject) -> Record | None:
    """The record that a line holds; `place` is its number among all of them."""
    kind = word(record.get("type"))
    if _is_enveloped(record):
        return Record(f"r{place}", kind, record["payload"])
    if kind in _BARE_ITEMS:
        return Record(f"r{place}", "response_item", record)
    return Record(f"r{place}", "session_meta", record) if place == 1 and _is_bare_header(record) else None


def _is_enveloped(record: JsonObject) -> bool:
    return word(record.get("type")) in _KINDS and isinstance(record.get("payload"), dict)


def _is_bare_header(record: JsonObject) -> bool:
    named = word(record.get("id")) and word(record.get("timestamp"))
    return bool(named) and len(record) > 2 and _BARE_HEADER.issuperset(record)


def _has_states(source: Source) -> bool:
    """Whether bare lines that have lost their header hold the marks that stand between the items."""
    return any(record.get("record_type") == "state" and "type" not in record for record in source.records) and any(
        word(record.get("type")) in _BARE_ITEMS for record in source.records
    )


def _is_whole(document: JsonObject) -> bool:
    """Whether a document is the oldest form: the header and all items in one object."""
    session = fields(document.get("session"))
    return isinstance(document.get("items"), list) and "id" in session and "timestamp" in session
