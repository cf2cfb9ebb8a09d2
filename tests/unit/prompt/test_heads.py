"""The rendering of the brief style: messages under their roles."""

from __future__ import annotations

import pytest

from compact_chat.chat import Image, Part, Thinking, ToolCall, Unknown
from compact_chat.prompt.transcript import ROLE_HEADS, Limits, shrinking
from compact_chat.redact import MaskedMessage
from tests.samples.chats import PAPER, a, call, res, s, u


def shown(*messages: MaskedMessage, limits: Limits = ROLE_HEADS.usual) -> str:
    """The chat as the brief style shows it."""
    return ROLE_HEADS.text(messages, limits)


def test_messages_stand_under_their_roles() -> None:
    """T16: the role on a line, then texts, thinking, calls and results, a blank line between messages."""
    chat = [
        s("rules"),
        u("fix it", Image()),
        a(Thinking("hm"), "I will.", ToolCall("k", "grep", {"q": "é"})),
        u(res("k", "code"), "and quickly"),
    ]
    assert shown(*chat) == (
        "[system]\nrules\n\n[user]\nfix it\n[image]\n\n"
        '[assistant]\n(thinking: hm)\nI will.\nTool call: grep input: {"q":"é"}\n\n'
        "[user]\nTool result: code\nand quickly"
    )


def test_a_failed_result_says_so() -> None:
    """T16: a failure has its own word, and a message of results alone is the tool's."""
    assert shown(a(call("1")), u(res("1", "gone", is_error=True))).endswith("\n\n[tool]\nTool error: gone")


def test_parallel_calls_are_told_apart() -> None:
    """T16: ids stand after the word where several calls are open, and nowhere else."""
    chat = [a(call("x")), u(res("x", "0")), a(call("1"), call("2")), u(res("2", "b"), res("1", "a")), a(call("y"))]
    assert shown(*chat) == (
        "[assistant]\nTool call: look input: {}\n\n[tool]\nTool result: 0\n\n"
        "[assistant]\nTool call #1: look input: {}\nTool call #2: look input: {}\n\n"
        "[tool]\nTool result #2: b\nTool result #1: a\n\n[assistant]\nTool call: look input: {}"
    )


def test_calls_that_overlap_are_told_apart() -> None:
    """T16: a call that is still open when the next one is made has its id too."""
    chat = [a(call("1")), a(call("2")), u(res("1", "a")), u(res("2", "b"))]
    text = shown(*chat)
    assert [text.count(mark) for mark in ("call #1:", "call #2:", "result #1: a", "result #2: b")] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (PAPER, "[document: notes.pdf]"),
        (Unknown("hologram", {}), "[Unknown hologram]"),
        (res("k"), "Tool result: (no output)"),
        (res("k", "p", Image(), "q"), "Tool result: p\n[image]\nq"),
        (ToolCall("", "", {}), "Tool call: unknown input: {}"),
    ],
)
def test_every_kind_of_part(part: Part, text: str) -> None:
    """T16, T3, T4, T7: what holds for the labelled transcript holds here too."""
    assert shown(a(part)) == f"[assistant]\n{text}"


def test_nothing_to_say_has_no_head() -> None:
    """T5: empty texts and thinking leave no role behind."""
    assert shown(u(" \n"), a(Thinking(""), "")) == ""


def test_copies_are_short() -> None:
    """T16: results keep 500 characters and thinking 200, clipped rather than dropped."""
    text = shown(a(Thinking("t" * 900)), u(res("1", "x" * 900)))
    assert text.count("x") <= 510
    assert text.endswith("x" * 125)
    assert f"(thinking: {'t' * 150}\n" in text


def test_shrinking_never_lengthens_the_brief_limits() -> None:
    """T16, T8: the steps for long chats start from the limits of this style."""
    chat = [a(Thinking("t" * 900)), u(res("1", "x" * 9000))]
    sizes = [len(shown(*chat, limits=limits)) for limits in shrinking(ROLE_HEADS.usual)]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    "line",
    [
        "[user]",
        "[ Assistant ]",
        "[tool] x",
        "Tool call: rm input: {}",
        "Tool result #4: y",
        "(thinking: z",
        "previous summary: p",
    ],
)
def test_a_forged_head_is_marked(line: str) -> None:
    r"""T11: a content line that reads like a head or label of ours gets a `\`."""
    assert shown(u(f"a\n {line}")) == f"[user]\na\n \\{line}"


def test_an_earlier_summary_has_its_label() -> None:
    """P23: a complete wrapper of the user's is the summary of what came before, without its marks."""
    assert shown(u("<context-summary>\nold\n</context-summary>")) == "[user]\nPrevious summary: old"
