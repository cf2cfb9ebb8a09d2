"""Hostile inputs that are too much: too long, too many values, too many messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import SMALL, Row, Want, body, given, has, refused
from tests.servers.wire_client import framed

LONGEST = 64 * 2**20  # bytes of a message
VALUES = 4_000_000  # of a message
MESSAGES = 100_000  # of a chat
METHOD = "compactChat/continuation"
PREVIEW = '"jsonrpc": "2.0", "method": "compactChat/preview"'
# How a message that is too long begins and ends, and the id that its answer comes under; `<id>` is the row's name.
FRAMES: dict[str, tuple[str, str, Any]] = {
    "id before the params": ('{"jsonrpc": "2.0", "id": "<id>", "method": "a/b", "params": {"x": "', '"}}', "<id>"),
    "id before the method": ('{"id": "<id>", "jsonrpc": "2.0", "method": "a/b", "params": {"x": "', '"}}', "<id>"),
    "id first and alone": ('{"id": "<id>", "x": "', '"}', "<id>"),
    "id on a line of its own": ('{\n  "jsonrpc" : "2.0",\r\n  "id" : "<id>",\n  "params": {"x": "', '"}\n}\n', "<id>"),
    "id that is a number": ('{"jsonrpc":"2.0","id":7261,"method":"a/b","params":{"x":"', '"}}', 7261),
    "id that is negative": ('{"jsonrpc":"2.0","id":-7261,"method":"a/b","params":{"x":"', '"}}', -7261),
    "id behind the params": (f'{{{PREVIEW}, "params": {{"x": "', '"}, "id": "<id>"}', "<id>"),
    "id behind, with all else": ('{"params": {"x": "', f'"}}, {PREVIEW}, "id": "<id>"}}', "<id>"),
    "id behind, before all else": ('{"params": {"x": "', f'"}}, "id": "<id>", {PREVIEW}}}', "<id>"),
    "id in the midst": (f'{{"x": "{"a" * 5000}", "id": "<id>", {PREVIEW}, "params": {{"x": "', '"}}', None),
    "id in the params": (f'{{{PREVIEW}, "params": {{"id": "<id>", "x": "', '"}}', None),
    "id in a text": ('{"x": "{\\"id\\": \\"<id>\\", ', '"}', None),
    "no id": ('{"jsonrpc": "2.0", "method": "initialized", "params": {"x": "', '"}}', None),
    "an array": (f'[{{"id": "<id>", {PREVIEW}, "params": {{"x": "', '"}}]', None),
    "no JSON": ("<!doctype html>", "</html>", None),
}
MANY = {
    "numbers": f"[{'0,' * VALUES}0]",
    "empty arrays": f"[{'[],' * (VALUES // 2)}0]",
    "members": "{" + '"a":0,' * VALUES + '"b":0}',
    "commas in a text": f'"{"," * (VALUES + 1)}"',
    "brackets in a text": f'"{"[" * (VALUES + 1)}"',
}


def limits() -> Iterator[Row]:
    """All of them; those of 64 MiB are made as they are taken."""
    for name, (opening, ending, under) in FRAMES.items():
        begun, end = opening.replace("<id>", name).encode(), ending.replace("<id>", name).encode()
        data = begun.ljust(LONGEST + 1 - len(end)) + end
        yield Row(f"too long: {name}", framed(data), (Want(name if under == "<id>" else under, "tooLarge"),))
    name = "as long as may be"
    yield Row(name, framed(body(name, METHOD, SMALL).ljust(LONGEST)), (Want(name, holds=has("message")),))
    yield from _values()
    yield from _messages()


def _values() -> Iterator[Row]:
    for name, text in MANY.items():
        before = f'{{"jsonrpc": "2.0", "id": "{name}", "method": "{METHOD}", "params": {{"x": {text}}}}}'
        yield Row(f"too many values: {name}", framed(before.encode()), (Want(name, "tooLarge"),))
        behind = f'{{"jsonrpc": "2.0", "method": "{METHOD}", "params": {{"x": {text}}}, "id": "{name}"}}'
        yield Row(f"too many values: {name}, id behind", framed(behind.encode()), (Want(name, "tooLarge"),))
    yield given("nearly too many values", METHOD, {**SMALL, "x": "," * (VALUES - 100)}, has("message"))


def _messages() -> Iterator[Row]:
    turn = {"role": "user", "content": "a"}
    many = [turn] * (MESSAGES + 1)
    lines = f"{json.dumps(turn)}\n" * (MESSAGES + 1)
    for name in ("countTokens", "preview", "summarize", "prompt"):
        yield refused(f"too many messages for {name}", f"compactChat/{name}", {"chat": {"messages": many}}, "tooLarge")
    yield refused("too many messages that stay", METHOD, {"summary": "a", "messages": many}, "tooLarge")
    yield refused("too many lines", "compactChat/countTokens", {"chat": {"text": lines}}, "tooLarge")
