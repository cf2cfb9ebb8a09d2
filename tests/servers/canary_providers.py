"""Providers that fail with a chat's words in all they say: a Messages API, and an editor with language models."""

from __future__ import annotations

from typing import Any

from tests.servers.messages_api_behaviours import Behaviour, chunk, event, opened, plain, raw, saying, steps, stop
from tests.servers.messages_api_bodies import error_body
from tests.servers.messages_api_wire import Exchange

CANARY = "Quetzal7261"
KEY = f"sk-ant-api03-{CANARY}-{'x' * 80}AA"
SAID = f"{CANARY} {KEY}"
CHAT = {
    "messages": [
        {"role": ("user", "assistant")[n % 2], "content": f"{CANARY} {n} holds {n * 7} trays; the key is {KEY}. " * 9}
        for n in range(8)
    ]
}
STATUSES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
}
PAGE = f"<html><h1>{SAID}</h1></html>"
REFUSED: dict[str, Behaviour] = {
    **{str(status): plain(status, error_body(kind, SAID, CANARY), x_told=CANARY) for status, kind in STATUSES.items()},
    "418": plain(418, error_body(CANARY, SAID)),
    "too long": plain(400, error_body("invalid_request_error", f"prompt is too long: {SAID}")),
    "page": plain(200, PAGE, content_type="text/html"),
    "page of a proxy": plain(502, PAGE, content_type="text/html"),
    "moved": plain(307, "", location=f"https://{CANARY}.example.com/{KEY}"),
    "not HTTP": steps(raw(f"{SAID}\r\n\r\n".encode()), Exchange.close),
    "broken JSON": steps(opened, chunk(f'event: message_delta\ndata: {{"{SAID}\n\n'.encode()), Exchange.end),
    "error in the stream": steps(opened, event("error", error={"type": CANARY, "message": SAID}), Exchange.end),
    "unknown end": steps(opened, stop(CANARY), event("message_stop"), Exchange.end),
    "no summary": saying(SAID),
    "an empty one": saying(f"<summary></summary>{SAID}"),
    "one that is too long": saying(f"<summary>{SAID * 120}</summary>"),
}
ERROR = {"message": SAID, "data": {"reason": CANARY, "kind": CANARY, CANARY: KEY}}
MODELS = {"models": [{"id": "first", "name": CANARY, "maxInputTokens": 100_000, "consent": True}]}
TEXT = {"type": "text", "text": SAID}
# What an editor answers to the question for its models, and to the question for a summary: a result or an error.
EDITOR: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    *(({"error": {"code": code, **ERROR}}, {}) for code in (-32803, -32601, -32603, 1)),
    *(({"result": odd}, {}) for odd in (CANARY, [CANARY], {CANARY: CANARY}, {"models": CANARY}, {"models": [SAID]})),
    *(({"result": MODELS}, {"error": {"code": code, **ERROR}}) for code in (-32803, -32601, 1)),
    ({"result": MODELS}, {"error": {**ERROR, "code": -32803, "data": {"reason": "blocked", CANARY: KEY}}}),
    *(({"result": MODELS}, {"result": odd}) for odd in (CANARY, [CANARY], {"content": CANARY}, {"content": [TEXT]})),
    ({"result": MODELS}, {"result": {"role": "assistant", "content": TEXT, "model": CANARY, "stopReason": CANARY}}),
    ({"result": MODELS}, {"result": {"role": CANARY, "content": {**TEXT, "type": CANARY}, "usage": SAID}}),
)
