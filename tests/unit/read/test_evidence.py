"""Which API an array was written for."""

from __future__ import annotations

import pytest

from compact_chat.read.apis import api_told

PLAIN = {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("items", "format_name"),
    [
        ([], None),
        ([PLAIN], None),
        ([{"role": "user", "content": [{"type": "text", "text": "hi"}]}], None),
        (["noise", None, 3], None),
        ([PLAIN, {"role": "assistant", "content": None, "tool_calls": []}], "openai-chat"),
        ([PLAIN, {"role": "tool", "content": "x"}], "openai-chat"),
        ([{"role": "developer", "content": "x"}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], "openai-chat"),
        ([{"type": "message", "role": "user", "content": "hi"}], "openai-responses"),
        ([PLAIN, {"type": "function_call", "call_id": "c"}], "openai-responses"),
        ([PLAIN, {"type": "reasoning", "summary": []}], "openai-responses"),
        ([{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}], "openai-responses"),
        ([PLAIN, {"role": "assistant", "content": [{"type": "tool_use"}]}], "anthropic"),
        ([PLAIN, {"role": "user", "content": [{"type": "tool_result"}]}], "anthropic"),
        ([{"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}], "anthropic"),
    ],
)
def test_one_sign_is_enough(items: list[object], format_name: str | None) -> None:
    """Calls, roles, item and block types give a format away; strings and texts do not."""
    assert api_told(items) == format_name


def test_a_developer_among_items_is_no_chat() -> None:
    """A developer message alone yields to items that only the Responses API has."""
    assert api_told([{"role": "developer", "content": "x"}, {"type": "function_call"}]) == "openai-responses"


def test_a_stored_anthropic_reply_is_no_responses_item() -> None:
    """The Anthropic API types its replies `message` as well; their blocks tell."""
    assert api_told([{"type": "message", "role": "assistant", "content": [{"type": "tool_use"}]}]) == "anthropic"
