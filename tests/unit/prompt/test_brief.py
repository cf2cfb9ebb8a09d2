"""The brief style: what to retain, the chat under its roles, and a last word."""

from __future__ import annotations

from tests.samples.prompts import CHAT, asked

FRAME = "<conversation>\n[user]\nfix it\n\n[assistant]\ndone\n</conversation>"


def test_the_prompt() -> None:
    """P32: how it starts, and what it asks to retain, in titled sections."""
    request = asked("brief")
    assert request.text.startswith("Summarize the following")
    assert request.material == request.system == ""
    for phrase in (
        "decisions",
        "facts that were established",
        "paths of files and references to code",
        "outcomes of tools",
        "promises and to-dos",
        "`##` title",
    ):
        assert phrase in request.text.partition("<conversation>")[0]


def test_the_chat_follows_in_its_frame() -> None:
    """P32, T16: the transcript stands in its frame, behind the instructions."""
    text = asked("brief").text
    assert text.count(f"\n\n{FRAME}\n\n") == 1
    assert text.rpartition("\n\n")[2].startswith("Now write the brief summary")


def test_custom_instructions_stand_behind_the_chat() -> None:
    """P9: under their heading, ahead of the closing line."""
    assert f"{FRAME}\n\n## Custom Instructions\nkeep SQL\n\nNow write" in asked("brief", focus=" keep SQL\n").text


def test_the_summary_so_far_stands_ahead_of_the_chat() -> None:
    """T8: both frames, the summary's first."""
    assert f"\n\n<previous-summary>\nold\n</previous-summary>\n\n{FRAME}\n\n" in asked("brief", previous="old").text


def test_the_task_section_is_the_last() -> None:
    """P10: `## IMMEDIATE TASK` is asked for as the last section."""
    assert "The last section is titled `## IMMEDIATE TASK`." in asked("brief", CHAT, immediate_task=True).text
