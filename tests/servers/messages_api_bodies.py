"""Bodies of the fake Messages API: replies, errors, models, and a rough count of tokens."""

from __future__ import annotations

import json
from typing import Any

from tests.samples.styles import EARLIER_TITLES
from tests.servers.messages_api_wire import Seen

SECTIONS = "\n\n".join(f"{number}. {title}:\n   The stock list." for number, title in enumerate(EARLIER_TITLES, 1))
REPLY = f"<analysis>\nA talk about stock.\n</analysis>\n\n<summary>\n{SECTIONS}\n</summary>"


def error_body(kind: str, message: str, code: str | None = None) -> dict[str, Any]:
    """An error as the API words it."""
    details = {"error_code": code} if code else None
    error = {"type": kind, "message": message, "details": details}
    return {"type": "error", "error": error, "request_id": "req_000000"}


def message_body(seen: Seen, content: list[dict[str, Any]], stop: str | None, output: int = 1) -> dict[str, Any]:
    """A message as the API gives it, whole or at the begin of a stream."""
    return {
        "id": "msg_000001",
        "type": "message",
        "role": "assistant",
        "model": seen.json["model"],
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": tokens_of(seen),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": output,
        },
    }


def model_body(model: str, window: int, output: int) -> dict[str, Any]:
    """What the API tells of a model."""
    return {
        "type": "model",
        "id": model,
        "display_name": model,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": window,
        "max_tokens": output,
    }


def tokens_of(seen: Seen) -> int:
    """Count the tokens of a request, roughly: a quarter of its letters."""
    body = json.loads(seen.body)
    return len(json.dumps([body.get(part) for part in ("system", "tools", "messages")])) // 4
