"""Every session of these tools in the collection of real and made chats gives its ground truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat, ToolResult
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat
from compact_chat.tools import files_with

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
FILES: dict[str, dict[str, Any]] = (
    {entry["file"]: entry for entry in json.loads(MANIFEST.read_text())["files"]} if MANIFEST.is_file() else {}
)
FOLDERS = ("cline/", "continue/", "gemini/", "swe-agent/", "generic/made-sharegpt")
BROKEN = ("broken/broken-cline", "broken/broken-continue", "broken/broken-gemini")
# What is no session, is cut off, or has no shape that any version writes.
REFUSED = (
    "cline/made-1767348000000/context_history.json",
    "cline/made-1767348000000/task_metadata.json",
    "gemini/jazzyalex-schema_drift.json",
)
# The settings of the run name a model, which the collection leaves open since no call is recorded.
OTHERWISE = {"swe-agent/marshmallow-1867-function_calling_replace.traj": {"model": "gpt-4o"}}
OURS = [name for name in FILES if name.startswith((*FOLDERS, *BROKEN))]
READ = [name for name in OURS if name not in REFUSED]
ABSENT = ["(absent)"]


def read(folder: Path, name: str) -> Chat:
    """Read a file of the collection with those beside it."""
    path = folder / name
    others = [path.with_name(other) for other in files_with(path.name)]
    beside = {other.name: other.read_bytes() for other in others if other.is_file()}
    return read_chat(Source.of_bytes(path.read_bytes(), name, beside))


def counted(chat: Chat) -> dict[str, object]:
    """What the collection counts, of our chat; it counts no message for the results that a reply itself holds."""
    usages = [message.usage for message in chat.messages if message.usage]
    return {
        "live_messages": sum(not message.id.endswith(".results") for message in chat.messages),
        "live_tool_calls": sum(len(message.calls) for message in chat.messages),
        "live_tool_results": sum(isinstance(part, ToolResult) for message in chat.messages for part in message.sent),
        "prompt": usages[-1].prompt_tokens if usages else None,
        "output": usages[-1].output_tokens if usages else None,
        "model": chat.model,
    }


@pytest.mark.parametrize("name", READ or ABSENT)
def test_the_ground_truth_is_met(shared_chats: Path, name: str) -> None:
    """Messages, calls, results, the last call and the model are those that were counted by other means."""
    got = counted(read(shared_chats, name))
    truth = FILES[name]["truth"] or {}
    last = truth.get("last_context_tokens") or {}
    wanted = {**truth, "prompt": last.get("prompt"), "output": last.get("output"), **OTHERWISE.get(name, {})}
    uncounted = {key for key in got if key.startswith("live") and wanted.get(key) is None}  # the screen's files
    assert got == {**got, **{key: wanted[key] for key in got if truth and key in wanted and key not in uncounted}}


@pytest.mark.parametrize("name", READ or ABSENT)
def test_the_tool_is_told(shared_chats: Path, name: str) -> None:
    """The format is the folder's, but for Roo Code, which lies beside Cline."""
    folder = name.partition("/")[0]
    told = {"generic": "sharegpt", "cline": "roo" if "roo" in name else "cline", "broken": name.split("-")[1]}
    assert read(shared_chats, name).format == told.get(folder, folder)


@pytest.mark.parametrize("name", [name for name in REFUSED if name in FILES] or ABSENT)
def test_what_is_no_session_is_refused(shared_chats: Path, name: str) -> None:
    """Files beside a session, half-written ones and unknown shapes are never misread."""
    with pytest.raises(ChatUnreadable):
        read(shared_chats, name)


@pytest.mark.parametrize(
    "name", [name for name in READ if name == "cline/made-1767348000000/ui_messages.json"] or ABSENT
)
def test_the_screen_alone_tells_the_last_call(shared_chats: Path, name: str) -> None:
    """Without the history beside it, the screen still gives the chat's last call and its model."""
    chat = read_chat(Source.of_bytes((shared_chats / name).read_bytes(), name))
    truth = FILES[name]["truth"]
    usages = [message.usage for message in chat.messages if message.usage]
    last = truth["last_context_tokens"]
    assert usages
    assert (usages[-1].prompt_tokens, usages[-1].output_tokens) == (last["prompt"], last["output"])
    assert chat.model == truth["model"]
    assert len(chat.messages) > 10
