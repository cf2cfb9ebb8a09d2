"""The report of a chat, as the contract has it."""

from __future__ import annotations

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from compact_chat.chat import HostMeter, Message, Thinking, Warning
from compact_chat.measure import kind_of, make_report, read_meter, weigh
from compact_chat.measure.families import UNKNOWN
from compact_chat.measure.report import percent
from compact_chat.wire import HostRing, MessageTokens, TokenReport, WindowBasis
from tests.samples.chats import ODD, PAPER, PICTURE, a, call, chat, res, talk, u


def report_of(*messages: Message, per_message: bool = False) -> TokenReport:
    """The report of a chat with a title and a warning."""
    told = replace(chat(talk(*messages)), model="m", title="T", warnings=(Warning("w", "A word."),))
    meter = read_meter(told, [weigh(message, len, UNKNOWN) for message in told.messages], UNKNOWN, 0)
    return make_report(told, meter, 1_000, "none", "There is room.", per_message, window_basis="table")


def test_report() -> None:
    """The report says whose chat it is, how full it is and what is advised."""
    told = report_of(u("x" * 120), a("y"))

    assert (told.model, told.tool, told.format, told.title) == ("m", "unknown", "anthropic", "T")
    assert (told.message_count, told.used, told.window, told.percent) == (2, 127, 1_000, 12.7)
    assert (told.advice, told.reason, told.warnings) == ("none", "There is room.", (Warning("w", "A word."),))
    assert told.messages is UNSET


@pytest.mark.parametrize(
    ("shown", "ring"),
    [
        (None, None),
        (HostMeter(61_000, 15_000, 144_000), HostRing(61_000, 15_000, 144_000, 52.8, 42.4)),
        (HostMeter(80_000, 0, 144_000), HostRing(80_000, 0, 144_000, 55.6, 55.6)),
        (HostMeter(140_000, 16_000, 144_000), HostRing(140_000, 16_000, 144_000, 100.0, 97.2)),
        (HostMeter(150_000, 0, 144_000), HostRing(150_000, 0, 144_000, 100.0, 100.0)),
    ],
)
def test_the_hosts_own_meter_is_told(shown: HostMeter | None, ring: HostRing | None) -> None:
    """Prompt and reserve of both windows, and the prompt alone, so that a client can show what the ring shows."""
    told = replace(chat(talk(u("x"))), host_meter=shown)
    meter = read_meter(told, [weigh(message, len, UNKNOWN) for message in told.messages], UNKNOWN, 0)

    assert make_report(told, meter, 1_000, "none", "", per_message=False, window_basis="chat").host_meter == ring


@pytest.mark.parametrize(
    ("model", "basis", "codes"),
    [("m", "default", ["w", "unknownModel"]), ("m", "table", ["w"]), ("m", "chat", ["w"]), (None, "default", ["w"])],
)
def test_an_unknown_model_is_told(model: str | None, basis: WindowBasis, codes: list[str]) -> None:
    """Where a model has a name and no window, the report says that one was assumed; the basis stands there anyway."""
    told = replace(chat(talk(u("x"))), model=model, warnings=(Warning("w", "A word."),))
    meter = read_meter(told, [weigh(message, len, UNKNOWN) for message in told.messages], UNKNOWN, 0)

    made = make_report(told, meter, 200_000, "none", "", per_message=False, window_basis=basis)

    assert ([warning.code for warning in made.warnings], made.window_basis) == (codes, basis)


def test_report_per_message() -> None:
    """Asked for, each message comes with its id, place, role, kind and tokens."""
    messages = (u("x" * 120), a(call("c1")))
    told = report_of(*messages, per_message=True)

    text, asked = (weigh(message, len, UNKNOWN).total for message in messages)
    assert told.messages == (
        MessageTokens("m0", 0, "user", "text", text),
        MessageTokens("m1", 1, "assistant", "toolCall", asked),
    )


def test_a_full_window_is_all_that_can_be_full() -> None:
    """The report's percent ends at 100, and `used` tells by how much it is more."""
    told = report_of(u("x" * 3_000))

    assert (told.percent, told.used > told.window) == (100.0, True)


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
