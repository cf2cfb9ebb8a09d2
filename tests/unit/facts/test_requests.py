"""What the person typed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from compact_chat.chat import Image, Message, Text, ToolCall, ToolResult
from compact_chat.facts import earlier_summaries, requests
from compact_chat.read import resolved
from compact_chat.text import SUMMARY_END, SUMMARY_END_LAST
from tests.samples.chats import a, res, s, talk, u

SUMMARY = "[Previous conversation summary]\nold facts\n[End of summary — conversation continues below]"
REFUSED = (
    "The user doesn't want to proceed with this tool use. (…) To tell you how to proceed, the user said:\nuse tabs"
)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (u("fix it"), ["fix it"]),
        (u("one", "two"), ["one\ntwo"]),
        (u("a\r\nb"), ["a\nb"]),
        (u(Image()), []),
        (u(res("1", "output")), []),
        (a("hello"), []),
        (s("rules"), []),
        (u(" \n"), []),
        (replace(u("Caveat: generated"), by_host=True), []),
        (replace(u("all of it is a summary"), is_summary=True), []),
        (u(SUMMARY), []),
        (u("now the tests", SUMMARY.replace(SUMMARY_END, SUMMARY_END_LAST)), ["now the tests"]),
        (u("[Request interrupted by user]"), []),
        (u("<system-reminder>\nx\n</system-reminder>", "go on"), ["go on"]),
        (replace(u(SUMMARY, "now the tests"), is_summary=True), ["now the tests"]),
        (u(res("1", REFUSED, is_error=True)), ["use tabs"]),
        (
            replace(u("<command-name>/x</command-name><command-args>keep it small</command-args>"), by_host=True),
            ["keep it small"],
        ),
    ],
)
def test_only_the_persons_own_words_count(message: Message, said: list[str]) -> None:
    """P6: no results, nothing that a host wrote, no earlier summary; but words in a refusal and behind a command."""
    assert [request.text for request in requests(list(resolved([message], "unknown")))] == said


def test_the_reply_to_a_question_of_a_tool_is_the_persons() -> None:
    """The result of a tool that asks the person holds the person's words."""
    asked = Message("m0", "assistant", (ToolCall("1", "AskUserQuestion", {}), ToolCall("2", "Read", {})))
    answered = Message(
        "m1", "user", (ToolResult("1", (Text("Which? = the second"),)), ToolResult("2", (Text("file"),)))
    )

    assert [(request.text, request.message) for request in requests([asked, answered])] == [
        ("Which? = the second", "m1")
    ]


def test_an_earlier_summary_is_an_item_of_its_own() -> None:
    """Its text is given without its wrapper, whether it shares its message with the person's words or not."""
    joined = replace(u(SUMMARY, "now the tests"), is_summary=True)
    alone = replace(u("This session is continued. Summary:\n1. x"), is_summary=True)

    assert [summary.text for summary in earlier_summaries([joined, alone])] == ["old facts", alone.text]


def test_a_complete_summary_is_known_without_a_mark() -> None:
    """P23, Z4: our own summary in the middle of a chat is an earlier summary, but none that a tool or model quotes."""
    chat = [u("q"), a(SUMMARY), u(res("1", SUMMARY)), u(SUMMARY)]

    assert [(one.text, one.message) for one in earlier_summaries(talk(*chat))] == [("old facts", "m3")]
