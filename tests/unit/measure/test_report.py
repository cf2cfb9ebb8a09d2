"""The report of a chat, as the contract has it."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from compact_chat.chat import Message, Thinking, Warning
from compact_chat.measure.families import UNKNOWN
from compact_chat.measure.meter import read_meter
from compact_chat.measure.report import kind_of, percent, report
from compact_chat.measure.weights import weigh
from compact_chat.results import MessageTokens, TokenReport
from tests.fakes.chats import ODD, PAPER, PICTURE, a, call, chat, res, talk, u


def report_of(*messages: Message, per_message: bool = False) -> TokenReport:
    """The report of a chat with a title and a warning."""
    told = replace(chat(talk(*messages)), model="m", title="T", warnings=(Warning("w", "A word."),))
    meter = read_meter(told, [weigh(message, len, UNKNOWN) for message in told.messages], UNKNOWN, 0)
    return report(told, meter, 1_000, "none", "There is room.", per_message)


def test_report() -> None:
    """The report says whose chat it is, how full it is and what is advised."""
    told = report_of(u("x" * 120), a("y"))

    assert (told.model, told.tool, told.format, told.title) == ("m", "unknown", "anthropic", "T")
    assert (told.message_count, told.used, told.window, told.percent) == (2, 127, 1_000, 12.7)
    assert (told.advice, told.reason, told.warnings) == ("none", "There is room.", (Warning("w", "A word."),))
    assert told.messages is UNSET


def test_report_per_message() -> None:
    """Asked for, each message comes with its id, place, role, kind and tokens."""
    told = report_of(u("x" * 120), a(call("c1")), per_message=True)

    assert told.messages == (
        MessageTokens("m0", 0, "user", "text", 123),
        MessageTokens("m1", 1, "assistant", "toolCall", 19),
    )


@pytest.mark.parametrize(
    ("used", "window", "expected"), [(1, 3, 33.3), (0, 5, 0.0), (5, 0, 0.0), (2_000, 1_000, 200.0)]
)
def test_percent(used: int, window: int, expected: float) -> None:
    """Percent has one decimal, is 0 of no window, and does not hide an overfull one."""
    assert percent(used, window) == expected


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (u("hi"), "text"),
        (u("hi", PICTURE), "text"),
        (u(PAPER), "text"),
        (u(ODD), "text"),
        (a(call("c1"), call("c2")), "toolCall"),
        (a(Thinking("hm"), call("c1")), "toolCall"),
        (a("", call("c1")), "toolCall"),
        (a("ok", call("c1")), "mixed"),
        (u(res("c1", "")), "toolResult"),
        (u(res("c1", "x"), "and"), "mixed"),
        (a(Thinking("hm")), "text"),
        (a(Thinking("")), "empty"),
        (u(""), "empty"),
        (u(), "empty"),
        (replace(u(res("c1", "x"), "and"), is_summary=True), "summary"),
    ],
)
def test_kind_of(message: Message, kind: str) -> None:
    """A message is of the kind of its parts; of two kinds it is mixed, without words it is empty."""
    assert kind_of(message) == kind
