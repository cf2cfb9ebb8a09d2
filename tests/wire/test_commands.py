"""Operations are there twice: as requests, and as commands for clients that have nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.processes import within
from tests.servers.wire_client import WireClient

EXECUTE = "workspace/executeCommand"


@pytest.mark.parametrize(
    "beside", [{}, {"arguments": None}, {"arguments": []}, {"arguments": [None]}, {"arguments": [{}]}]
)
def test_a_command_may_come_without_arguments(client: WireClient, beside: dict[str, Any]) -> None:
    """Arguments that are missing, null or empty mean none."""
    assert client.call(EXECUTE, {"command": "compactChat.echo", **beside}) == {}


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({}, "$.command"),
        (None, "$.command"),
        ({"command": 5}, "$.command"),
        ({"command": "compactChat.echo", "arguments": "text"}, "$.arguments"),
        ({"command": "compactChat.echo", "arguments": {"a": 1}}, "$.arguments"),
        ({"command": "compactChat.echo", "arguments": [{}, {}]}, "$.arguments"),
        ({"command": "compactChat.echo", "arguments": ["secret"]}, "$.arguments[0]"),
        ({"command": "compactChat.echo", "workDoneToken": {"a": 1}}, "$.workDoneToken"),
        ({"command": "compactChat.echo", "arguments": [{"partialResultToken": True}]}, "$.partialResultToken"),
    ],
    ids=str,
)
def test_a_wrong_command_is_told_its_path(client: WireClient, params: Any, path: str) -> None:
    """What is wrong with a command comes back as -32602 with its path, and without its value."""
    error = client.error(EXECUTE, params)
    assert (error["code"], error["data"]["kind"]) == (-32602, "invalidParams")
    assert [problem["path"] for problem in error["data"]["problems"]] == [path]
    assert "secret" not in str(error)


def test_a_failure_keeps_its_secrets(client: WireClient) -> None:
    """An unforeseen error is -32603 with one neutral sentence: no text of it, no traceback, no path."""
    for method, params in (
        ("compactChat/fail", {"text": "secret"}),
        (EXECUTE, {"command": "compactChat.fail", "arguments": [{"text": "secret"}]}),
        ("compactChat/unwritable", {}),
    ):
        error = client.error(method, params)
        assert (error["code"], error["data"]) == (-32603, {"kind": "internal"})
        assert error["message"] == "Compact Chat failed unexpectedly; nothing was changed."


def test_a_failure_is_logged_by_its_place(start: Callable[[], WireClient]) -> None:
    """The log names type, module and line of an unforeseen error and nothing else, also where nobody waited for it."""
    client = start()
    client.initialize()
    client.error("compactChat/fail", {"text": "secret"})
    client.call("compactChat/stumble")
    within(10, lambda: len(client.log) == 2)
    client.notify("exit", None)
    client.end()
    assert [re.sub(r":\d+\n", "", line) for line in client.log] == [
        "operation failed: ValueError at __main__",
        "event loop failed: ValueError at asyncio.events",
    ]


def test_an_operations_own_error_comes_as_it_is(client: WireClient) -> None:
    """An error of an operation has its code, its sentence, its kind and its data, both ways."""
    wanted = {
        "code": -32040,
        "message": "There is no such chat.",
        "data": {"kind": "chatNotFound", "uri": "file:///absent"},
    }
    assert client.error("compactChat/refuse") == wanted
    assert client.error(EXECUTE, {"command": "compactChat.refuse"}) == wanted


def test_only_what_is_built_is_advertised(real: WireClient, start: Any) -> None:
    """`initialize` names the server, its commands and its card; documents are not asked for."""
    result = start().initialize()
    operations = result["capabilities"]["experimental"]["compactChat"]["operations"]
    assert set(result["capabilities"]) == {"textDocumentSync", "executeCommandProvider", "experimental"}
    assert result["capabilities"]["textDocumentSync"] == {"openClose": False, "change": 0}
    assert result["capabilities"]["executeCommandProvider"] == {
        "commands": [f"compactChat.{name}" for name in operations]
    }
    assert result["serverInfo"]["name"] == "compact-chat"
    assert real.error("compactChat/sleep")["code"] == -32601
