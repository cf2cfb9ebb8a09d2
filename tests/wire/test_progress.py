"""Progress goes to the tokens that the client gave, not too often, and never behind the answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.wire_client import WireClient

TOKENS = {"workDoneToken": "done", "partialResultToken": 7}


def tell(client: WireClient, way: int, tokens: dict[str, Any], times: int = 3) -> int:
    """Ask for an operation that reports: as request, as command, as command with the tokens in its argument."""
    command = {"command": "compactChat.tell", "arguments": [{"times": times}]}
    params: tuple[tuple[str, Any], ...] = (
        ("compactChat/tell", {"times": times, **tokens}),
        ("workspace/executeCommand", {**command, **tokens}),
        ("workspace/executeCommand", {**command, "arguments": [{"times": times, **tokens}]}),
    )
    return client.start(*params[way])


@pytest.mark.parametrize("way", [0, 1, 2])
def test_progress_is_told_from_begin_to_end(client: WireClient, way: int) -> None:
    """`begin` with a percentage, reports that rise to the last one, `end`; then the answer and nothing else."""
    tokens = {"workDoneToken": f"done {way}", "partialResultToken": way}
    number = tell(client, way, tokens)
    client.answer(number)
    client.call("compactChat/echo")
    begin, *reports, end = client.progress(f"done {way}")
    assert begin == {"kind": "begin", "title": "Compact Chat: tell", "cancellable": True, "percentage": 0}
    assert reports[-1] == {"kind": "report", "message": "step 2", "percentage": 2}
    assert end == {"kind": "end"}
    assert "".join(one["text"] for one in client.progress(way)) == "0 1 2 "
    behind = client.inbox[client.inbox.index(client.answer(number)) + 1 :]
    assert [one["id"] for one in behind] == [number + 1]


def test_reports_are_few_and_no_text_is_lost(client: WireClient) -> None:
    """Ten thousand reports in a moment become a few; the streamed text comes whole and in order."""
    number = tell(client, 0, {"workDoneToken": "many", "partialResultToken": "text"}, times=10_000)
    client.answer(number)
    assert 1 <= len(client.progress("many")) - 2 <= 20
    assert "".join(one["text"] for one in client.progress("text")) == "".join(f"{n} " for n in range(10_000))
    assert {one["kind"] for one in client.progress("text")} == {"text"}


def test_without_tokens_nothing_is_told(client: WireClient) -> None:
    """Who gives no token hears of no progress, and only what was asked for is told."""
    since = len(client.inbox)
    client.answer(tell(client, 0, {}))
    client.answer(tell(client, 1, {"workDoneToken": None}))
    client.answer(tell(client, 0, {"partialResultToken": "only text"}))
    told = [one for one in client.inbox[since:] if one.get("method") == "$/progress"]
    assert {one["params"]["token"] for one in told} == {"only text"}


def test_progress_ends_where_the_operation_fails(client: WireClient) -> None:
    """An operation that fails ends its progress too."""
    assert client.error("compactChat/fail", {"workDoneToken": "failing"})["code"] == -32603
    assert [one["kind"] for one in client.progress("failing")] == ["begin", "end"]


@pytest.mark.parametrize("token", [1.5, True, [], {"a": 1}])
def test_a_token_must_be_a_string_or_an_integer(client: WireClient, token: Any) -> None:
    """A wrong token is -32602 with its path."""
    error = client.error("compactChat/tell", {"times": 1, "workDoneToken": token})
    assert error["data"]["problems"] == [{"path": "$.workDoneToken", "message": "expected a string or an integer"}]
