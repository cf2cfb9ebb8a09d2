"""The request in the detailed style: the chat in its frame, and then the prompt."""

from __future__ import annotations

from compact_chat.plan import Direction
from tests.samples.chats import u
from tests.samples.prompts import CHAT, asked, detailed_prompt, each_direction, each_form

FRAME = "<conversation>\n[User]: fix it\n\n[Assistant]: done\n</conversation>"


@each_form
def test_the_request_is_the_frame_and_then_the_prompt(
    direction: Direction, instructions: str, immediate_task: bool
) -> None:
    """L2: transcript in its frame, a blank line, the prompt, no system text, and nothing else."""
    request = asked("detailed", CHAT, direction, focus=instructions, immediate_task=immediate_task)
    assert request.system == ""
    assert request.material == FRAME
    assert request.message == f"{FRAME}\n\n{detailed_prompt(direction, instructions, immediate_task)}"


@each_direction
def test_the_reminder_stays_last(direction: Direction) -> None:
    """P3, L10: whatever is wished for, the last paragraph starts `REMINDER:`, the end tag in it."""
    message = asked(
        "detailed", CHAT, direction, "old", focus="a\n\nb", rules=("c",), immediate_task=True, end_tag=True
    ).message
    last = message.rpartition("\n\n")[2]
    assert last.startswith("REMINDER:")
    assert "`</summary>`" in last


@each_direction
def test_a_later_chunk_is_merged_into_the_summary(direction: Direction) -> None:
    """T8: both frames, the summary's first, and behind the task how to merge; the nine sections stay."""
    message = asked("detailed", CHAT, direction, "old").message
    assert message.startswith(f"<previous-summary>\nold\n</previous-summary>\n\n{FRAME}\n\nThis task is TEXT ONLY.")
    merge = message.index("The chat is too long for one request, so it comes in pieces.")
    assert message.index("Write a detailed summary of the") < merge < message.index("Before the summary, think")
    assert "\n\n1. Primary Request and Intent:" in message


def test_an_earlier_summary_stays_in_its_place() -> None:
    """P23: outside the checkpoint style, a summary that the chat begins with is an entry of the transcript."""
    chat = asked("detailed", [u("<context-summary>\nold\n</context-summary>", "go on")]).material
    assert chat == "<conversation>\n[Previous Summary]: old\n\n[User]: go on\n</conversation>"
