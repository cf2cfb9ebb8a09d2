"""The operations over each real chat of each tool: what comes back is of use and only ours is raised."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from compact_chat.errors import CompactChatError
from tests.unit.operations.conftest import Ask

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
ENTRIES = json.loads(MANIFEST.read_text())["files"] if MANIFEST.is_file() else []
LARGE = 600_000  # bytes; larger ones only take longer
FILES = [entry["file"] for entry in ENTRIES if entry["bytes"] < LARGE]
BLOCKS = {"text", "image", "document", "tool_use", "tool_result"}
WRAPPED = re.compile(r"<(?:system-reminder|current_datetime|user_query|userRequest|task|environment_context)>")
USED = {
    "chatreplay/spec.chatreplay.json": "c:\\src\\test\\ws2\\hello.txt",
    "cline/made-1767348000000/api_conversation_history.json": "src/part5.py",
    "codex/agentv-a392ff.jsonl": "/home/user01/projects/EntityProcess/agentv/.github/plugin/marketplace.json",
    "copilot-cli/agentv-269e1b.jsonl": "/home/user01/projects/EntityProcess/agentv/.github/hooks/entire.json",
    "gemini/entire-ab2b97.json": "docs/blue.md",
    "vscode/derived-epics-session.json": "/workspaces/p47-services/docs/helm-values-propagation.md",
    "vscode/made-recorded-tokens.json": "/home/user/project/geometry.py",
}


def asked(ask: Ask, name: str, file: Path, **more: Any) -> dict[str, Any]:
    """The answer of an operation; nothing where it is refused."""
    try:
        answer: dict[str, Any] = ask(name, chat={"uri": file.as_uri()}, **more)
    except CompactChatError:
        answer = {}
    return answer


@pytest.mark.parametrize("file", FILES or ["(absent)"])
def test_every_operation_takes_every_chat(ask: Ask, shared_chats: Path, file: str) -> None:
    """Count, preview, prompt and an offline summary, whose messages hold only blocks that the API takes."""
    path = shared_chats / file
    counted = asked(ask, "countTokens", path)
    for name in ("preview", "prompt"):
        asked(ask, name, path)
    done = asked(ask, "summarize", path, provider="offline", include=["messages"])
    assert not WRAPPED.match(counted.get("title") or "")
    blocks = (block for message in done.get("messages", []) for block in message["content"] if isinstance(block, dict))
    assert {block["type"] for block in blocks} <= BLOCKS


@pytest.mark.parametrize("file", USED)
def test_files_that_a_chat_used_are_listed(ask: Ask, shared_chats: Path, file: str) -> None:
    """T21: the tools of each host are known, and what they did to files is told."""
    files = asked(ask, "preview", shared_chats / file)["files"]
    assert USED[file] in (*files["read"], *files["modified"])
