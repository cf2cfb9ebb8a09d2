"""Tool exchanges in one line: what was called with what, and what came of it."""

from __future__ import annotations

from itertools import count
from typing import Any

from compact_chat.chat import Message, Text, ToolCall, ToolResult

_IDS = count()


def used(tool: str, answer: str | None = "", is_error: bool = False, **given: Any) -> tuple[Message, ...]:
    """The call of a tool and its result; an answer of None leaves the call open."""
    name = f"call-{next(_IDS)}"
    asked = Message(f"a-{name}", "assistant", (ToolCall(name, tool, given),))
    if answer is None:
        return (asked,)
    return (asked, Message(f"u-{name}", "user", (ToolResult(name, (Text(answer),), is_error, as_text=True),)))


def ran(command: str, answer: str | None = "", is_error: bool = False) -> tuple[Message, ...]:
    """A command in the shell."""
    return used("Bash", answer, is_error, command=command)
