"""X14: what a compaction predicts of the next chat is what that chat measures when it begins."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from compact_chat.operations import ClientState, Job
from compact_chat.operations.table import ChatRef
from compact_chat.operations.watch import LiveChat, Params
from tests.samples.alone import perform_alone
from tests.samples.session_files import WRITERS, lines, put

Records = list[dict[str, Any]]
SHOP, OWN, WORD = "/home/ada/shop", 30_000, "The trays of the shelf are counted again. "
CLOSE = 0.05
PROJECTS = Path(".claude/projects/-home-ada-shop")


def record(number: int, role: str, content: object, **more: Any) -> dict[str, Any]:
    """A record of Claude Code, behind the one before; `more` belongs to its message."""
    place = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "cwd": SHOP, "version": "2.1.7"}
    return {"sessionId": "s", **place, "type": role, "message": {"role": role, "content": content, **more}}


def rounds(start: int, count: int, prompt: int, grows: int = 970) -> Records:
    """Requests with answers whose calls were recorded, the first with a prompt of this size."""
    found: Records = []
    for place in range(count):
        number, said = start + 2 * place, f"Step {place}. " + WORD * 60
        found.append(record(number, "user", f"Now shelf {place}, and never touch till.py. " + WORD * 30))
        usage = {"input_tokens": prompt, "output_tokens": 640}
        model = {"id": f"m{number}", "model": "claude-opus-4-5", "usage": usage}
        found.append(record(number + 1, "assistant", [{"type": "text", "text": said}], **model))
        prompt += grows
    return found


def plain() -> Records:
    """A session that recorded all of its calls."""
    return rounds(0, 20, OWN + 330)


def compacted() -> Records:
    """A session that its tool has compacted, with files attached that nobody wrote down."""
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b", "parentUuid": None, "sessionId": "s"}
    summary = record(50, "user", "This session is being continued. " + WORD * 50)
    follows = {"parentUuid": "b", "isCompactSummary": True}
    return [*plain(), boundary, {**summary, **follows}, *rounds(51, 12, OWN + 12_000)]


def vscode() -> dict[str, Any]:
    """A chat of VS Code, which records no sizes."""
    requests = [
        {
            "requestId": f"r{number}",
            "modelId": "copilot/claude-opus-4.5",
            "message": {"text": f"Now shelf {number}. " + WORD * 30},
            "response": [{"value": WORD * 60}],
            "result": {
                "metadata": {
                    "toolCallRounds": [{"id": f"t{number}", "response": WORD * 60 + str(number), "toolCalls": []}]
                }
            },
        }
        for number in range(20)
    ]
    return {"responderUsername": "GitHub Copilot", "initialLocation": "panel", "requests": requests}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a user with Claude Code."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    return tmp_path


@pytest.fixture(params=["on", "off"])
def run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Run operations with the archive and without; what compacts and exports is one client, what measures another."""
    compacting, measuring = ClientState(), ClientState()

    def ask(name: str, **params: object) -> Any:
        client = compacting if name in ("summarize", "export") else measuring
        client.configure({"archive": request.param})
        return perform_alone(name, params, Job(client))

    return ask


def write(home: Path, records: Records) -> Path:
    """Write a session where Claude Code keeps those of a folder."""
    folder = re.sub(r"[^A-Za-z0-9]", "-", next(one["cwd"] for one in records if "cwd" in one))
    return put(home / ".claude/projects" / folder / "old.jsonl", lines(*records))


