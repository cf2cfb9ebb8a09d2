"""Hostile inputs of the language server protocol: methods, notifications and commands of every shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.samples.hostile.rows import (
    EXECUTE,
    SECRET,
    SMALL,
    TURNS,
    Row,
    Want,
    body,
    given,
    has,
    invalid,
    notice,
    refused,
    told,
)
from tests.servers.wire_client import framed

VALUES: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, 2**70, "", SECRET, [], [1], {}, {"a": 1}, [[{}]])
NO_METHODS = (
    *("", " ", "echo", "compactChat", "compactChat/", "compactChat//countTokens", "compactChat/countTokens/"),
    *("compactChat.countTokens", "compactchat/countTokens", "compactChat/counttokens", "compactChat/count_tokens"),
    *(
        "compactChat/countTokens ",
        "\tcompactChat/preview",
        "compactChat/preview\0",
        "compactChat/__init__",
        "__class__",
    ),
    *("compactChat/../preview", "compactChat/%70review", "compactChat/prеview", "rpc.discover", "tools/call", "ping"),
    *("textDocument/hover", "textDocument/completion", "textDocument/codeAction", "textDocument/formatting"),
    *("textDocument/definition", "textDocument/diagnostic", "textDocument/semanticTokens/full", "codeLens/resolve"),
    *("textDocument/willSaveWaitUntil", "workspace/symbol", "workspace/diagnostic", "workspace/willRenameFiles"),
    *("workspace/configuration", "window/showMessageRequest", "window/workDoneProgress/create"),
    *("client/registerCapability", "completionItem/resolve", "notebookDocument/didOpen", "$/nonsense", "$/"),
    *("initialized", "exit", "$/cancelRequest", "$/progress", "$/setTrace", "$/logTrace", "textDocument/didOpen"),
    *("workspace/didChangeConfiguration", "window/workDoneProgress/cancel", "Shutdown", "INITIALIZE", SECRET),
    *("m" * 2**20, "é" * 1000, "\u202eweiverp/tahCtcapmoc", "compactChat/\u200bpreview", "\ufeffcompactChat/preview"),
)
DOCUMENT = {"uri": "file:///shelf.jsonl", "languageId": "json", "version": 1, "text": f"{SECRET}\n" * 1000}
# Notifications that are not offered, or that are not for a server, or that have no shape.
NOTIFICATIONS: tuple[tuple[str, Any], ...] = (
    ("textDocument/didOpen", {"textDocument": DOCUMENT}),
    ("textDocument/didChange", {"textDocument": {"uri": "file:///absent", "version": -1}, "contentChanges": [{}]}),
    ("textDocument/didClose", {"textDocument": {"uri": 5}}),
    ("textDocument/didSave", {}),
    ("notebookDocument/didOpen", {"notebookDocument": {"uri": "a", "cells": [{"kind": 9}]}}),
    ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "", "type": 7}]}),
    ("workspace/didChangeWorkspaceFolders", {"event": {"added": 5, "removed": None}}),
    ("$/setTrace", {"value": "verbose"}),
    ("$/setTrace", {"value": 5}),
    ("$/setTrace", None),
    ("$/logTrace", {"message": SECRET}),
    ("$/progress", {"token": "work", "value": {"kind": "begin", "title": SECRET}}),
    ("$/progress", 5),
    ("$/nonsense", {"a": [1]}),
    ("window/logMessage", {"type": 1, "message": SECRET}),
    ("telemetry/event", [SECRET]),
    ("initialized", {}),
    ("initialized", [1]),
    ("initialized", "text"),
    ("initialized", {"a": {"jsonrpc": "2.0"}}),
    ("", None),
    ("n" * 2**20, {}),
    ("compactChat/preview", {"chat": {"messages": TURNS}}),
    ("compactChat/countTokens", 5),
    ("compactChat/nothing", {}),
    (EXECUTE, {"command": "compactChat.preview", "arguments": [{"chat": {"messages": TURNS}}]}),
    ("initialize", {"processId": None, "capabilities": {}}),
    ("initialize", {"processId": 5}),
    ("shutdown", None),
    ("compactChat/\ud800", {"\ud800": "\ud800"}),
)


# A second `initialize`, however it comes.
AGAIN: dict[str, Any] = {
    "as before": {"processId": None, "rootUri": None, "capabilities": {}},
    "of another process": {"processId": 1, "capabilities": {}},
    "without anything": {},
    "with params of no shape": {"processId": SECRET, "capabilities": 5},
    "with a token": {"capabilities": {}, "initializationOptions": {"compactChat": {"token": SECRET}}},
    "with null": None,
    "with an array": [{"processId": 1}],
    "with a text": SECRET,
}
NO_COMMANDS = (
    *("compactChat", "compactChat.", "compactChat/preview", "compactChat.nothing", "preview", "compactChat..preview"),
    *("compactchat.preview", "compactChat.preview ", "compactChat.Preview", "compactChat.run", "compactChat.ui.open"),
    *("editor.action.formatDocument", "_typescript.applyRefactoring", "c" * 2**20, "compactChat.preview\0"),
)
NO_ARGUMENTS: tuple[Any, ...] = (
    *(0, True, False, "", "text", 1.5, {}, SMALL, [{}, {}], [None, None], [SMALL, SMALL], [1, 2, 3], [{}] * 10_000),
)
NO_ARGUMENT: tuple[Any, ...] = (0, True, False, "", SECRET, 1.5, [], [SMALL], [[]])
# What stands beside a command that is given nothing.
NOTHING: dict[str, dict[str, Any]] = {
    "no arguments": {},
    "arguments of null": {"arguments": None},
    "no argument": {"arguments": []},
    "an argument of null": {"arguments": [None]},
    "an empty argument": {"arguments": [{}]},
    "arguments of another name": {"args": [SMALL]},
}


def methods() -> Iterator[Row]:
    """Methods that are not there, things told that nobody asked for, and a second greeting."""
    for method in NO_METHODS:
        yield refused(f"method {method[:50]!a} of {len(method)}", method, {"a": SECRET}, "methodNotFound")
    for number, (method, params) in enumerate(NOTIFICATIONS):
        yield told(f"told {method[:50]} {number}", method, params)
    yield Row("a thousand documents", notice("textDocument/didOpen", {"textDocument": DOCUMENT}) * 1000)
    data = b"".join(framed(body(f"twenty {n}", "textDocument/hover", {"n": n})) for n in range(20))
    yield Row("twenty hovers", data, tuple(Want(f"twenty {n}", "methodNotFound") for n in range(20)))
    for name, params in AGAIN.items():
        yield refused(f"initialize {name}", "initialize", params, "invalidRequest")


def commands() -> Iterator[Row]:
    """Commands that are not there, and arguments of every shape."""
    right = "compactChat.continuation"
    for value in (*VALUES, *NO_COMMANDS):
        yield invalid(f"command {ascii(value)[:40]} of {len(ascii(value))}", EXECUTE, {"command": value}, "$.command")
    for arguments in NO_ARGUMENTS:
        params = {"command": right, "arguments": arguments}
        yield invalid(f"arguments {json.dumps(arguments)[:60]}", EXECUTE, params, "$.arguments")
    for argument in NO_ARGUMENT:
        params = {"command": right, "arguments": [argument]}
        yield invalid(f"argument {json.dumps(argument)}", EXECUTE, params, "$.arguments[0]")
    for name, beside in NOTHING.items():
        yield invalid(name, EXECUTE, {"command": right, **beside}, "$.summary")
    yield invalid("arguments without a command", EXECUTE, {"arguments": [SMALL]}, "$.command")
    more = {"command": right, "arguments": [SMALL], "title": 5, "jsonrpc": "2.0", "id": [1]}
    yield given("a command with more members", EXECUTE, more, has("message"))
