"""Operations asked for as commands."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.serve.client import Tokens, tokens_of
from compact_chat.serve.server import read_command

KNOWN = ("count",)


@pytest.mark.parametrize("arguments", [{}, {"arguments": None}, {"arguments": []}, {"arguments": [None]}])
def test_a_command_without_arguments_has_no_params(arguments: dict[str, Any]) -> None:
    """Arguments that are missing, null or empty mean none."""
    assert read_command({"command": "compactChat.count", **arguments}, KNOWN) == ("count", {})


def test_the_one_argument_is_the_params() -> None:
    """A command has the name and the params of its request."""
    params = {"a": 1, "workDoneToken": "w"}
    assert read_command({"command": "compactChat.count", "arguments": [params]}, KNOWN) == ("count", params)


def test_a_token_of_the_command_comes_first() -> None:
    """A token of the command itself is taken before one inside its argument."""
    assert tokens_of({"workDoneToken": "out"}, {"workDoneToken": "in", "partialResultToken": 0}) == Tokens("out", 0)


@pytest.mark.parametrize("name", ["count", "compactChat/count", "compactChat.", "compactChat.other", "", None, 5])
def test_only_known_commands_are_taken(name: Any) -> None:
    """Any other name is wrong params of the command."""
    with pytest.raises(InvalidParams) as caught:
        read_command({"command": name}, KNOWN)
    assert [problem["path"] for problem in caught.value.data["problems"]] == ["$.command"]
