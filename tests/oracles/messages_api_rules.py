"""What the Messages API says against a request: its own rules, and rule V about the chat in it."""

from __future__ import annotations

import json
from typing import Any

from tests.servers.messages_api_wire import Seen

Problem = tuple[int, str]  # status and message
CURRENT = "2026-10-21"  # the version that takes no sampling parameters any more
SAMPLING = ("temperature", "top_p", "top_k")


def problem_of(seen: Seen, output: int) -> Problem | None:
    """Give the first thing that is wrong with a request, if any."""
    if "x-api-key" not in seen.headers and "authorization" not in seen.headers:
        return 401, "x-api-key header is required"
    if "anthropic-version" not in seen.headers:
        return 400, "anthropic-version: header is required"
    try:
        body = seen.json
    except ValueError:
        return 400, "The request body is not valid JSON"
    told = _of_params(body, seen.headers["anthropic-version"], output) or of_messages(body["messages"])
    return (400, told) if told else None


def _of_params(body: dict[str, Any], version: str, output: int) -> str | None:
    for name in ("model", "messages", "max_tokens"):
        if name not in body:
            return f"{name}: Field required"
    if found := [name for name in SAMPLING if name in body and version >= CURRENT]:
        return f"{found[0]}: Extra inputs are not permitted"
    if (body.get("thinking") or {}).get("type") == "enabled":
        return '"thinking.type.enabled" is not supported for this model.'
    if not 0 < body["max_tokens"] <= output:
        return f"max_tokens: {body['max_tokens']} is not between 1 and {output}"
    return None


def of_messages(messages: list[dict[str, Any]]) -> str | None:
    """Give the first thing that is wrong with a chat: who begins and ends it, empty texts, calls without results."""
    if not messages or messages[0]["role"] != "user":
        return 'messages: first message must use the "user" role'
    if messages[-1]["role"] != "user":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    told = (_of_message(number, messages) for number in range(len(messages)))
    return next(filter(None, told), None) or _of_ids(messages)


def _of_message(number: int, messages: list[dict[str, Any]]) -> str | None:
    blocks = _blocks(messages[number])
    if messages[number]["role"] not in ("user", "assistant", "system"):
        return f"messages.{number}.role: Input should be 'user' or 'assistant'"
    if not blocks:
        return f"messages.{number}: all messages must have non-empty content"
    if any(block["type"] == "text" and not block["text"].strip() for block in blocks):
        return "messages: text content blocks must be non-empty"
    if any(block["type"] == "thinking" and not block.get("signature") for block in blocks):
        return f"messages.{number}: thinking.signature: Field required"
    return _of_calls(number, messages) or _of_results(number, messages)


def _of_calls(number: int, messages: list[dict[str, Any]]) -> str | None:
    answered = _ids("tool_result", "tool_use_id", messages[number + 1]) if number + 1 < len(messages) else []
    open_calls = [call for call in _ids("tool_use", "id", messages[number]) if call not in answered]
    if not open_calls:
        return None
    return f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: " + ", ".join(
        open_calls
    )


def _of_results(number: int, messages: list[dict[str, Any]]) -> str | None:
    calls = _ids("tool_use", "id", messages[number - 1]) if number else []
    orphans = [one for one in _ids("tool_result", "tool_use_id", messages[number]) if one not in calls]
    if not orphans:
        return None
    return f"messages.{number}: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(orphans)}"


def _of_ids(messages: list[dict[str, Any]]) -> str | None:
    ids = [one for message in messages for one in _ids("tool_use", "id", message)]
    return None if len(ids) == len(set(ids)) else "`tool_use` ids must be unique"


def _ids(kind: str, name: str, message: dict[str, Any]) -> list[str]:
    return [json.dumps(block.get(name)) for block in _blocks(message) if block["type"] == kind]


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
