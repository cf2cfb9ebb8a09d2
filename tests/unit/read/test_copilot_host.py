"""What the Copilot CLI puts around the words of a person."""

from __future__ import annotations

import pytest

from compact_chat.read.copilot import typed_texts

TIME = "<current_datetime>2026-06-25T03:50:44+02:00</current_datetime>\n\n"
NOTE = "\n\n<system_reminder>\n<sql_tables>todos</sql_tables>\n</system_reminder>"


def test_wrappers_are_no_words_of_a_person() -> None:
    """Texts that are wrappers are left out, and those in front of the words are taken off."""
    assert typed_texts([TIME, "fix it", NOTE]) == ["fix it"]
    assert typed_texts([TIME + NOTE + "fix it"]) == ["fix it"]


@pytest.mark.parametrize("text", ["What is <current_datetime>?", "<system_reminder> is what?", "<b>x</b>", " plain "])
def test_a_person_may_write_of_wrappers(text: str) -> None:
    """G7: a mention of a wrapper, or one that never ends, is the person's own."""
    assert typed_texts([text]) == [text]
