"""What is wrong with params is told at once, each problem with its path, and nothing that was sent is repeated."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import InvalidParams
from compact_chat.operations import operation
from compact_chat.operations.table import OPERATIONS, typed, without_nulls
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
    """The messages of all problems by their paths."""
    with pytest.raises(InvalidParams) as caught:
        typed(operation(name).params, without_nulls(params))
    found = caught.value.data["problems"]
    assert CANARY not in str(caught.value.payload()) + caught.value.sentence
    assert len({one["path"] for one in found}) == len(found)
    return {one["path"]: one["message"] for one in found}


@pytest.mark.parametrize(
    ("params", "told"),
    [
        (5, {"$": OBJECT}),
        ({}, {"$.chat": REQUIRED}),
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
def test_a_wrong_chat(params: object, told: dict[str, str]) -> None:
    """Members of the chat, and the items of its lists, are told with their places."""
    assert problems("preview", params) == told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"scope": {"kind": CANARY, "message": 5}},
            {"scope.kind": "expected one of all, from, upTo", "scope.message": TEXT},
        ),
        (
            {"minKeep": -1, "keepRecent": 1.5, "window": CANARY},
            dict.fromkeys(("minKeep", "keepRecent", "window"), COUNT),
        ),
        ({"pruneAt": 70, "compactAt": -0.1}, {"pruneAt": FRACTION, "compactAt": FRACTION}),
        ({"redact": "true", "keepSystem": 1}, {"redact": YES_OR_NO, "keepSystem": YES_OR_NO}),
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
def test_wrong_options(options: object, told: dict[str, str]) -> None:
    """Options are told at any depth: within lists, structs that may be left out, and lists of structs."""
    given = {"chat": CHAT, "options": options}
    assert problems("countTokens", given) == {f"$.options.{path}": message for path, message in told.items()}


@pytest.mark.parametrize(
    ("name", "params", "told"),
    [
        (
            "summarize",
            {"include": ["raw", CANARY, 5]},
            {
                "$.include[1]": "expected one of messages, prompt, raw",
                "$.include[2]": "expected one of messages, prompt, raw",
            },
        ),
        ("format", {"sections": [CANARY], "text": 5}, {"$.sections": OBJECT, "$.text": TEXT}),
        ("continuation", {"summary": None, "silent": 0}, {"$.summary": REQUIRED, "$.silent": YES_OR_NO}),
        ("continuation", {"summary": "a", "capabilities": {"notes": {}}}, {"$.capabilities.notes": LIST}),
    ],
    ids=ascii,
)
def test_wrong_members_of_operations(name: str, params: object, told: dict[str, str]) -> None:
    """What is beside chat and options is told too, choices by what they may be and never by what they are."""
    assert problems(name, params) == told


def test_unknown_members_and_nulls_are_no_problem() -> None:
    """Null means not given, at any depth, and a member that we do not know is left out."""
    options = {"scope": {"message": None, CANARY: 1}, "continuation": {"capabilities": {"notes": None}}, "pin": None}
    given = {"chat": {"text": "x", CANARY: [CANARY]}, "options": options, "window": None}

    assert typed(operation("countTokens").params, without_nulls(given))


def test_nulls_are_looked_for_only_as_deep_as_there_are_members() -> None:
    """An unknown member may be nested to any depth."""
    deep: Any = None
    for _ in range(20_000):
        deep = {"a": deep}

    assert typed(operation("countTokens").params, without_nulls({"chat": CHAT, "options": {"deep": deep}}))


@pytest.mark.parametrize(
    "given", [{"chat": {"tools": [5] * 3 * MOST_PROBLEMS}}, {"chat": CHAT, "options": {"pin": [5] * 3 * MOST_PROBLEMS}}]
)
def test_the_list_of_problems_ends(given: object) -> None:
    """No answer is larger than what it answers; the first thousand problems say enough."""
    assert len(problems("preview", given)) == MOST_PROBLEMS


MEMBERS = sorted(
    {"kind", "message", "name", "hint", "start", "file", "head", "tail", "uri", "messages", "system", "tools", "format"}
    | {"notes", "plan", "searchOlder", "standards", "capabilities", "continuation", "prune", "silent", "maxChars"}
    | {name for one in OPERATIONS for name in operation(one).params.__struct_encode_fields__}
    | {"pin", "minKeep", "pruneAt", "scope", "strategy", "redact", CANARY}
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, 0, -1, 0.5, 2**70, 1e308, CANARY, "", "all", "raw", "detailed"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=6),
    max_leaves=30,
)


@given(st.sampled_from(sorted(OPERATIONS)), VALUES)
def test_every_problem_is_where_it_is_told(name: str, params: object) -> None:
    """For any JSON, params that do not fit have a problem, and each path leads to a value or to where one lacks."""
    kind, params = operation(name).params, without_nulls(params)
    try:
        msgspec.convert(params, kind)
    except msgspec.ValidationError:
        for path, message in problems(name, params).items():
            steps = [int(step[1]) if step[1] else step[2] for step in re.finditer(r"\[(\d+)]|\.(\w+)", path)]
            assert leads_somewhere(params, steps) == (message != REQUIRED)


def leads_somewhere(value: Any, steps: list[Any]) -> bool:
    """Whether a path leads to a value; all but its last step must."""
    for step in steps[:-1]:
        value = value[step]
    return not steps or (value is not None and (isinstance(steps[-1], int) or steps[-1] in value))
