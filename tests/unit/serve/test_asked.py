"""Operations asked for as commands."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.serve.client import Tokens
from compact_chat.serve.server import by_command, by_request

KNOWN = ("count",)


def test_a_command_is_the_request_of_its_name() -> None:
    """The one argument is the params, tokens inside them included."""
    params = {"a": 1, "workDoneToken": "w", "partialResultToken": 0}
    asked = by_command({"command": "compactChat.count", "arguments": [params]}, KNOWN)
    assert asked == by_request("count", params)
    assert asked.tokens == Tokens("w", 0)


def test_a_token_beside_the_arguments_comes_first() -> None:
    """A token of the command itself stands before one inside its argument."""
    command = {"command": "compactChat.count", "arguments": [{"workDoneToken": "in"}], "workDoneToken": "out"}
    assert by_command(command, KNOWN).tokens == Tokens("out", None)


@pytest.mark.parametrize("name", ["count", "compactChat/count", "compactChat.", "compactChat.other", "", None, 5])
def test_only_known_commands_are_taken(name: Any) -> None:
    """Any other name is wrong params of the command."""
    with pytest.raises(InvalidParams) as caught:
        by_command({"command": name}, KNOWN)
    assert [problem["path"] for problem in caught.value.data["problems"]] == ["$.command"]
