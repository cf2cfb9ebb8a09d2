"""Every file of the collection of real and made chats gives its ground truth, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat, Message, Text, ToolResult, Unknown
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat
from tests.samples.corpus import siblings

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
FILES: dict[str, dict[str, Any]] = (
    {entry["file"]: entry for entry in json.loads(MANIFEST.read_text())["files"]} if MANIFEST.is_file() else {}
)

# Where our reading is another one than the collection's, with the reason.
OTHERWISE: dict[str, dict[str, object]] = {
    # The collection knows no model of a request that was not yet answered; the request itself names it.
    "generic/made-anthropic-request.json": {"model": "claude-sonnet-4-5"},
    # The collection counts items of type `message`; a call and its output are messages of ours as well.
    "generic/made-openai-responses.json": {"live_messages": 4},
    # The only count left whole is that of the turn that was taken back; the one before it is of what is live.
    "broken/broken-codex-cut-last-line.jsonl": {"prompt": 5000, "output": 20},
    # A count of zeros is none: the one before it holds.
    "broken/broken-codex-null-info.jsonl": {"prompt": 5000, "output": 20},
    # There is no message that a size could belong to.
    "codex/jazzyalex-codex_053_rate_limit.jsonl": {"prompt": None, "output": None},
    # Words of another agent are a message of ours; a count of zeros is none.
    "codex/jazzyalex-small.jsonl": {"live_messages": 13, "prompt": None, "output": None, "context_window": 258_400},
    # Where no reply is live, the model is that of the newest one.
    "claude-code/daaain-edge_cases.jsonl": {"model": "claude-sonnet-4"},
    "claude-code/daaain-representative_messages.jsonl": {"model": "claude-3-sonnet-20240229"},
    "claude-code/jazzyalex-small.jsonl": {"model": "claude-sonnet-5"},
    # The settings of the run name a model, which the collection leaves open since no call is recorded.
    "swe-agent/marshmallow-1867-function_calling_replace.traj": {"model": "gpt-4o"},
    # One reply, with a call and its result, is that of a sub-agent, whose context is its own.
    "copilot-cli/jazzyalex-small.jsonl": {
        "live_messages": 7,
        "live_assistant_messages": 4,
        "live_tool_calls": 3,
        "live_tool_results": 3,
    },
}
# Files that tools keep with their chats, logs of requests, tools that we do not know, and what is cut or blank.
REFUSED_FILES = (
    "broken/broken-blank-lines.jsonl",
    "broken/broken-claude-all-garbage.jsonl",
    "broken/broken-deep-nesting.json",
    "broken/broken-empty.json",
    "broken/broken-empty.jsonl",
    "broken/broken-vscode-missing-kind0.jsonl",
    "cline/made-1767348000000/context_history.json",
    "cline/made-1767348000000/task_metadata.json",
    "codex/openai-oss-story-not-a-session.jsonl",
    "gemini/jazzyalex-schema_drift.json",
    "vscode/workbench-agent-requests.jsonl",
)
REFUSED = [name for name in FILES if name in REFUSED_FILES or name.startswith("other/") or name.endswith(".meta.json")]
OURS = ("claude-code/", "codex/", "copilot-cli/", "generic/", "broken/broken-claude", "broken/broken-codex")
ELSEWHERE = ("generic/made-sharegpt.json", *REFUSED)
READ = [name for name, entry in FILES.items() if entry["truth"] and name.startswith(OURS) and name not in ELSEWHERE]
ABSENT = ["(absent)"]
# Sessions of other tools, whose truths count other things.
TOOLS = ("vscode", "cline", "continue", "gemini")
FOLDERS = (*(f"{tool}/" for tool in TOOLS), "chatreplay/", "swe-agent/", "generic/made-sharegpt")
OTHERS = [name for name in FILES if name.startswith((*FOLDERS, *(f"broken/broken-{tool}" for tool in TOOLS)))]
# Files of another reader, files that are refused, and truths that count what is stored and not what is live.
NOT_COUNTED = (".transcript.jsonl", "task_metadata.json", "schema_drift.json", "agent-requests.jsonl")
READ_OTHERS = [
    name
    for name in OTHERS
    if (truth := FILES[name]["truth"]) and "log_lines" not in truth and not name.endswith(NOT_COUNTED)
]


def read(folder: Path, name: str) -> tuple[Source, Chat]:
    """Read a file of the collection with those beside it."""
    source = Source.of_bytes((folder / name).read_bytes(), name, siblings(folder / name))
    return source, read_chat(source)


def live_messages(source: Source, chat: Chat) -> int:
    """What the collection takes for messages: of Codex items, of Copilot no results, of Claude Code no attachments."""
    queued = [message.id for message in chat.messages if message.id.startswith("queued-")]
    attachments = {record.get("uuid") for record in source.records if record.get("type") == "attachment"}.union(queued)
    own = [message for message in chat.messages if message.role != "assistant" and not message.results]
    match chat.tool:
        case "codex":
            words = [part for message in chat.messages for part in message.parts if message.role == "assistant"]
            readable = [message for message in own if not any(isinstance(part, Unknown) for part in message.parts)]
            return len(readable) + sum(isinstance(part, Text) for part in words)
        case "copilot-cli":
            return sum(not message.results for message in chat.messages)
    return sum(message.id not in attachments for message in chat.messages)


@pytest.mark.parametrize("name", READ or ABSENT)
def test_the_ground_truth_is_met(shared_chats: Path, name: str) -> None:
    """Messages, calls, results, the last size, model, window and damage are those that were counted by other means."""
    source, chat = read(shared_chats, name)
    usage = next((message.usage for message in reversed(chat.messages) if message.usage), None)
    got = {
        "live_messages": live_messages(source, chat),
        "live_tool_calls": sum(len(message.calls) for message in chat.messages),
        "live_tool_results": sum(len(message.results) for message in chat.messages),
        "live_results_cleared_by_microcompact": str(chat.messages).count("[Old tool result content cleared]"),
        "prompt": usage.prompt_tokens if usage else None,
        "model": chat.model,
    }
    if chat.tool == "codex":
        opaque = [part for message in chat.messages for part in message.parts if message.role != "assistant"]
        got |= {
            "output": usage.output_tokens if usage else None,
            "context_window": chat.window,
            "unreadable_lines": sum(one.code == "damagedLine" for one in chat.warnings),
            "live_compaction_items": sum(isinstance(part, Unknown) for part in opaque),
        }
    else:
        got["live_assistant_messages"] = sum(message.role == "assistant" for message in chat.messages)
        got["system_messages"] = sum(message.role == "system" for message in chat.messages)
    truth = FILES[name]["truth"]
    last = truth["last_context_tokens"] or {}
    wanted = {**truth, "prompt": last.get("prompt"), "output": last.get("output"), **OTHERWISE.get(name, {})}
    assert got == {**got, **{key: wanted[key] for key in got if key in wanted}}


@pytest.mark.parametrize("name", REFUSED or ABSENT)
def test_what_is_not_ours_is_refused(shared_chats: Path, name: str) -> None:
    """Files of other tools, and files of which nothing can be read, are never misread as one of ours."""
    with pytest.raises(ChatUnreadable):
        read(shared_chats, name)


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


@pytest.mark.parametrize("name", READ_OTHERS or ABSENT)
def test_the_ground_truth_of_other_tools_is_met(shared_chats: Path, name: str) -> None:
    """Messages, calls, results, the last call and the model are those that were counted by other means."""
    _, chat = read(shared_chats, name)
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
