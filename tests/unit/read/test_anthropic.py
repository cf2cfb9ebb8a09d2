"""Messages as the Anthropic API takes them."""

from __future__ import annotations

from compact_chat.read import Source
from compact_chat.read import apis as anthropic


def test_signs_of_another_api_are_heeded() -> None:
    """An array that tells of another format is not ours."""
    assert not anthropic.sniff_anthropic(Source.of_document({"messages": [{"role": "tool", "content": "x"}]}))
    assert not anthropic.sniff_anthropic(Source.of_text("hi"))
