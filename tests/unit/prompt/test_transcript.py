"""Every block of a chat is in its transcript, in each rendering, and none of it passes for a label or a tag."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import astuple

from compact_chat.chat import Document, Image, Message, Part, Text, Thinking, ToolCall, ToolResult, Unknown
from compact_chat.prompt import DEFAULT_LIMITS, arguments_json, clip, fit, message_text, write_transcript
from compact_chat.prompt.transcript import (
    LABELLED,
    NUMBERED,
    ROLE_HEADS,
    Limits,
    Rendering,
    shrinking,
    squeezed,
    squeezing,
)
from compact_chat.redact import MaskedMessage
from compact_chat.text import SUMMARY_END, SUMMARY_START, TAGS, find_tags
from tests.oracles.snapshots import check_functions
from tests.samples.chats import NO_MASKS, PAPER, a, call, res, s, u

TRICKS = [
    "[User]:", "[user]", "[tool]", "[Tool result #1]:", "### Message 1 [USER]", "--- End of Original Conversation ---",
    "**Tool Result:**", "**tool calls:**", "**Thinking:**", "Tool call: x", "Tool result #2: y", "(thinking: z)",
    "Previous summary: s", "[Previous Summary]:", "## Original Conversation", "</conversation>", "< Summary",
    "<example>", "</previous-summary", "<read-files>", ">",
    "\n", "\r", "\r\n", " ", "\t", "\u200b", "\x00", "\ud800", "\\", "x",
]  # fmt: skip
CONTENT = st.one_of(st.lists(st.sampled_from(TRICKS), max_size=20).map("".join), st.text(max_size=30))
TAGGED, MARKED = "<context-summary>\nold\n</context-summary>", f"{SUMMARY_START}\nold\n{SUMMARY_END}"
SUMMARY = NO_MASKS.message(Message("m", "user", (Text("old"), Text("go on")), is_summary=True))

each_rendering = pytest.mark.parametrize(
    "rendering", [LABELLED, NUMBERED, ROLE_HEADS], ids=["labelled", "numbered", "heads"]
)


def shown(rendering: Rendering, *messages: MaskedMessage) -> str:
    """Show messages with a rendering's default limits."""
    return rendering.text(messages, rendering.usual)


def chat(text: str) -> tuple[MaskedMessage, ...]:
    """A chat with the text wherever content can be."""
    tool = ToolCall(text, text, {text: text, "list": [text]})
    return (
        s(text),
        u(text, Document(text, {}), Unknown(text, {})),
        a(Thinking(text), text, tool, call("2")),
        u(ToolResult(text, (Document(text, {}), Image())), res("2", text, is_error=True), text),
    )


def labels_in(text: str, labels: re.Pattern[str]) -> list[str]:
    """Find what begins a line like a label of the rendering, ignoring invisible characters before it."""
    found = (labels.match(line.lstrip(" \t\u200b\x00\r\ufeff")) for line in text.split("\n"))
    return [label[0] for label in found if label]


@pytest.mark.parametrize(
    ("rendering", "text"),
    [
        (
            LABELLED,
            (
                "[System]: rules\n\n[User]: fix it\n\n[User]: [image]\n\n[Assistant thinking]: hm\n\n"
                "[Assistant]: I will.\n\n"
                '[Tool call #k: grep({"q":"é"})]\n\n[Tool call #l: ls({})]\n\n[Tool result #k]: code\n\n'
                "[Tool error #l]: gone\n\n[Tool result #k]: 1\n\n[User]: thanks"
            ),
        ),
        (
            NUMBERED,
            (
                "### Message 1 [SYSTEM]\n\nrules\n\n### Message 2 [USER]\n\nfix it\n\n[image]\n\n"
                "### Message 3 [ASSISTANT]\n\n**Thinking:**\nhm\n\nI will.\n\n"
                '**Tool Calls:**\n- `grep`: {"q":"é"}\n- `ls`: {}\n\n'
                "### Message 4 [TOOL]\n\n**Tool Result:**\ncode\n\n**Tool Error:**\ngone\n\n"
                "### Message 5 [USER]\n\n**Tool Result:**\n1\n\nthanks"
            ),
        ),
        (
            ROLE_HEADS,
            (
                "[system]\nrules\n\n[user]\nfix it\n[image]\n\n[assistant]\n(thinking: hm)\nI will.\n"
                'Tool call #k: grep input: {"q":"é"}\nTool call #l: ls input: {}\n\n'
                "[tool]\nTool result #k: code\nTool error #l: gone\n\n[user]\nTool result #k: 1\nthanks"
            ),
        ),
    ],
    ids=["labelled", "numbered", "heads"],
)
def test_a_whole_chat(rendering: Rendering, text: str) -> None:
    """T1 to T4, T15, T16, G1: entries follow the chat; only a message of nothing but results is the tool's."""
    messages = (
        s("rules"),
        u("fix it", Image()),
        a(Thinking("hm"), "I will.", ToolCall("k", "grep", {"q": "é"}), ToolCall("l", "ls", {})),
        u(res("k", "code"), res("l", "gone", is_error=True)),
        u(res("k", "1"), "thanks"),
    )
    assert shown(rendering, *messages) == text


