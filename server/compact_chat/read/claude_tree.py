"""Which records of a Claude Code session are live: a walk through a tree with dead branches and loose ends."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.read.lenient import fields, objects, word


class _Session(Struct, frozen=True):
    records: list[JsonObject]  # one for each uuid, as they stand in the file
    places: dict[str, int]  # of each uuid
    trunk: list[int]  # places outside the side chains of sub-agents
    leaf: int | None  # the place of the newest line of the conversation


def live_records(records: Iterable[JsonObject]) -> list[JsonObject]:
    """The records from the last compaction on, without dead branches, with all parallel calls and results."""
    session = _session([record for record in records if isinstance(record.get("uuid"), str)])
    if session.leaf is None:
        return []
    chain, boundary = _walk(session, session.leaf)
    live = _whole(session, chain)
    kept, anchor = _preserved(session, boundary)
    at = live.index(anchor) + 1 if anchor in live else 0
    old = [_without_usage(record) for record in _at(session, sorted(set(kept).difference(live)))]
    return [*_at(session, live[:at]), *old, *_at(session, live[at:])]


def speaks(record: JsonObject) -> bool:
    """Whether the record is a line of the conversation, and not one of the tool's own."""
    return record.get("type") in ("user", "assistant")


def content_blocks(record: JsonObject, kind: str) -> Iterator[JsonObject]:
    """The content blocks of one type in a record."""
    blocks = objects(fields(record.get("message")).get("content"))
    return (block for block in blocks if block.get("type") == kind)


def reply_id(record: JsonObject) -> str:
    """The id that all lines of one reply share; empty where the record is no reply or has none."""
    return word(fields(record.get("message")).get("id")) if record.get("type") == "assistant" else ""


def _session(lines: Sequence[JsonObject]) -> _Session:
    by_uuid = {line["uuid"]: line for line in lines}
    places = {uuid: place for place, uuid in enumerate(by_uuid)}
    main = [line for line in lines if line.get("isSidechain") is not True]
    if not any(map(speaks, main)):  # a sub-agent's own file is all side chain
        main = list(lines)
    trunk = sorted({places[line["uuid"]] for line in main})
    leaf = next((places[line["uuid"]] for line in reversed(main) if speaks(line)), None)
    return _Session(list(by_uuid.values()), places, trunk, leaf)


def _at(session: _Session, places: Iterable[int]) -> Iterator[JsonObject]:
    return (session.records[place] for place in places)


def _without_usage(record: JsonObject) -> JsonObject:
    """A call made before the compaction tells nothing of the prompt after it."""
    message = record.get("message")
    if not isinstance(message, dict):
        return record
    return {**record, "message": {key: value for key, value in message.items() if key != "usage"}}


def _walk(session: _Session, start: int, stop: int | None = None) -> tuple[list[int], JsonObject | None]:
    """Climb from parent to parent to the root, to `stop`, or to a boundary, which comes back too."""
    chain: list[int] = []
    seen: set[int] = set()
    place: int | None = start
    while place is not None and place not in seen:
        if session.records[place].get("subtype") == "compact_boundary":
            return chain, session.records[place]
        seen.add(place)
        chain.append(place)
        place = None if place == stop else _parent(session, place)
    return chain, None


def _parent(session: _Session, place: int) -> int | None:
    uuid = session.records[place].get("parentUuid")
    if not isinstance(uuid, str):
        return None
    if uuid in session.places:
        return session.places[uuid]
    before = bisect_left(session.trunk, place)  # the parent is not in the file: the record written before it
    return session.trunk[before - 1] if before else None


def _whole(session: _Session, chain: Sequence[int]) -> list[int]:
    """Add what a walk misses of parallel calls: each call is a line of its own, with its result hanging off it."""
    replies = {reply_id(record) for record in _at(session, chain)} - {""}
    places = {place for place in session.trunk if reply_id(session.records[place]) in replies}.union(chain)
    missing = _ids(session, places, "tool_use", "id") - _ids(session, places, "tool_result", "tool_use_id")
    for place in session.trunk if missing else ():
        answered = missing & _ids(session, (place,), "tool_result", "tool_use_id")
        if answered:
            missing -= answered
            places.add(place)
    return sorted(places)


def _ids(session: _Session, places: Iterable[int], kind: str, key: str) -> set[str]:
    blocks = (block for record in _at(session, places) for block in content_blocks(record, kind))
    return {word(block.get(key)) for block in blocks} - {""}


def _preserved(session: _Session, boundary: JsonObject | None) -> tuple[list[int], int | None]:
    """The older records that a compaction kept, and the place of the record that they follow."""
    about = fields(fields(boundary).get("compactMetadata"))
    segment, listed = about.get("preservedSegment"), about.get("preservedMessages")
    if isinstance(listed, dict):
        return _listed(session, listed), session.places.get(word(listed.get("anchorUuid")))
    if isinstance(segment, dict):
        return _segment(session, segment), session.places.get(word(segment.get("anchorUuid")))
    return [], None


def _listed(session: _Session, listed: JsonObject) -> list[int]:
    uuids = listed.get("allUuids") or listed.get("uuids")
    named = map(word, uuids) if isinstance(uuids, list) else ()
    return [session.places[uuid] for uuid in named if uuid in session.places]


def _segment(session: _Session, segment: JsonObject) -> list[int]:
    head = session.places.get(word(segment.get("headUuid")))
    tail = session.places.get(word(segment.get("tailUuid")))
    if head is None or tail is None:
        return []
    chain, _ = _walk(session, tail, head)
    return _whole(session, chain) if head in chain else []
