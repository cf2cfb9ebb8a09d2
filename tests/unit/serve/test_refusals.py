"""The wire form of errors, and what of them is logged."""

from __future__ import annotations

import asyncio
import logging

import pytest

from compact_chat.errors import (
    Cancelled,
    ChatNotFound,
    InvalidParams,
    InvalidRequest,
    MethodNotFound,
    NotInitialized,
    ParseError,
)
from compact_chat.serve.client import wire_error
from compact_chat.serve.log import log_failure


@pytest.mark.parametrize(
    ("error", "code", "data"),
    [
        (ParseError("s"), -32700, {"kind": "parseError"}),
        (InvalidRequest("s"), -32600, {"kind": "invalidRequest"}),
        (MethodNotFound("s"), -32601, {"kind": "methodNotFound"}),
        (NotInitialized("s"), -32002, {"kind": "notInitialized"}),
        (
            InvalidParams.at("$.a", "m"),
            -32602,
            {"kind": "invalidParams", "problems": [{"path": "$.a", "message": "m"}]},
        ),
        (ChatNotFound("s", uri="u"), -32040, {"kind": "chatNotFound", "uri": "u"}),
        (Cancelled(), -32800, {"kind": "cancelled"}),
        (asyncio.CancelledError("secret"), -32800, {"kind": "cancelled"}),
        (ValueError("secret"), -32603, {"kind": "internal"}),
    ],
)
def test_each_error_has_its_code_and_kind(error: BaseException, code: int, data: object) -> None:
    """The contract's code and kind go out, and nothing of an error's own text where it was not foreseen."""
    found = wire_error(error)
    assert (found["code"], found["data"]) == (code, data)
    assert "secret" not in str(found)


def test_only_places_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The log names type, module and line: no text, no path, no traceback."""
    with caplog.at_level(logging.DEBUG):
        try:
            int("secret")
        except ValueError as error:
            log_failure("something", error)
    assert caplog.record_tuples == [("compact_chat.serve.log", logging.ERROR, caplog.messages[0])]
    assert caplog.messages[0].startswith(f"something failed: ValueError at {__name__}:")
    assert caplog.records[0].exc_info is None


def test_an_error_without_a_place_is_logged_too(caplog: pytest.LogCaptureFixture) -> None:
    """Where nothing was raised there is no place to name."""
    log_failure("something", None)
    assert caplog.messages == ["something failed: NoneType at no place"]
