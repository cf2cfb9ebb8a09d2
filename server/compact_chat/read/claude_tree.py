"""Which records of a Claude Code session are live: a walk through a tree with dead branches and loose ends."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile

from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.read.claude_lines import Line
from compact_chat.read.lenient import fields, word

Live = tuple[int, bool]  # which line it is, and whether it is older than the compaction that the chat begins with


class _Session(Struct, frozen=True):
    lines: list[Line]  # one for each uuid, as they stand in the file
    places: dict[str, int]  # of each uuid
    trunk: list[int]  # places outside the side chains of sub-agents
    leaf: int | None  # the place of the newest line of the conversation


def live_lines(lines: Sequence[Line]) -> list[Live]:
    """Which lines are live, in the order that they are sent in."""
    session = _session(lines)
    if session.leaf is None:
        return []
    chain, boundary = _conversation(session, session.leaf)
    live = _whole(session, chain)
    kept, anchor = _preserved(session, boundary)
    at = live.index(anchor) + 1 if anchor in live else 0
    old = sorted(set(kept).difference(live))
    newest = {line.uuid: place for place, line in enumerate(lines)}  # a record that was written twice is the last one
    order = [*((place, False) for place in live[:at]), *((place, True) for place in old)]
    return [(newest[session.lines[place].uuid], is_old) for place, is_old in (*order, *((p, False) for p in live[at:]))]


def _conversation(session: _Session, leaf: int) -> tuple[list[int], JsonObject | None]:
    """The lines from the last compaction on; what follows may hang on the last of the lines that it kept."""
    chain, boundary = _walk(session, leaf)
    before = session.trunk[: bisect_left(session.trunk, leaf)]
    newest = next((place for place in reversed(before) if session.lines[place].boundary is not None), None)
    if newest is None or session.lines[newest].boundary is boundary:
        return chain, boundary
    told = session.lines[newest].boundary
    behind = list(takewhile(lambda place: place > newest, chain))
    kept, anchor = _preserved(session, told)
    if anchor is None or not set(chain[len(behind) : len(behind) + 1]).intersection(kept):
        return chain, boundary
    return behind + _walk(session, anchor)[0], told


def without_usage(record: JsonObject) -> JsonObject:
    """A record as it is after a compaction: a call made before it tells nothing of the prompt after it."""
    message = record.get("message")
    if not isinstance(message, dict):
        return record
    return {**record, "message": {key: value for key, value in message.items() if key != "usage"}}


def _session(lines: Sequence[Line]) -> _Session:
    by_uuid = {line.uuid: line for line in lines}
    places = {uuid: place for place, uuid in enumerate(by_uuid)}
    main = [line for line in lines if not line.is_side]
    if not any(line.speaks for line in main):  # a sub-agent's own file is all side chain
        main = list(lines)
    trunk = sorted({places[line.uuid] for line in main})
    leaf = next((places[line.uuid] for line in reversed(main) if line.speaks), None)
    return _Session(list(by_uuid.values()), places, trunk, leaf)


def _walk(session: _Session, start: int, stop: int | None = None) -> tuple[list[int], JsonObject | None]:
    """Climb from parent to parent to the root, to `stop`, or to a boundary, of which comes back what it tells."""
    chain: list[int] = []
    seen: set[int] = set()
    place: int | None = start
    while place is not None and place not in seen:
        if session.lines[place].boundary is not None:
            return chain, session.lines[place].boundary
        seen.add(place)
        chain.append(place)
        place = None if place == stop else _parent(session, place)
    return chain, None


def _parent(session: _Session, place: int) -> int | None:
    uuid = session.lines[place].parent
    if uuid is None:
        return None
    if uuid in session.places:
        return session.places[uuid]
    before = bisect_left(session.trunk, place)  # the parent is not in the file: the record written before it
    return session.trunk[before - 1] if before else None


def _whole(session: _Session, chain: Sequence[int]) -> list[int]:
    """Add what a walk misses of parallel calls: each call is a line of its own, with its result hanging off it."""
    replies = {session.lines[place].reply for place in chain} - {""}
    places = {place for place in session.trunk if session.lines[place].reply in replies}.union(chain)
    made = {call for place in places for call in session.lines[place].calls}
    answered = {answer for place in places for answer in session.lines[place].answers}
    missing = made - answered - {""}
    for place in session.trunk if missing else ():
        if found := missing.intersection(session.lines[place].answers):
            missing -= found
            places.add(place)
    return sorted(places)


def _preserved(session: _Session, boundary: JsonObject | None) -> tuple[list[int], int | None]:
    """The older records that a compaction kept, and the place of the record that they follow."""
    about = fields(boundary)
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
