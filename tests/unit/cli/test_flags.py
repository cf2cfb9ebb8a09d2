"""Every field of a type on the wire is a flag of the shell."""

from __future__ import annotations

import argparse
from typing import Any

import pytest
from msgspec import structs

from compact_chat.cli.command import add_flags, given_flags
from compact_chat.operations.table import typed
from compact_chat.wire import ContinuationOptions, Options


def parsed(*arguments: str, kind: type = Options) -> dict[str, Any]:
    """Read flags as the shell does."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_flags(parser, kind, without=frozenset())
    return given_flags(parser.parse_args(arguments), kind)


@pytest.mark.parametrize("kind", [Options, ContinuationOptions])
def test_each_field_has_a_flag_with_a_sentence(kind: type) -> None:
    """Help names each field in kebab-case, with its sentence."""
    parser = argparse.ArgumentParser()
    add_flags(parser, kind, without=frozenset())

    flags = {action.dest: action for action in parser._actions}
    assert {field.encode_name for field in structs.fields(kind)} <= flags.keys()
    assert all(action.help for action in flags.values())


def test_what_is_not_given_is_not_sent() -> None:
    """Without flags nothing overrides a default."""
    assert parsed() == {}


def test_values_have_the_types_of_the_wire() -> None:
    """Numbers, switches, lists and JSON arrive as an editor would send them, and fit their type."""
    given = parsed(
        *("--min-keep", "6", "--prune-at", "0.5", "--no-redact", "--pin", "m1", "--pin", "m2"),
        *("--strategy", "keep", "--scope", '{"kind": "from", "message": "m3"}'),
    )

    assert given == {
        "minKeep": 6,
        "pruneAt": 0.5,
        "redact": False,
        "pin": ["m1", "m2"],
        "strategy": "keep",
        "scope": {"kind": "from", "message": "m3"},
    }
    assert isinstance(typed(Options, given), Options)


def test_wrong_json_is_wrong_usage() -> None:
    """A flag that takes JSON says what is wrong with it."""
    with pytest.raises(argparse.ArgumentError, match="not JSON"):
        parsed("--scope", "{from}")


def test_a_choice_is_one_of_the_words() -> None:
    """A word that is none of the choices is wrong usage."""
    with pytest.raises(argparse.ArgumentError):
        parsed("--strategy", "guess")
