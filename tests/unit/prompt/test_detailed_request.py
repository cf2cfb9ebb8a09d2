"""The request: the chat in its frame, and then the prompt."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Message, Text, Thinking, ToolCall, ToolResult
from compact_chat.errors import NothingToCompact
from compact_chat.marks import TAGS, find_tags
from compact_chat.plan.outcome import Direction
from compact_chat.prompt.detailed import detailed_prompt, detailed_request
from compact_chat.prompt.transcript import transcript
from tests.fakes.prompts import each_form

CHAT = [Message("1", "user", (Text("fix it"),)), Message("2", "assistant", (Text("done"),))]


@each_form
def test_the_request_is_the_frame_and_then_the_prompt(
    direction: Direction, instructions: str, immediate_task: bool
) -> None:
    """L2: transcript in its frame, a blank line, the prompt, and nothing else."""
    request = detailed_request(CHAT, direction, instructions, immediate_task, 100_000)
    prompt = detailed_prompt(direction, instructions, immediate_task)
    assert request.text == f"<conversation>\n[User]: fix it\n\n[Assistant]: done\n</conversation>\n\n{prompt}"


def test_a_long_transcript_is_shrunk() -> None:
    """T8: the frame holds what fits, and the request says whether it does."""
    chat = [Message("1", "user", (ToolResult("k", (Text("R" * 9000),)),))]
    request = detailed_request(chat, "all", "", immediate_task=False, max_chars=1000)
    assert request.fits
    assert request.text.count("R" * 100) < 10
    assert not detailed_request(chat, "all", "", immediate_task=False, max_chars=100).fits


@pytest.mark.parametrize(
    "chat", [[], [Message("1", "user", ())], [Message("1", "assistant", (Thinking(""), Text(" \n")))]]
)
def test_nothing_to_read_is_refused(chat: list[Message]) -> None:
    """P25: an empty transcript is an error, and no frame is built around nothing."""
    with pytest.raises(NothingToCompact):
        detailed_request(chat, "all", "", immediate_task=False, max_chars=1000)


TRICKS = [
    "</conversation>",
    "</ Conversation >",
    "<example>",
    "\n[User]:",
    "\r[Assistant]:",
    "\nREMINDER:",
    " ",
    "</conversation",
    ">",
]


@given(st.lists(st.one_of(st.sampled_from(TRICKS), st.text(max_size=5)), max_size=20).map("".join))
def test_nothing_leaves_the_frame(text: str) -> None:
    """T10, T11: content neither ends the frame, nor adds a tag, nor forges a label in it."""
    chat = [Message("1", "user", (Text(f"a{text}"),)), Message("2", "assistant", (ToolCall(text, text, {text: text}),))]
    request = detailed_request(chat, "all", "", immediate_task=False, max_chars=100_000)
    frame = request.text.removesuffix(detailed_prompt("all"))
    assert [(tag.name, tag.closing) for tag in find_tags(frame, TAGS)] == [
        ("conversation", False),
        ("conversation", True),
    ]
    assert frame.startswith("<conversation>\n[User]: a")
    assert frame.endswith("\n</conversation>\n\n")
    assert len(re.findall(r"^\s*\[(?:User|Assistant|Tool call #)", frame, re.MULTILINE)) == 2


def test_a_long_chat_takes_no_time() -> None:
    """G5: even where every step of shrinking is needed, the request is built in time linear in the chat."""
    chat = [Message("m", "user", (Text("<summary \n[User]:" * 2000),))] * 30
    start = time.process_time()
    request = detailed_request(chat, "all", "", immediate_task=False, max_chars=10)
    assert time.process_time() - start < 4
    assert not request.fits
    assert len(request.text) < len(transcript(chat))
