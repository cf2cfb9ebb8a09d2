"""What must be known of the lines of a Claude Code session, from its bytes and from its records alike."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from compact_chat.read import Source
from compact_chat.read.claude_code import Outline, Session, session_of
from compact_chat.read.loose import loose

Record = dict[str, Any]
ANY = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
BLOCKS = st.lists(
    st.fixed_dictionaries({"type": st.sampled_from(["tool_use", "tool_result", "text"])})
    | st.dictionaries(st.sampled_from(["type", "id", "tool_use_id"]), ANY)
    | ANY,
    max_size=3,
)
RECORDS: st.SearchStrategy[Record] = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["user", "assistant", "system", "custom-title", "ai-title"]) | ANY,
        "uuid": st.sampled_from(["a", "b", "c"]) | ANY,
        "parentUuid": st.sampled_from(["a", "b", "c"]) | ANY,
        "isSidechain": ANY,
        "isMeta": ANY,
        "subtype": st.just("compact_boundary") | ANY,
        "compactMetadata": st.just({"preservedSegment": {}}) | ANY,
        "microcompactMetadata": st.just({"compactedToolIds": ["c1", 5]}) | ANY,
        "cwd": ANY,
        "customTitle": ANY,
        "aiTitle": ANY,
        "message": st.fixed_dictionaries({"id": ANY, "content": BLOCKS | ANY}) | ANY,
        "toolUseResult": ANY,
    },
)


@given(st.lists(RECORDS, min_size=2, max_size=6))
def test_bytes_and_records_tell_the_same(records: list[Record]) -> None:
    """A line is decoded as a record like an object that was parsed before, and no type anywhere is a failure."""
    session = session_of(Source.of_bytes("\n".join(map(json.dumps, records)).encode()))
    plain = Session()
    lines = [line for record in records if (line := plain.note(loose(Outline, record)))]

    assert [line for _, line in session.lines] == lines
    assert (session.title, session.workspace, session.cleared) == (plain.title, plain.workspace, plain.cleared)


def test_the_lines_are_at_their_spots() -> None:
    """Each line knows where its record is, those glued together too."""
    source = Source.of_bytes(b'{"uuid":"a"}\n{"uuid":"b"}{"uuid":"c","parentUuid":"b"}\n{"type":"summary"}')
    session = session_of(source)
    records = source.values_at(spot for spot, _ in session.lines)
    assert [record and record["uuid"] for record in records] == [*"abc"]
    assert [line.parent for _, line in session.lines] == [None, None, "b"]


def test_a_line_without_a_name_is_no_message() -> None:
    """An empty uuid names nothing: messages are known by their ids."""
    records = [{"type": "user", "uuid": name, "message": {"role": "user", "content": "hi"}} for name in ("", "a")]

    session = session_of(Source.of_bytes("\n".join(map(json.dumps, records)).encode()))

    assert [line.uuid for _, line in session.lines] == ["a"]
