"""Tasks of Cline: the history, and what the files beside it tell of it."""

from __future__ import annotations

import json

from compact_chat.read import read_chat
from tests.samples.cline_tasks import HISTORY, source


def test_an_edit_leaves_the_stored_message_alone() -> None:
    """G5: the decoded file is not changed by reading it."""
    given = source(HISTORY, None, [[1, [0, [[0, [[1, "text", ["new"], []]]]]]]])
    before = json.dumps(given.document)
    read_chat(given)
    assert json.dumps(given.document) == before
