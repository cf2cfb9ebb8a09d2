"""Prompts of Copilot Chat that were exported for a replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compact_chat.read import Source
from compact_chat.read import simple as chatreplay


@pytest.mark.parametrize(
    "document", [{"prompts": []}, {"prompts": [{"logs": 1}]}, {"prompts": {}}, {}, [], None, "logs"]
)
def test_other_documents_are_not_ours(document: object) -> None:
    """A list of prompts needs logs."""
    assert not chatreplay.sniff_chatreplay(Source.of_bytes(json.dumps(document).encode()))


def test_the_real_export_is_read(shared_chats: Path) -> None:
    """The ground truth counts what the last request sent; its answer is live too. The sizes are those of all calls."""
    source = Source.of_bytes((shared_chats / "chatreplay" / "spec.chatreplay.json").read_bytes())
    manifest = json.loads((shared_chats / "manifest.json").read_text())
    (truth,) = (entry["truth"] for entry in manifest["files"] if entry["tool"] == "chatreplay")
    chat = chatreplay.read_chatreplay(source)
    assert len(chat.messages) == truth["live_messages"] + 1
    assert sum(len(message.calls) for message in chat.messages) == truth["live_tool_calls"]
    assert sum(len(message.results) for message in chat.messages) == truth["live_tool_results"]
    sizes = [message.usage for message in chat.messages if message.usage]
    assert [usage.prompt_tokens for usage in sizes] == truth["usage_of_every_request"]
    assert (sizes[-1].output_tokens, chat.model) == (truth["last_context_tokens"]["output"], truth["model"])
    assert chat.messages[-1].text == 'Done. The file now says "goodbye".'
