"""A summary in the place of what it replaces."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Text
from compact_chat.errors import NoSummary
from compact_chat.plan import Direction
from compact_chat.resume import splice_summary, summary_message
from compact_chat.styles import STYLES
from compact_chat.text import strip_summary_wrappers
from compact_chat.wire import Options
from tests.samples.chats import a, conversations, planned, s, talk, turns, u
from tests.samples.styles import as_summary

OMITTED = "u: [Earlier messages omitted]"
S = "[Previous conversation summary]\nS\n[End of summary — conversation continues below]"
LAST = "[Previous conversation summary]\nS\n[End of summary]"


def said(messages: tuple[Message, ...]) -> list[str]:
    """Each message as its role and its texts."""
    return [
        f"{message.role[0]}: {'|'.join(part.text for part in message.parts if isinstance(part, Text))}"
        for message in messages
    ]


def compacted(messages: Sequence[Message], options: Options) -> tuple[Message, ...]:
    """The chat with `S` in the place of what a plan with these options replaces."""
    plan = planned(messages, options)
    return splice_summary((*plan.front, *plan.head), as_summary("S"), plan.tail, plan.direction)


@pytest.mark.parametrize(
    ("messages", "min_keep", "result"),
    [
        pytest.param(turns(5), 2, [f"u: {S}", "a: a3", "u: u4"], id="J1 J3 before the assistant"),
        pytest.param([u("x"), a("y"), u("z")], 1, [f"u: {S}|z"], id="J3 before the user"),
        pytest.param(turns(4), 0, [f"u: {S}"], id="J4 all"),
        pytest.param([s("r"), *turns(3)], 1, ["s: r", f"u: {S}|u2"], id="J1 front stays first"),
        pytest.param(
            [replace(u(S), is_summary=True), a("x"), u("y"), a("z")], 2, [f"u: {S}|y", "a: z"], id="J6 one summary"
        ),
    ],
)
def test_the_summary_takes_the_place_of_the_old_part(messages: list[Message], min_keep: int, result: list[str]) -> None:
    """J1, J3, J4, J6: the new chat is the summary, as the user's word, and the kept part."""
    assert said(compacted(talk(*messages), Options(min_keep=min_keep))) == result


@pytest.mark.parametrize("summary", ["", "\n", " \r\n\t"])
def test_a_blank_summary_replaces_nothing(summary: str) -> None:
    """J5: an empty summary is an error."""
    with pytest.raises(NoSummary) as caught:
        splice_summary((), as_summary(summary), turns(4)[2:])

    assert caught.value.kind == "emptySummary"


def test_the_summary_is_trimmed_and_its_marker_lines_are_escaped() -> None:
    """J2, C7, G3: no line of a summary can end it early, and it is the user's word."""
    lines = ["\r\n a", "[End of summary]", "  [Previous conversation summary] ", "[End of summary] b\n"]
    message = summary_message("\r\n".join(lines))

    assert message.text.split("\n")[1:-1] == [
        "a",
        "\\[End of summary]",
        "\\  [Previous conversation summary] ",
        "[End of summary] b",
    ]
    assert (message.role, message.is_summary, message.by_host) == ("user", True, True)


@pytest.mark.parametrize("summary", ["new", " new\r\n", "<context-summary>\nnew\n</context-summary>"])
def test_a_checkpoint_keeps_its_wrapper(summary: str) -> None:
    """J2, P26: the markers stand around the wrapper of a checkpoint, which is there once."""
    wrapped = "<context-summary>\nnew\n</context-summary>"

    assert summary_message(STYLES["checkpoint"].wrapped(summary)).text == S.replace("\nS\n", f"\n{wrapped}\n")
    assert wrapped in splice_summary((), as_summary(summary, "checkpoint"), turns(1))[0].text


