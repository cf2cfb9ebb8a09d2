"""One row of the table of hostile inputs: what is sent, and what must be answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tests.servers.wire_client import LEFT_OUT, framed

EXECUTE = "workspace/executeCommand"
SECRET = "plum 7261"  # stands in many inputs; no error and no line of the log may hold it
CODES = {
    "parseError": -32700,
    "invalidRequest": -32600,
    "methodNotFound": -32601,
    "invalidParams": -32602,
    "notInitialized": -32002,
    "cancelled": -32800,
    "chatNotFound": -32040,
    "chatUnreadable": -32041,
    "messageNotFound": -32042,
    "planOutdated": -32043,
    "nothingToCompact": -32044,
    "noSummary": -32045,
    "emptySummary": -32045,
    "providerFailed": -32046,
    "tooLarge": -32047,
    "fileExists": -32048,
    "compactionNotFound": -32049,
    "noGain": -32050,
}
SMALL = {"summary": "Summary:\nThe shelves are counted."}  # params of `continuation`, the quickest there is
TURNS = [
    {"role": ("user", "assistant")[n % 2], "content": f"Shelf {n} holds {n * 7} trays of rye bread until day {n}. " * 9}
    for n in range(12)
]


def anything(_: Any) -> bool:
    """Any result will do."""
    return True


class Want(NamedTuple):
    """One answer: the id it comes under, and an error of a kind, or else a result of which something holds."""

    under: Any
    kind: str = ""
    paths: tuple[str, ...] = ()  # where the problems of `invalidParams` are
    holds: Callable[[Any], bool] = anything


class Row(NamedTuple):
    """Bytes for a server, and all answers that must come of them."""

    name: str
    data: bytes
    wants: tuple[Want, ...] = ()


def body(under: Any, method: Any, params: Any = LEFT_OUT, /, **more: Any) -> bytes:
    """Write a request, its id before its params."""
    given = {} if params is LEFT_OUT else {"params": params}
    return json.dumps({"jsonrpc": "2.0", "id": under, "method": method, **given, **more}).encode()


def given(name: str, method: str, params: Any = LEFT_OUT, holds: Callable[[Any], bool] = anything) -> Row:
    """A request that must have a result."""
    return Row(name, framed(body(name, method, params)), (Want(name, holds=holds),))


def refused(name: str, method: Any, params: Any, kind: str, *paths: str) -> Row:
    """A request that must have an error."""
    return Row(name, framed(body(name, method, params)), (Want(name, kind, paths),))


def invalid(name: str, method: str, params: Any, *paths: str) -> Row:
    """A request of which the problems at these paths must be told."""
    return refused(name, method, params, "invalidParams", *paths)


def told(name: str, method: str, params: Any = LEFT_OUT) -> Row:
    """A notification, which must have no answer."""
    return Row(name, notice(method, params))


def notice(method: str, params: Any = LEFT_OUT) -> bytes:
    """Write a notification as a frame."""
    given = {} if params is LEFT_OUT else {"params": params}
    return framed(json.dumps({"jsonrpc": "2.0", "method": method, **given}).encode())


def nameless(name: str, data: bytes, kind: str = "parseError") -> Row:
    """A body of which no id can be read, so that its one error comes under null."""
    return Row(name, framed(data), (Want(None, kind),))


def both_ways(operation: str, params: Any) -> Iterable[tuple[str, str, Any]]:
    """An operation as the request and as the command: what to call the way, the method, the params."""
    yield "request", f"compactChat/{operation}", params
    yield "command", EXECUTE, {"command": f"compactChat.{operation}", "arguments": [params]}


def has(*names: str) -> Callable[[Any], bool]:
    """Say of a result that it has these members."""
    return lambda result: isinstance(result, dict) and set(names) <= set(result)
