"""Which records of a Claude Code session are live."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.whole_reading import live_records

Record = dict[str, Any]


def said(uuid: str, parent: str | None, kind: str = "user", **more: Any) -> Record:
    """A line of the conversation."""
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "message": {"content": "x"}, **more}


def reply(uuid: str, parent: str, message_id: str, call: str) -> Record:
    """A line of a reply: one call of it."""
    content = [{"type": "tool_use", "id": call, "name": "f", "input": {}}]
    return said(uuid, parent, "assistant", message={"id": message_id, "content": content, "usage": {"input_tokens": 9}})


def result(uuid: str, parent: str, call: str) -> Record:
    """The line with the result of a call."""
    return said(uuid, parent, message={"content": [{"type": "tool_result", "tool_use_id": call, "content": "ok"}]})


def boundary(uuid: str, **about: Any) -> Record:
    """A compact boundary."""
    record = {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None}
    return {**record, "compactMetadata": about}


def live(*records: Record) -> str:
    """The uuids of the live records."""
    return " ".join(record.uuid for record in live_records(records))


def test_a_chain_is_live_from_root_to_leaf() -> None:
    """Every record that a parent leads to is live, progress records too."""
    progress = {"type": "progress", "uuid": "p", "parentUuid": "a"}
    assert live(said("a", None), progress, said("b", "p", "assistant")) == "a p b"


def test_rewound_branches_are_dead() -> None:
    """The newest line decides; what was taken back is not on its way to the root."""
    assert live(said("a", None), said("b", "a"), said("c", "b"), said("d", "a")) == "a d"


def test_nothing_before_the_last_boundary_is_live() -> None:
    """The walk ends at a compact boundary, which is no message itself."""
    records = (said("a", None), boundary("x"), said("b", "x"), boundary("y"), said("c", "y"), said("d", "c"))
    assert live(*records) == "c d"


def test_parallel_calls_are_recovered() -> None:
    """All lines of one reply belong together, and each result hangs off the line of its own call."""
    records = (
        said("a", None),
        reply("b", "a", "m", "1"),
        reply("c", "b", "m", "2"),
        result("d", "b", "1"),
        result("e", "c", "2"),
    )
    assert live(*records, said("f", "e", "assistant")) == "a b c d e f"


def test_a_result_behind_a_progress_record_is_recovered() -> None:
    """A result is found by the id of its call, whatever lies between."""
    progress = {"type": "progress", "uuid": "p", "parentUuid": "b"}
    records = (
        reply("b", "z", "m", "1"),
        reply("c", "b", "m", "2"),
        progress,
        result("d", "p", "1"),
        result("e", "c", "2"),
    )
    assert live(*records) == "b c d e"


def test_a_call_is_answered_once() -> None:
    """Of two results of one call, the one on the chain stays alone."""
    assert live(reply("a", "z", "m", "1"), result("b", "a", "1"), result("c", "a", "1")) == "a c"


def test_a_dangling_parent_leads_to_the_record_before() -> None:
    """A parent that is not in the file is replaced by the previous record outside side chains."""
    side = said("s", None, isSidechain=True)
    assert live(said("a", None), said("b", "a"), side, said("c", "gone")) == "a b c"
    assert live(said("a", "gone"), said("b", "a")) == "a b"


def test_a_circle_of_parents_ends() -> None:
    """Each record is live once, in the order of the file."""
    assert live(said("a", "c"), said("b", "a"), said("c", "b")) == "a b c"
    assert live(said("a", "a")) == "a"


def test_side_chains_are_not_the_parents_chat() -> None:
    """What a sub-agent said inside its parent's file is left out."""
    side = (said("s", None, isSidechain=True), said("t", "s", "assistant", isSidechain=True))
    assert live(said("a", None), *side, said("b", "a", "assistant")) == "a b"
    assert live(said("a", None), said("b", "a", "assistant"), *side) == "a b"


def test_a_sub_agents_own_file_is_a_chat() -> None:
    """Where all lines are side chain, they are the conversation."""
    note = {"type": "system", "uuid": "n", "parentUuid": None, "isSidechain": False}
    assert live(said("s", None, isSidechain=True), said("t", "s", "assistant", isSidechain=True), note) == "s t"


def test_a_preserved_segment_follows_its_anchor() -> None:
    """Old records that a compaction kept are live, behind the record they were hung on."""
    old = (said("a", None), said("b", "a"), said("c", "b"), said("d", "c"))
    cut = boundary("x", preservedSegment={"headUuid": "c", "anchorUuid": "s", "tailUuid": "d"})
    assert live(*old, cut, said("s", "x"), said("n", "s")) == "s c d n"


def test_preserved_messages_may_be_listed() -> None:
    """A newer form names each record; an anchor that is the boundary puts them first."""
    old = (said("a", None), said("b", "a"), said("c", "b"))
    about = {"anchorUuid": "x", "uuids": ["c"], "allUuids": ["c", "b", "gone", 7, "n"]}
    assert live(*old, boundary("x", preservedMessages=about), said("s", "x"), said("n", "s")) == "b c s n"


def test_a_segment_that_is_not_whole_is_left_out() -> None:
    """A head that the tail does not lead to, or that is gone, keeps nothing."""
    old = (said("a", None), said("b", None), said("c", "b"))
    for head in ("a", "gone", 5):
        cut = boundary("x", preservedSegment={"headUuid": head, "anchorUuid": "s", "tailUuid": "c"})
        assert live(*old, cut, said("s", "x")) == "s"


def test_preserved_records_carry_no_usage() -> None:
    """A call made before the compaction does not measure the prompt after it."""
    old = reply("a", "z", "m", "1")
    cut = boundary("x", preservedSegment={"headUuid": "a", "anchorUuid": "s", "tailUuid": "a"})
    kept = live_records([old, cut, said("s", "x")])[1]
    assert kept.message is not None
    assert (kept.uuid, kept.message.usage) == ("a", None)


def test_a_record_written_twice_is_one() -> None:
    """A copy of a record adds nothing."""
    chain = (said("a", None), reply("b", "a", "m", "1"), result("c", "b", "1"))
    assert live(*chain, *chain) == "a b c"
    assert live(*chain, chain[0], said("d", "c", "assistant")) == "a b c d"


def test_nothing_said_is_nothing_live() -> None:
    """No lines, lines without a uuid, or only a boundary give an empty chat."""
    assert live() == live(boundary("x")) == live({"type": "user"}, {"type": "user", "uuid": 5}) == ""


UUIDS = st.sampled_from(["a", "b", "c", "d", None, "gone", 3])
KINDS = st.sampled_from(["user", "assistant", "system", "progress", None])
RECORDS = st.fixed_dictionaries(
    {"uuid": UUIDS, "parentUuid": UUIDS, "type": KINDS},
    optional={
        "isSidechain": st.booleans(),
        "subtype": st.just("compact_boundary"),
        "compactMetadata": st.fixed_dictionaries(
            {},
            optional={
                "preservedSegment": st.dictionaries(st.sampled_from(["headUuid", "anchorUuid", "tailUuid"]), UUIDS)
            },
        ),
        "message": st.none() | st.builds(lambda name: {"id": name, "content": "x"}, UUIDS),
    },
)


@given(st.lists(RECORDS, max_size=10))
def test_any_tangle_ends(records: list[Record]) -> None:
    """G5: whatever the parents are, the walk ends, and each record is live at most once."""
    found = [record.uuid for record in live_records(records)]
    assert len(set(found)) == len(found)
    assert live_records(records) == live_records(records)
