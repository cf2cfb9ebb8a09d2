"""Statuses with which the Messages API, or what stands before it, refuses a request: status, headers, body."""

from __future__ import annotations

from typing import Any

from tests.servers.messages_api_bodies import error_body

Refusal = tuple[int, dict[str, str], Any]
SAID = "the bakery stock list"  # what a provider may repeat of a chat; it must get no further
_SPENT = "Your credit balance is too low"
_RATE = "This request would exceed your organization's rate limit"


def said(status: int, kind: str, message: str = SAID, code: str | None = None, **headers: str) -> Refusal:
    """Refuse as the API does."""
    return status, headers, error_body(kind, message, code)


def page(status: int, **headers: str) -> Refusal:
    """Refuse as a proxy does."""
    return status, {"content_type": "text/html", **headers}, f"<html><h1>{status}</h1>{SAID}</html>"


REFUSALS: dict[str, Refusal] = {
    "400_malformed": said(400, "invalid_request_error"),
    "400_tool_pairs": said(400, "invalid_request_error", "messages.1: `tool_use` ids were found without results"),
    "400_extra_input": said(400, "invalid_request_error", "thinking: Extra inputs are not permitted"),
    "400_too_long": said(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    "400_length_and_output": said(
        400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
    ),
    "400_gateway_length": (400, {}, {"error": {"message": "x", "code": "context_length_exceeded"}}),
    "400_credit": said(400, "invalid_request_error", "Your credit balance is too low to access the API."),
    "401": said(401, "authentication_error", "invalid x-api-key"),
    "402": said(402, "billing_error", _SPENT),
    "403": said(403, "permission_error"),
    "403_page": page(403),
    "404": said(404, "not_found_error", "model: claude-nope"),
    "404_page": page(404),
    "405": page(405),
    "407": page(407),
    "408": page(408),
    "409": said(409, "conflict_error"),
    "413": said(413, "request_too_large"),
    "413_page": page(413),
    "422": said(422, "invalid_request_error"),
    "429": said(429, "rate_limit_error", _RATE, retry_after="1"),
    "429_hour": said(429, "rate_limit_error", _RATE, retry_after="3600"),
    "429_date": said(429, "rate_limit_error", _RATE, retry_after="Fri, 01 Jan 2100 00:00:00 GMT"),
    "429_nonsense": said(429, "rate_limit_error", _RATE, retry_after="soon"),
    "429_ramp": said(429, "rate_limit_error", _RATE, "ramp_limit_exceeded"),
    "429_spend": said(429, "rate_limit_error", _SPENT, "enforced_spend_limit_reached"),
    "429_contract": said(429, "rate_limit_error", _SPENT, "contract_spend_limit_reached"),
    "431": page(431),
    "500": said(500, "api_error"),
    "502_page": page(502),
    "503_page": page(503, retry_after="2"),
    "504": said(504, "timeout_error"),
    "529": said(529, "overloaded_error"),
    "529_page": page(529),
}
