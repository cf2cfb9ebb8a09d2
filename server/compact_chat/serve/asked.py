"""An operation that is asked for: as a request of its own, or as a command."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from compact_chat.chat import JsonObject
from compact_chat.errors import InvalidParams
from compact_chat.serve.progress import Tokens, tokens_of

METHODS, COMMANDS = "compactChat/", "compactChat."


class Asked(NamedTuple):
    """An operation with its params, however it was asked for."""

    name: str
    params: JsonObject
    tokens: Tokens


def by_request(name: str, params: JsonObject) -> Asked:
    """Read the params of `compactChat/<name>`."""
    return Asked(name, params, tokens_of(params))


def by_command(command: JsonObject, known: Collection[str]) -> Asked:
    """Read the params of `workspace/executeCommand`: one object in `arguments` or nothing, and tokens here or there.

    pygls 2.1.1 refuses `arguments: []` where a handler takes an argument, and fails where they are left out.
    """
    name = command.get("command")
    if not isinstance(name, str):
        raise InvalidParams.at("$.command", "expected a string")
    if not (name.startswith(COMMANDS) and name.removeprefix(COMMANDS) in known):
        raise InvalidParams.at("$.command", "there is no such command")
    arguments = command.get("arguments")
    params = _only([] if arguments is None else arguments)
    return Asked(name.removeprefix(COMMANDS), params, tokens_of(command, params))


def _only(arguments: Any) -> JsonObject:
    """Give the one object that a command is called with; none at all means an empty one."""
    if not isinstance(arguments, list) or len(arguments) > 1:
        raise InvalidParams.at("$.arguments", "expected an array with one object at most")
    params = arguments[0] if arguments and arguments[0] is not None else {}
    if not isinstance(params, dict):
        raise InvalidParams.at("$.arguments[0]", "expected an object")
    return params
