"""What the operations are asked: params of the wire, checked and typed."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

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
    format: Annotated[FormatHint | None, Meta(description="A hint, where nothing in the chat tells.")] = None
    tool: Annotated[str | None, Meta(description="The tool that wrote the chat, where it does not tell.")] = None


def typed(kind: type[Struct], params: object) -> Any:
    """Check params against their type; everything that is wrong comes back with its path."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError as problem:
        found = list(_problems(kind, params, "$"))
        raise InvalidParams(found or [_problem(problem, "$")]) from None


def _problems(kind: type[Struct], params: object, path: str) -> Iterator[dict[str, str]]:
    """Check each member by itself, and the members of members, since one look finds only the first problem."""
    if not isinstance(params, dict):
        return
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        at = f"{path}.{field.encode_name}"
        if field.encode_name in params:
            yield from _member_problems(params[field.encode_name], hints[field.name], at)
        elif field.required:
            yield {"path": at, "message": "this member is required"}


def _member_problems(value: object, hint: Any, at: str) -> list[dict[str, str]]:
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError as problem:
        bare = bare_type(hint)
        inner = list(_problems(bare, value, at)) if isinstance(bare, type) and issubclass(bare, Struct) else []
        return inner or [_problem(problem, at, get_args(bare) if get_origin(bare) is Literal else ())]
    return []


def _problem(problem: msgspec.ValidationError, at: str, choices: tuple[str, ...] = ()) -> dict[str, str]:
    message, _, path = str(problem).partition(" - at `")
    told = f"expected one of {', '.join(choices)}" if choices else message[:1].lower() + message[1:].replace("`", "")
    return {"path": at + path.strip("`").removeprefix("$"), "message": told}


def bare_type(hint: Any) -> Any:
    """Take `Annotated` and an alternative of None off a type."""
    if get_origin(hint) is Annotated:
        return bare_type(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return bare_type(next(part for part in get_args(hint) if part is not type(None)))
    return hint


def without_nulls(value: object) -> object:
    """Leave out the null members of params: null means not given. Chats and sections stay as they are."""
    if not isinstance(value, dict):
        return value
    return {k: v if k in _UNTOUCHED else without_nulls(v) for k, v in value.items() if v is not None}


_UNTOUCHED = {"chat", "messages", "sections"}
