"""Every chat of `tests/corpus/` reads as its snapshot says; `pytest --accept` writes the snapshots anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, Struct, to_builtins

from compact_chat.chat import (
    Document,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Unknown,
    WordedResult,
)
from compact_chat.errors import CompactChatError
from compact_chat.read import earlier, read_chat
from tests.oracles.reader_checks import faults_of
from tests.samples.corpus import CORPUS, SNAPSHOT, cases, snapshot_of, source_of

WIDTH = 110


def shown(value: Any) -> Any:
    """Return a chat as readable JSON, without defaults; a part is named by its kind."""
    match value:
        case ToolCall(id=call_id, name=name, input=given):
            return {"call": name, "id": call_id, "input": given}
        case ToolResult(call_id=call_id, content=content):
            kind = "wordedResult" if isinstance(value, WordedResult) else "result"
            marks = {name: True for name in ("is_error", "as_text") if getattr(value, name)}
            return {kind: call_id, **marks, "content": shown(content)}
        case Text(text):
            return text
        case Thinking(text):
            return {"thinking": text}
        case Image() | Document() | Unknown():
            return {type(value).__name__.lower(): members(value)}
        case Message(role=role, parts=parts):
            rest = members(value)
            return {role: shown(parts), "id": rest.pop("id"), **{k: v for k, v in rest.items() if k not in HEAD}}
        case Struct():
            return members(value)
        case tuple() | list():
            return [shown(one) for one in value]
        case dict():
            return {key: shown(one) for key, one in value.items()}
        case _:
            return value


HEAD = ("role", "parts", "raw")


def members(value: Struct) -> dict[str, Any]:
    """Return the members of a struct that differ from their defaults."""
    usual = dict(zip(reversed(value.__struct_fields__), reversed(value.__struct_defaults__), strict=False))
    held = {name: getattr(value, name) for name in value.__struct_fields__}
    return {name: shown(one) for name, one in held.items() if one != usual.get(name, UNSET) or name not in usual}


def outcome(case: Path) -> str:
    """What comes of reading a case: the chat, with what its newest compaction replaced, or why it is none."""
    try:
        chat = read_chat(source_of(case))
    except CompactChatError as problem:
        data = {name: value for name, value in problem.data.items() if name != "formats"}  # the same list in each
        return written({"refused": type(problem).__name__, "data": to_builtins(data)}) + "\n"
    assert not faults_of(chat)
    found = shown(chat)
    if segments := earlier(source_of(case), chat):
        found["earlier"] = [
            {
                name: [message.id if message in chat.messages else shown(message) for message in getattr(one, name)]
                for name in ("messages", "after")
            }
            for one in segments
        ]
    return written(found) + "\n"


def written(value: Any, indent: int = 0) -> str:
    """Write JSON on as few lines as fit; what UTF-8 cannot encode is escaped."""
    line = json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()
    if len(line) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    ends = "{}" if isinstance(value, dict) else "[]"
    keys = [f"{written(key)}: " for key in value] if isinstance(value, dict) else [""] * len(value)
    held = value.values() if isinstance(value, dict) else value
    rows = (f"{' ' * (indent + 1)}{key}{written(one, indent + 1)}" for key, one in zip(keys, held, strict=True))
    return f"{ends[0]}\n" + ",\n".join(rows) + f"\n{' ' * indent}{ends[1]}"


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: str(case.relative_to(CORPUS)))
def test_a_chat_reads_as_its_snapshot_says(case: Path, accept: bool) -> None:
    """Messages, parts, sizes, marks, title, folder, warnings and what was compacted equal the snapshot."""
    expected, found = snapshot_of(case), outcome(case)
    if accept:
        expected.write_text(found, "utf-8")
    assert found == expected.read_text("utf-8")


def test_no_snapshot_is_left_over() -> None:
    """Each snapshot has its case, and each case a name of its own."""
    wanted = [snapshot_of(case) for case in cases()]
    assert sorted(wanted) == sorted(CORPUS.rglob(f"*{SNAPSHOT}"))
