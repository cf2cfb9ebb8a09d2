"""A Messages API on loopback, in a thread: the real wire format, and one scripted behaviour, good or bad, per request.

    with serving("overloaded_529", "ok") as api:  # one per POST /v1/messages; the last one repeats
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        ...
    assert api.problems == []  # what rule V and the API's own rules say against the bodies
    api.requests[0].json["messages"], .headers, .gone_at

A behaviour is a name of `messages_api_behaviours.py`, or `saying("a reply")`. Other processes may use the URL too.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

from tests.oracles.valid_chat import anthropic_faults
from tests.servers.messages_api_behaviours import BEHAVIOURS, OK, Behaviour
from tests.servers.messages_api_wire import REPLY, Exchange, Gone, Seen, error_body, model_body, receive, tokens_of

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


class Api:
    """The requests that the server got, and its next behaviors."""

    def __init__(self, behaviours: tuple[str | Behaviour, ...], text: str, window: int, output: int) -> None:
        self.text, self.window, self.output = text, window, output
        self.url = ""
        self.requests: list[Seen] = []  # for messages
        self.lookups: list[Seen] = []  # for models and token counts, and anything else
        self.problems: list[str] = []  # of the requests for messages
        self.waiting: queue.SimpleQueue[Seen] = queue.SimpleQueue()  # requests that currently leave the client waiting
        self.lookup: Behaviour | None = None
        self.then(*behaviours)

    def then(self, *behaviours: str | Behaviour) -> None:
        """Script the next requests; the last behavior repeats."""
        self._script = [BEHAVIOURS[one] if isinstance(one, str) else one for one in behaviours] or [OK]

    def then_looked_up(self, behaviour: str | None) -> None:
        """Script all lookups; None restores normal answers."""
        self.lookup = BEHAVIOURS[behaviour] if behaviour else None

    def behaviour(self) -> Behaviour:
        """Return the next behavior."""
        return self._script.pop(0) if len(self._script) > 1 else self._script[0]


@contextmanager
def serving(
    *behaviours: str | Behaviour, text: str = REPLY, window: int = 200_000, output: int = 64_000
) -> Iterator[Api]:
    """Serve the API while the block runs; `text` is its reply, `window` and `output` are the limits of each model."""
    api = Api(behaviours, text, window, output)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="messages-api")
    thread.start()
    server = _Server(api)
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result()
        yield api
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class _Server:
    def __init__(self, api: Api) -> None:
        self._api = api
        self._connections: set[asyncio.Task[None]] = set()
        self._numbers = count(1)

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._api.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(Gone, OSError, EOFError, asyncio.CancelledError):
                while (seen := await receive(reader)) is not None and await self._served(seen, reader, writer):
                    pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _served(self, seen: Seen, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request, and detect it at once if the client hangs up; return whether another may follow."""
        exchange = Exchange(seen, writer, self._api, next(self._numbers))
        work, watch = asyncio.ensure_future(self._answer(exchange)), asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            if watch.done() and not watch.cancelled() and not (watch.exception() is None and watch.result()):
                seen.hang_up()
                raise Gone
            await work
        finally:
            for one in (work, watch):
                one.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
        return exchange.is_open

    async def _answer(self, exchange: Exchange) -> None:
        seen, api = exchange.seen, self._api
        if seen.method == "TLS":
            await exchange.hang()
        elif (seen.method, seen.path) == ("POST", "/v1/messages"):
            api.requests.append(seen)
            await self._message(exchange)
        else:
            api.lookups.append(seen)
            await self._look_up(exchange)

    async def _message(self, exchange: Exchange) -> None:
        behaviour, problem = self._api.behaviour(), problem_of(exchange.seen, self._api.output)
        tokens = tokens_of(exchange.seen)
        if problem:
            self._api.problems.append(problem[1])
            await exchange.json(problem[0], error_body("invalid_request_error", problem[1]))
        elif tokens > self._api.window:
            reported = f"prompt is too long: {tokens} tokens > {self._api.window} maximum"
            await exchange.json(400, error_body("invalid_request_error", reported))
        else:
            await behaviour(exchange)

    async def _look_up(self, exchange: Exchange) -> None:
        seen, api = exchange.seen, self._api
        if api.lookup is not None:
            await api.lookup(exchange)
        elif seen.path == "/v1/messages/count_tokens":
            await exchange.json(200, {"input_tokens": tokens_of(seen)})
        elif seen.path.startswith("/v1/models/"):
            await exchange.json(200, model_body(seen.path.rpartition("/")[2], api.window, api.output))
        else:
            await exchange.json(404, error_body("not_found_error", "Not Found"))
