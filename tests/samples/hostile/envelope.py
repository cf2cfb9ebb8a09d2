"""Hostile inputs around the params: versions, methods, ids, and members that should not be there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import EXECUTE, SMALL, TURNS, Row, Want, body, given, has, invalid, nameless
from tests.servers.wire_client import framed

METHOD = "compactChat/continuation"
# What each operation, and the command, lacks where there are no params.
LACKS = {
    "compactChat/countTokens": "$.chat",
    "compactChat/preview": "$.chat",
    "compactChat/summarize": "$.chat",
    "compactChat/prompt": "$.chat",
    "compactChat/format": "$",
    "compactChat/continuation": "$.summary",
    EXECUTE: "$.command",
}
NO_PARAMS: tuple[Any, ...] = (5, 0, -1.5, True, False, "text", "", [1], [{}], [SMALL], [[]], [None])
NO_VERSION: tuple[Any, ...] = (
    *(None, True, 2, 2.0, "", "2", "2.0 ", " 2.0", "2.00", "02.0", "1.0", "3.0", "２.0", ["2.0"], {"2.0": 1}, []),
)
NO_METHOD: tuple[Any, ...] = (None, True, False, 0, 5, 1.5, [], ["compactChat/format"], {}, {"name": METHOD})
LACKING: dict[str, dict[str, Any]] = {
    "no version": {"method": METHOD, "params": SMALL},
    "no method": {"jsonrpc": "2.0", "params": SMALL},
    "nothing but an id": {},
    "the version in another case": {"JSONRPC": "2.0", "method": METHOD},
    "the method in another case": {"jsonrpc": "2.0", "Method": METHOD},
}
# Ids as they are written in JSON, and as they must come back.
IDS: dict[str, Any] = {
    "null": None,
    "0": 0,
    "-0": 0,
    "-0.0": -0.0,
    "1": 1,
    '"1"': "1",
    "1.0": 1.0,
    "-7": -7,
    "1.5": 1.5,
    "-0.1e-3": -0.0001,
    "9007199254740993": 2**53 + 1,
    "9223372036854775807": 2**63 - 1,
    "9223372036854775808": 2**63,
    "-9223372036854775809": -(2**63) - 1,
    "18446744073709551616": 2**64,
    str(2**200): 2**200,
    "1e3": 1000.0,
    "1e308": 1e308,
    "-1.7976931348623157e308": -1.7976931348623157e308,
    "5e-324": 5e-324,
    "1e-999": 0.0,
    '""': "",
    '" "': " ",
    '"null"': "null",
    '"[object Object]"': "[object Object]",
    r'"\u0000"': "\0",
    r'"\r\n\r\nContent-Length: 2\r\n\r\n{}"': "\r\n\r\nContent-Length: 2\r\n\r\n{}",
    r'"\"},{\"id\":1"': '"},{"id":1',
    '"é👩‍💻\u202e"': "é👩‍💻\u202e",
    '"' + "e\u0301" * 5000 + '"': "e\u0301" * 5000,
    '"' + "i" * 2**20 + '"': "i" * 2**20,
    '"' + r"\u2028" * 100_000 + '"': "\u2028" * 100_000,
}
NO_IDS = ("true", "false", "[]", "[1]", "{}", '{"a": 1}', '{"jsonrpc": "2.0"}', "1e999", "-1e999", "[[[[1]]]]")
ONE_ID = {
    "two operations": ("preview", "countTokens"),
    "three operations": ("preview", "prompt", "summarize"),
    "an operation and a fault": ("countTokens", "nothing"),
}
# JSON that is no message at all, and objects that want to be one without an id.
NO_OBJECTS = (
    "null",
    "true",
    "false",
    "0",
    "-0",
    "5",
    "1.5",
    "1e999",
    '""',
    '"text"',
    '"\\ud800"',
    "[]",
    "[[]]",
    "[null]",
)
ONE = {"jsonrpc": "2.0", "id": "batched", "method": METHOD, "params": SMALL}
NO_REQUESTS: dict[str, Any] = {
    "a batch of one": [ONE],
    "a batch of two": [ONE, {**ONE, "id": 2}],
    "a batch of a thousand": [ONE] * 1000,
    "a batch of notifications": [{"jsonrpc": "2.0", "method": "initialized", "params": {}}],
    "a batch with a notice to leave": [{"jsonrpc": "2.0", "method": "exit"}, ONE],
    "a batch of scalars": [1, "a", None],
    "a batch in a batch": [[ONE]],
    "an empty object": {},
    "only unknown members": {"a": 1, "b": {"jsonrpc": "2.0"}},
    "an id of null and no method": {"jsonrpc": "2.0", "id": None},
    "an id that is none and no method": {"jsonrpc": "2.0", "id": [1], "method": 5},
    "a notification of version 1": {"jsonrpc": "1.0", "method": "initialized"},
    "a notification without a name": {"jsonrpc": "2.0", "method": None},
}
# Answers of the client that nobody waits for: they are dropped.
UNDER = ("compact-chat-1", "compact-chat-99", "nobody", 1, 2**70, None, 1.5, True, [1], {"a": 1})
ANSWERS: dict[str, dict[str, Any]] = {
    "a result without an id": {"jsonrpc": "2.0", "result": 1},
    "an error of null": {"jsonrpc": "2.0", "id": "compact-chat-1", "error": None},
    "an error that is a text": {"jsonrpc": "2.0", "id": "compact-chat-1", "error": "no"},
    "a result and an error": {"jsonrpc": "2.0", "id": "compact-chat-1", "result": 1, "error": {"code": 1}},
    "a result without a version": {"id": "compact-chat-1", "result": []},
    "a result of a megabyte": {"jsonrpc": "2.0", "id": "compact-chat-1", "result": "r" * 2**20},
}
# Members beside those of a request that is right.
MORE: dict[str, dict[str, Any]] = {
    "a method and a result": {"result": {"a": 1}},
    "a method and an error": {"error": {"code": -1, "message": "no"}},
    "a method, a result and an error": {"result": None, "error": None},
    "members of another protocol": {"meta": {"trace": [1]}, "version": "1.1", "extensions": {}},
    "members of an error": {"code": -32700, "message": "Parse error", "data": {"kind": "parseError"}},
    "members named as ours": {"chat": {"text": "a"}, "options": 5, "under": [], "self": {}},
    "members with odd names": {"": 1, " ": 2, "\0": 3, "__class__": 4, "json\u200brpc": "1.0"},
    "a member of a megabyte": {"x": "x" * 2**20},
}


def envelopes() -> Iterator[Row]:
    """All of them but params."""
    for version in NO_VERSION:
        yield _unfit(f"version {json.dumps(version)}", {"jsonrpc": version, "method": METHOD, "params": SMALL})
    for method in NO_METHOD:
        yield _unfit(f"method {json.dumps(method)}", {"jsonrpc": "2.0", "method": method, "params": SMALL})
    for name, members in LACKING.items():
        yield _unfit(name, members)
    yield from _ids()
    for text in NO_OBJECTS:
        yield nameless(f"JSON {text}", text.encode(), "invalidRequest")
    for name, value in NO_REQUESTS.items():
        yield nameless(name, json.dumps(value).encode(), "invalidRequest")
    yield from _answers()
    for name, more in MORE.items():
        yield Row(name, framed(body(name, METHOD, SMALL, **more)), (Want(name, holds=has("message")),))
    turned = {"params": SMALL, "method": METHOD, "id": "the members turned round", "jsonrpc": "2.0"}
    yield Row("the members turned round", framed(json.dumps(turned).encode()), (Want("the members turned round"),))
    yield given("params with members of a message", METHOD, {**SMALL, "id": 5, "method": "exit", "jsonrpc": "1.0"})


def scalars() -> Iterator[Row]:
    """Params that are no object; those that are missing, null or an empty array mean none."""
    for method, lack in LACKS.items():
        for value in NO_PARAMS:
            yield invalid(f"{method} with {json.dumps(value)}", method, value, "$")
        for value in (None, [], {}):
            yield invalid(f"{method} with {json.dumps(value)}", method, value, lack)
        yield Row(f"{method} alone", framed(body(method, method)), (Want(method, "invalidParams", (lack,)),))


def _unfit(name: str, members: dict[str, Any]) -> Row:
    return Row(name, framed(json.dumps({"id": name, **members}).encode()), (Want(name, "invalidRequest"),))


def _ids() -> Iterator[Row]:
    for text, under in IDS.items():
        name = f"id {text[:40]} of {len(text)}"
        yield Row(name, _under(text, "2.0"), (Want(under),))
        yield Row(f"{name}, unfit", _under(text, "1.0"), (Want(under, "invalidRequest"),))
    for text in NO_IDS:
        yield Row(f"id {text}", _under(text, "2.0"), (Want(None, "invalidRequest"),))
    for name, operations in ONE_ID.items():
        data = b"".join(framed(body(name, f"compactChat/{one}", {"chat": {"messages": TURNS}})) for one in operations)
        kinds = ("methodNotFound" if one == "nothing" else "" for one in operations)
        yield Row(f"one id for {name}", data, tuple(Want(name, kind) for kind in kinds))
    yield Row("one id for twenty of the same", framed(body("late", METHOD, SMALL)) * 20, (Want("late"),) * 20)
    nobody = framed(body(None, METHOD, SMALL))
    wants = (Want(None), Want(None, "parseError"), Want(None))
    yield Row("null for two requests and a fault", nobody + framed(b"{") + nobody, wants)


def _under(text: str, version: str) -> bytes:
    message = f'{{"jsonrpc": "{version}", "id": {text}, "method": "{METHOD}", "params": {json.dumps(SMALL)}}}'
    return framed(message.encode())


def _answers() -> Iterator[Row]:
    for under in UNDER:
        for name, member in (("result", {}), ("error", {"code": 1, "message": "no"})):
            data = json.dumps({"jsonrpc": "2.0", "id": under, name: member}).encode()
            yield Row(f"{name} under {json.dumps(under)}", framed(data))
    for name, answer in ANSWERS.items():
        yield Row(name, framed(json.dumps(answer).encode()))
