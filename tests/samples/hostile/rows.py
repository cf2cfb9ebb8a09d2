"""One row of the table of hostile inputs: what is sent, and which answers are required."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tests.servers.wire_client import LEFT_OUT, framed

EXECUTE = "workspace/executeCommand"
METHOD = "compactChat/continuation"  # the fastest operation
SMALL = {"summary": "Summary:\nThe shelves are counted."}  # and its params
SECRET = "plum 7261"  # in most inputs; no error, notice or log may contain it
TURNS = [
    {"role": ("user", "assistant")[n % 2], "content": f"Shelf {n} holds {n * 7} trays of {SECRET} until day {n}. " * 9}
    for n in range(12)
]
CHAT = {"messages": TURNS}
MEGABYTE = 2**20
_PROTOCOL = (Path(__file__).resolve().parents[3] / "PROTOCOL.md").read_text("utf-8")
_ERRORS = re.findall(r"^\| −(32\d{3}) \|([^|]+)\|", _PROTOCOL, re.MULTILINE)
CODES = {kind: -int(code) for code, kinds in _ERRORS for kind in re.findall(r"`(\w+)`", kinds)}
_NUMBERS = count()


class Want(NamedTuple):
    """A required answer: its id, and an error of a kind, or else a result with a predicate."""

    under: Any
    kind: str = ""
    paths: tuple[str, ...] = ()  # paths of the problems of `invalidParams`
    holds: Callable[[Any], bool] = lambda _: True


class Row(NamedTuple):
    """Bytes for a server, and all answers that they must get."""

    data: bytes
    wants: tuple[Want, ...] = ()


def new_id() -> str:
    """Return the id of the next request."""
    return f"h{next(_NUMBERS)}"


def body(under: Any, method: Any = METHOD, params: Any = LEFT_OUT, /, **more: Any) -> bytes:
    """Write a request, with its id before its params."""
    given = {} if params is LEFT_OUT else {"params": params}
    return json.dumps({"jsonrpc": "2.0", "id": under, "method": method, **given, **more}).encode()


def given(method: Any, params: Any = LEFT_OUT, holds: Callable[[Any], bool] = lambda _: True, /, **more: Any) -> Row:
    """Build a request that must succeed."""
    under = new_id()
    return Row(framed(body(under, method, params, **more)), (Want(under, holds=holds),))


def refused(method: Any, params: Any, kind: str, *paths: str) -> Row:
    """Build a request that must fail."""
    under = new_id()
    return Row(framed(body(under, method, params)), (Want(under, kind, paths),))


def invalid(method: str, params: Any, *paths: str) -> Row:
    """Build a request with problems at these paths."""
    return refused(method, params, "invalidParams", *paths)


def text_row(message: str, kind: str = "") -> Row:
    """Build a row from a message text, with `<id>` for its id."""
    under = new_id()
    return Row(framed(message.replace("<id>", under).encode()), (Want(under, kind),))


def notice(method: str, params: Any = LEFT_OUT) -> bytes:
    """Write a notification as a frame."""
    given = {} if params is LEFT_OUT else {"params": params}
    return framed(json.dumps({"jsonrpc": "2.0", "method": method, **given}).encode())


def nameless(data: bytes, kind: str = "parseError") -> Row:
    """Build a row from a body without a readable id: its error has the id null."""
    return Row(framed(data), (Want(None, kind),))


def has(*names: str) -> Callable[[Any], bool]:
    """Check that a result has these members."""
    return lambda result: isinstance(result, dict) and set(names) <= set(result)
