"""A compacted chat leaves the house in forms that people read and that our own readers know again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from msgspec.structs import replace

from compact_chat.chat import Chat, Image, Message, Text, Thinking
from compact_chat.read import Source, read_chat
from compact_chat.resume import (
    UNANSWERED,
    Export,
    as_anthropic,
    as_claude_session,
    as_json,
    as_markdown,
    as_vscode_export,
    as_vscode_session,
    is_closing,
    make_valid,
    splice_summary,
    summary_message,
    without_closing,
)
from compact_chat.text import CLOSING, CONTINUED, OPENING, line_feeds, visible
from tests.oracles.snapshots import check_snapshot
from tests.samples.chats import NO_MASKS, PAPER, PICTURE, a, anything, call, res, s, talk, u, words
from tests.samples.styles import as_summary

DONE: dict[str, Any] = {
    "compactionId": "c1",
    "provider": "offline",
    "model": None,
    "summary": "Summary:\nS",
    "continuation": "## Session Continued\n\nSummary:\nS\n",
    "before": 9000,
    "after": 1000,
    "survival": {
        "kept": 0.75,
        "classes": [
            {"name": "userMessages", "total": 4, "kept": 3, "lost": [{"id": "1", "text": "line\none", "message": None}]}
        ],
    },
}


def export(messages: Sequence[Message], **more: Any) -> Export:
    """Put together what is exported."""
    return Export(NO_MASKS.json(DONE), NO_MASKS.messages(messages), "2026-11-18T10:00:00.000Z", **more)


def read(text: str) -> Chat:
    """Read an export back."""
    return read_chat(Source.of_bytes(text.encode(), "x"))


def said(messages: tuple[Message, ...]) -> list[tuple[str, list[Any]]]:
    """What a model gets: roles and contents, but not what only some forms know of a result."""
    rows: list[tuple[str, list[Any]]] = []
    for turn in make_valid(messages):
        parts = [
            replace(part, as_text=True, is_error=False) if hasattr(part, "call_id") else part for part in turn.parts
        ]
        rows.append((turn.role, parts))
    return rows


KEPT = talk(u("go", PICTURE), a("look", call("1"), call("2")), u(res("1", "x"), res("2", "y")), a("done"), u("more"))
AFTER = splice_summary((), as_summary("Summary:\nS"), KEPT)
FRAMED = "<context>\nThe date is today.\n</context>\n<userRequest>\nBake it.\n</userRequest>\n"
# All that the forms write: rules, a frame, pictures, thoughts, open, failed and plain calls, and a closing.
RICH = (
    *splice_summary(
        (s("Be kind."),),
        as_summary("Summary:\nS"),
        talk(
            u("Two loaves.", FRAMED, PICTURE, Image(url="https://example.org/a.png")),
            a(Thinking("hm"), "I look.", call("1", path="é.txt"), call("2"), call("3")),
            u(res("1", "flour"), res("2", "no oven", PICTURE, PAPER, is_error=True), "And?"),
            a("Done."),
            u("Thanks.", "Now buns."),
        ),
    ),
    u("[SYSTEM: go on]"),
)


@pytest.mark.parametrize(
    ("name", "write", "model"),
    [
        ("session.jsonl", as_claude_session, "claude-opus-5-5"),
        ("workbench.json", as_vscode_export, "copilot/claude-opus-5-5"),
        ("page.md", as_markdown, "claude-opus-5-5"),
    ],
)
def test_a_rich_chat_is_exported_whole(name: str, write: Callable[[Export], str], model: str, accept: bool) -> None:
    """Every field of every record, and every line of a page, is what the snapshot says."""
    context = {"title": "Shelves\nand trays", "workspace": "/home/mara/shop", "model": model}
    found = export(RICH, **context, read_files=("b`.py",), modified_files=("a.py",))
    check_snapshot(write(found), Path(__file__).with_name(name), accept=accept)


def test_a_vscode_export_has_what_its_own_have(shared_chats: Path) -> None:
    """Each member that an import may ask for is of the type that VS Code's own export has there."""
    theirs = json.loads((shared_chats / "vscode" / "workbench-export.json").read_text("utf-8"))["requests"][1]
    ours = json.loads(as_vscode_export(export(AFTER)))["requests"][0]

    for path in (("agent",), ("result", "metadata"), ("message",), ("message", "parts"), ("modelState",), ()):
        mine, other = ours, theirs
        for name in path:
            mine, other = mine[name], other[name]
        mine, other = (one[0] if isinstance(one, list) else one for one in (mine, other))
        known = {name: type(value) for name, value in other.items()}
        assert {name: type(value) for name, value in mine.items()}.items() <= known.items()
    assert ours["agent"]["id"] == ours["result"]["metadata"]["agentId"] == theirs["agent"]["id"]