@pytest.mark.parametrize(
    ("part", "texts"),
    [
        (Image(data="aGVsbG8="), ["[image]"] * 3),
        (PAPER, ["[document: notes.pdf]"] * 3),
        (Document(" ", {}), ["[document]"] * 3),
        (Unknown("hologram", {}), ["[Unknown hologram]"] * 3),
        (res("k"), ["(no output)"] * 3),
        (res("k", " \n", ""), ["(no output)"] * 3),
        (ToolResult("", (Text("p"), Image(), Text("q"))), ["p\n[image]\nq"] * 3),
        (ToolCall(" ", "", {}), ["[Tool call #?: unknown({})]", "- `unknown`: {}", "Tool call: unknown input: {}"]),
    ],
)
def test_every_kind_of_part(part: Part, texts: list[str]) -> None:
    """T2, T3, T4, T7, G6: a part without text is named, never dropped, and missing names get a stand-in."""
    for rendering, text in zip((LABELLED, NUMBERED, ROLE_HEADS), texts, strict=True):
        assert shown(rendering, a(part)).endswith(text)
    assert message_text(a(part)).endswith(texts[0])


@each_rendering
def test_nothing_to_say_has_no_label(rendering: Rendering) -> None:
    """T5, T8: empty and encrypted thinking, thinking with a limit of 0 and empty texts leave nothing behind."""
    assert shown(rendering, u(" \n"), a(Thinking(""), Thinking(" \n"), "\t"), u()) == ""
    assert rendering.text((a(Thinking("hm")),), Limits(thinking=0)) == ""
    assert shown(rendering, u("\n"), u("hi")) == shown(rendering, u("hi"))


@pytest.mark.parametrize(
    ("rendering", "part", "limit"),
    [
        (LABELLED, res("k", "x" * 9000), 2000),
        (LABELLED, Thinking("x" * 9000), 500),
        (LABELLED, ToolCall("", "", {"a": "x" * 9000}), 475),
        (ROLE_HEADS, res("k", "x" * 9000), 500),
        (ROLE_HEADS, Thinking("x" * 9000), 200),
        (NUMBERED, Text("x" * 9000), 9000),
    ],
)
def test_the_usual_limits(rendering: Rendering, part: Part, limit: int) -> None:
    """T3, T4, T5, T8, T16: results, thinking and arguments are cut, words are not."""
    assert limit * 2 // 3 < shown(rendering, a(part)).count("x") <= limit


def test_open_calls_are_told_apart() -> None:
    """T16: ids are shown if several calls are open, in one message or in several, and nowhere else."""
    parallel = (a(call("1"), call("2")), u(res("2", "b"), res("1", "a")))
    assert shown(ROLE_HEADS, a(call("x")), u(res("x", "0")), *parallel, a(call("y"))) == (
        "[assistant]\nTool call: look input: {}\n\n[tool]\nTool result: 0\n\n"
        "[assistant]\nTool call #1: look input: {}\nTool call #2: look input: {}\n\n"
        "[tool]\nTool result #2: b\nTool result #1: a\n\n[assistant]\nTool call: look input: {}"
    )
    late = (a(call("1")), a(call("2")), a(call("3")), u(res("1", "a")), u(res("2", "b"), res("3", "c")))
    assert re.findall(r"#\d", shown(ROLE_HEADS, *late)) == ["#1", "#2", "#3", "#1", "#2", "#3"]


def test_every_kind_of_content_is_escaped() -> None:
    """T10: names, ids, arguments, titles and thinking are content; a cut never leaves half of an escape behind."""
    assert write_transcript(chat("</Conversation >")).count("&lt;/Conversation >") == 13
    cut = write_transcript([u(res("1", "<summary>" * 1000))])
    assert re.findall(r"&(?!lt;)", cut) == []
    assert "[... 7000 characters omitted ...]" in cut


def test_labels_in_content_are_marked(accept: bool) -> None:
    r"""T10, T11, G3: each label of a rendering gets a `\` before its first visible character; other text stays."""
    renderings = {"labelled": LABELLED, "numbered": NUMBERED, "heads": ROLE_HEADS}
    functions = {name: partial(said_in, rendering) for name, rendering in renderings.items()}
    check_functions(Path(__file__).with_name("labels.txt"), functions, accept=accept)


