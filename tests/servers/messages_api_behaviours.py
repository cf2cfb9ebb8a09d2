"""How the fake Messages API answers a request for a message: every observed behavior of the real one, by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.servers.messages_api_wire import Exchange, error_body, message_body

Behaviour = Callable[[Exchange], Awaitable[None]]
PIECE = 24  # letters of a delta
EVERY = 0.02  # seconds between two pings, or between texts of an endless reply


def steps(*behaviours: Behaviour) -> Behaviour:
    """Run the steps in order."""

    async def run(to: Exchange) -> None:
        for behaviour in behaviours:
            await behaviour(to)

    return run


def saying(text: str) -> Behaviour:
    """Reply with a text."""

    async def run(to: Exchange) -> None:
        to.text = text
        await OK(to)

    return run


def event(name: str, **data: Any) -> Behaviour:
    """Send an event as it is."""
    return lambda to: to.event(name, **data)


def chunk(data: bytes) -> Behaviour:
    """Send bytes within the stream."""
    return lambda to: to.chunk(data)


def raw(data: bytes) -> Behaviour:
    """Send bytes in place of HTTP."""
    return lambda to: to.raw(data)


def plain(status: int, body: Any, **headers: str) -> Behaviour:
    """Answer without a stream."""
    return lambda to: to.json(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


async def whole(to: Exchange) -> None:
    """Answer with a whole message in one body, as the API does without streaming."""
    await to.json(200, message_body(to.seen, [{"type": "text", "text": to.text}], "end_turn"))


async def start(to: Exchange) -> None:
    """Begin the message."""
    await to.event("message_start", message=message_body(to.seen, [], None))


async def block(to: Exchange) -> None:
    """Begin a text block, followed by a ping as in real streams."""
    await to.event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    await to.event("ping")


async def half(to: Exchange) -> None:
    """Send the first half of the text."""
    for place in range(0, len(to.text) // 2, PIECE):
        await to.tell(to.text[place : place + PIECE])


async def rest(to: Exchange) -> None:
    """Send the other half."""
    begin = -(-(len(to.text) // 2) // PIECE) * PIECE
    for place in range(begin, len(to.text), PIECE):
        await to.tell(to.text[place : place + PIECE])


def stop(reason: Any, **more: Any) -> Behaviour:
    """Send the stop reason of the message."""
    delta = {"stop_reason": reason, "stop_sequence": None, **more}
    return event("message_delta", delta=delta, usage={"output_tokens": 42})


def error(kind: str) -> Behaviour:
    """Send an error within the stream, and end it."""
    return steps(event("error", error={"type": kind, "message": "Overloaded by the bakery stock list"}), Exchange.end)


def pauseless(act: Behaviour) -> Behaviour:
    """Repeat something endlessly while the client waits."""

    async def run(to: Exchange) -> None:
        to.waits()
        while True:
            await act(to)
            await asyncio.sleep(EVERY)

    return run


def delta(index: int, kind: str, **data: str) -> Behaviour:
    """Send a delta of a block."""
    return event("content_block_delta", index=index, delta={"type": kind, **data})


def text_block(index: int, text: str) -> Behaviour:
    """Send a complete text block."""
    return steps(
        event("content_block_start", index=index, content_block={"type": "text", "text": ""}),
        lambda to: to.tell(text, index),
        event("content_block_stop", index=index),
    )


def other_block(index: int, kind: str, delta: Behaviour, **data: Any) -> Behaviour:
    """Send a block of another kind."""
    return steps(
        event("content_block_start", index=index, content_block={"type": kind, **data}),
        delta,
        event("content_block_stop", index=index),
    )


THINKING = other_block(0, "thinking", delta(0, "thinking_delta", thinking="Let me see."), thinking="", signature="")
TOOL = other_block(
    0, "tool_use", delta(0, "input_json_delta", partial_json='{"a": 1}'), id="toolu_1", name="look", input={}
)
BLOCK_END = event("content_block_stop", index=0)
MESSAGE_STOP = event("message_stop")
opened = steps(Exchange.head, start)
begun = steps(opened, block, half)  # half of the text was sent
written = steps(begun, rest, BLOCK_END)


def ending(behaviour: Behaviour) -> Behaviour:
    """End the message and the stream properly."""
    return steps(behaviour, MESSAGE_STOP, Exchange.end)


def unlike(content_type: str) -> Behaviour:
    """Send a correct stream with another content type."""
    return steps(lambda to: to.head(content_type), start, block, half, rest, BLOCK_END, ending(stop("end_turn")))


OK = steps(written, ending(stop("end_turn")))
_BAD_JSON = b'event: content_block_delta\ndata: {"type": "content_block_delta", "ind\n\n'
_BAD_UTF8 = _BAD_JSON.replace(b'"ind', b'"delta": "\xff\xfe"}')
_HALF_EVENT = b'event: content_block_delta\ndata: {"type": "content_blo'
_HALF_ERROR = b"HTTP/1.1 500 X\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{"
_PAGE = "<html><body>Sign in to the hotel's network</body></html>"


# Statuses with which the API, or a proxy before it, refuses a request.
Refusal = tuple[int, dict[str, str], Any]
SAID = "the bakery stock list"  # what a provider may repeat of a chat; it must not be passed on
_SPENT = "Your credit balance is too low"
_RATE = "This request would exceed your organization's rate limit"


def said(status: int, kind: str, message: str = SAID, code: str | None = None, **headers: str) -> Refusal:
    """Refuse like the API."""
    return status, headers, error_body(kind, message, code)


def page(status: int, **headers: str) -> Refusal:
    """Refuse like a proxy."""
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

BEHAVIOURS: dict[str, Behaviour] = {
    # whole replies
    "ok": OK,
    "ok_stop_sequence": steps(written, ending(stop("stop_sequence"))),
    "ok_two_blocks": steps(opened, text_block(0, "first"), text_block(1, "second"), ending(stop("end_turn"))),
    "ok_thinking_first": steps(opened, THINKING, text_block(1, "second"), ending(stop("end_turn"))),
    "ok_unknown_event": steps(begun, event("brand_new", foo=1), rest, BLOCK_END, ending(stop("end_turn"))),
    "ok_unknown_delta": steps(begun, delta(0, "brand_new_delta", foo="1"), rest, BLOCK_END, ending(stop("end_turn"))),
    "ok_no_block_stop": steps(begun, rest, ending(stop("end_turn"))),
    "ok_no_message_stop": steps(written, stop("end_turn"), Exchange.end),
    "ok_then_hang": steps(written, stop("end_turn"), MESSAGE_STOP, Exchange.hang),
    "ok_then_cut": steps(written, stop("end_turn"), MESSAGE_STOP, Exchange.close),
    "ok_then_reset": steps(written, stop("end_turn"), MESSAGE_STOP, Exchange.reset),
    # before headers
    "close": Exchange.close,
    "reset": Exchange.reset,
    "hang": Exchange.hang,
    "not_http": steps(raw(b"SSH-2.0-OpenSSH_9.2\r\n"), Exchange.close),
    "half_headers": steps(raw(b"HTTP/1.1 200 OK\r\ncontent-ty"), Exchange.hang),
    "half_error": steps(raw(_HALF_ERROR), Exchange.hang),
    "cut_error": steps(raw(_HALF_ERROR), Exchange.close),
    # answers that are not a stream
    "not_packed": plain(200, "not packed", content_encoding="gzip"),
    "page": plain(200, _PAGE, content_type="text/html"),
    "page_as_stream": plain(200, _PAGE, content_type="text/event-stream"),
    "empty_body": plain(200, ""),
    "other_json": plain(200, {"hello": "world"}),
    "broken_json": plain(200, '{"id": "msg_1", "content": ['),
    "message_json": whole,
    "redirect": plain(307, "", location="/elsewhere"),
    "not_modified": plain(304, ""),
    # broken streams
    "garbage": steps(Exchange.head, chunk(b"\x00\xff\xfenot sse at all\n\nlorem ipsum\n\n"), Exchange.end),
    "garbage_ascii": steps(Exchange.head, chunk(b"<html>not sse</html>\n\nlorem ipsum\n\n"), Exchange.end),
    "bad_chunk": steps(begun, raw(b"zz\r\nnonsense\r\n"), Exchange.close),
    "empty_stream": steps(Exchange.head, Exchange.end),
    "other_type": unlike("text/plain"),
    # errors within the stream
    "error_first": steps(Exchange.head, error("overloaded_error")),
    "error_overloaded": steps(begun, error("overloaded_error")),
    "error_api": steps(begun, error("api_error")),
    "error_timeout": steps(begun, error("timeout_error")),
    "error_rate_limit": steps(begun, error("rate_limit_error")),
    "error_unknown": steps(begun, error("brand_new_error")),
    "error_text": steps(begun, chunk(b"event: error\ndata: out of order\n\n"), Exchange.end),
    # malformed events
    "no_message_start": steps(Exchange.head, block, half, rest, BLOCK_END, ending(stop("end_turn"))),
    "two_message_starts": steps(begun, start, block, half, rest, BLOCK_END, ending(stop("end_turn"))),
    "delta_of_no_block": steps(opened, delta(7, "text_delta", text="x"), ending(stop("end_turn"))),
    "null_delta": steps(begun, event("content_block_delta", index=0, delta=None), rest, ending(stop("end_turn"))),
    "number_as_text": steps(
        begun, event("content_block_delta", index=0, delta={"type": "text_delta", "text": 7}), Exchange.end
    ),
    "text_as_stop": steps(written, ending(stop({"x": 1}))),
    "block_twice": steps(begun, block, half, rest, BLOCK_END, ending(stop("end_turn"))),
    "list_event": steps(begun, chunk(b"event: message_delta\ndata: [1]\n\n"), ending(stop("end_turn"))),
    "bad_json": steps(begun, chunk(_BAD_JSON), rest, BLOCK_END, ending(stop("end_turn"))),
    "bad_utf8": steps(begun, chunk(_BAD_UTF8), rest, BLOCK_END, ending(stop("end_turn"))),
    # endless replies
    "stall": steps(begun, Exchange.hang),
    "stall_at_headers": steps(Exchange.head, Exchange.hang),
    "stall_before_stop": steps(written, Exchange.hang),
    "pings": steps(begun, pauseless(event("ping"))),
    "comments": steps(begun, pauseless(chunk(b": still here\n\n"))),
    "unknown_events": steps(begun, pauseless(event("brand_new", foo=1))),
    "endless": steps(begun, pauseless(lambda to: to.tell("more and more "))),
    # truncated replies
    "cut": steps(begun, Exchange.close),
    "cut_in_event": steps(begun, chunk(_HALF_EVENT), Exchange.close),
    "cut_by_reset": steps(begun, Exchange.reset),
    "cut_cleanly": steps(begun, Exchange.end),
    "cut_before_stop": steps(written, Exchange.end),
    "no_stop_reason": steps(written, ending(stop(None))),
    "message_stop_alone": steps(written, MESSAGE_STOP, Exchange.end),
    "max_tokens": steps(begun, BLOCK_END, ending(stop("max_tokens"))),
    "window_exceeded": steps(begun, BLOCK_END, ending(stop("model_context_window_exceeded"))),
    "pause_turn": steps(begun, BLOCK_END, ending(stop("pause_turn"))),
    "brand_new_stop": steps(begun, BLOCK_END, ending(stop("brand_new"))),
    # replies that are no summary
    "refusal": steps(begun, BLOCK_END, ending(stop("refusal", stop_details={"type": "refusal", "category": "cyber"}))),
    "refusal_first": steps(opened, ending(stop("refusal"))),
    "tool_use": steps(opened, TOOL, ending(stop("tool_use"))),
    "no_blocks": steps(opened, ending(stop("end_turn"))),
    "blank": steps(opened, text_block(0, " \n"), ending(stop("end_turn"))),
    "only_thinking": steps(opened, THINKING, ending(stop("end_turn"))),
    **{name: plain(status, body, **headers) for name, (status, headers, body) in REFUSALS.items()},
}
