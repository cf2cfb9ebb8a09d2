"""What is said aside in a terminal: explanations, and what a person should know of a result."""

from __future__ import annotations

from collections.abc import Iterator

from compact_chat.chat import JsonObject
from compact_chat.cli.terminal import Terminal, wrapped


def notes(found: JsonObject, terminal: Terminal) -> Iterator[str]:
    """The warnings of a result."""
    for warning in found["warnings"]:
        where = f" (line {warning['line']})" if "line" in warning else ""
        yield from aside(f"note: {warning['message']}{where}", terminal, "yellow")


def aside(text: str, terminal: Terminal, look: str) -> Iterator[str]:
    """A sentence in a look of its own."""
    return (terminal.paint(line, look) for line in wrapped(text, terminal.width))