OLD = "[Previous conversation summary]\nold\n[End of summary — conversation continues below]"
OTHER = "<context-summary>\nother\n</context-summary>"
THEN_OTHER = S.replace("\nS\n", "\nS\n\nother\n")
BOTH = "[Previous conversation summary]\nold\n\nS\n[End of summary]"
MARKED = replace(u("old"), is_summary=True)
SPLICED: dict[str, tuple[list[Message], list[Message], Direction, list[str]]] = {
    "Z4 from": ([u("x"), a("y")], [], "from", ["u: x", "a: y", f"u: {LAST}"]),
    "Z4 J3 behind the user": ([u("x")], [], "from", [f"u: x|{LAST}"]),
    "J1 up to": ([s("r")], [a("y"), u("z")], "upTo", ["s: r", f"u: {S}", "a: y", "u: z"]),
    "Z2 all": ([], [], "all", [f"u: {S}"]),
    "J6 Z4 in the head": ([u(OLD), a("y")], [], "from", [OMITTED, "a: y", f"u: {BOTH}"]),
    "J6 J3 with words": ([u(OLD, "x")], [], "from", [f"u: x|{BOTH}"]),
    "J6 in the tail": ([s("r")], [a("y"), u(OTHER, "z")], "upTo", ["s: r", f"u: {THEN_OTHER}", "a: y", "u: z"]),
    "J6 marked by another tool": ([MARKED, u("x")], [], "from", [f"u: x|{BOTH}"]),
    "J6 V3 a blank one": ([u("<context-summary>\n \n</context-summary>", "x")], [], "from", [f"u: x|{LAST}"]),
    "not the user's": ([a(OTHER), u("x")], [], "from", [OMITTED, f"a: {OTHER}", f"u: x|{LAST}"]),
}


@pytest.mark.parametrize(("head", "tail", "direction", "result"), SPLICED.values(), ids=SPLICED)
def test_what_stays_surrounds_one_summary(
    head: list[Message], tail: list[Message], direction: Direction, result: list[str]
) -> None:
    """Z4, J6: behind a kept head the summary is the last word; earlier summaries that stay become a part of it."""
    assert said(splice_summary(head, as_summary("S"), tail, direction)) == result


def test_joined_checkpoints_have_one_pair_of_records() -> None:
    """J6, T23: what was read in one and modified in the other is modified; the records of both stand at the end."""
    old = "old\n\n<read-files>\na.py\nb.py\n</read-files>\n\n<modified-files>\nc.py\n</modified-files>"
    new = "new\n\n<read-files>\nd.py\n</read-files>\n\n<modified-files>\na.py\n</modified-files>"
    records = "<read-files>\nb.py\nd.py\n</read-files>\n\n<modified-files>\na.py\nc.py\n</modified-files>"
    (message,) = splice_summary(
        [u(f"<context-summary>\n{old}\n</context-summary>")], as_summary(new, "checkpoint"), [], "from"
    )

    assert strip_summary_wrappers(message.text) == f"old\n\nnew\n\n{records}"


def test_what_follows_is_marked_as_holding_the_summary() -> None:
    """J3, J6: the message that the summary was joined to is known as a summary by the next compaction."""
    messages = splice_summary((), as_summary("S"), talk(u("z"), a("y")), "upTo")

    assert [message.is_summary for message in messages] == [True, False]
    assert not messages[0].by_host


@given(conversations(), st.integers(0, 4))
def test_every_plan_can_be_spliced(messages: tuple[Message, ...], min_keep: int) -> None:
    """J1: there is one summary, right behind the front, and every visible word that is not summarised stays."""
    plan = planned(messages, Options(min_keep=min_keep))
    assume(plan.action == "compact")

    assert words(compacted(messages, Options(min_keep=min_keep))) == [*words(plan.front), S, *words(plan.tail)]


def words(messages: Sequence[Message]) -> list[str]:
    """Every visible text, one by one."""
    parts = (part for message in messages for part in message.parts if isinstance(part, Text))
    return [part.text for part in parts if part.text.strip()]
