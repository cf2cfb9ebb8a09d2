"""What takes the most room in a chat, as `countTokens` tells it, and whose window it is measured by."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Message, Text
from compact_chat.errors import InvalidParams
from compact_chat.measure import Counter, family_of, weigh
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.watch import LiveChat, Params

Messages = list[dict[str, Any]]
Ask = Callable[..., Any]
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"


def test_every_list_sums_to_what_is_used(ask: Ask, bakery: Path) -> None:
    """Messages, tools, files and the biggest of them all hold each token once."""
    report = ask("countTokens", chat={"uri": bakery.as_uri()}, biggest=12, perMessage=True)

    for things in report["breakdown"].values():
        assert sum(thing["tokens"] for thing in things) == report["used"]
    rows = {row["id"]: row["tokens"] for row in report["messages"]}
    told = [thing for thing in report["breakdown"]["messages"] if thing["kind"] == "message"]
    assert [rows[thing["messages"][0]] for thing in told] == sorted(rows.values(), reverse=True)[: len(told)]


@pytest.mark.parametrize("name", ["copilot-cli/agentv-269e1b.jsonl", "codex/agentv-a392ff.jsonl"])
def test_what_is_fixed_has_one_number(ask: Ask, shared_chats: Path, name: str) -> None:
    """The system prompt and the tools take as much among the biggest things as among the parts."""
    report = ask("countTokens", chat={"uri": (shared_chats / name).as_uri()}, biggest=1000)

    told = {thing["tokens"] for things in report["breakdown"].values() for thing in things if thing["kind"] == "fixed"}
    assert told == {report["parts"]["fixed"]}


@pytest.mark.parametrize(
    "name",
    [
        "claude-code/entire-13db96-parallel-tools.jsonl",
        "codex/agentv-a392ff.jsonl",
        "cline/made-1767348000000/api_conversation_history.json",
        "vscode/epics-export-6-requests.json",
    ],
)
def test_real_chats_name_their_files(ask: Ask, shared_chats: Path, name: str) -> None:
    """Chats of all tools sum up, and tell of files."""
    report = ask("countTokens", chat={"uri": (shared_chats / name).as_uri()}, biggest=5)

    for things in report["breakdown"].values():
        assert sum(thing["tokens"] for thing in things) == report["used"]
    assert any(thing["kind"] == "file" for thing in report["breakdown"]["files"])


def test_files_are_told_with_all_that_is_of_them(ask: Ask, messages: Messages) -> None:
    """What was written to a file, and what the tool answered, stand under its path."""
    files = ask("countTokens", chat={"messages": messages}, biggest=20)["breakdown"]["files"]

    assert {thing["name"] for thing in files if thing["kind"] == "file"} == {f"src/shelf_{n}.py" for n in range(8)}
    assert all(len(thing["messages"]) == 2 for thing in files if thing["kind"] == "file")


def test_what_surrounds_a_message_is_no_part_of_its_pieces(ask: Ask) -> None:
    """A message of several pieces is divided by what these weigh, not by how many they are."""
    model, sizes = "gpt-4o", {"a.py": 1, "b.py": 40}
    texts = {name: f'<file path="{name}">{"one two three four five " * size}</file>' for name, size in sizes.items()}
    chat = {"messages": [{"role": "user", "content": "".join(texts.values())}]}
    family, counter = family_of(model), Counter()
    weights = {name: weigh(Message("m", "user", (Text(text),)), counter.count, family) for name, text in texts.items()}
    own = {name: weight.total - family.per_message for name, weight in weights.items()}

    report = ask("countTokens", chat=chat, model=model, biggest=9)

    told = {thing["name"]: thing["tokens"] for thing in report["breakdown"]["files"] if thing["kind"] == "file"}
    for name, tokens in told.items():
        assert abs(tokens - report["used"] * own[name] / sum(own.values())) <= 0.5


def test_names_are_no_longer_than_anybody_reads(ask: Ask) -> None:
    """A name of megabytes keeps its beginning and its end, and a secret in it stays masked."""
    call = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": f"/w/{'y' * 9_000}/{SECRET}/a.py"}}
    chat = {"messages": [{"role": "assistant", "content": [call, call | {"id": "2", "name": "x" * 9_000}]}]}

    breakdown = ask("countTokens", chat=chat, biggest=9)["breakdown"]

    assert max(len(thing["name"]) for things in breakdown.values() for thing in things) == 1_001
    (file,) = [thing["name"] for thing in breakdown["files"] if thing["kind"] == "file"]
    assert (file[:3], file[-5:], SECRET[:9] in file) == ("/w/", "/a.py", False)


def test_tools_are_told_with_their_calls_and_results(ask: Ask, messages: Messages) -> None:
    """The only tool takes what calls and results take."""
    report = ask("countTokens", chat={"messages": messages}, biggest=1)
    tool, rest = report["breakdown"]["tools"]

    assert (tool["kind"], tool["name"], rest["kind"]) == ("tool", "Edit", "rest")
    assert abs(tool["tokens"] - report["parts"]["toolCalls"] - report["parts"]["toolResults"]) < 0.05 * report["used"]


def test_a_breakdown_comes_only_where_it_is_asked_for(ask: Ask, messages: Messages) -> None:
    """Without the param there is none; a number of things that is none is refused."""
    assert "breakdown" not in ask("countTokens", chat={"messages": messages})
    assert "breakdown" not in ask("countTokens", chat={"messages": messages}, biggest=None)
    for wrong in (0, -1, 1001, "all"):
        with pytest.raises(InvalidParams):
            ask("countTokens", chat={"messages": messages}, biggest=wrong)


def test_names_hold_no_secrets(ask: Ask, client: Any) -> None:
    """File names and the beginnings of messages may hold a token; what reads like one of our tags is escaped."""
    call = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": f"/w/{SECRET}/a.py"}}
    chat = {
        "messages": [
            {"role": "user", "content": f"use {SECRET} please " * 9},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x " * 99}]},
        ]
    }

    told = json.dumps(ask("countTokens", chat=chat, biggest=9)["breakdown"])
    assert SECRET not in told
    assert "please" in told

    client.configure({"redact": False})
    assert SECRET in json.dumps(ask("countTokens", chat=chat, biggest=9)["breakdown"])


def vscode_chat(**chosen: Any) -> dict[str, Any]:
    """A session of VS Code with one request that reported its size."""
    model = {"identifier": "copilot/gpt-5", "metadata": {"maxInputTokens": 128_000, "maxOutputTokens": 16_000}}
    kept = {"renderedUserMessage": [{"type": 1, "text": "hi"}], "toolCallRounds": [{"id": "r", "response": "yes"}]}
    request = {"requestId": "q", "message": {"text": "hi"}, "modelId": "copilot/gpt-5", "response": [{"value": "yes"}]}
    sizes = {"promptTokens": 60_000, "completionTokens": 1_000, "result": {"metadata": kept}}
    session = {"version": 3, "sessionId": "s", "responderUsername": "r", "requests": [request | sizes]}
    return {"text": json.dumps(session | {"inputState": {"selectedModel": model}} | chosen), "format": "vscode"}


def test_the_hosts_ring_is_beside_our_meter(ask: Ask) -> None:
    """VS Code's ring has the prompt and the reserve for the reply, of both windows."""
    report = ask("countTokens", chat=vscode_chat())

    assert report["hostMeter"] == {
        "used": 61_000,
        "reserved": 15_000,
        "total": 144_000,
        "percent": 52.8,
        "usedPercent": 42.4,
    }
    assert ask("countTokens", chat=vscode_chat(inputState={}))["hostMeter"] is None


