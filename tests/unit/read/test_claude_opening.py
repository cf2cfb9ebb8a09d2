"""How a session began is told once a compaction has put it out of sight."""

from __future__ import annotations

import json

import pytest

from compact_chat.chat import JsonObject, Opening
from compact_chat.read import Source
from compact_chat.read.claude_code import read

USAGE = {"input_tokens": 10, "cache_creation_input_tokens": 20_000, "cache_read_input_tokens": 90, "output_tokens": 5}
BOUNDARY: JsonObject = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}


def said(role: str, text: str, **more: object) -> JsonObject:
    """A line of the conversation; a reply has an id and the size of its call."""
    message: JsonObject = {"role": role, "content": [{"type": "text", "text": text}]}
    if role == "assistant":
        message |= {"id": f"msg {text}", "model": "claude-opus-4-5", "usage": USAGE}
    return {"type": role, "message": message, **more}


def opening_of(*records: JsonObject) -> Opening | None:
    """What is told of a session of these records, each the child of the one before, but for a boundary."""
    lines = []
    for place, record in enumerate(records):
        parent = None if record is BOUNDARY or not place else f"u{place - 1}"
        lines.append({"uuid": f"u{place}", "parentUuid": parent, "sessionId": "s", "isSidechain": False, **record})
    return read(Source.of_bytes("\n".join(map(json.dumps, lines)).encode())).opening


SUMMARY = said("user", "so far", isCompactSummary=True)


def test_the_first_call_and_what_was_said_before_it() -> None:
    """The whole prompt of the first reply, and the characters of the messages that are known to be in it."""
    session = (said("user", "four"), said("user", "five5"), said("assistant", "ok"), said("assistant", "more"))

    assert opening_of(*session, BOUNDARY, SUMMARY) == Opening(20_100, 9)


def test_it_is_told_from_the_first_reply_on() -> None:
    """What comes later, a compaction too, changes nothing of it."""
    session = (said("user", "four"), said("assistant", "ok"))

    assert opening_of(*session) == opening_of(*session, said("user", "on")) == Opening(20_100, 4)
    assert opening_of(*session[:1]) is None


@pytest.mark.parametrize(
    "session",
    [
        (),
        (said("user", "four"),),
        (said("user", "four"), said("assistant", "ok", isApiErrorMessage=True)),
        tuple(said("user", "four") for _ in range(60)),
    ],
)
def test_a_session_without_a_first_call(session: tuple[JsonObject, ...]) -> None:
    """Where no call was recorded at the beginning, nothing is told."""
    assert opening_of(*session, BOUNDARY, SUMMARY) is None
