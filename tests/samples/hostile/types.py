"""Hostile inputs that are made from the types of the operations: each member with each wrong value, and its path."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Struct, structs

from compact_chat.operations import bare_type, operation
from compact_chat.operations.table import OPERATIONS
from tests.samples.hostile.rows import SECRET, SMALL, TURNS, Row, both_ways, given, invalid, refused

CHAT = {"messages": TURNS}
BAKERY = (Path(__file__).resolve().parents[3] / "examples" / "bakery.jsonl").as_uri()
# What each operation needs, so that one wrong member beside it is all that is wrong.
RIGHT: dict[str, dict[str, Any]] = {
    "countTokens": {"chat": CHAT},
    "transcript": {"chat": CHAT},
    "preview": {"chat": CHAT},
    "summarize": {"chat": CHAT},
    "prompt": {"chat": CHAT},
    "format": {"text": "<summary>The shelves are counted.</summary>"},
    "continuation": SMALL,
    "sessions": {"roots": [BAKERY.rpartition("/")[0]]},
    "check": {"chat": CHAT, "summary": SMALL["summary"]},
    "export": {"compactionId": "0" * 32, "as": "markdown"},
    "restore": {"compactionId": "0" * 32},
    "history": {"limit": 5},
    "watch": {"chat": {"uri": BAKERY}},
    "unwatch": {"watchId": "watch-0"},
}
HISTORY = ("$.chat.uri", "$.limit")
BESIDE: dict[str, dict[str, Any]] = {"searchOlder": {"name": "look"}, "plan": {"name": "plan"}}  # what must be there
# Values that are wrong for each sort of member, and the place within the value that is wrong.
WRONG: dict[str, tuple[tuple[Any, str], ...]] = {
    "text": ((5, ""), (True, ""), ([SECRET], ""), ({"a": SECRET}, "")),
    "yes or no": (("true", ""), (0, ""), ([True], ""), ({"a": True}, "")),
    "count": (
        ("5", ""),
        (True, ""),
        ([5], ""),
        ({"a": 1}, ""),
        (-1, ""),
        (1.5, ""),
        (4.0, ""),
        (1e308, ""),
        (2**53, ""),
        (-(2**70), ""),
    ),
    "fraction": (("0.5", ""), (True, ""), ([0.5], ""), (-0.1, ""), (1.0000001, ""), (70, ""), (1e308, "")),
    "choice": ((SECRET, ""), ("", ""), (5, ""), (True, ""), (["all"], ""), ({"a": 1}, "")),
    "object": ((5, ""), (SECRET, ""), (True, ""), ([], ""), ([{}], "")),
    "texts": ((SECRET, ""), (5, ""), ({"0": "a"}, ""), ([5], "[0]"), (["a", None], "[1]"), ([["a"]], "[0]")),
    "choices": ((SECRET, ""), (5, ""), ([SECRET], "[0]"), (["raw", 5], "[1]"), (["raw", ["raw"]], "[1]")),
    "lone choices": (
        (SECRET, ""),
        (5, ""),
        ([SECRET], "[0]"),
        (["compaction", 5], "[1]"),
        (["compaction", ["compaction"]], "[1]"),
    ),
    "files": (
        (SECRET, ""),
        (["a"], "[0]"),
        ([{}], "[0].file"),
        ([{"file": 5}], "[0].file"),
        ([{"file": "a"}, 5], "[1]"),
    ),
    "anything": ((SECRET, ""), (5, ""), (True, ""), ({"0": {}}, "")),
    "objects": ((SECRET, ""), (5, ""), ({}, ""), ([5], "[0]"), ([{}, SECRET], "[1]"), ([[]], "[0]")),
    "text or objects": ((5, ""), (True, ""), ({"type": "text"}, ""), ([5], "[0]"), ([{}, SECRET], "[1]")),
    "members": ((SECRET, ""), (5, ""), (True, ""), ([], ""), ([["a", 1]], "")),
}
SORTS: dict[Any, str] = {
    str: "text",
    bool: "yes or no",
    int: "count",
    float: "fraction",
    tuple[str, ...]: "texts",
    list[Any]: "anything",
    list[dict[str, Any]]: "objects",
    dict[str, Any]: "members",
}


class Member(NamedTuple):
    """A member of an operation's params: the names on the way to it, its sort, and whether it must be there."""

    way: tuple[str, ...]
    sort: str
    required: bool


