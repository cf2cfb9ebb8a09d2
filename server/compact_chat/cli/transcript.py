"""The messages of a chat, for a person in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from compact_chat.chat import JsonObject
from compact_chat.cli.notes import notes
from compact_chat.cli.terminal import Terminal, one_line

_WORDLESS = "(nothing that text can show)"


def show_transcript(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """Each message under a line with its place, who speaks, and the id that names it."""
    for message in found["messages"]:
        named = f"{message['index']} {message['role']} · {message['id']}"
        yield terminal.heading(one_line(named, terminal.width - 2))
        yield from terminal.page(message["text"] or _WORDLESS)
        yield ""
    yield from notes(found, terminal)
