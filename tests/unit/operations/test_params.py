"""All problems in params are reported at once, each with its path, and without quoting what was sent."""

from __future__ import annotations

from typing import Any

import pytest

from compact_chat.errors import InvalidParams
from compact_chat.operations import operation
from compact_chat.operations.table import typed, without_nulls
from compact_chat.read import MOST_PROBLEMS

CANARY = "canary-7261"
REQUIRED = "this member is required"
COUNT = f"expected a whole number of at least 0 and at most {2**53 - 1}"
FRACTION = "expected a number of at least 0 and at most 1"
STYLES = "expected one of detailed, checkpoint, structured, brief"
SHORT_TEXT = "expected a string of at most 100 characters"
TEXT, LIST, OBJECT, YES_OR_NO = "expected a string", "expected a list", "expected an object", "expected true or false"
CHAT = {"text": "x"}


def problems(name: str, params: object) -> dict[str, str]:
    """Return the messages of all problems by path."""
    with pytest.raises(InvalidParams) as caught:
        typed(operation(name).params, without_nulls(params))
    found = caught.value.data["problems"]
    assert CANARY not in str(caught.value.payload()) + caught.value.sentence
    assert len({one["path"] for one in found}) == len(found)
    return {one["path"]: one["message"] for one in found}


@pytest.mark.parametrize(
    ("params", "reported"),
    [
        (5, {"$": OBJECT}),
        ({"chat": None}, {"$.chat": REQUIRED}),
        ({"chat": CANARY, "options": []}, {"$.chat": OBJECT, "$.options": OBJECT}),
        (
            {"chat": {"uri": 5, "text": [CANARY], "messages": {}, "tool": True}},
            {"$.chat.uri": TEXT, "$.chat.text": TEXT, "$.chat.messages": LIST, "$.chat.tool": SHORT_TEXT},
        ),
        (
            {"chat": {"system": 5, "tools": {CANARY: CANARY}}},
            {"$.chat.system": "expected a string or a list", "$.chat.tools": LIST},
        ),
        (
            {"chat": {"system": [{}, CANARY, {}, None], "tools": [[], {}]}},
            {"$.chat.system[1]": OBJECT, "$.chat.system[3]": OBJECT, "$.chat.tools[0]": OBJECT},
        ),
    ],
    ids=ascii,
)
def test_a_wrong_chat(params: object, reported: dict[str, str]) -> None:
    """Members of the chat, and the items of its lists, are reported with their paths."""
    assert problems("preview", params) == reported


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (
            {"scope": {"kind": CANARY, "message": 5}},
            {"scope.kind": "expected one of all, from, upTo", "scope.message": TEXT},
        ),
        ({"minKeep": -1, "keepRecent": 1.5}, {"minKeep": COUNT, "keepRecent": COUNT}),
        ({"pruneAt": 70}, {"pruneAt": FRACTION}),
        (
            {"pin": ["a", 5, None], "keepKeywords": [[CANARY]]},
            {"pin[1]": TEXT, "pin[2]": TEXT, "keepKeywords[0]": SHORT_TEXT},
        ),
        (
            {"continuation": {"kind": CANARY, "capabilities": {"plan": {}, "searchOlder": {"hint": 5}}}},
            {
                "continuation.kind": "expected one of regular, midLoop, emergency, postTool, manual",
                "continuation.capabilities.plan.name": REQUIRED,
                "continuation.capabilities.searchOlder.name": REQUIRED,
                "continuation.capabilities.searchOlder.hint": TEXT,
            },
        ),
        (
            {"continuation": {"capabilities": {"notes": [{"file": "a"}, {"file": [CANARY]}, {}, CANARY]}}},
            {
                "continuation.capabilities.notes[1].file": TEXT,
                "continuation.capabilities.notes[2].file": REQUIRED,
                "continuation.capabilities.notes[3]": OBJECT,
            },
        ),
    ],
    ids=ascii,
)
def test_wrong_options(options: object, reported: dict[str, str]) -> None:
    """Options are checked at any depth: within lists, optional structs, and lists of structs."""
    given = {"chat": CHAT, "options": options}
    assert problems("countTokens", given) == {f"$.options.{path}": message for path, message in reported.items()}


@pytest.mark.parametrize(
    ("name", "params", "reported"),
    [
        ("summarize", {"include": ["raw", CANARY]}, {"$.include[1]": "expected one of messages, prompt, raw, facts"}),
        ("format", {"sections": [CANARY], "text": 5}, {"$.sections": OBJECT, "$.text": TEXT}),
        ("continuation", {"summary": None, "silent": 0}, {"$.summary": REQUIRED, "$.silent": YES_OR_NO}),
    ],
    ids=ascii,
)
def test_wrong_members_of_operations(name: str, params: object, reported: dict[str, str]) -> None:
    """Other members are checked too; choices are described by what they may be, never by what they are."""
    assert problems(name, params) == reported


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
