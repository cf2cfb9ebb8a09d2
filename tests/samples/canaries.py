"""Requests with words in them that must never come out again in an error, a notice, a log or on standard error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

from compact_chat.operations import bare_type, operation
from compact_chat.operations.table import OPERATIONS
from compact_chat.read.document import MAX_MESSAGES
from tests.servers.wire_client import framed

CANARY = "Quetzal7261"
KEY = f"sk-ant-api03-{CANARY}-{'x' * 80}AA"
TURNS = [
    {"role": ("user", "assistant")[n % 2], "content": f"{CANARY} {n} holds {n * 7} trays; the key is {KEY}. " * 9}
    for n in range(12)
]
USED = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": CANARY, "name": CANARY, "input": {CANARY: {CANARY: [CANARY]}}}],
}
CHAT = {"messages": [*TURNS, USED, *TURNS[:5]], "system": CANARY, "tools": [{"name": CANARY}], "tool": CANARY}
REPLY = f"<summary>1. Primary Request and Intent:\n{CANARY}</summary>"
SECTIONS = {"currentWork": CANARY}
RIGHT: dict[str, Any] = {
    **{name: {"chat": CHAT} for name in ("countTokens", "transcript", "preview", "prompt", "summarize")},
    "format": {"text": REPLY},
    "continuation": {"summary": CANARY, "messages": TURNS},
    "check": {"chat": CHAT, "summary": f"{CANARY} {KEY}"},
    "export": {"compactionId": CANARY, "as": "markdown"},
    "restore": {"compactionId": CANARY},
    "history": {"chat": {"uri": f"file:///{CANARY}"}, "limit": 5},
    "sessions": {"workspace": f"file:///{CANARY}", "tools": [CANARY], "roots": [f"file:///{CANARY}"]},
    "watch": {"workspace": f"file:///{CANARY}"},
    "unwatch": {"watchId": CANARY},
}
WRONG: tuple[Any, ...] = (CANARY, 5, {CANARY: CANARY}, [CANARY], [{CANARY: [CANARY]}, 5], [[CANARY], CANARY, None])
FEW = [{"role": "user", "content": CANARY}]
LONG = f"<summary>{CANARY * 9000}</summary>"


class Row(NamedTuple):
    """A request, and the kind of the error it must end in where that is sure."""

    name: str
    method: str
    params: Any
    kind: str | None = None


def generated() -> Iterator[Row]:
    """Each operation as it should be asked, and with each member of its params, at any depth, as it should not."""
    for name in OPERATIONS:
        for how, wish in enumerate((RIGHT[name], {**RIGHT[name], CANARY: {CANARY: CANARY}}, {CANARY: CANARY}, KEY)):
            yield _asked(how, name, wish)
        for way in _ways(operation(name).params):
            for turn, value in enumerate(WRONG):
                yield _asked(turn + len(way), name, _with(RIGHT[name], way, value))


def by_kind(folder: Path) -> Iterator[Row]:
    """Each error that an operation can end in, by all ways that lead there."""
    for options in ({"pin": ["m0", CANARY]}, {"drop": [CANARY]}, {"scope": {"kind": "upTo", "message": CANARY}}):
        yield _asked(0, "preview", {"chat": CHAT, "options": options}, "messageNotFound")
    yield _asked(1, "transcript", {"chat": CHAT, "ids": ["m0", CANARY]}, "messageNotFound")
    yield _asked(0, "transcript", {"chat": CHAT, "compactionId": CANARY}, "invalidParams")
    yield _asked(1, "summarize", {"planId": CANARY}, "planOutdated")
    yield _asked(0, "summarize", {"planId": CANARY, "chat": CHAT}, "planOutdated")
    for name in ("prompt", "summarize"):
        yield _asked(0, name, {"chat": {"messages": FEW}}, "nothingToCompact")
    yield _asked(1, "format", {"text": f"{CANARY} {KEY}"}, "noSummary")
    yield _asked(0, "format", {"text": f"<summary> </summary>{CANARY}"}, "emptySummary")
    yield _asked(0, "format", {"sections": {"currentWork": ""}}, "emptySummary")
    yield _asked(0, "format", {"sections": {CANARY: "a", KEY: 5, "currentWork": [CANARY]}}, "invalidParams")
    yield _asked(0, "continuation", {"summary": " ", "messages": TURNS}, "emptySummary")
    yield _asked(0, "summarize", {"chat": CHAT, "reply": CANARY}, "noSummary")
    yield _asked(0, "summarize", {"chat": CHAT, "reply": f"<summary></summary>{CANARY}"}, "emptySummary")
    yield _asked(0, "summarize", {"chat": CHAT, "reply": LONG}, "noGain")
    yield _asked(0, "summarize", {"chat": CHAT, "options": {"summaryBudget": 0}}, "noGain")
    long = {"chat": {"messages": TURNS * 3}, "options": {"summaryModel": "gpt-4"}}  # which takes no more at once
    yield _asked(0, "prompt", long, "tooLarge")
    yield _asked(0, "countTokens", {"chat": {"messages": FEW * (MAX_MESSAGES + 1)}}, "tooLarge")
    yield _asked(
        0, "countTokens", {"chat": {"messages": json.loads("[" * 200 + f'"{CANARY}"' + "]" * 200)}}, "tooLarge"
    )
    for member, value in (("transcriptPath", f"{CANARY}\n{CANARY}"), ("style", CANARY)):
        yield _asked(0, "continuation", {"summary": "a", member: value}, "invalidParams")
    abilities: tuple[Any, ...] = (
        {"plan": {"name": f"`{CANARY}"}},
        {"notes": [{"file": "a"}, {"file": f"{CANARY}\nb"}]},
    )
    for able in abilities:
        yield _asked(0, "continuation", {"summary": "a", "capabilities": able}, "invalidParams")
    slow: dict[str, Any] = {
        "chat": {"text": "a", "tools": [{}] * 700_000 + [CANARY]}
    }  # looked at for so long that asyncio speaks of it
    yield _asked(0, "countTokens", slow, "invalidParams")
    yield Row("a method", f"compactChat/{CANARY}", {CANARY: CANARY}, "methodNotFound")
    yield Row("a command", "workspace/executeCommand", {"command": CANARY, "arguments": [CANARY]}, "invalidParams")
    yield Row("a token", "compactChat/preview", {"workDoneToken": {CANARY: CANARY}, "chat": CHAT}, "invalidParams")
    yield Row("a second greeting", "initialize", {"processId": CANARY, "capabilities": CANARY}, "invalidRequest")
    yield from _files(folder)


def of_the_past(made: str, original: Path, folder: Path) -> Iterator[Row]:
    """What is asked of a compaction, of one that nobody made, and of one whose original is gone in the end."""
    there, new = folder / f"{CANARY}.md", folder / f"new {CANARY}.json"
    there.write_text(CANARY)
    for turn, name in enumerate(("restore", "transcript", "export", "export")):
        yield _asked(turn, name, {"compactionId": f"{CANARY} {KEY}", "as": "json"}, "compactionNotFound")
    for turn, form in enumerate(("markdown", "json", "claude-code", "vscode-export")):
        export = {"compactionId": made, "as": form}
        yield _asked(turn, "export", export)
        yield _asked(turn, "export", {**export, "uri": there.as_uri()}, "fileExists")
        yield _asked(turn, "export", {**export, "uri": folder.as_uri()}, "fileExists")
        for nowhere in (f"{there.as_uri()}/{CANARY}", f"https://{CANARY}:{KEY}@example.com/", f"{CANARY}.md"):
            yield _asked(turn, "export", {**export, "uri": nowhere}, "invalidParams")
    yield _asked(0, "export", {"compactionId": made, "as": "json", "uri": new.as_uri()})
    yield _asked(1, "history", {"chat": {"uri": f"https://{CANARY}:{KEY}@example.com/"}}, "invalidParams")
    yield _asked(0, "check", {"chat": CHAT}, "nothingToCompact")
    yield _asked(1, "check", {"chat": {"text": f"## User\n\n{CANARY}"}}, "nothingToCompact")
    yield _asked(0, "check", {"chat": CHAT, "summary": " "}, "emptySummary")
    for provider in ("anthropic", "editor"):
        yield _asked(0, "summarize", {"chat": CHAT, "provider": provider}, "providerFailed")
    yield _asked(0, "restore", {"compactionId": made, "include": ["compaction"]})
    yield _asked(1, "transcript", {"compactionId": made, "ids": [CANARY]}, "messageNotFound")
    original.write_text(CANARY)
    yield _asked(0, "transcript", {"compactionId": made}, "chatUnreadable")
    yield _asked(1, "restore", {"compactionId": made}, "chatUnreadable")
    original.unlink()
    yield _asked(0, "restore", {"compactionId": made}, "chatUnreadable")


def _files(folder: Path) -> Iterator[Row]:
    """Chats in files and texts that are none."""
    named = folder / f"{CANARY}.jsonl"
    named.write_text(json.dumps({CANARY: CANARY}) + "\n" + CANARY)
    for uri, kind in (
        (f"file:///{CANARY}/%zz", "chatNotFound"),
        (folder.as_uri(), "chatNotFound"),
        (f"file:///{CANARY}%00", "chatNotFound"),
        (named.as_uri(), "chatUnreadable"),
        (f"https://{CANARY}:{KEY}@example.com/", "invalidParams"),
        (f"file:////{CANARY}/share", "invalidParams"),
        (CANARY, "invalidParams"),
    ):
        yield _asked(len(uri), "summarize", {"chat": {"uri": uri}}, kind)
    for text in (f'{{"{CANARY}": "{KEY}"}}', f'[{{"{CANARY}": ', json.dumps([[CANARY]]), f'{{"messages": "{CANARY}"}}'):
        hint = {"text": text, "format": "claude-code", "tool": CANARY}
        yield _asked(0, "preview", {"chat": hint}, "chatUnreadable" if text.endswith(("}", "]")) else None)


def bad_bodies() -> Iterator[tuple[bytes, str]]:
    """Bodies that are no requests, and the kind of what is answered under `id: null`."""
    inside = json.dumps({"jsonrpc": "2.0", "id": None, "method": CANARY, "params": {CANARY: KEY}}).encode()
    yield inside[:-3], "parseError"
    yield inside.replace(b"null", b"NaN"), "parseError"
    yield inside.replace(b'"id"', b'"\xff"'), "parseError"
    yield b"[" + inside + b"]", "invalidRequest"
    yield json.dumps(CANARY).encode(), "invalidRequest"
    yield inside.replace(b'"2.0"', f'"{CANARY}"'.encode()), "invalidRequest"
    yield inside.replace(b"null", f'["{CANARY}"]'.encode()), "invalidRequest"
    yield inside, "methodNotFound"


def unanswered() -> Iterator[bytes]:
    """What comes without an answer: notifications, late answers, and noise between two messages."""
    for method in ("$/cancelRequest", f"$/{CANARY}", CANARY, "initialized", "window/workDoneProgress/cancel"):
        for params in ({"id": CANARY, "token": CANARY}, [CANARY], CANARY, {CANARY: CANARY}):
            yield framed(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())
    for settings in ({"compactChat": {CANARY: CANARY, "windows": {CANARY: CANARY}, "pin": CANARY}}, CANARY):
        told = {"jsonrpc": "2.0", "method": "workspace/didChangeConfiguration", "params": {"settings": settings}}
        yield framed(json.dumps(told).encode())
    yield framed(json.dumps({"jsonrpc": "2.0", "id": CANARY, "result": CANARY}).encode())
    yield f"X-{CANARY}: {KEY}\r\n{CANARY}\r\n".encode()


def _asked(turn: int, name: str, params: Any, kind: str | None = None) -> Row:
    """Ask for an operation in one of the two ways."""
    if turn % 2:
        return Row(name, "workspace/executeCommand", {"command": f"compactChat.{name}", "arguments": [params]}, kind)
    return Row(name, f"compactChat/{name}", params, kind)


def _ways(kind: type[Struct]) -> Iterator[tuple[str | int, ...]]:
    """The ways to all members of a type, through lists too."""
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        yield (field.encode_name,)
        bare, place = bare_type(hints[field.name]), list[str | int]()
        if get_origin(bare) is tuple:
            bare, place = bare_type(get_args(bare)[0]), [1]
        if isinstance(bare, type) and issubclass(bare, Struct):
            yield from ((field.encode_name, *place, *inner) for inner in _ways(bare))


def _with(params: Any, way: tuple[str | int, ...], value: Any) -> Any:
    """Put a value where a way leads."""
    if not way:
        return value
    if way[0] == 1:
        return [{CANARY: CANARY}, _with({}, way[1:], value)]
    within = params.get(way[0], {}) if isinstance(params.get(way[0]), dict) else {}
    return {**params, way[0]: _with(within, way[1:], value)}
