"""Every file of VS Code in the collection of real and made chats gives its ground truth, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compact_chat.chat import Chat, Message
from compact_chat.read import Source, simple, vscode
from compact_chat.read.vscode import live_turns
from tests.samples.oplogs import replayed

vscode_export = SimpleNamespace(sniff=vscode.sniff_export, read=vscode.read_export)
vscode_log = SimpleNamespace(sniff=vscode.sniff_log, read=vscode.read_log)
chatreplay = SimpleNamespace(sniff=simple.sniff_chatreplay, read=simple.read_chatreplay)

MANIFEST = Path(__file__).resolve().parents[4] / "shared" / "chats" / "manifest.json"
FILES: dict[str, dict[str, Any]] = (
    {entry["file"]: entry for entry in json.loads(MANIFEST.read_text())["files"]} if MANIFEST.is_file() else {}
)
READERS: dict[str, Any] = {
    "vscode-log": vscode_log,
    "vscode": vscode,
    "vscode-export": vscode_export,
    "chatreplay": chatreplay,
}
OURS = {name: entry for name, entry in FILES.items() if name.startswith(("vscode/", "broken/broken-vscode"))}
COUNTED = [name for name, entry in OURS.items() if (entry["truth"] or {}).get("live_messages") is not None]
RECORDED = [name for name, entry in OURS.items() if "log_lines" in (entry["truth"] or {})]
ABSENT = ["(absent)"]


def source(folder: Path, name: str) -> Source:
    """A file of the collection."""
    return Source.of_bytes((folder / name).read_bytes(), name)


def formats(given: Source) -> list[str]:
    """All of our formats that the source may be of."""
    return [name for name, reader in READERS.items() if reader.sniff(given)]


def read(folder: Path, name: str) -> Chat:
    """The chat of a file that is of one format only."""
    given = source(folder, name)
    (only,) = formats(given)
    chat: Chat = READERS[only].read(given)
    return chat


def is_counted(message: Message) -> bool:
    """The collection counts neither the global context, nor results, nor what only the screen shows."""
    return message.id != "global-context" and ":screen" not in message.id and not message.results


def counted(chat: Chat) -> dict[str, object]:
    """What the collection counts, of our chat."""
    recorded = [message for message in chat.messages if ":screen" not in message.id]
    usages = [message.usage for message in recorded if message.usage]
    last = usages[-1] if usages else None
    return {
        "live_messages": sum(map(is_counted, chat.messages)),
        "live_model_rounds": sum(message.role == "assistant" for message in recorded),
        "live_tool_calls": sum(len(message.calls) for message in recorded),
        "live_tool_results": sum(len(message.results) for message in recorded),
        "summaries": sum(message.is_summary for message in recorded),
        "last_context_tokens": last and {"prompt": last.prompt_tokens, "output": last.output_tokens},
        "model": chat.model,
        "max_input_tokens": chat.window,
        "stopped_at_line": next((one.line for one in chat.warnings if one.code == "replayStopped"), None),
        "is_estimated": any(one.code == "fromScreen" for one in chat.warnings),
    }


@pytest.mark.parametrize("name", COUNTED or ABSENT)
def test_the_ground_truth_is_met(shared_chats: Path, name: str) -> None:
    """Messages, rounds, calls, results, summaries, tokens, the model and its window are those counted otherwise."""
    truth = OURS[name]["truth"]
    tokens = truth["last_context_tokens"]
    wanted = {
        **truth,
        "last_context_tokens": tokens and {"prompt": tokens["prompt"], "output": tokens["output"]},
        "stopped_at_line": truth.get("stopped_at_line"),
        "is_estimated": truth["requests_without_metadata"] > 0,
    }
    got = counted(read(shared_chats, name))
    assert got == {key: wanted[key] for key in got}


@pytest.mark.parametrize("name", RECORDED or ABSENT)
def test_recorded_sessions_are_replayed_whole(shared_chats: Path, name: str) -> None:
    """All requests, rounds, calls and results of a real workbench are found; what is live of them is tested apart."""
    state, stopped = replayed((shared_chats / name).read_text())
    turns = list(live_turns((state or {}).get("requests", ())))
    kept = [one for turn in turns if not turn.is_shown for one in turn.rounds[1:]]
    messages = [message for one in kept for message in one.messages]
    truth = OURS[name]["truth"]
    assert stopped is None
    assert {
        "requests": len(turns),
        "model_rounds": len(kept),
        "tool_calls": sum(len(message.calls) for message in messages),
        "tool_results": sum(len(message.results) for message in messages),
    } == {key: truth[key] for key in ("requests", "model_rounds", "tool_calls", "tool_results")}


@pytest.mark.parametrize("name", [name for name in FILES if name not in (*COUNTED, *RECORDED)] or ABSENT)
def test_other_files_are_not_ours(shared_chats: Path, name: str) -> None:
    """Files of other tools, what is no session, and what nothing can be read of, are left to others."""
    known = {"vscode/workbench-export.json": ["vscode-export"], "chatreplay/spec.chatreplay.json": ["chatreplay"]}
    assert formats(source(shared_chats, name)) == known.get(name, [])


def test_a_real_export_is_read(shared_chats: Path) -> None:
    """An export of a real workbench has the messages of its session, and no window."""
    chat = read(shared_chats, "vscode/workbench-export.json")
    assert (chat.format, chat.tool, chat.model, chat.title) == (
        "vscode-export",
        "vscode",
        "probe/probe-1",
        "first question",
    )
    assert [message.role for message in chat.messages] == [
        "user",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert chat.messages[5].results[0].call_id == chat.messages[4].calls[0].id == "call_1794991106966_0"
    assert (chat.window, chat.host_meter, chat.workspace, chat.warnings) == (None, None, "/home/dev/shop/ws", ())