@pytest.mark.parametrize("make", [plain, compacted, None])
def test_a_new_claude_code_session_has_the_predicted_size(
    home: Path, run: Callable[..., Any], make: Callable[[], Records] | None, bakery: Path
) -> None:
    """Whether it is exported or begins with our message, also after the tool's own compaction."""
    records = make() if make else [json.loads(line) for line in bakery.read_text().splitlines()]
    old = write(home, records)
    preview = run("preview", chat={"uri": old.as_uri()})
    done = run("summarize", chat={"uri": old.as_uri()}, provider="offline")
    assert (preview["after"], done["counts"]["fixed"] < done["after"]) == (done["after"], True)
    assert preview["afterLow"] <= done["after"] <= preview["afterHigh"]

    exported = old.with_name("exported.jsonl")
    result = run("export", compactionId=done["compactionId"], **{"as": "claude-code"}, uri=exported.as_uri())
    report = run("countTokens", chat={"uri": exported.as_uri()})
    predicted = done["nextChat"]["messages"]["tokens"]
    assert report["used"] == pytest.approx(predicted, rel=CLOSE)
    assert report["low"] <= predicted <= report["high"]
    assert result["messages"] == report["messageCount"]
    exported.unlink()

    typed = {"type": "user", "uuid": "n", "parentUuid": None, "sessionId": "n", "version": "2.1.7"}
    said = {"cwd": records[-1].get("cwd"), "message": {"role": "user", "content": done["continuation"]}}
    pasted = put(old.with_name("pasted.jsonl"), lines({**typed, **said}))
    assert run("countTokens", chat={"uri": pasted.as_uri()})["used"] == pytest.approx(done["after"], rel=CLOSE)


@pytest.mark.parametrize("grows", [970, 1_030])
def test_the_next_chat_has_the_same_system_part(home: Path, run: Callable[..., Any], grows: int) -> None:
    """What the calls had beyond the count is the messages' own, as long as the count may be off by so much."""
    old = write(home, rounds(0, 20, OWN + 330, grows))
    now = run("countTokens", chat={"uri": old.as_uri()})["parts"]["fixed"]
    done = run("summarize", chat={"uri": old.as_uri()}, provider="offline")

    assert done["nextChat"]["continuation"]["fixed"] == pytest.approx(now, rel=0.005)


def test_what_the_tool_added_since_has_a_part_of_its_own(home: Path, run: Callable[..., Any]) -> None:
    """Such as files attached anew: it is neither system nor conversation, and not in the next chat."""
    chat = {"uri": write(home, compacted()).as_uri()}
    report, live, preview = run("countTokens", chat=chat, biggest=1_000), watched(chat), run("preview", chat=chat)
    done = run("summarize", chat=chat, provider="offline")
    parts, after = report["parts"], done["nextChat"]["continuation"]
    things = {one["kind"]: one["tokens"] for one in report["breakdown"]["biggest"]}

    assert parts["fixed"] == after["fixed"] == preview["nextChat"]["continuation"]["fixed"] == things["fixed"]
    assert after["fixed"] == pytest.approx(OWN, rel=0.02)
    assert parts["attached"] == things["attached"] == pytest.approx(11_150, rel=0.02)
    assert live["parts"] == parts
    assert sum(parts.values()) == report["used"]
    assert (after["parts"]["fixed"], after["parts"]["attached"]) == (parts["fixed"], 0)


def watched(chat: Any) -> Any:
    """Return what is reported of a chat that is followed."""
    client = ClientState()
    return msgspec.to_builtins(LiveChat(ChatRef(uri=chat["uri"]), Params(), client).report(Job(client)))


def test_a_vscode_export_has_the_predicted_size(home: Path, run: Callable[..., Any]) -> None:
    """It names its model, so that it is counted by the same rules."""
    old = put(home / "chats" / "old.json", json.dumps(vscode()))
    done = run("summarize", chat={"uri": old.as_uri()}, provider="offline")
    exported = old.with_name("exported.json")
    result = run("export", compactionId=done["compactionId"], **{"as": "vscode-export"}, uri=exported.as_uri())
    report = run("countTokens", chat={"uri": exported.as_uri()})

    assert report["used"] == pytest.approx(done["nextChat"]["messages"]["tokens"], rel=CLOSE)
    assert (result["tokens"], result["messages"]) == (report["used"], report["messageCount"])
    assert report["model"] == "copilot/claude-opus-4.5"


