"""What a Codex session tells beside its history: its system prompt, and what was thought."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compact_chat.chat import Chat, JsonObject, Usage
from compact_chat.read import Source
from compact_chat.read.codex import read


def session(*records: JsonObject) -> Chat:
    """A session of these records, after a word of the user's."""
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]}
    lines = [*records, {"type": "response_item", "payload": said}]
    return read(Source.of_bytes("\n".join(json.dumps({"timestamp": "t", **line}) for line in lines).encode()))


def meta(**payload: Any) -> JsonObject:
    """A session's header."""
    return {"type": "session_meta", "payload": {"id": "s", **payload}}


def test_the_base_instructions_are_the_system_prompt() -> None:
    """The first header that has them tells what the model was told before all else."""
    headers = (meta(), meta(base_instructions={"text": "You are."}), meta(base_instructions={"text": "Other."}))

    assert session(*headers).system == "You are."


@pytest.mark.parametrize("told", [None, "You are.", {}, {"text": ""}, {"text": 5}, []])
def test_without_base_instructions_there_is_no_system_prompt(told: Any) -> None:
    """Older sessions and odd values tell nothing."""
    assert session(meta(base_instructions=told)).system == ""


@pytest.mark.parametrize(("told", "thought"), [(300, 300), (None, 0), ("many", 0), (-1, 0)])
def test_reported_thoughts(told: Any, thought: int) -> None:
    """The reasoning that a call reports is part of its output."""
    last = {"input_tokens": 900, "output_tokens": 400, "reasoning_output_tokens": told}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}
    count = {"type": "token_count", "info": {"last_token_usage": last, "total_token_usage": last}}
    chat = session({"type": "response_item", "payload": answer}, {"type": "event_msg", "payload": count})

    assert chat.messages[0].usage == Usage(900, 400, "", reasoning_tokens=thought)