def test_a_page_of_what_rules_left() -> None:
    """Where there is no summary, the messages that stay are what the next chat begins with."""
    done = DONE | {"summary": "", "continuation": "[SYSTEM: go on]"}
    page = as_markdown(replace(export(KEPT), compaction=done))

    assert "\n\n## Messages\n\n[User]: go\n\n[User]: [image]\n\n[Assistant]: look\n\n" in page
    assert "[User]: more\n\n[SYSTEM: go on]\n\n## What was kept" in page
    bare = NO_MASKS.json({**done, "continuation": "", "survival": {"kept": 1.0, "classes": []}})
    origin = "Compacted on 2026-11-18: 9,000 → 1,000 tokens."
    assert as_markdown(Export(bare, (), "2026-11-18T10:00:00.000Z")) == f"# Compacted chat\n\n{origin}\n"


@pytest.mark.parametrize(
    ("provider", "model", "writer"),
    [
        ("offline", None, "made without a model"),
        ("host", None, "edited by hand, or by a model of the editor's"),
        ("anthropic", "claude-haiku-4-5", "by claude-haiku-4-5"),
        ("anthropic", None, "by anthropic"),
    ],
)
def test_a_page_tells_who_wrote_its_summary(provider: str, model: str | None, writer: str) -> None:
    """The model, or what it came from; nobody else."""
    page = as_markdown(replace(export(KEPT), compaction=NO_MASKS.json(DONE | {"provider": provider, "model": model})))

    assert page.split("\n")[2].startswith(f"Compacted on 2026-11-18, summary {writer}: 9,000 → 1,000 tokens, 3 of 4")


def test_a_session_of_vscode_is_stored_as_its_own() -> None:
    """A log that begins with the whole state, or before 1.109 the state; the export's document is in both."""
    one = export(AFTER, title="Shelves")
    log, state = as_vscode_session(one, is_log=True), as_vscode_session(one, is_log=False)
    stored = {
        "version": 3,
        "sessionId": one.session_id,
        "creationDate": 1794996000000,
        "customTitle": "Compacted: Shelves",
        **json.loads(as_vscode_export(one)),
    }

    assert json.loads(state) == stored
    assert (json.loads(log), log.count("\n"), log[-1:]) == ({"kind": 0, "v": stored}, 1, "\n")
    assert '"customTitle":"Compacted: chat"' in as_vscode_session(export(AFTER), is_log=False)
    assert export(AFTER).session_id == one.session_id != export(KEPT).session_id


def test_a_summary_goes_before_all_system_text() -> None:
    """Claude Code: the summary follows the boundary, then come the system texts, as nobody's words, then the user's."""
    chat = splice_summary((s("rules"), s("more rules")), as_summary("Summary:\nS"), talk(u("go"), a("done")))
    records = [json.loads(line) for line in as_claude_session(export(chat)).splitlines()]

    assert [record.get("subtype") or record["type"] for record in records] == [
        "compact_boundary",
        "user",
        "user",
        "user",
        "assistant",
    ]
    assert (records[1]["isCompactSummary"], records[2]["isMeta"], "isMeta" in records[3]) == (True, True, False)
    said = [(one.text, one.typed_text) for one in read(as_claude_session(export(chat))).messages[1:]]
    assert said == [("rules\nmore rules", ""), ("go", "go"), ("done", "")]
    one = as_claude_session(export((s("Be kind."), summary_message("S"), a("yes"))))
    assert read(one).messages[0].is_summary


def test_json_is_the_compaction_with_its_messages() -> None:
    """The object of the wire comes back, with the chat that was made."""
    text = as_json(export(AFTER))
    assert json.loads(text) == {**DONE, "messages": as_anthropic(AFTER)}
    assert text.startswith('{\n  "compactionId": "c1",\n')


@pytest.mark.parametrize("model", [None, "gpt-5", "copilot/claude-opus-5-5"])
def test_a_model_of_others_is_not_told_to_claude_code(model: str | None) -> None:
    """Claude Code goes on with the model that a session names, so it names none that could not answer."""
    records = [json.loads(line) for line in as_claude_session(export(AFTER, model=model)).split("\n")[:-1]]

    replies = [one["message"] for one in records if one["type"] == "assistant"]
    assert {one["model"] for one in replies} == {"unknown"}
    assert all(one["id"].startswith("msg_") for one in replies)


def test_a_chat_that_waits_for_an_answer_says_so() -> None:
    """A user's message at the end gets a plain answer; else Claude Code puts words of its own there."""
    chat = read(as_claude_session(export(AFTER)))

    assert chat.messages[-1].text == UNANSWERED
    assert said(chat.messages[:-1]) == said(AFTER)


def test_an_open_call_is_answered() -> None:
    """V7: nobody could still answer a call in an export, so that it was interrupted stands there."""
    after = splice_summary((), as_summary("S"), talk(u("go"), a(call("1"))))

    for text in (as_claude_session(export(after)), as_vscode_export(export(after))):
        (result,) = [result for message in read(text).messages for result in message.results]
        assert "interrupted" in str(result.content)