def wrong_types() -> Iterator[Row]:
    """Each member with wrong values. Where operations share a member they take turns, and so do the two ways to ask."""
    turn = count()
    for member, owners in _owners().items():
        for value, place in WRONG[member.sort]:
            yield _wrong(next(turn), member.way, owners, value, place)
        if member.required and len(member.way) > 1:
            yield _wrong(next(turn), member.way[:-1], owners, {}, f".{member.way[-1]}")


def many_wrong() -> Iterator[Row]:
    """Several wrong members at once: all of them are told, whatever else there is."""
    for name, right in RIGHT.items():
        tops = [member for member in _members(name) if len(member.way) == 1]
        params = {member.way[0]: WRONG[member.sort][0][0] for member in tops}
        yield invalid(f"{name} with all wrong", f"compactChat/{name}", params, *(f"$.{top}" for top in params))
        nulls = {**dict.fromkeys(params), **right, "unknown": {"jsonrpc": "2.0"}}
        if name in ("export", "restore"):
            yield refused(f"{name} with members of null", f"compactChat/{name}", nulls, "compactionNotFound")
        elif name != "unwatch":  # there is nothing to end
            yield given(f"{name} with members of null", f"compactChat/{name}", nulls)
    plan = {"plan": {"name": 5}}
    options = {"minKeep": "4", "prune": {"head": -1, "tail": "x"}, "continuation": {"capabilities": plan}}
    wrong = ("minKeep", "prune.head", "prune.tail", "continuation.capabilities.plan.name")
    paths = ("$.chat.uri", "$.chat.tool", *(f"$.options.{path}" for path in wrong))
    yield invalid("history of a chat of nothing", "compactChat/history", {"chat": {}, "limit": -1}, *HISTORY)
    yield invalid("check without a chat", "compactChat/check", {"chat": None, "summary": 5}, "$.chat", "$.summary")
    for name in ("countTokens", "preview", "summarize", "prompt"):
        method = f"compactChat/{name}"
        yield invalid(f"{name} with both wrong", method, {"chat": {"uri": 5, "tool": []}, "options": options}, *paths)
        yield invalid(f"{name} without a chat", method, {"options": {}}, "$.chat")
        yield invalid(f"{name} with a chat of null", method, {"chat": None}, "$.chat")


def _wrong(turn: int, way: tuple[str, ...], owners: list[str], value: Any, place: str) -> Row:
    name = owners[turn % len(owners)]
    how, method, params = list(both_ways(name, _with(RIGHT[name], way, value)))[turn // len(owners) % 2]
    path = f"$.{'.'.join(way)}{place}"
    return invalid(f"{name} by {how}: {path} is {ascii(value)[:40]}", method, params, path)


def _with(params: dict[str, Any], way: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Put a value into params, and what it needs around it; a chat that is changed further in begins empty."""
    if len(way) == 1:
        return {**params, way[0]: value}
    within = {} if way[0] == "chat" else params.get(way[0], {})
    return {**params, way[0]: _with({**BESIDE.get(way[0], {}), **within}, way[1:], value)}


def _owners() -> dict[Member, list[str]]:
    """The members of all operations, each with the operations that have it."""
    owners: dict[Member, list[str]] = {}
    for name in OPERATIONS:
        for member in _members(name):
            owners.setdefault(member, []).append(name)
    return owners


def _members(name: str) -> Iterator[Member]:
    return _members_of(operation(name).params, ())


def _members_of(kind: type[Struct], way: tuple[str, ...]) -> Iterator[Member]:
    hints = get_type_hints(kind, include_extras=True)
    for field in structs.fields(kind):
        hint, bare = hints[field.name], bare_type(hints[field.name])
        yield Member((*way, field.encode_name), _sort(hint), field.required)
        if isinstance(bare, type) and issubclass(bare, Struct):
            yield from _members_of(bare, (*way, field.encode_name))


def _sort(hint: Any) -> str:
    """The sort of a member by its type; a type that nobody thought of here fails."""
    bare = bare_type(hint)
    if list[dict[str, Any]] in get_args(hint) and bare is str:
        return "text or objects"
    if get_origin(bare) is Literal:
        return "choice"
    if get_origin(bare) is tuple and bare not in SORTS:
        item = bare_type(get_args(bare)[0])
        if get_origin(item) is Literal:
            return "choices" if len(get_args(item)) > 1 else "lone choices"
        return "texts" if item is str else "files"
    return "object" if isinstance(bare, type) and issubclass(bare, Struct) else SORTS[bare]
