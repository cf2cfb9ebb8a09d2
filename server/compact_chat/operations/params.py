"""What the operations are asked: params of the wire, checked and typed."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams

# The contract's words; which of them can be read is told by `initialize`.
FormatHint = Literal[
    "vscode",
    "vscode-log",
    "vscode-export",
    "claude-code",
    "codex",
    "cline",
    "roo",
    "continue",
    "gemini",
    "copilot-cli",
    "copilot-transcript",
    "chatreplay",
    "swe-agent",
    "sharegpt",
    "anthropic",
    "openai-chat",
    "openai-responses",
    "markdown",
    "text",
]


class ChatRef(Struct, frozen=True, rename="camel"):
    """Where a chat is: a file, its contents, or its messages."""

    uri: str | None = None
    text: str | None = None
    messages: list[Any] | None = None
    system: str | list[JsonObject] | None = None
    tools: list[JsonObject] | None = None
    format: FormatHint | None = None
    tool: str | None = None


def typed(kind: type[Struct], params: object) -> Any:
    """Check params against their type; what is wrong comes back with its path."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as problem:
        message, _, path = str(problem).rpartition(" - at ")
        raise InvalidParams.at(path.strip("`") or "$", (message or str(problem)).replace("`", "")) from None


def without_nulls(value: object) -> object:
    """Leave out the null members of params: null means not given. Chats and sections stay as they are."""
    if not isinstance(value, dict):
        return value
    return {k: v if k in _UNTOUCHED else without_nulls(v) for k, v in value.items() if v is not None}


_UNTOUCHED = {"chat", "messages", "sections"}
