"""How full the context is, with what, by whose window, and under which title."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compact_chat.chat import Message, Text
from compact_chat.disk import state as ratios
from compact_chat.errors import ChatNotFound, ChatUnreadable, CompactChatError, InvalidParams, TooLarge
from compact_chat.measure import Counter, family_of, weigh
from compact_chat.operations import ChatRef, ClientState, Job
from compact_chat.operations.chats import LONGEST_TITLE, chat_of, shown_title
from compact_chat.operations.watch import LiveChat, Params
from compact_chat.read.loose import MAX_MESSAGES, MAX_VALUES
from compact_chat.wire import Limit
from tests.oracles.snapshots import check_functions
from tests.samples.alone import perform_alone
from tests.samples.session_files import WRITERS
from tests.unit.operations.conftest import SECRET, Ask, Messages, claude_session, message

SECRETS = [
    SECRET,
    "sk-proj-" + "aB3dE6gH9jK2mN5p" * 4,
    "postgres://admin:hunter2pass@db.example.com/x",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQssw5c",
]


def test_every_list_sums_to_what_is_used(ask: Ask, bakery: Path) -> None:
    """Messages, tools, files and the biggest of them each count every token once."""
    report = ask("countTokens", chat={"uri": bakery.as_uri()}, biggest=12, perMessage=True)

    for things in report["breakdown"].values():
        assert sum(thing["tokens"] for thing in things) == report["used"]
    rows = {row["id"]: row["tokens"] for row in report["messages"]}
    reported = [thing for thing in report["breakdown"]["messages"] if thing["kind"] == "message"]
    assert [rows[thing["messages"][0]] for thing in reported] == sorted(rows.values(), reverse=True)[: len(reported)]
    assert {thing["name"].partition(":")[0] for thing in reported} == {"user", "assistant", "results"}


def test_what_surrounds_a_message_is_no_part_of_its_pieces(ask: Ask) -> None:
    """A message with several pieces is divided by their weights, not by their number."""
    model, sizes = "gpt-4o", {"a.py": 1, "b.py": 40}
    texts = {name: f'<file path="{name}">{"one two three four five " * size}</file>' for name, size in sizes.items()}
    chat = {"messages": [{"role": "user", "content": "".join(texts.values())}]}
    family, counter = family_of(model), Counter()
    weights = {name: weigh(Message("m", "user", (Text(text),)), counter.count, family) for name, text in texts.items()}
    own = {name: weight.total - family.per_message for name, weight in weights.items()}

    report = ask("countTokens", chat=chat, model=model, biggest=9)

    reported = {thing["name"]: thing["tokens"] for thing in report["breakdown"]["files"] if thing["kind"] == "file"}
    for name, tokens in reported.items():
        assert abs(tokens - report["used"] * own[name] / sum(own.values())) <= 0.5


def test_names_are_no_longer_than_anybody_reads(ask: Ask) -> None:
    """A name of megabytes is shortened in the middle, and a secret in it stays masked."""
    call = {"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": f"/w/{'y' * 9_000}/{SECRET}/a.py"}}
    chat = {"messages": [{"role": "assistant", "content": [call, call | {"id": "2", "name": "x" * 9_000}]}]}

    breakdown = ask("countTokens", chat=chat, biggest=9)["breakdown"]

    assert max(len(thing["name"]) for things in breakdown.values() for thing in things) == 1_001
    (file,) = [thing["name"] for thing in breakdown["files"] if thing["kind"] == "file"]
    assert (file[:3], file[-5:], SECRET[:9] in file) == ("/w/", "/a.py", False)


def test_a_breakdown_comes_only_where_it_is_asked_for(ask: Ask, messages: Messages) -> None:
    """It is absent without the param; an invalid number is refused."""
    assert "breakdown" not in ask("countTokens", chat={"messages": messages}, biggest=None)
    for wrong in (0, 1001, "all"):
        with pytest.raises(InvalidParams):
            ask("countTokens", chat={"messages": messages}, biggest=wrong)


def vscode_chat(**chosen: Any) -> dict[str, Any]:
    """A VS Code session with one request that reported its size."""
    model = {"identifier": "copilot/gpt-5", "metadata": {"maxInputTokens": 128_000, "maxOutputTokens": 16_000}}
    kept = {"renderedUserMessage": [{"type": 1, "text": "hi"}], "toolCallRounds": [{"id": "r", "response": "yes"}]}
    request = {"requestId": "q", "message": {"text": "hi"}, "modelId": "copilot/gpt-5", "response": [{"value": "yes"}]}
    sizes = {"promptTokens": 60_000, "completionTokens": 1_000, "result": {"metadata": kept}}
    session = {"version": 3, "sessionId": "s", "responderUsername": "r", "requests": [request | sizes]}
    return {"text": json.dumps(session | {"inputState": {"selectedModel": model}} | chosen), "format": "vscode"}


def test_whose_window_it_is(ask: Ask, client: Any) -> None:
    """A param beats a setting, which beats the chat's own record, which beats the table."""

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
    report = ask("countTokens", chat=vscode_chat(), window=100_000, options={"budget": 1000})
    assert (report["percent"], report["advice"]) == (round(report["used"] / 1000, 1), "compact")


