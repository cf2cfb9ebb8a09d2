"""Telling lines out of what the assistant said."""

from __future__ import annotations

from compact_chat.facts import requests
from compact_chat.offline.writer import statement_lines, statements_in
from tests.samples.chats import a, talk, u

CHAT = talk(
    u("why is it slow?"),
    a("Let me look at the code of the server first:\n\nNow let me read `src/db.py` and `src/api.py` of it."),
    a(
        "The cause is `load_all` in `src/db.py`: it runs 1,204 queries.\n\n"
        "I hope that this helps you, have a nice day.\n| a | table | of numbers | 1 | 2 | 3 |"
    ),
    u("and now?"),
    a("It takes 38 ms with `load_some`, down from 2,100 ms.\nShall I remove `load_all` then, all of it?"),
)


def texts(room: int, known: str = "") -> list[str]:
    """The lines that fit."""
    return [line.text for line in statement_lines(statements_in(CHAT, requests(CHAT)), known, room, len)]


def test_lines_with_names_and_numbers_come_first() -> None:
    """What can be looked up later tells most; questions, tables and what is known already tell nothing."""
    cause = "- The cause is `load_all` in `src/db.py`: it runs 1,204 queries."

    assert texts(130) == ["- It takes 38 ms with `load_some`, down from 2,100 ms.", cause]
    assert not any("table" in text or "Shall I" in text or "et me" in text for text in texts(1000))
    assert cause not in texts(1000, known=cause)


def test_lines_stand_under_the_request_they_were_said_to() -> None:
    """A reader sees which question a line answers."""
    headings = {
        line.text[:12]: line.heading for line in statement_lines(statements_in(CHAT, requests(CHAT)), "", 1000, len)
    }

    assert headings["- The cause "] == 'On "why is it slow?":'
    assert headings["- It takes 3"] == 'On "and now?":'


def test_code_that_was_cut_off_tells_nothing() -> None:
    """Lines behind a fence that is never closed are code of a reply that was cut off, and no statements."""
    cut = talk(u("show it"), a('The limit in `limits.json` is 40 now.\n```json\n"editor.autoSaveDelay_ms": 3000,\n'))

    assert [line.text for line in statement_lines(statements_in(cut, requests(cut)), "", 1000, len)] == [
        "- The limit in `limits.json` is 40 now."
    ]
