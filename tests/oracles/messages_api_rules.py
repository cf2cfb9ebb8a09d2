"""What the Messages API objects to in a request: its own rules, and rule V about the chat in it."""

from __future__ import annotations

from typing import Any

from tests.oracles.valid_chat import anthropic_faults
from tests.servers.messages_api_wire import Seen

Problem = tuple[int, str]  # status and message
CURRENT = "2026-10-21"  # since this version without sampling parameters
SAMPLING = ("temperature", "top_p", "top_k")


def problem_of(seen: Seen, output: int) -> Problem | None:
    """Return the first problem of a request, if any."""
    if "x-api-key" not in seen.headers and "authorization" not in seen.headers:
        return 401, "x-api-key header is required"
    if "anthropic-version" not in seen.headers:
        return 400, "anthropic-version: header is required"
    try:
        body = seen.json
    except ValueError:
        return 400, "The request body is not valid JSON"
    faults = [_of_params(body, seen.headers["anthropic-version"], output), *anthropic_faults(body.get("messages", ()))]
    return next(((400, fault) for fault in faults if fault), None)


def _of_params(body: dict[str, Any], version: str, output: int) -> str | None:
    for name in ("model", "messages", "max_tokens"):
        if body.get(name) in (None, []):
            return f"{name}: Field required"
    if found := [name for name in SAMPLING if name in body and version >= CURRENT]:
        return f"{found[0]}: Extra inputs are not permitted"
    if (body.get("thinking") or {}).get("type") == "enabled":
        return '"thinking.type.enabled" is not supported for this model.'
    if not 0 < body["max_tokens"] <= output:
        return f"max_tokens: {body['max_tokens']} is not between 1 and {output}"
    return None