def session(*calls: tuple[str, int], said: str = "hi", tail: str = "") -> dict[str, str]:
    """A Claude Code session in which these models were called with prompts of these sizes."""
    records: list[dict[str, Any]] = []
    for number, (model, size) in enumerate(calls):
        usage = {"input_tokens": 5, "cache_read_input_tokens": size - 5, "output_tokens": 2}
        records += [message("user", said), message("assistant", [{"type": "text", "text": "ok"}])]
        records[-1]["message"] |= {"id": f"a{number}", "model": model, "usage": usage}
    return {"text": claude_session(*records, *([message("user", tail)] if tail else []))}


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
    """A call beyond the known limit proves a larger window, for its own model; `percent` ends at 100."""
    chat = session(*calls)
    file = tmp_path / "chat.jsonl"
    file.write_text(chat["text"] + "\n", "utf-8")

    report = ask("countTokens", chat=chat)
    live = LiveChat(ChatRef(uri=file.as_uri()), Params(), ClientState()).report(Job(ClientState()))

    assert (report["window"], report["windowBasis"], report["percent"]) == (window, basis, percent)
    assert (live.window, live.window_basis, live.percent) == (window, basis, percent)


def compacted(before: int, trigger: str = "auto") -> list[dict[str, Any]]:
    """The records of a compaction by Claude Code."""
    metadata = {"trigger": trigger, "preTokens": before}
    boundary = {"type": "system", "subtype": "compact_boundary", "parentUuid": None, "compactMetadata": metadata}
    return [boundary, message("user", "So far: shelves.", isCompactSummary=True)]


def sized(size: int, name: str, model: str = "claude-opus-4-6") -> list[dict[str, Any]]:
    """A turn with one call of this size."""
    usage = {"input_tokens": size, "output_tokens": 1}
    reply = message("assistant", [{"type": "text", "text": "ok"}], version="2.1.30")
    reply["message"] |= {"id": name, "model": model, "usage": usage}
    return [message("user", "go on"), reply]


def test_the_limit_of_a_chat_and_its_turns_left(ask: Ask) -> None:
    """Before the first compaction the rule of the smaller window counts, after one it is proven."""
    turns = [*sized(30_000, "a"), *sized(60_000, "b"), *sized(80_000, "c")]
    before = ask("countTokens", chat={"text": claude_session(*turns)})
    after = ask("countTokens", chat={"text": claude_session(*turns, *compacted(168_229), *sized(45_000, "d"))})

    assert (before["limit"], before["window"]) == ({"tokens": 167_000, "basis": "rule"}, 200_000)
    assert (before["percentOfLimit"], before["windowsPossible"]) == (47.9, (200_000, 1_000_000))
    assert "One more turn" not in before["reason"]
    assert before["turnsLeft"] == {"low": 2, "high": 3}
    assert before["compactions"] == {"total": 0, "automatic": 0, "lastBefore": None, "lastAfter": None}
    assert (after["limit"]["tokens"], after["windowsPossible"]) == (167_000, ())
    assert after["compactions"] == {"total": 1, "automatic": 1, "lastBefore": 168_229, "lastAfter": 45_000}


def test_the_limit_comes_from_settings_and_from_other_chats(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the user set in the tool beats what other chats showed, and that a rule which it contradicts."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    projects = tmp_path / "projects" / "-shop"
    projects.mkdir(parents=True)
    other = [{**one, "cwd": "/home/ada/garden"} for one in (*sized(110_000, "a"), *compacted(118_000))]
    (projects / "one.jsonl").write_text(claude_session(*other))
    own = projects / "two.jsonl"
    own.write_text(claude_session(*({**one, "cwd": "/home/ada/shop"} for one in sized(50_000, "a"))))

    def limit() -> dict[str, Any]:
        found: dict[str, Any] = ask("countTokens", chat={"uri": own.as_uri()})["limit"]
        return found

    assert limit() == {"tokens": 118_000, "basis": "recorded"}
    (tmp_path / "settings.json").write_text(json.dumps({"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000"}}))
    assert limit() == {"tokens": 117_000, "basis": "setting"}
    monkeypatch.setenv("DISABLE_COMPACT", "1")
    assert ask("countTokens", chat={"uri": own.as_uri()})["percentOfLimit"] is None


