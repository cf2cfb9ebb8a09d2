"""Hostile messages around the params: versions, methods, ids, notifications, commands, order of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import (
    CHAT,
    EXECUTE,
    MEGABYTE,
    METHOD,
    SECRET,
    SMALL,
    TURNS,
    Row,
    Want,
    body,
    given,
    has,
    invalid,
    nameless,
    new_id,
    notice,
    refused,
)
from tests.servers.wire_client import framed

# The problems of each operation, and of the command, without params.
LACKS = {"compactChat/countTokens": "$.chat", "compactChat/format": "$", METHOD: "$.summary", EXECUTE: "$.command"}
EMPTY: tuple[Any, ...] = (None, [], {})
NO_PARAMS: tuple[Any, ...] = (-1.5, True, SECRET, [SMALL])
# Members that do not make a request, next to an id.
UNFIT: tuple[dict[str, Any], ...] = (
    *({"jsonrpc": version, "method": METHOD} for version in (None, 2.0, "1.0", "２.0", ["2.0"])),
    *({"jsonrpc": "2.0", "method": method} for method in (None, 5, {"name": SECRET})),
    *({"method": METHOD, "params": SMALL}, {"jsonrpc": "2.0", "params": SMALL}, {}),
)
# Ids in JSON.
IDS = (
    *("null", "-0", "-0.0", '"1"', "1.0", "1.5", "1e3", "9007199254740993", str(2**200), "1e308", "1e-999", '""'),
    *(r'"\u0000"', '"é👩‍💻\u202e"', f'"{"i" * MEGABYTE}"', r'"\r\n\r\nContent-Length: 2\r\n\r\n{}"'),
)
NO_IDS = ("true", "[1]", '{"jsonrpc": "2.0"}', "1e999")
ONE = {"jsonrpc": "2.0", "id": "batched", "method": METHOD, "params": SMALL}
# JSON that is no message, and objects that resemble one but have no id.
NO_REQUESTS: tuple[Any, ...] = (
    *(None, True, 1.5, SECRET, [], {"a": 1, "b": {"jsonrpc": "2.0"}}, [ONE], [ONE] * 1000, [1, "a", None]),
    *({"jsonrpc": "2.0", "id": None}, {"jsonrpc": "2.0", "id": [1], "method": 5}, {"jsonrpc": "2.0", "method": None}),
)
# Unexpected answers of the client, which are dropped.
ANSWERS: tuple[dict[str, Any], ...] = (
    *({"id": under, "result": SECRET} for under in ("compact-chat-1", 1, 2**70, None, [1])),
    *({"id": "compact-chat-1", "error": error} for error in (None, SECRET)),
    *({"result": 1}, {"id": "compact-chat-1", "result": 1, "error": {"code": 1}}, {"id": 1, "result": "r" * MEGABYTE}),
)
# Extra members of a valid request.
MORE: tuple[dict[str, Any], ...] = (
    *({"result": None, "error": None}, {"meta": {"trace": [1]}, "version": "1.1", "chat": {"text": "a"}, "self": {}}),
    *({"": 1, "\0": 3, "__class__": 4, "json\u200brpc": "1.0"}, {"x": "x" * MEGABYTE}),
)


def envelopes() -> Iterator[Row]:
    """Yield versions, methods, ids and members that should not be there."""
    for members in UNFIT:
        under = new_id()
        yield Row(framed(json.dumps({"id": under, **members}).encode()), (Want(under, "invalidRequest"),))
    for text in IDS:
        yield Row(_under(text, "2.0"), (Want(json.loads(text)),))
        yield Row(_under(text, "1.0"), (Want(json.loads(text), "invalidRequest"),))
    for text in NO_IDS:
        yield Row(_under(text, "2.0"), (Want(None, "invalidRequest"),))
    same = framed(body("same", METHOD, SMALL))
    yield Row(same * 20, (Want("same"),) * 20)
    yield Row(same + framed(body("same", "compactChat/nothing")), (Want("same"), Want("same", "methodNotFound")))
    without_id = framed(body(None, METHOD, SMALL))
    yield Row(without_id + framed(b"{") + without_id, (Want(None), Want(None, "parseError"), Want(None)))
    for value in NO_REQUESTS:
        yield nameless(json.dumps(value).encode(), "invalidRequest")
    for answer in ANSWERS:
        yield Row(framed(json.dumps({"jsonrpc": "2.0", **answer}).encode()))
    for more in MORE:
        yield given(METHOD, SMALL, has("message"), **more)
    yield given(METHOD, {**SMALL, "id": 5, "method": "exit", "jsonrpc": "1.0"})


def scalars() -> Iterator[Row]:
    """Yield params that are not an object; missing, null and empty array mean none."""
    for method, lack in LACKS.items():
        yield from (invalid(method, value, "$") for value in NO_PARAMS)
        yield from (invalid(method, value, lack) for value in EMPTY)
        under = new_id()
        yield Row(framed(body(under, method)), (Want(under, "invalidParams", (lack,)),))


def _under(text: str, version: str) -> bytes:
    message = f'{{"jsonrpc": "{version}", "id": {text}, "method": "{METHOD}", "params": {json.dumps(SMALL)}}}'
    return framed(message.encode())


VALUES: tuple[Any, ...] = (None, True, -1, 1.5, 2**70, SECRET, [1], {"a": 1})
NO_METHODS = (
    *("", "compactChat/", "compactChat.countTokens", "compactchat/countTokens", "compactChat/preview\0"),
    *("compactChat/__init__", "compactChat/prеview", "textDocument/hover", "$/nonsense", "initialized", "exit"),
    *("$/cancelRequest", SECRET, "m" * MEGABYTE, "\u202eweiverp/tahCtcapmoc"),
)
DOCUMENT = {"uri": "file:///shelf.jsonl", "languageId": "json", "version": 1, "text": f"{SECRET}\n" * 1000}
# Notifications that are unsupported, meant for clients, or malformed.
NOTIFICATIONS: tuple[tuple[str, Any], ...] = (
    ("textDocument/didOpen", {"textDocument": DOCUMENT}),
    ("textDocument/didChange", {"textDocument": {"uri": "file:///absent", "version": -1}, "contentChanges": [{}]}),
    *(("$/setTrace", params) for params in ({"value": "verbose"}, None)),
    *(("$/progress", params) for params in ({"token": "work", "value": {"kind": "begin", "title": SECRET}}, 5)),
    *(("initialized", params) for params in ([1], {"a": {"jsonrpc": "2.0"}})),
    ("n" * MEGABYTE, {}),
    ("compactChat/preview", {"chat": CHAT}),
    (EXECUTE, {"command": "compactChat.preview", "arguments": [{"chat": CHAT}]}),
    *(("initialize", {"processId": 5}), ("shutdown", None), ("compactChat/\ud800", {"\ud800": "\ud800"})),
)
# A second `initialize`, in every form.
AGAIN: tuple[Any, ...] = ({"processId": None, "capabilities": {}}, {"processId": SECRET, "capabilities": 5}, [1])


def methods() -> Iterator[Row]:
    """Yield unknown methods, unexpected notifications, and a second `initialize`."""
    yield from (refused(method, {"a": SECRET}, "methodNotFound") for method in NO_METHODS)
    yield from (Row(notice(method, params)) for method, params in NOTIFICATIONS)
    yield Row(notice("textDocument/didOpen", {"textDocument": DOCUMENT}) * 1000)
    yield from (refused("initialize", params, "invalidRequest") for params in AGAIN)


CANCELS = {"$/cancelRequest": "id", "window/workDoneProgress/cancel": "token"}
CHANGED = "workspace/didChangeConfiguration"
NO_CANCELS: tuple[Any, ...] = (None, {}, [1], SECRET)
# A value of the wrong type within the settings.
PLACES: tuple[tuple[str, ...], ...] = (
    *((), ("settings",), ("settings", "compactChat"), ("settings", "compactChat", "windows", "a", "b")),
)
# Unusable sections of settings: each is ignored.
SECTIONS: tuple[dict[str, Any], ...] = (
    {"nothing": 1, "\0": 3, "__class__": 4, "compactChat": {"minKeep": 1}},
    {"minKeep": -1, "pruneAt": 1.5, "window": -(2**70), "keepKeywords": "a", "strategy": "\ud800", "\ud800": 1},
    {"windows": {f"model {n}": 5 for n in range(20_000)}},
    {"windows": {"shelf-7": -5, "\ud800": 5, "a" * MEGABYTE: 5}},
    {"jsonrpc": "2.0", "id": 1, "method": "exit", "instructions": "i" * MEGABYTE},
)
COUNT = framed(body("usual", "compactChat/countTokens", {"chat": CHAT, "model": "shelf-7"}))
VAST = framed(body("vast", "compactChat/summarize", {"chat": {"messages": TURNS * 400}, "workDoneToken": "vast"}))


def cancels() -> Iterator[Row]:
    """Yield cancellations of unknown and of existing requests."""
    for method, member in CANCELS.items():
        names = (*VALUES, "unknown", 10**6, "c" * MEGABYTE, "\ud800")
        for params in (*({member: value} for value in names), *NO_CANCELS):
            yield Row(notice(method, params))
        yield Row(notice(method) + notice(method, {member: "unknown"}) * 1000)
        yield Row(VAST + notice(method, {member: "vast"}) * 10, (Want("vast", "cancelled"),))
        request = framed(body(7, "compactChat/countTokens", {"chat": CHAT, "workDoneToken": 7}))
        yield Row(request + notice(method, {member: "7"}), (Want(7, holds=has("used")),))
        yield Row(notice(method, {member: 7}) + request, (Want(7, holds=has("used")),))


def settings() -> Iterator[Row]:
    """Yield malformed settings: each is ignored, and operations go on as before."""
    for way in PLACES:
        for value in VALUES:
            params = value
            for name in reversed(way):
                params = {name: params}
            yield Row(notice(CHANGED, params) + COUNT, (Want("usual", holds=_is_usual),))
    for section in SECTIONS:
        yield Row(_set(section) + COUNT + _set({}), (Want("usual", holds=_is_usual),))
    yield Row(_set({"minKeep": "many"}) * 1000 + COUNT, (Want("usual", holds=_is_usual),))


def _set(section: Any) -> bytes:
    return notice(CHANGED, {"settings": {"compactChat": section}})


def _is_usual(report: Any) -> bool:
    """Return whether a report is that of a server without settings."""
    return bool(report["window"] == 200_000 and report["advice"] == "none")


# Requests of every kind: each is refused before `initialize`, and again after `shutdown`.
REQUESTS: tuple[tuple[str, Any], ...] = (
    *(("compactChat/countTokens", {"chat": CHAT}), ("compactChat/format", 5), (EXECUTE, {"command": SECRET})),
    *(("textDocument/hover", None), ("$/nonsense", {"jsonrpc": "2.0"}), ("exit", None), ("m" * MEGABYTE, {})),
)
NOTICES: tuple[tuple[str, Any], ...] = (
    *(("initialized", {}), ("shutdown", None), ("initialize", {}), ("nothing", [SECRET])),
    *((CHANGED, {"settings": {"compactChat": {"minKeep": 9}}}), ("compactChat/preview", {"chat": CHAT})),
)
# Params of `initialize` that are refused, with the path of the fault; the server stays as it was.
NO_GREETINGS: tuple[tuple[Any, str], ...] = (
    *((5, "$"), (SECRET, "$"), ([{"processId": None, "capabilities": {}}], "$")),
    *(({"processId": value}, "$.processId") for value in (SECRET, 1.5, True, [1])),
    *(({"processId": None, "capabilities": value}, "$.capabilities") for value in (5, SECRET, [CHAT], True)),
)
# Odd params of `initialize` that are accepted: an editor with unknown values is not refused.
GREETINGS: tuple[Any, ...] = (
    {},
    None,
    [],
    {"processId": None, "capabilities": None, "initializationOptions": None, "rootUri": None},
    {"processId": -(2**70), "capabilities": {"workspace": 5, "window": [], "textDocument": SECRET}},
    {"capabilities": {"workspace": {"configuration": "yes"}}, "trace": 5, "workspaceFolders": {"a": 1}},
    {"initializationOptions": [SECRET]},
    *({"initializationOptions": {"compactChat": ours}} for ours in (SECRET, {"capabilities": [5], "token": 5})),
    {"initializationOptions": {"compactChat": {"\ud800": 1, "capabilities": {"plan": {"name": "\ud800"}}}}},
    {"jsonrpc": "2.0", "id": 5, "capabilities": {"experimental": {"jsonrpc": "2.0", "method": "exit"}}},
    {"clientInfo": {"name": "c" * MEGABYTE}, "rootPath": "\0", "rootUri": "\ud800"},
)


def before_initialize() -> Iterator[Row]:
    """Yield what comes before `initialize`, and greetings that fail."""
    yield from _refused("notInitialized")
    yield from (invalid("initialize", params, path) for params, path in NO_GREETINGS)
    yield refused("shutdown", None, "notInitialized")


def after_shutdown() -> Iterator[Row]:
    """Yield a refused `shutdown`, one with running work, and what comes after it."""
    yield invalid("shutdown", [SECRET], "$")
    wants = (Want("vast", "cancelled"), Want("shutdown", holds=lambda result: result is None))
    yield Row(VAST + framed(body("shutdown", "shutdown")), wants)
    yield from _refused("invalidRequest")
    yield refused("shutdown", None, "invalidRequest")
    yield refused("initialize", {"capabilities": {}}, "invalidRequest")


def _refused(kind: str) -> Iterator[Row]:
    yield from (refused(method, params, kind) for method, params in REQUESTS)
    yield from (Row(notice(method, params)) for method, params in NOTICES)
    yield from (nameless(data, fault) for data, fault in ((b"{", "parseError"), (b"[{}]", "invalidRequest")))