def test_the_closing_stays_behind() -> None:
    """V8: what only makes a chat ready to be sent is not exported."""
    closing = u("[SYSTEM: go on]")
    after = splice_summary((), as_summary("S"), talk(u("go"), a("done")))

    assert is_closing(closing)
    assert not any(map(is_closing, (u("[SYSTEM: go on] said he"), a("[SYSTEM: go on]"), u(PICTURE))))
    assert without_closing((*after, closing)) == after
    assert said(read(as_claude_session(export((*after, closing)))).messages) == said(after)


def test_a_summary_behind_a_kept_head_has_no_boundary() -> None:
    """Z4: where the head stays, all of it goes to the model, and the summary stands where it stood."""
    after = splice_summary(talk(u("first"), a("answer")), as_summary("S"), (), "from")
    text = as_claude_session(export(after))

    assert "compact_boundary" not in text
    assert said(read(text).messages[:-1]) == said(after)


def test_the_panel_shows_the_summary_by_itself() -> None:
    """It is a request without an answer, in front of what the user said next; a summary at the end stays there."""
    shown = as_vscode_export(export(splice_summary((), as_summary("S"), talk(u("go"), a("done")))))
    requests = json.loads(shown)["requests"]
    kept_head = splice_summary(talk(u("first"), a("answer")), as_summary("S"), (), "from")
    behind = json.loads(as_vscode_export(export(kept_head)))["requests"]

    assert [request["message"]["text"] for request in requests] == [summary_message("S").text, "go"]
    assert [len(request["response"]) for request in requests] == [0, 1]
    assert [request["message"]["text"] for request in behind] == ["first", kept_head[-1].text]


def test_an_export_of_vscode_is_read_as_one() -> None:
    """Every text of the user's is a request, and what the model gets is what it got."""
    chat = read(as_vscode_export(export(AFTER)))

    assert (chat.format, chat.warnings) == ("vscode-export", ())
    assert said(chat.messages) == said(AFTER)


def test_ids_are_fresh_and_the_same_each_time() -> None:
    """VS Code remembers turns by their ids: no two of an export are the same, and none is that of another one."""
    one, other = export(AFTER), replace(export(AFTER), compaction={**DONE, "compactionId": "c2"})
    metadata = [
        [request["result"]["metadata"] for request in json.loads(as_vscode_export(e))["requests"]] for e in (one, other)
    ]
    names = [entry[key] for found in metadata for entry in found for key in ("responseId", "modelMessageId")]

    assert as_vscode_export(one) == as_vscode_export(one)
    assert len(set(names)) == len(names)


@given(words, words)
@example("x\n" + CONTINUED + "\n\n" + CLOSING + "\ny", CONTINUED)
@example("x\0\ud800", "title " * 1000)
@example("\x1b]0;x\x07 \u202e \U000e0001 \t \U0001f468\u200d\U0001f469", "\x1b[2J")
def test_any_text_can_be_exported_as_a_page(words: str, title: str) -> None:
    """Whatever is quoted, the page is a text file, and its reader finds the message that opens the next chat."""
    message = f"{CONTINUED}\n\n{OPENING}\n\n{words}\n\n{CLOSING}"
    lost = {"name": "userMessages", "total": 1, "kept": 0, "lost": [{"id": "1", "text": words, "message": None}]}
    done = DONE | {"continuation": message, "survival": {"kept": 0.0, "classes": [lost]}}
    page = as_markdown(replace(export((), title=title, read_files=(words,)), compaction=done))

    (opening,) = read_chat(Source.of_bytes(page.encode(), "file:///page")).messages
    stored = line_feeds(message).translate(dict.fromkeys((0, *range(0xD800, 0xE000)), "\ufffd"))
    assert opening.text == visible(stored)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0001]", page)


@pytest.mark.parametrize("write", [as_json, as_claude_session, as_vscode_export])
def test_an_export_is_json_for_every_reader(write: Callable[[Export], str]) -> None:
    """A number that JSON cannot write, which some tools wrote into their files, is null."""
    odd = call("1", x=math.nan, y=[math.inf])
    text = write(export(talk(u("go"), a(odd), u(res("1", "done")), a("done"))))

    for document in text.splitlines() if write is as_claude_session else [text]:
        json.loads(document, parse_constant=pytest.fail)
    assert '"x": null' in text.replace('":null', '": null').replace("\\", "")


@given(anything())
def test_any_chat_can_be_exported(messages: tuple[Message, ...]) -> None:
    """V: whatever was kept, the session is read back, and what would be sent needs no mending."""
    after = splice_summary((), as_summary("S"), messages)
    chat = read(as_claude_session(export(after)))
    turns = [turn for turn in chat.messages if not turn.is_summary]

    assert chat.format == "claude-code"
    assert chat.messages[-1].role == "assistant"
    assert said(chat.messages) == said(make_valid(chat.messages))
    assert all(not isinstance(part, Text) or part.text.strip() for turn in turns for part in turn.parts)
    read(as_vscode_export(export(after)))
