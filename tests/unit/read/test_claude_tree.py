"""Which records of a Claude Code session are live."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.whole_reading import live_records

Record = dict[str, Any]


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
