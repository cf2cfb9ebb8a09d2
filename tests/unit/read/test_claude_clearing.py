"""What a microcompaction took out is not in the size of the call before it any more."""

from __future__ import annotations

import json
from typing import Any

from compact_chat.chat import JsonObject, Usage
from compact_chat.read import Source
from compact_chat.read.claude_code import read


def said(role: str, text: str, prompt: int = 0) -> JsonObject:
    """A line of the conversation; a reply has an id and the size of its call."""
    message: JsonObject = {"role": role, "content": [{"type": "text", "text": text}]}
    if role == "assistant":
        message |= {"id": f"msg {text}", "model": "m", "usage": {"input_tokens": prompt, "output_tokens": 50}}
    return {"type": role, "message": message}


def cleared(saved: Any) -> JsonObject:
    """The boundary of a microcompaction that tells what it saved."""
    return {"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": {"tokensSaved": saved}}


def usages_of(*records: JsonObject) -> list[Usage]:
    """The sizes that the messages of a session have, each record the child of the one before."""
    lines = [
        {"uuid": f"u{place}", "parentUuid": f"u{place - 1}" if place else None, "sessionId": "s", **record}
        for place, record in enumerate(records)
    ]
    messages = read(Source.of_bytes("\n".join(map(json.dumps, lines)).encode())).messages
    return [message.usage for message in messages if message.usage is not None]


def test_calls_after_it_and_long_before_it_stand() -> None:
    """Only the newest call before it is the one to reckon from."""
    session = (said("assistant", "a", 80_000), said("assistant", "b", 90_000), cleared(20_000))
    found = usages_of(*session, said("assistant", "c", 66_000))

    assert (found[0], found[2]) == (Usage(80_000, 50, "m"), Usage(66_000, 50, "m"))