def test_a_chat_that_may_be_full_after_a_turn_says_so(ask: Ask) -> None:
    """Below every threshold, the sentence of the advice tells that a turn as long as the longest fills the context."""
    found = ask("countTokens", chat={"text": claude_session(*sized(10_000, "a"), *sized(95_000, "b"))})

    assert (found["advice"], found["turnsLeft"]["low"]) == ("compact", 0)
    assert found["reason"].endswith("may fill it.")


def test_the_limit_is_the_budget(ask: Ask) -> None:
    """Advice follows the limit, unless a budget is asked for."""
    chat = {"text": claude_session(*sized(170_000, "a"))}

    assert ask("countTokens", chat=chat)["advice"] == "compact"
    assert ask("countTokens", chat=chat, options={"budget": 190_000})["advice"] == "none"


def test_a_growing_chat_tells_its_compactions(tmp_path: Path) -> None:
    """A compaction, and the first call behind it, reach a chat that is followed."""
    path = tmp_path / "chat.jsonl"
    records = [*sized(30_000, "a"), *sized(60_000, "b")]
    path.write_text(claude_session(*records))
    live = LiveChat(ChatRef(uri=path.as_uri()), Params(), ClientState())
    seen = [live.report(Job(ClientState())).compactions.last_after]
    for more in (compacted(168_229), sized(45_000, "c"), sized(50_000, "d")):
        records += more
        path.write_text(claude_session(*records))
        live._rests_until = 0.0
        report = live.report(Job(ClientState()))
        seen.append(report.compactions.last_after)

    assert seen == [None, None, 45_000, 45_000]
    assert (report.compactions.last_before, report.limit) == (168_229, Limit(167_000, "rule"))


def test_format_takes_text_or_sections(ask: Ask) -> None:
    """A reply becomes a summary with sections, and the sections the same summary; secrets are masked in both."""
    text = "Sure.<summary>## 1. Primary Request and Intent\nshelves\n\n8. Current Work: jam</summary>"

    formatted = ask("format", text=text)

    assert formatted["sections"] == {"primaryRequestAndIntent": "shelves", "currentWork": "jam"}
    assert ask("format", sections=formatted["sections"])["sections"] == formatted["sections"]
    masked = [ask("format", text=f"<summary>{SECRET}</summary>"), ask("format", sections={"currentWork": SECRET})]
    assert [SECRET in str(one) for one in masked] == [False, False]
    assert "[REDACTED:" in masked[1]["sections"]["currentWork"]
    for params in ({}, {"text": text, "sections": {}}):  # exactly one of them
        with pytest.raises(InvalidParams):
            ask("format", **params)


