"""A model for real agents, on this machine: the three APIs that they speak, scripted by a test."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, NamedTuple

# How the agents ask for a summary, in the last message of a request.
_COMPACTS = re.compile(r"Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION|write the summary now|detailed summary")
SUMMARY = "1. Primary Request: build the parser.\n2. Pending Tasks: none"


class Request(NamedTuple):
    """What an agent sent."""

    body: dict[str, Any]
    is_compaction: bool

    @property
    def text(self) -> str:
        """The whole request, in which quotation marks within texts are not escaped."""
        return json.dumps(self.body, ensure_ascii=False).replace('\\"', '"')


class Model:
    """The script: what the next answers say, the prompt tokens that they report, and a call that comes first."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answer, self.tokens, self.after = "Done.", 20_000, 0  # after: tokens once there was a compaction
        self.call: tuple[str, dict[str, Any]] | None = None  # a tool and its input, called once
        self.url = ""
        self._lock = Lock()

    def chats(self) -> list[Request]:
        """The requests of the conversation itself."""
        return [one for one in self.requests if not one.is_compaction]

    def take(self, body: dict[str, Any]) -> tuple[str, int, tuple[str, dict[str, Any]] | None]:
        """Record a request; return the text of its answer, the tokens, and a call in place of the text."""
        messages: list[Any] = next(
            (body[name] for name in ("messages", "input") if isinstance(body.get(name), list)), []
        )
        is_compaction = bool(messages) and bool(_COMPACTS.search(json.dumps(messages[-1])))
        with self._lock:
            self.requests.append(Request(body, is_compaction))
            if is_compaction:
                self.tokens = self.after or self.tokens
                return f"<summary>\n{SUMMARY}\n</summary>", self.tokens, None
            call = self.call if body.get("tools") else None
            self.call = None if call else self.call
        return self.answer, self.tokens, call


@contextmanager
def serving(model: Model) -> Iterator[Model]:
    """Serve the model on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self.reply(b'{"data": []}')

        def do_HEAD(self) -> None:
            self.reply(b"")

        def do_POST(self) -> None:
            body = json.loads(self.body() or b"{}")
            path = self.path.partition("?")[0]
            if path.endswith("/count_tokens"):
                self.reply(json.dumps({"input_tokens": model.tokens}).encode())
                return
            style = {"messages": _anthropic, "responses": _responses, "completions": _completions}
            write = style.get(path.rpartition("/")[2])
            if write is None:
                self.reply(b"{}", 404)
                return
            events = list(write(*model.take(body), body.get("model", "m")))
            if body.get("stream"):
                lines = "".join(map(_event, events))
                ending = "data: [DONE]\n\n" if path.endswith("/completions") else ""
                self.reply((lines + ending).encode(), kind="text/event-stream")
            else:
                self.reply(json.dumps(_whole(events)).encode())

        def body(self) -> bytes:
            """Read the body, of a known length or in chunks."""
            if "chunked" not in self.headers.get("transfer-encoding", ""):
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            data = b""
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data

        def reply(self, data: bytes, status: int = 200, kind: str = "application/json") -> None:
            """Answer."""
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _event(event: dict[str, Any]) -> str:
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


Call = tuple[str, dict[str, Any]] | None


def _anthropic(text: str, tokens: int, call: Call, name: str) -> Iterator[dict[str, Any]]:
    usage = {"input_tokens": 10, "cache_read_input_tokens": tokens - 10, "cache_creation_input_tokens": 0}
    message = {"id": f"msg_{id(usage)}", "type": "message", "role": "assistant", "model": name, "content": []}
    stop = {"stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": {**message, **stop, "usage": {**usage, "output_tokens": 1}}}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{id(usage)}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 20}}
    yield {"type": "message_stop"}


def _whole(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Fold the events of a streamed text into the answer of a caller that does not stream."""
    if "message" in events[0]:
        text = next(event["delta"].get("text", "") for event in events if "index" in event and "delta" in event)
        return {**events[0]["message"], "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
    delta = events[0]["choices"][0]["delta"]
    choice = {"index": 0, "message": delta, "finish_reason": "stop"}
    return {**events[-1], "object": "chat.completion", "choices": [choice]}


def _responses(text: str, tokens: int, call: Call, name: str) -> Iterator[dict[str, Any]]:
    item: dict[str, Any] = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
    if call:
        item = {"type": "function_call", "name": call[0], "arguments": json.dumps(call[1]), "call_id": "call_1"}
    usage = {"input_tokens": tokens, "output_tokens": 20, "total_tokens": tokens + 20}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    yield {"type": "response.created", "response": {"id": f"resp_{id(item)}"}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": {"id": f"item_{id(item)}", **item}}
    done = {"id": f"resp_{id(item)}", "model": name, "output": [item], "usage": {**usage, **details}}
    yield {"type": "response.completed", "response": done}


def _completions(text: str, tokens: int, _call: Call, name: str) -> Iterator[dict[str, Any]]:
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": name}
    delta = {"role": "assistant", "content": text}
    yield {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    usage = {"prompt_tokens": tokens, "completion_tokens": 20, "total_tokens": tokens + 20}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage}