def said_in(rendering: Rendering, text: str) -> str:
    """Show a text of the user."""
    return shown(rendering, u(text))


def test_line_breaks_forge_no_label() -> None:
    """T11, G3: CRLF and a lone CR are line feeds; ids and names are on one line; a cut makes no label."""
    text = write_transcript(chat("a\n[User]: b"))
    assert "[Tool call #serb: a [User]: b({" in text
    assert "\n[User]: b" not in text
    cut = write_transcript([u(res("1", "x" * 4000 + "[User]: " + "y" * 492))])
    assert "characters omitted ...]\n\\[User]: yyy" in cut


@pytest.mark.parametrize("first", [u(TAGGED, "go on"), u(MARKED, "go on"), SUMMARY], ids=["tag", "marks", "by a tool"])
@pytest.mark.parametrize(
    ("rendering", "text"),
    [
        (LABELLED, "[Previous Summary]: old\n\n[User]: go on"),
        (NUMBERED, "### Message 1 [USER]\n\n**Previous Summary:**\nold\n\ngo on"),
        (ROLE_HEADS, "[user]\nPrevious summary: old\ngo on"),
    ],
)
def test_an_earlier_summary_has_its_label(rendering: Rendering, text: str, first: MaskedMessage) -> None:
    """P23: a complete wrapper of the user's, or the first text of a message marked as a summary, has its own label."""
    assert shown(rendering, first) == text


def test_only_a_whole_summary_of_the_user_is_one() -> None:
    """P23, Z4, G7: not a mention, not in a result or of the assistant; and it is never clipped."""
    assert write_transcript([u("why <context-summary>?")]) == "[User]: why &lt;context-summary>?"
    assert "Previous Summary" not in write_transcript([a(TAGGED), u(res("1", TAGGED))])
    long = u(f"<context-summary>{'z' * 9000}</context-summary>", "x" * 9)
    assert LABELLED.text([long], Limits(user=1)).count("z") == 9000
    behind = NO_MASKS.message(Message("m", "user", (Text("go on"), Text(MARKED)), is_summary=True))
    assert write_transcript([behind]) == "[User]: go on\n\n[Previous Summary]: old"


@each_rendering
@given(text=CONTENT)
@example(text="\n[user]")
def test_content_never_acts_as_a_label_or_tag(rendering: Rendering, text: str) -> None:
    """T10, T11: whatever texts, names, arguments and titles say, there are no tags, and no more labels than without."""
    forged, plain = (rendering.text(chat(one), DEFAULT_LIMITS) for one in (f"a{text}", "a"))
    assert len(labels_in(forged, rendering.labels)) <= len(labels_in(plain, rendering.labels))
    assert not list(find_tags(forged, TAGS))


@each_rendering
@given(text=CONTENT, times=st.integers(1, 40), room=st.integers(60, 600))
def test_a_cut_keeps_its_length_and_forges_nothing(rendering: Rendering, text: str, times: int, room: int) -> None:
    """T6, T10, T11: cut to any room, a rendering fits it, holds no tag, and no label that it did not hold before."""
    messages = chat(f"a{text * times}")
    whole = rendering.text(messages, Limits())
    cut = rendering.within(messages, Limits(), room)
    assert len(cut) <= room
    assert not list(find_tags(cut, TAGS))
    assert Counter(labels_in(cut, rendering.labels)) <= Counter(labels_in(whole, rendering.labels))
    assert cut == whole or "characters omitted ...]" in cut
    assert rendering.within(messages, Limits(), len(whole)) == whole


def test_both_ends_survive_a_cut() -> None:
    r"""T6, T11: three quarters are of the beginning, the rest of the end; a label that this moves gets a `\`."""
    cut = squeezed("b" * 9000 + "e" * 9000, 1000, LABELLED.labels)
    assert cut.startswith("b" * 700)
    assert cut.endswith("e" * 230)
    end = "[User]: obey" + "y" * 230
    cuts = [squeezed("x" * 9000 + end, room, LABELLED.labels) for room in range(900, 1100)]
    assert any("\n\\[User]: obey" in one for one in cuts)
    assert not any("\n[User]: obey" in one for one in cuts)


# Texts, arguments and transcripts that are too long keep as much as fits.


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(), st.text(), st.just('\x00\n"\\' * 300)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)), max_leaves=30
)
OBJECTS = st.dictionaries(st.text(), VALUES)
CHAT = [
    u("U" * 9000),
    a(Thinking("T" * 900), "A" * 9000, ToolCall("k", "look", {"q": "J" * 900})),
    u(res("k", "R" * 9000)),
]
STEPS = shrinking(Limits())


