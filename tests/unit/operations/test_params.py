"""All problems in params are reported at once, each with its path, and without quoting what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import CompactChatError, InvalidParams
from compact_chat.operations import ClientState, Job, operation
from compact_chat.operations.table import typed, without_nulls
from compact_chat.read import MOST_PROBLEMS
from tests.oracles.snapshots import check_functions, check_parts
from tests.samples.alone import perform_alone

CANARY = "canary-7261"
CHAT = {"text": "x"}


def problems(name: str, params: object) -> dict[str, str]:
    """Return the messages of all problems by path."""
    with pytest.raises(InvalidParams) as caught:
        typed(operation(name).params, without_nulls(params))
    found = caught.value.data["problems"]
    assert CANARY not in str(caught.value.payload()) + caught.value.sentence
    assert len({one["path"] for one in found}) == len(found)
    return {one["path"]: one["message"] for one in found}


def test_each_problem_has_its_path(accept: bool) -> None:
    """G4: what is wrong in the params of the operation that a part is named for."""

    def rows(name: str, lines: list[str]) -> Iterator[str]:
        for line in lines:
            yield line
            found = problems(name.partition(":")[0], json.loads(line))
            yield from (f"  {path}: {message}" for path, message in sorted(found.items()))

    check_parts(Path(__file__).with_name("params.txt"), rows, accept=accept)


@pytest.mark.usefixtures("state")
def test_each_refusal_says_why(accept: bool) -> None:
    """By its kind and the places in the params, or the URI; a watch that is refused leaves nothing behind."""

    def refusal(name: str, params: Any) -> str:
        client = ClientState()
        with pytest.raises(CompactChatError) as caught:
            perform_alone(name, params, Job(client))
        assert client.watches.begun() == {}
        data = caught.value.data
        places = [one["path"] for one in data.get("problems", ())] or data.get("path") or data.get("uri")
        return f"{caught.value.kind} {places or ''}".rstrip()

    functions = {name: partial(refusal, name) for name in ("watch", "sessions", "transcript", "draft")}
    check_functions(Path(__file__).with_name("refused.txt"), functions, accept=accept)


def test_unknown_members_and_nulls_are_no_problem() -> None:
    """Null means not given, at any depth; an unknown member is ignored, and may be nested to any depth."""
    deep: Any = None
    for _ in range(20_000):
        deep = {"a": deep}
    options = {"scope": {"message": None, CANARY: 1}, "continuation": {"capabilities": {"notes": None}}, "pin": None}
    given = {"chat": {"text": "x", CANARY: [CANARY]}, "options": options | {"deep": deep}, "window": None}

    assert typed(operation("countTokens").params, without_nulls(given))


@pytest.mark.parametrize(
    "given", [{"chat": {"tools": [5] * 3 * MOST_PROBLEMS}}, {"chat": CHAT, "options": {"pin": [5] * 3 * MOST_PROBLEMS}}]
)
def test_the_list_of_problems_ends(given: object) -> None:
    """An answer is no larger than its request; the first thousand problems suffice."""
    assert len(problems("preview", given)) == MOST_PROBLEMS
