"""Tasks of Cline: the history, and what the files beside it tell of it."""

from __future__ import annotations

import json

from compact_chat.read import read_chat
from tests.fakes.cline_tasks import HISTORY, call, read, source


def test_an_edit_leaves_the_stored_message_alone() -> None:
    """G5: the decoded file is not changed by reading it."""
    given = source(HISTORY, None, [[1, [0, [[0, [[1, "text", ["new"], []]]]]]]])
    before = json.dumps(given.document)
    read_chat(given)
    assert json.dumps(given.document) == before


def test_ids_are_the_tools_own_times() -> None:
    """Ids stay while the file grows: times where they are there and unique, else places in the whole history."""
    stamped = [{**item, "ts": 1000 + place // 2} for place, item in enumerate(HISTORY)]
    assert [message.id for message in read(stamped).messages][:4] == ["1000", "m1", "1001", "m3"]
    cut = read(HISTORY, [call(7, 5, conversationHistoryDeletedRange=[2, 7])])
    assert [message.id for message in cut.messages] == ["m0", "m1", "m8", "m9"]
