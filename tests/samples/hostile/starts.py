"""Hostile inputs of a server's beginning and end: before `initialize`, greetings of no shape, after `shutdown`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import EXECUTE, SECRET, SMALL, TURNS, Row, Want, body, invalid, nameless, refused, told
from tests.servers.wire_client import framed

# Requests of every kind: each is refused before `initialize`, and again after `shutdown`.
REQUESTS: tuple[tuple[str, Any], ...] = (
    ("compactChat/countTokens", {"chat": {"messages": TURNS}}),
    ("compactChat/preview", {"chat": {"text": SECRET}}),
    ("compactChat/continuation", SMALL),
    ("compactChat/format", 5),
    ("compactChat/summarize", [SMALL]),
    ("compactChat/nothing", {}),
    (EXECUTE, {"command": "compactChat.continuation", "arguments": [SMALL]}),
    (EXECUTE, {"command": SECRET}),
    ("textDocument/hover", None),
    ("$/nonsense", {"jsonrpc": "2.0"}),
    ("exit", None),
    ("initialized", {}),
    ("", {}),
    ("m" * 2**20, {}),
)
NOTICES: tuple[tuple[str, Any], ...] = (
    ("initialized", {}),
    ("shutdown", None),
    ("initialize", {}),
    ("$/cancelRequest", {"id": 1}),
    ("$/setTrace", {"value": "verbose"}),
    ("workspace/didChangeConfiguration", {"settings": {"compactChat": {"minKeep": 9}}}),
    ("compactChat/preview", {"chat": {"messages": TURNS}}),
    ("nothing", [SECRET]),
)
# Params of `initialize` that are refused, with the place of the fault; the server stays as it was.
NO_GREETINGS: tuple[tuple[Any, str], ...] = (
    (5, "$"),
    (SECRET, "$"),
    (True, "$"),
    ([1], "$"),
    ([{"processId": None, "capabilities": {}}], "$"),
    ({"processId": SECRET}, "$.processId"),
    ({"processId": 1.5}, "$.processId"),
    ({"processId": True}, "$.processId"),
    ({"processId": [1]}, "$.processId"),
    ({"processId": {"id": 1}}, "$.processId"),
    ({"capabilities": 5}, "$.capabilities"),
    ({"capabilities": SECRET}, "$.capabilities"),
    ({"capabilities": [{}]}, "$.capabilities"),
    ({"processId": None, "capabilities": True}, "$.capabilities"),
)
# Params of `initialize` that are taken, whatever is odd about them: no editor is refused for a word too new.
GREETINGS: dict[str, Any] = {
    "nothing": {},
    "null": None,
    "an empty array": [],
    "members of null": {"processId": None, "capabilities": None, "initializationOptions": None, "rootUri": None},
    "a process that cannot be": {"processId": -(2**70), "capabilities": {}},
    "capabilities of no shape": {
        "capabilities": {"workspace": 5, "window": [], "textDocument": SECRET, "general": True}
    },
    "settings that may be asked for, of no shape": {"capabilities": {"workspace": {"configuration": "yes"}}},
    "options of no shape": {"initializationOptions": [SECRET], "trace": 5, "workspaceFolders": {"a": 1}, "locale": []},
    "our options of no shape": {"initializationOptions": {"compactChat": SECRET}},
    "abilities of no shape": {"initializationOptions": {"compactChat": {"capabilities": [5], "token": 5}}},
    "abilities of odd names": {
        "initializationOptions": {"compactChat": {"capabilities": {"plan": {"name": "\ud800"}}}}
    },
    "odd names": {"initializationOptions": {"compactChat": {"\ud800": 1, "capabilities": {"\ud800": {"\udc00": 1}}}}},
    "JSON-RPC": {"jsonrpc": "2.0", "id": 5, "capabilities": {"experimental": {"jsonrpc": "2.0", "method": "exit"}}},
    "a megabyte": {"clientInfo": {"name": "c" * 2**20}, "rootPath": "\0", "rootUri": "\ud800"},
}
UNFIT = {"no JSON": (b"{", "parseError"), "a batch": (b"[{}]", "invalidRequest"), "no UTF-8": (b"\xff", "parseError")}


def before_greeting() -> Iterator[Row]:
    """What comes before `initialize`, and greetings that fail."""
    yield from _refused("notInitialized")
    for params, path in NO_GREETINGS:
        yield invalid(f"initialize with {params!a}", "initialize", params, path)
    yield refused("shutdown before", "shutdown", None, "notInitialized")


def after_shutdown() -> Iterator[Row]:
    """A `shutdown` that is refused, one with work under way, and what comes after it."""
    yield invalid("shutdown with params of no shape", "shutdown", [SECRET], "$")
    work = framed(body("work", "compactChat/summarize", {"chat": {"messages": TURNS * 400}}))
    wants = (Want("work", "cancelled"), Want("shutdown", holds=lambda result: result is None))
    yield Row("shutdown during work", work + framed(body("shutdown", "shutdown")), wants)
    yield from _refused("invalidRequest")
    yield refused("shutdown again", "shutdown", None, "invalidRequest")
    yield refused("initialize again", "initialize", {"capabilities": {}}, "invalidRequest")


def _refused(kind: str) -> Iterator[Row]:
    for number, (method, params) in enumerate(REQUESTS):
        yield refused(f"{method[:40]} {number}", method, params, kind)
    for number, (method, params) in enumerate(NOTICES):
        yield told(f"told {method} {number}", method, params)
    for name, (data, fault) in UNFIT.items():
        yield nameless(name, data, fault)
