"""What Cline and its kin write into the user's messages."""

from __future__ import annotations

import pytest

from compact_chat.chat import Message, Text, ToolResult
from compact_chat.read.cline import environment_of, typed_texts

DETAILS = "<environment_details>\n# Current Time\nnoon\n</environment_details>"


@pytest.mark.parametrize(
    ("texts", "typed"),
    [
        (["<task>\nMend it.\n</task>", DETAILS], ["Mend it."]),
        (["plain words", DETAILS], ["plain words"]),
        (["<user_message>\nagain\n</user_message>"], ["again"]),
        (["[read_file for 'a.py'] Result:\n<html>", DETAILS], []),
        (["[read_file for 'a.py'] Result:", "code that stands alone", "words"], ["words"]),
        (["[ask_followup_question for 'Which?'] Result:\n<answer>\nthe red one\n</answer>"], ["the red one"]),
        (["[execute_command] Result:\nDenied, with feedback:\n<feedback>\nuse yarn\n</feedback>"], ["use yarn"]),
        (["[read_file for 'a'] Result:\nsome <feedback>\nno\n</feedback>"], []),
        (["<task>\nnever closed"], ["never closed"]),
        (["[ERROR] You did not use a tool"], []),
        (
            [
                "[TASK RESUMPTION] This task was interrupted",
                "New instructions:\n<user_message>\ngo on\n</user_message>",
            ],
            ["go on"],
        ),
        (["[a note] of mine"], ["[a note] of mine"]),
        ([""], []),
    ],
)
def test_what_a_person_typed(texts: list[str], typed: list[str]) -> None:
    """Words of a person are told from results, notes and the tags around them."""
    assert typed_texts(texts) == typed


def test_the_newest_notes_tell_of_the_environment() -> None:
    """Window, folder and model come from the newest notes that name them, in results too."""
    first = "<environment_details>\n# Current Workspace Directory (/a b/c) Files\n# Context Window Usage\n0 / 9K tokens"
    newest = "x <environment_details>\n# Context Window Usage\n1,000 / 1.05M tokens used (0%)\n<model>m-1</model>"
    messages = [
        Message("1", "user", (Text(first),)),
        Message("2", "user", (ToolResult("c", (Text(newest),)),)),
        Message("3", "assistant", (Text("<environment_details><model>no</model>"),)),
    ]
    told = environment_of(messages)
    assert (told.window, told.workspace, told.model) == (1_050_000, "/a b/c", "m-1")
    assert environment_of([]) == environment_of(
        [Message("1", "user", (Text("# Context Window Usage\n1 / 2K tokens used"),))]
    )


@pytest.mark.parametrize("number", ["...", ",", "0", "1.2.3"])
def test_a_window_that_is_no_number(number: str) -> None:
    """What cannot be a number of tokens is no window."""
    text = f"<environment_details># Context Window Usage\n0 / {number}K tokens used"
    assert environment_of([Message("1", "user", (Text(text),))]).window is None
