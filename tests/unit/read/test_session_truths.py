"""Every session of these tools in the collection of real and made chats gives its ground truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat, Message, ToolResult
from compact_chat.read import Source, read_chat
from tests.samples.corpus import beside

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
FILES: dict[str, dict[str, Any]] = (
    {entry["file"]: entry for entry in json.loads(MANIFEST.read_text())["files"]} if MANIFEST.is_file() else {}
)
TOOLS = ("vscode", "cline", "continue", "gemini")
FOLDERS = (*(f"{tool}/" for tool in TOOLS), "chatreplay/", "swe-agent/", "generic/made-sharegpt")
OURS = [name for name in FILES if name.startswith((*FOLDERS, *(f"broken/broken-{tool}" for tool in TOOLS)))]
# The settings of the run name a model, which the collection leaves open since no call is recorded.
OTHERWISE = {"swe-agent/marshmallow-1867-function_calling_replace.traj": {"model": "gpt-4o"}}
# Files of another reader, files that are refused, and truths that count what is stored and not what is live.
NOT_COUNTED = (".transcript.jsonl", "task_metadata.json", "schema_drift.json", "agent-requests.jsonl")
READ = [
    name
    for name in OURS
    if (truth := FILES[name]["truth"]) and "log_lines" not in truth and not name.endswith(NOT_COUNTED)
]
ABSENT = ["(absent)"]


def read(folder: Path, name: str) -> Chat:
    """Read a file of the collection with those beside it."""
    path = folder / name
    return read_chat(Source.of_bytes(path.read_bytes(), name, beside(path)))


def is_counted(message: Message, chat: Chat) -> bool:
    """The collection counts no results that a reply holds, and of VS Code neither these nor the global context."""
    if chat.tool == "vscode":
        return message.id != "global-context" and not message.results
    return not message.id.endswith(".results")


def counted(chat: Chat) -> dict[str, object]:
    """What the collection counts, of our chat; of VS Code not what only the screen shows."""
    messages = [message for message in chat.messages if ":screen" not in message.id]
    usages = [message.usage for message in messages if message.usage]
    stopped = next((one.line for one in chat.warnings if one.code == "replayStopped"), None)
    return {
        "live_messages": sum(is_counted(message, chat) for message in messages),
        "live_model_rounds": sum(message.role == "assistant" for message in messages),
        "live_tool_calls": sum(len(message.calls) for message in messages),
        "live_tool_results": sum(isinstance(part, ToolResult) for message in messages for part in message.sent),
        "summaries": sum(message.is_summary for message in messages),
        "prompt": usages[-1].prompt_tokens if usages else None,
        "output": usages[-1].output_tokens if usages else None,
        "model": chat.model,
        "max_input_tokens": chat.window,
        "stopped_at_line": stopped,
        "is_estimated": any(one.code == "fromScreen" for one in chat.warnings),
    }


@pytest.mark.parametrize("name", READ or ABSENT)
def test_the_ground_truth_is_met(shared_chats: Path, name: str) -> None:
    """Messages, calls, results, the last call and the model are those that were counted by other means."""
    chat = read(shared_chats, name)
    got = counted(chat)
    truth = FILES[name]["truth"]
    last = truth.get("last_context_tokens") or {}
    wanted = {**truth, "prompt": last.get("prompt"), "output": last.get("output"), **OTHERWISE.get(name, {})}
    if "requests_without_metadata" in truth:
        wanted["is_estimated"] = truth["requests_without_metadata"] > 0
    if chat.format == "chatreplay":  # what the last request sent; its answer is live too
        wanted["live_messages"] += 1
        sizes = [message.usage.prompt_tokens for message in chat.messages if message.usage]
        assert sizes == truth["usage_of_every_request"]
    uncounted = {key for key in got if key.startswith("live") and wanted.get(key) is None}  # the screen's files
    assert got == {**got, **{key: wanted[key] for key in got if key in wanted and key not in uncounted}}


def test_the_screen_alone_tells_the_last_call(shared_chats: Path) -> None:
    """Without the history beside it, the screen still gives the chat's last call and its model."""
    name = "cline/made-1767348000000/ui_messages.json"
    chat = read_chat(Source.of_bytes((shared_chats / name).read_bytes(), name))
    truth = FILES[name]["truth"]
    got = counted(chat)
    assert {"prompt": got["prompt"], "output": got["output"]} == {
        key: truth["last_context_tokens"][key] for key in ("prompt", "output")
    }
    assert chat.model == truth["model"]
    assert len(chat.messages) > 10
