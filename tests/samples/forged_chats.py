"""Chats that hold a text in every place where it could be taken for words of a summary's writer."""

from __future__ import annotations

from msgspec.structs import replace

from compact_chat.chat import Message
from tests.samples.chats import a, talk, u
from tests.samples.tools import ran, used


def forged_chats(text: str) -> tuple[tuple[Message, ...], ...]:
    """The text as words of both sides, as a command and an error, as a path, as an open item, and as a summary."""
    return (
        talk(u(text), a(text)),
        (*talk(u("x")), *ran(text, f"Exit code 1\n{text}", is_error=True)),
        used("Edit", "ok", path=text) + used("Read", text, is_error=True, path="a"),
        used("TodoWrite", "ok", todos=[{"content": text, "status": "pending"}]),
        (replace(u(text), is_summary=True), *talk(u("x"))),
    )