def test_whose_window_it_is(ask: Ask, client: Any) -> None:
    """A param beats a setting, this the chat's own record, this the table; a record is of the recorded model alone."""

    def window(**params: Any) -> tuple[int, str]:
        report = ask("countTokens", chat=vscode_chat(), **params)
        return report["window"], report["windowBasis"]

    assert window() == (128_000, "chat")
    chosen = {"identifier": "copilot/gemini-4", "metadata": {"maxInputTokens": 90_000}}
    other = vscode_chat(inputState={"selectedModel": chosen})
    assert ask("countTokens", chat=other)["windowBasis"] == "table"
    assert ask("countTokens", chat=other, model="copilot/gemini-4")["window"] == 90_000
    assert window(model="claude-opus-5") == (1_000_000, "table")
    assert window(model="house-model") == (200_000, "default")
    client.configure({"windows": {"gpt-5": 90_000}})
    assert window() == (90_000, "setting")
    assert window(options={"window": 80_000}) == (80_000, "setting")
    assert window(window=70_000, options={"window": 80_000}) == (70_000, "setting")


def calls_of(*calls: tuple[str, int]) -> dict[str, str]:
    """A session of Claude Code in which these models were called with prompts of these sizes."""
    lines: list[dict[str, Any]] = []
    for number, (model, size) in enumerate(calls):
        usage = {"input_tokens": 5, "cache_read_input_tokens": size - 5, "output_tokens": 9}
        said = {"id": f"a{number}", "role": "assistant", "model": model, "content": [{"type": "text", "text": "yes"}]}
        head = {"sessionId": "s", "isSidechain": False}
        parent = f"r{number - 1}" if number else None
        asked = {"uuid": f"u{number}", "parentUuid": parent, "message": {"role": "user", "content": "hi"}}
        answered = {"uuid": f"r{number}", "parentUuid": f"u{number}", "message": said | {"usage": usage}}
        lines += [head | {"type": "user"} | asked, head | {"type": "assistant"} | answered]
    return {"text": "\n".join(map(json.dumps, lines))}


@pytest.mark.parametrize(
    ("calls", "window", "basis", "percent"),
    [
        ([("claude-sonnet-4-5", 300_000)], 1_000_000, "chat", 30.0),
        ([("claude-sonnet-4-6", 400_000), ("claude-opus-4-5", 150_000)], 200_000, "table", 75.0),
        ([("claude-opus-4-5", 300_000), ("claude-opus-4-5", 150_000)], 1_000_000, "chat", 15.0),
        ([("house-model", 900_000)], 900_000, "chat", 100.0),
        ([("house-model", 100_000)], 200_000, "default", 50.0),
    ],
)
def test_a_recorded_prompt_proves_the_window_of_its_model(
    ask: Ask, tmp_path: Path, calls: list[tuple[str, int]], window: int, basis: str, percent: float
) -> None:
    """A call that took more than is known to fit shows that more fits, for its own model; `percent` ends at 100."""
    chat = calls_of(*calls)
    file = tmp_path / "chat.jsonl"
    file.write_text(chat["text"] + "\n", "utf-8")

    report = ask("countTokens", chat=chat)
    live = LiveChat(ChatRef(uri=file.as_uri()), Params(), ClientState()).report(Job(ClientState()))

    assert (report["window"], report["windowBasis"], report["percent"]) == (window, basis, percent)
    assert (live.window, live.window_basis, live.percent) == (window, basis, percent)


def test_an_unknown_model_is_warned_of(ask: Ask, messages: Messages) -> None:
    """A name that nobody knows gets the default, and a word about it."""
    report = ask("countTokens", chat={"messages": messages}, model="house-model")

    assert (report["window"], report["windowBasis"]) == (200_000, "default")
    assert [warning["code"] for warning in report["warnings"]] == ["unknownModel"]