def test_a_chat_of_another_tool_is_not_measured_by_the_compaction(home: Path, run: Callable[..., Any]) -> None:
    """What one tool adds says nothing of another."""
    old = write(home, plain())
    done = run("summarize", chat={"uri": old.as_uri()}, provider="offline")
    exported = old.with_name("exported.json")
    run("export", compactionId=done["compactionId"], **{"as": "vscode-export"}, uri=exported.as_uri())
    report = run("countTokens", chat={"uri": exported.as_uri()})

    assert report["tool"] == "vscode"
    assert report["parts"]["fixed"] < OWN * 0.7


def test_a_session_of_a_known_folder_is_estimated_by_its_neighbors(home: Path, run: Callable[..., Any]) -> None:
    """Before its first call; and what its own first call shows counts more."""
    old = write(home, plain())
    new = put(old.with_name("new.jsonl"), lines(record(0, "user", "Go on.")))
    alone = put(home / "alone" / "new.jsonl", new.read_text().replace(SHOP, "/elsewhere"))
    known = run("countTokens", chat={"uri": new.as_uri()})
    assert known["parts"]["fixed"] == pytest.approx(OWN, rel=0.02)

    shutil.rmtree(home / PROJECTS)
    assert run("countTokens", chat={"uri": alone.as_uri()})["parts"]["fixed"] == pytest.approx(37_000, rel=0.01)


def codex(*said: dict[str, Any]) -> str:
    """A session of Codex, which begins with what Codex says by itself."""
    meta = {"id": "c", "cwd": SHOP, "cli_version": "0.142.0", "base_instructions": {"text": "Be brief. " * 500}}
    agents = "# AGENTS.md instructions\n" + WORD * 300 + "</INSTRUCTIONS>"
    context = [("developer", "<permissions> " + WORD * 50), ("user", agents)]
    items = [item(role, "input_text", text) for role, text in context]
    return lines({"type": "session_meta", "payload": meta}, *items, *said)


def item(role: str, kind: str, text: str) -> dict[str, Any]:
    """A message in a session of Codex."""
    return {
        "type": "response_item",
        "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]},
    }


def test_a_new_codex_session_says_its_instructions_again(home: Path, run: Callable[..., Any]) -> None:
    """They are in the prediction though the summary replaces them, and are not counted twice where they are written."""
    said, prompt = [], 9_700
    for place in range(20):
        said.append(item("user", "input_text", f"Now shelf {place}. " + WORD * 30))
        said.append(item("assistant", "output_text", f"Step {place}. " + WORD * 60))
        usage = {"input_tokens": prompt, "output_tokens": 550, "total_tokens": prompt + 550}
        info = {"last_token_usage": usage, "total_token_usage": {"total_tokens": prompt * (place + 1)}}
        said.append({"type": "event_msg", "payload": {"type": "token_count", "info": info}})
        prompt += 830
    old = put(home / "codex" / "old.jsonl", codex(*said))
    done = run("summarize", chat={"uri": old.as_uri()}, provider="offline")
    report = run("countTokens", chat={"uri": old.as_uri()}, biggest=1_000)
    assert report["basis"] == "measured"
    assert report["parts"]["fixed"] == done["nextChat"]["continuation"]["fixed"]
    assert [one["tokens"] for one in report["breakdown"]["biggest"] if one["kind"] == "fixed"] == [
        report["parts"]["fixed"]
    ]

    new = put(old.with_name("new.jsonl"), codex(item("user", "input_text", done["continuation"])))
    assert run("countTokens", chat={"uri": new.as_uri()})["used"] == pytest.approx(done["after"], rel=CLOSE)


def long_results() -> Records:
    """A session whose newest messages are a call with a result that a message has to shorten."""
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "/home/ada/shop/trays.md"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": WORD * 700}
    usage = {"input_tokens": OWN + 20_000, "output_tokens": 60}
    asks = record(40, "assistant", [call], id="m40", model="claude-opus-4-5", usage=usage)
    return [*plain(), asks, record(41, "user", [result])]


