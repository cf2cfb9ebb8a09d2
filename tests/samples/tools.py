"""Tool exchanges in one line: a call with its input, and its result."""

from __future__ import annotations

from itertools import count
from typing import Any

from compact_chat.chat import Message, Text, ToolCall, ToolResult
from compact_chat.redact import MaskedMessage
from tests.samples.chats import NO_MASKS

_IDS = count()


def used(tool: str, answer: str | None = "", is_error: bool = False, **given: Any) -> tuple[MaskedMessage, ...]:
    """A tool call and its result; None as the answer leaves the call open."""
    name = f"call-{next(_IDS)}"
    asked = NO_MASKS.message(Message(f"a-{name}", "assistant", (ToolCall(name, tool, given),)))
    if answer is None:
        return (asked,)
    result = ToolResult(name, (Text(answer),), is_error, as_text=True)
    return asked, NO_MASKS.message(Message(f"u-{name}", "user", (result,)))


def ran(command: str, answer: str | None = "", is_error: bool = False) -> tuple[MaskedMessage, ...]:
    """A shell command."""
    return used("Bash", answer, is_error, command=command)
