"""Real Copilot CLI sessions give their ground truth, and any JSON in their shape is read."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Chat
from compact_chat.read import Source, copilot

copilot_transcript = SimpleNamespace(sniff=copilot.sniff_transcript, read=copilot.read_transcript)
copilot_cli = SimpleNamespace(sniff=copilot.sniff, read=copilot.read)

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
FILES: dict[str, dict[str, Any]] = (
    {entry["file"]: entry for entry in json.loads(MANIFEST.read_text())["files"]} if MANIFEST.is_file() else {}
)
OURS = [name for name in FILES if name.startswith("copilot-cli/")] or ["(absent)"]

# Where our reading is another one than the collection's, with the reason.
OTHERWISE: dict[str, dict[str, object]] = {
    # One reply, with a call and its result, is that of a sub-agent, whose context is its own.
    "copilot-cli/jazzyalex-small.jsonl": {"live_messages": 7, "live_tool_calls": 3, "live_tool_results": 3},
}


def read(folder: Path, name: str) -> Chat:
    """Read a file of the collection."""
    source = Source.of_bytes((folder / name).read_bytes(), name)
    assert copilot_cli.sniff(source)
    chat: Chat = copilot_cli.read(source)
    return chat


def counted(chat: Chat) -> dict[str, object]:
    """What the collection counts; messages of results are counted apart there."""
    usages = [message.usage for message in chat.messages if message.usage]
    return {
        "live_messages": sum(not message.results for message in chat.messages),
        "system_messages": sum(message.role == "system" for message in chat.messages),
        "live_tool_calls": sum(len(message.calls) for message in chat.messages),
        "live_tool_results": sum(len(message.results) for message in chat.messages),
        "prompt": usages[-1].prompt_tokens if usages else None,
        "model": chat.model,
    }


@pytest.mark.parametrize("name", OURS)
def test_the_ground_truth_is_met(shared_chats: Path, name: str) -> None:
    """Messages, calls, results, the last count and the model are those that were counted by other means."""
    truth = FILES[name]["truth"]
    prompt = (truth["last_context_tokens"] or {}).get("prompt")
    wanted = {**truth, "prompt": prompt, **OTHERWISE.get(name, {})}
    got = counted(read(shared_chats, name))
    assert got == {key: wanted[key] for key in got}


def test_no_other_file_is_ours(shared_chats: Path) -> None:
    """Of all files of other tools, the one transcript of an editor is a log of Copilot."""
    found = []
    for name in FILES:
        source = Source.of_bytes((shared_chats / name).read_bytes(), name)
        if not name.startswith("copilot-cli/") and (copilot_cli.sniff(source) or copilot_transcript.sniff(source)):
            found.append(name)
    assert found == [name for name in FILES if name.endswith(".transcript.jsonl")]


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "x", "c", "image/png", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["toolCallId", "content", "data"]), inner)
    ),
    max_leaves=6,
)
KEYS = (
    "content transformedContent source attachments toolRequests toolCallId result error success agentId"
    " parentToolCallId summaryContent initialMessage role toolName arguments currentTokens systemTokens"
    " conversationTokens tokenLimit toolDefinitionsTokens messagesRemovedDuringTruncation inputTokens outputTokens"
    " model newModel context title reasoningText assetId mimeType vscodeVersion selectedModel"
)
KINDS = (
    "session.start session.shutdown session.compaction_start session.compaction_complete session.context_cleared"
    " session.truncation session.binary_asset system.message user.message assistant.turn_start assistant.message"
    " assistant.usage tool.execution_start tool.execution_complete"
)
VALUES = ANY | st.sampled_from(["c", True, 7, 10**400, {"content": "x"}, [{"toolCallId": "c", "name": "runSubagent"}]])
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(KINDS.split()) | ANY,
            "data": st.dictionaries(st.sampled_from(KEYS.split()), VALUES, max_size=8) | ANY,
            "id": st.sampled_from(["a", "b", ""]) | ANY,
        },
        optional={"agentId": ANY},
    )
    | ANY,
    max_size=12,
)


@given(RECORDS)
@pytest.mark.parametrize("reader", [copilot_cli, copilot_transcript])
def test_any_json_in_our_shape_is_read(reader: Any, records: list[Any]) -> None:
    """G4: wrong types anywhere cost what is wrong, and never fail; ids are there once, and sizes can be."""
    source = Source.of_text("\n".join(json.dumps(record) for record in records))
    reader.sniff(source)
    chat = reader.read(source)
    ids = [message.id for message in chat.messages]
    assert len(ids) == len(set(ids))
    assert all(0 < message.usage.prompt_tokens < 10**10 for message in chat.messages if message.usage)