def test_a_continuation_can_be_made_of_parts(ask: Ask, client: ClientState) -> None:
    """C8: kept messages follow the summary; C14: capabilities and kind default to the client's."""
    kept = [{"role": "user", "content": "and the jam?"}]

    message = ask("continuation", summary="Summary:\nok", messages=kept, kind="manual")["message"]

    assert message.index("Summary:\nok") < message.index("## Recent messages") < message.index("[SYSTEM: ")
    with pytest.raises(InvalidParams) as caught:
        ask("continuation", summary="ok", messages=[{"content": "x"}])
    assert caught.value.data["problems"][0]["path"] == "$.messages[0].role"
    client.greet({"capabilities": {"searchOlder": {"name": "findPast"}}})
    assert "`findPast`" in ask("continuation", summary="ok", kind="regular")["message"]
    assert "`findPast`" not in ask("continuation", summary="ok", kind="regular", capabilities={})["message"]
    assert "[SYSTEM: " not in ask("continuation", summary="ok")["message"]
    client.configure({"continuation": {"kind": "manual"}})
    assert "[SYSTEM: " in ask("continuation", summary="ok")["message"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder to write to."""
    monkeypatch.setattr(ratios, "state_folder", lambda: tmp_path / "state")
    return tmp_path / "state"


SONNET, TRAYS = "claude-sonnet-4-5", "count the trays in the shop "
TEACHER = session(*((SONNET, 1_000 + 480 * number) for number in range(12)), said=TRAYS * 60, tail="done")
PUPIL = session((SONNET, 1_000), said=TRAYS * 60, tail=TRAYS * 200)


def test_a_chat_teaches_the_next_client(ask: Ask, client: ClientState, folder: Path) -> None:
    """If the user wants it, the next client meets a model that makes more tokens of a word with what was learned.

    A client's own numbers and plans stay the same; unless it is wanted no file is made.
    """

    def counted_anew(*, remember: bool) -> int:
        fresh = ClientState()
        fresh.configure({"rememberRatio": remember})
        used: int = perform_alone("countTokens", {"chat": PUPIL}, Job(fresh))["used"]
        return used

    before = ask("countTokens", chat=PUPIL), ask("preview", chat=PUPIL)
    for wanted in (False, True):
        client.configure({"rememberRatio": wanted})
        ask("countTokens", chat=TEACHER)
        assert (ask("countTokens", chat=PUPIL), ask("preview", chat=PUPIL)) == before
        assert folder.exists() is wanted
    cold = before[0]["used"]

    assert counted_anew(remember=True) > cold
    client.configure({"rememberRatio": False})
    assert ask("countTokens", chat=PUPIL)["used"] == counted_anew(remember=False) == cold
    assert [path.name for path in folder.iterdir()] == ["ratios.json"]


def test_a_title_is_a_short_line(accept: bool) -> None:
    """G2: of a title's first line."""
    functions = {"shown_title": lambda title: shown_title(title, str)}
    check_functions(Path(__file__).with_name("titles.txt"), functions, accept=accept)


@pytest.mark.parametrize("secret", SECRETS, ids=lambda one: one[:4])
@pytest.mark.parametrize("before", range(0, 80, 10))
def test_no_part_of_a_secret_is_shown(secret: str, before: int) -> None:
    """Wherever in the first line a secret is, it is masked before the line is truncated."""
    shown = shown_title(("please use " + "word " * 20)[:before] + " " + secret, ClientState().redactor())

    assert shown is not None
    assert not any(part in shown for part in ("ghp_", "sk-proj", "hunter", "eyJ"))


@pytest.mark.parametrize("tool", WRITERS)
def test_counting_listing_and_watching_show_the_same(ask: Ask, tmp_path: Path, tool: str) -> None:
    """A key in the middle of a long first line is masked everywhere, for the chats of every tool."""
    said = "w" * 44 + " " + SECRET + " and count the trays of every single shelf, one after the other, " * 3
    uri = WRITERS[tool](tmp_path, 1, said, "/demo/shop").as_uri()
    (listed,) = ask("sessions", roots=[tmp_path.as_uri()])["sessions"]
    counted = ask("countTokens", chat={"uri": uri})["title"]
    watched = LiveChat(ChatRef(uri=uri), Params(), ClientState()).report(Job(ClientState())).title

    assert listed["title"] == counted == watched
    assert "ghp_" not in counted
    assert len(counted) <= LONGEST_TITLE


def test_a_picture_has_a_name_among_the_biggest(ask: Ask) -> None:
    """A message without a text is shown by what it holds."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}}
    paper = {"type": "document", "title": "Bread", "source": {"type": "url", "url": "https://example.com/a.pdf"}}
    chat = {"messages": [{"role": "user", "content": [picture, paper]}]}
    names = [one["name"] for one in ask("countTokens", chat=chat, biggest=3)["breakdown"]["messages"]]

    assert names == ["user: [image] [document: Bread]"]


@pytest.mark.parametrize("name", ["preview", "continuation"])
def test_too_many_messages_are_refused_unread(name: str) -> None:
    """Messages are counted before any of them is read, wherever they are in the params."""
    given: dict[str, Any] = {"messages": [5] * (MAX_MESSAGES + 1)}
    params = {"chat": given} if name == "preview" else {**given, "summary": "Nine shelves."}

    with pytest.raises(TooLarge) as caught:
        perform_alone(name, params, Job(ClientState()))

    assert caught.value.data == {"uri": None}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """A file that is too large, no chat or missing is an error with its URI."""
    path = tmp_path / "chat.json"
    for content, kind in ((b"{}\n" * MAX_VALUES, TooLarge), (bytes(range(256)), ChatUnreadable), (None, ChatNotFound)):
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        with pytest.raises(CompactChatError) as caught:
            chat_of(ChatRef(uri=path.as_uri()))

        assert (caught.type, caught.value.data["uri"]) == (kind, path.as_uri())


@pytest.mark.parametrize(
    ("ref", "at", "path"),
    [
        (ChatRef(), "$.chat", "$.chat"),
        (ChatRef(uri="file:///a", text="a"), "$.chat", "$.chat"),
        (ChatRef(uri="https://example.com"), "$.chat", "$.chat.uri"),
        (ChatRef(messages=[{"role": "user", "content": "$"}, 5]), "$.chat", "$.chat.messages[1]"),
        (ChatRef(messages=[{"role": "user", "content": [{"type": "text"}]}]), "$", "$.messages[0].content[0].text"),
    ],
)
def test_problems_stand_where_the_chat_stands(ref: ChatRef, at: str, path: str) -> None:
    """A path starts at the chat's position in the request."""
    with pytest.raises(InvalidParams) as caught:
        chat_of(ref, at)

    assert [one["path"] for one in caught.value.data["problems"]] == [path]
