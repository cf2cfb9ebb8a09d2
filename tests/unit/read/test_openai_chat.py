"""Messages as the OpenAI chat API takes them."""

from __future__ import annotations

from compact_chat.read import Source, read_chat
from compact_chat.read import apis as openai_chat


def test_a_hint_decides_only_plain_arrays() -> None:
    """Plain strings fit several APIs; blocks that only one of them has do not."""
    plain = Source.of_document({"messages": [{"role": "user", "content": "hi"}]})
    assert openai_chat.sniff_openai_chat(plain)
    assert read_chat(plain, "openai-chat").format == "openai-chat"
    blocks = Source.of_document({"messages": [{"role": "assistant", "content": [{"type": "tool_use"}]}]})
    assert read_chat(blocks, "openai-chat").format == "anthropic"
