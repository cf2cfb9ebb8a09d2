"""Tasks of Cline whose files are found, damaged, or another tool's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.errors import ChatUnreadable
from compact_chat.read import read_chat
from tests.samples.cline_tasks import TASK, Item, call, read, said, source

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": "<task>write</task>"}, {"role": "assistant", "content": "ok"}],
        [{"role": "user", "content": "hi", "metrics": 5}],
        [{"role": "user", "content": "the tag <environment_details> is odd"}],
    ],
)
def test_other_arrays_are_not_taken(history: list[Item]) -> None:
    """Messages without a sign of Cline are those of an API, whatever the hint."""
    assert read_chat(source(history), "cline").format == "anthropic"


@given(
    st.lists(ANY_JSON | st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": ANY_JSON})),
    ANY_JSON,
)
def test_any_records_are_read_or_refused(history: list[Any], odd: Any) -> None:
    """Wrong types anywhere in any of the files never raise anything but ChatUnreadable."""
    keys = ("conversationHistoryIndex", "conversationHistoryDeletedRange", "text", "modelInfo")
    ui = [call(0, 5), *({**call(1, 5), key: odd} for key in keys), odd]
    for beside in ((ui, odd), ([odd], [[0, odd], [0, [0, odd]], odd])):
        try:
            read([TASK, *history, {**said("x"), "metrics": odd, "modelInfo": odd, "ts": odd}], *beside, metadata=odd)
        except ChatUnreadable:
            continue
