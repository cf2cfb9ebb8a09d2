"""What a client may request: params of every operation, generated from the types of the table."""

from __future__ import annotations

from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st
from msgspec import Struct, structs

from compact_chat.chat import JsonObject
from compact_chat.operations import ChatRef, bare_type, operation
from compact_chat.operations.table import OPERATIONS
from tests.samples.chats import words
from tests.servers.wire_kept import EXPORTS, FILES, THERE, kept
from tests.strategies.wire_chats import anything_in_json, bare_texts, message_lists, refs, refs_of_files

EXTREMES = (0, 1, 2**31, 2**53 + 1, 2**63, 10**400, -1, -(2**63))
IMPOSTOR = {"jsonrpc": "2.0", "id": 1, "method": "exit"}


# Values for members whose type does not express their meaning.
message_ids = st.sampled_from(["m0", "m1", "m2", "m5", "m", "", "u0", "unknown"])
texts = st.one_of(words, st.sampled_from(["gpt-5", "claude-haiku-5-5", "plan_update", "docs/rules.md"]))
folders = st.sampled_from([FILES.as_uri(), "file:///absent", "vscode-remote://box/demo", "file://away/share"])
summaries = st.sampled_from(
    [
        "Summary:\n1. Primary Request and Intent:\nCount the trays.\n\n7. Pending Tasks:\nShelf 9",
        "<analysis>counted</analysis><summary>\n8. Current Work:\nShelf 9\n9. Optional Next Step:\nNone\n</summary>",
        "<summary></summary>",
        "no",
    ]
)
section_names = st.sampled_from(["primaryRequestAndIntent", "currentWork", "pendingTasks", "immediateTask"])
compaction_ids = st.integers(0, 2).map(lambda number: kept()[number].id) | st.sampled_from(["", "none", "../x"])
new_files = st.sampled_from(["new.md", "new.json", "trays & shelves %.jsonl"]).map(lambda name: EXPORTS / name)
no_places = st.sampled_from([THERE, EXPORTS, EXPORTS / "absent" / "new.md", THERE / "new.md"])
targets = st.one_of(new_files, new_files, no_places).map(Path.as_uri) | st.sampled_from(["file:", "file://away/new"])
# Only these may be configured as archives: they will be written to.
archives = st.sampled_from(["on", "off", " off ", "beside", str(FILES / "elsewhere"), f"{FILES}/a\0b", str(THERE)])
MEANT: dict[str, st.SearchStrategy[Any]] = {
    "messages": message_lists(),
    "pin": st.lists(message_ids, max_size=2),
    "drop": st.lists(message_ids, max_size=2),
    "ids": st.lists(message_ids, max_size=3),
    "message": message_ids,
    "style": st.sampled_from(["detailed", "detailed", "checkpoint", "brief", "unheard-of"]),
    "reply": summaries | words,
    "summary": summaries | words,
    "text": summaries | words,
    "planId": st.text("0123456789abcdef", min_size=32, max_size=32),
    "compactionId": compaction_ids,
    "uri": targets | refs_of_files().map(lambda ref: ref["uri"]),
    "archive": archives,
    "workspace": folders | words,
    "watchId": st.sampled_from(["watch-0", ""]),
    **dict.fromkeys(("roots", "filesIn"), st.lists(folders, max_size=2) | st.lists(words, max_size=2)),
    "sections": st.dictionaries(section_names, summaries | words, min_size=1, max_size=3)
    | st.dictionaries(section_names | st.just("x.y"), words | anything_in_json, max_size=3),
}


class Call(NamedTuple):
    """An operation with its params."""

    name: str
    params: JsonObject


def calls(chat: st.SearchStrategy[JsonObject] | None = None) -> st.SearchStrategy[Call]:
    """Any operation with params that fit their types."""
    return st.sampled_from(sorted(OPERATIONS)).flatmap(lambda name: _calls_of(name, refs() if chat is None else chat))


def asked_in(call: Call, command: bool) -> tuple[str, JsonObject]:
    """Return a call's method and params, as a request or as a command, with an unknown member."""
    if command:
        params = {**call.params, "unknown": IMPOSTOR}
        return "workspace/executeCommand", {"command": f"compactChat.{call.name}", "arguments": [params]}
    return f"compactChat/{call.name}", call.params


def values(hint: Any, name: str = "") -> st.SearchStrategy[Any]:
    """Values of a type, as JSON."""
    origin, parts = get_origin(hint), get_args(hint)
    if name in MEANT and get_origin(bare_type(hint)) is not Literal:
        return MEANT[name]
    if origin is Annotated:
        found = _numbers(parts[0]) if parts[0] in (int, float) else values(parts[0], name)
        return found.filter(lambda value: _fits(value, hint))  # a number within its limits, a text of its length
    if origin in (Union, UnionType):
        return st.one_of([values(part, name) for part in parts])
    if origin is Literal:
        return st.sampled_from(parts)
    if origin in (tuple, list):
        return st.lists(values(parts[0], name), max_size=3)
    if origin is dict:
        return st.dictionaries(bare_texts, values(parts[1]), max_size=2)
    return _plain_values(hint)


def _plain_values(hint: Any) -> st.SearchStrategy[Any]:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return refs() if hint is ChatRef else members(hint)
    known = {str: texts, bool: st.booleans(), NoneType: st.none(), Any: anything_in_json}
    return known[hint]


def _numbers(kind: type) -> st.SearchStrategy[Any]:
    if kind is float:
        return st.floats(0, 1) | st.sampled_from([0, 1, 0.7, 5e-324])
    return st.integers(0, 50) | st.integers(0, 200_000) | st.sampled_from(EXTREMES)


@st.composite
def members(draw: st.DrawFn, kind: type[Struct], given: JsonObject | None = None) -> JsonObject:
    """An object of a type: the required members, and a few of the others."""
    hints = get_type_hints(kind, include_extras=True)
    fields = {field.encode_name: field for field in structs.fields(kind) if field.encode_name not in (given or {})}
    wanted = [name for name, field in fields.items() if field.required]
    free = sorted(fields.keys() - set(wanted))
    wanted += draw(st.lists(st.sampled_from(free), max_size=4, unique=True)) if free else []
    return {**(given or {}), **{name: draw(values(hints[fields[name].name], name)) for name in wanted}}


def _calls_of(name: str, chat: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[Call]:
    """Calls of one operation: with a chat if it takes one, and for `format` with one of its two inputs."""
    kind = operation(name).params
    given: st.SearchStrategy[JsonObject] = st.just({})
    if name == "watch":
        given = refs_of_files().map(lambda ref: {"chat": ref, "workspace": None, "roots": []}) | folders.map(
            lambda place: {"chat": None, "workspace": place}
        )
    elif name == "transcript":
        given = chat.map(lambda ref: {"chat": ref, "compactionId": None}) | MEANT["compactionId"].map(
            lambda one: {"chat": None, "compactionId": one}
        )
    elif "chat" in kind.__struct_fields__ and name != "history":  # which accepts only the URI of one
        given = chat.map(lambda ref: {"chat": ref})
    elif name == "format":
        given = st.sampled_from(["text", "sections"]).flatmap(lambda one: st.fixed_dictionaries({one: MEANT[one]}))
    return given.flatmap(lambda start: members(kind, start)).map(lambda params: Call(name, params))


def _fits(value: Any, hint: Any) -> bool:
    try:
        msgspec.convert(value, hint)
    except (msgspec.ValidationError, UnicodeEncodeError):  # the latter: half a surrogate pair matches no choice
        return False
    return True
