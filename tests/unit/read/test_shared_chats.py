"""Every file of the collection of real and made chats gives its ground truth, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Chat
from compact_chat.errors import ChatUnreadable
from compact_chat.read import Source, read_chat

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
}
# Files that tools keep beside their chats, logs of requests, tools that we do not know, and what is cut or blank.
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
# A session without truth, which a tolerant reader opens.
TANGLED = "broken/broken-claude-wrong-types.jsonl"
# Those of other tools are compared with their truths in the modules of their readers.
OURS = ("claude-code/", "generic/", "broken/broken-claude")
ELSEWHERE = ("generic/made-sharegpt.json", *REFUSED)
READ = [name for name, entry in FILES.items() if entry["truth"] and name.startswith(OURS) and name not in ELSEWHERE]
ABSENT = ["(absent)"]


def read(folder: Path, name: str) -> tuple[Source, Chat]:
    """Read a file of the collection."""
    source = Source.of_bytes((folder / name).read_bytes(), name)
    return source, read_chat(source)


def counted(source: Source, chat: Chat) -> dict[str, object]:
    """What the collection counts, of our chat; attachments are counted apart there."""
    attachments = {record.get("uuid") for record in source.records if record.get("type") == "attachment"}
    messages = [message for message in chat.messages if message.id not in attachments]
    usages = [message.usage for message in messages if message.usage]
    return {
        "live_messages": len(messages),
        "live_assistant_messages": sum(message.role == "assistant" for message in messages),
        "live_tool_calls": sum(len(message.calls) for message in messages),
        "live_tool_results": sum(len(message.results) for message in messages),
        "live_results_cleared_by_microcompact": str(messages).count("[Old tool result content cleared]"),
        "prompt": usages[-1].prompt_tokens if usages else None,
        "model": chat.model,
    }


@pytest.mark.parametrize("name", READ or ABSENT)
def test_the_ground_truth_is_met(shared_chats: Path, name: str) -> None:
    """Messages, calls, results, the last prompt and the model are those that were counted by other means."""
    got = counted(*read(shared_chats, name))
    truth = FILES[name]["truth"]
    wanted = {**truth, "prompt": (truth["last_context_tokens"] or {}).get("prompt"), **OTHERWISE.get(name, {})}
    assert got == {**got, **{key: wanted[key] for key in got if key in wanted}}


@pytest.mark.parametrize("name", REFUSED or ABSENT)
def test_what_is_not_ours_is_refused(shared_chats: Path, name: str) -> None:
    """Files of other tools, and files of which nothing can be read, are never misread as one of ours."""
    with pytest.raises(ChatUnreadable):
        read(shared_chats, name)


@pytest.mark.parametrize("name", [name for name in FILES if name not in REFUSED] or ABSENT)
def test_the_rest_is_read(shared_chats: Path, name: str) -> None:
    """Every other file of the collection is read, and as a chat of the tool that wrote it."""
    _, chat = read(shared_chats, name)
    folder, _, file = name.partition("/")
    if folder == "broken":
        folder = file.split("-")[1]
    told = {"generic": "", "orphan": "", "unanswered": "", "cline": "roo" if "roo" in name else "cline"}
    assert chat.tool.startswith(told.get(folder, folder))


def test_a_tangled_session_is_read_around(shared_chats: Path) -> None:
    """Records of wrong types cost only themselves."""
    _, chat = read(shared_chats, TANGLED)
    assert [message.role for message in chat.messages] == ["user", "assistant"]
    assert [warning.line for warning in chat.warnings] == [1, 2, 3, 4]


@pytest.mark.parametrize("name", [name for name in READ if name.endswith(".jsonl")] or ABSENT)
def test_calls_are_answered_in_the_next_message(shared_chats: Path, name: str) -> None:
    """The merged messages alternate calls and results, as the API wants them."""
    _, chat = read(shared_chats, name)
    known = {call.id for message in chat.messages for call in message.calls if call.id}
    for message, behind in zip(chat.messages, chat.messages[1:], strict=False):
        answered = {result.call_id for result in behind.results} & known
        assert answered == {call.id for call in message.calls if call.id}