def test_each_way_on_has_a_size_of_its_own(home: Path, run: Callable[..., Any]) -> None:
    """A message shortens the long results of messages that stay; `after` is that of the way that is asked for."""
    old = write(home, long_results())
    preview, done, spliced = (
        run(name, chat={"uri": old.as_uri()}, **more)
        for name, more in (
            ("preview", {}),
            ("summarize", {"provider": "offline"}),
            ("summarize", {"provider": "offline", "include": ["messages"]}),
        )
    )
    ways = done["nextChat"]
    assert preview["nextChat"] == ways == spliced["nextChat"]
    assert (done["after"], spliced["after"]) == (ways["continuation"]["tokens"], ways["messages"]["tokens"])
    assert (preview["after"], ways["continuation"]["messages"]) == (done["after"], 1)
    assert spliced["after"] > done["after"] + 5_000
    assert done["counts"]["tokensSaved"] == done["before"] - done["after"]
    assert ways["messages"]["messages"] == len(spliced["messages"])

    exported = old.with_name("exported.jsonl")
    asked = {"compactionId": done["compactionId"], "as": "claude-code", "uri": exported.as_uri()}
    assert run("export", **asked)["tokens"] == pytest.approx(spliced["after"], rel=CLOSE)
    exported.unlink()
    pasted = put(old.with_name("pasted.jsonl"), lines(record(0, "user", done["continuation"])))
    assert run("countTokens", chat={"uri": pasted.as_uri()})["used"] == pytest.approx(done["after"], rel=CLOSE)


@pytest.mark.parametrize("tool", WRITERS)
def test_a_message_has_the_predicted_size_in_every_tool(home: Path, tool: str) -> None:
    """Until a chat names its model, it is counted by the model of the one that it goes on from."""
    client, folder = ClientState(), str(home / "shop")
    old = WRITERS[tool](home, 1, WORD * 400, folder, more=12)
    chat = {"chat": {"uri": old.as_uri()}, "options": {"model": "claude-opus-4-5", "minKeep": 0}}
    done = perform_alone("summarize", {**chat, "provider": "offline"}, Job(client))
    new = WRITERS[tool](home, 2, done["continuation"], folder)
    said = perform_alone("countTokens", {"chat": {"uri": new.as_uri()}, "perMessage": True}, Job(ClientState()))

    shown = sum(one["tokens"] for one in said["messages"][1:] if one["kind"] != "summary")  # answers, of the writers
    assert said["used"] - shown == pytest.approx(done["after"], rel=CLOSE)


def test_the_tools_own_messages_open_the_next_chat_too(run: Callable[..., Any]) -> None:
    """A system message is not in the message that opens it, but in its chat."""
    system = {"role": "system", "content": WORD * 300}
    talk = [{"role": role, "content": WORD * 40} for _ in range(12) for role in ("user", "assistant")]
    done = run("summarize", chat={"messages": [system, *talk]}, provider="offline")
    new = {"messages": [system, {"role": "user", "content": done["continuation"]}]}

    assert run("countTokens", chat=new)["used"] == pytest.approx(done["after"], rel=CLOSE)


def test_rules_leave_what_the_tool_added(home: Path, run: Callable[..., Any]) -> None:
    """The same chat goes on: its system part and what was attached are those of now."""
    records, result = compacted(), {"type": "tool_result", "content": WORD * 700}
    for number in range(75, 111, 2):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {"file_path": f"{SHOP}/{number}.md"}}
        records.append(record(number, "assistant", [call]))
        records.append(record(number + 1, "user", [{**result, "tool_use_id": f"t{number}"}]))
    chat = {"uri": write(home, records).as_uri()}
    parts = run("countTokens", chat=chat)["parts"]
    next_chat = run("preview", chat=chat, options={"strategy": "prune"})["nextChat"]["messages"]

    assert next_chat["fixed"] == parts["fixed"]
    assert parts["attached"] == next_chat["parts"]["attached"] > 0
    assert sum(next_chat["parts"].values()) == next_chat["tokens"]