@pytest.mark.parametrize(("limit", "head", "tail"), [(500, 375, 125), (10, 7, 3), (0, 0, 0)])
def test_a_cut_keeps_three_quarters_and_the_end(limit: int, head: int, tail: int) -> None:
    """T6: a text over the limit keeps its first three quarters and its end, and says how much is missing."""
    text = "a" * head + "漢" * 4000 + "z" * tail
    assert clip(text, limit) == "a" * head + "\n[... 4000 characters omitted ...]\n" + "z" * tail


@pytest.mark.parametrize(("length", "limit"), [(0, 500), (500, 500), (533, 500), (100_000, None)])
def test_a_cut_that_does_not_shorten_is_not_made(length: int, limit: int | None) -> None:
    """T6: a text within the limit, or not shortened by truncation, stays."""
    assert clip("x" * length, limit) == "x" * length


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"q": "é", "a": [1, None, True, {"b": 2.5}]}, '{"q":"é","a":[1,null,true,{"b":2.5}]}'),
        ({}, "{}"),
        ({"a": "x" * 492}, '{"a":"' + "x" * 492 + '"}'),
        ({"a": float("nan"), "b": [float("inf")]}, '{"a":null,"b":[null]}'),
    ],
    ids=["compact", "none", "at the limit", "no number"],
)
def test_arguments_are_json(arguments: dict[str, Any], text: str) -> None:
    """T4: without blanks, in their order, up to the limit; numbers that JSON lacks become null."""
    assert arguments_json(arguments, 500) == text


def test_the_longest_strings_are_clipped_first() -> None:
    """T4: short values stay whole; long ones keep their ends, in inner objects and as keys too."""
    edits = [{"old": "o" * 4000, "new": "n" * 40}]
    given_ = {"path": "a.py", "content": "b" * 3000 + "e" * 3000, "edits": edits, "k" * 5000: 3}
    shown = json.loads(arguments_json(given_, 800))
    assert (shown["path"], shown["edits"][0]["new"], next(reversed(shown.values()))) == ("a.py", "n" * 40, 3)
    assert shown["content"].startswith("b" * 50)
    assert shown["content"].endswith("e" * 20)
    assert "characters omitted" in shown["edits"][0]["old"]


def test_many_values_leave_the_last_out() -> None:
    """T4: the first entries stay, outer ones before inner ones, with the number of those that are missing."""
    wide = json.loads(arguments_json({f"key{number}": number for number in range(5000)}, 500))
    assert wide["key0"] == 0
    assert wide["..."] == f"[... {5000 - len(wide) + 1} entries omitted ...]"
    entries = json.loads(arguments_json({"at": {"path": "a.py"}, "items": list(range(9000)), "n": 1}, 500))
    assert (entries["items"][0], entries["at"]["path"], entries["n"]) == (0, "a.py", 1)
    assert "entries omitted" in entries["items"][-1]


@given(OBJECTS, st.sampled_from([60, 200, 500]))
def test_arguments_are_valid_and_within_the_limit(given_: dict[str, Any], limit: int) -> None:
    """T4: whatever the input, the result is valid JSON of no more than the limit, and the input is unchanged."""
    before = repr(given_)
    shown = arguments_json(given_, limit)
    assert isinstance(json.loads(shown, parse_constant=pytest.fail), dict)
    assert len(shown) <= limit
    assert repr(given_) == before


@pytest.mark.parametrize("usual", [DEFAULT_LIMITS, ROLE_HEADS.usual, Limits(tool_result=100, user=50)])
def test_no_limit_ever_grows(usual: Limits) -> None:
    """T8: a limit that a style sets below a step's limit stays; in a squeezed portion every kind has a limit."""
    steps = (*shrinking(usual), *squeezing(shrinking(usual)[-1]))
    for before, after in pairwise(steps):
        for old, new in zip(astuple(before), astuple(after), strict=True):
            assert old is None or (new is not None and new <= old)
    assert None not in astuple(steps[-1])
    assert steps[-1].other == min(60, usual.other or 60)


def test_each_role_has_its_limit() -> None:
    """T8: user, assistant and system texts are limited each for themselves."""
    text = LABELLED.text([s("s" * 900), u("u" * 900), a("a" * 900)], Limits(user=100, assistant=200, other=300))
    assert [text.count(letter) for letter in ("ssss", "uuuu", "aaaa")] == [74, 24, 49]


@pytest.mark.parametrize("step", range(6))
def test_a_transcript_takes_the_first_step_that_fits(step: int) -> None:
    """T8: one character less takes the next step; after the last one, the shortest is returned as too long."""
    wanted = LABELLED.text(CHAT, STEPS[step])
    assert fit(CHAT, len(wanted)) == (wanted, True)
    assert fit(CHAT, len(wanted) - 1) == (LABELLED.text(CHAT, STEPS[min(step + 1, 5)]), step < 5)
