"""Transcripts of Copilot Chat."""

from __future__ import annotations

from pathlib import Path

from compact_chat.read import Source
from compact_chat.read import copilot as copilot_transcript


def test_a_real_transcript_tells_what_the_model_got(shared_chats: Path) -> None:
    """Of a recorded chat the roles, the calls and the words of the replies are there, and nothing of the sub-agent."""
    data = (shared_chats / "vscode" / "workbench-agent-long.transcript.jsonl").read_bytes()
    source = Source.of_bytes(data)
    assert copilot_transcript.sniff_transcript(source)
    chat = copilot_transcript.read_transcript(source)
    said = [record["data"]["content"] for record in source.records if record["type"] == "user.message"]
    typed = [message.text for message in chat.messages if message.role == "user" and not message.results]
    assert typed == [words for words in said if words != "say what you see SAY:30"]
    calls = [call.id for message in chat.messages for call in message.calls]
    assert sorted(calls) == sorted(result.call_id for message in chat.messages for result in message.results)
    assert len(calls) == 9
