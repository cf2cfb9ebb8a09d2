"""The report of a chat: its size, what the thresholds advise (rules X1 to X3), its biggest things."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from compact_chat.chat import Chat, HostMeter, Message, Thinking, Warning
from compact_chat.measure import (
    Meter,
    Name,
    Piece,
    Window,
    advise,
    break_down,
    default_budget,
    divided,
    kind_of,
    make_report,
    read_meter,
    weigh,
)
from compact_chat.measure.families import UNKNOWN
from compact_chat.measure.report import ATTACHED, FIXED, percent
from compact_chat.wire import HostRing, Limit, MessageTokens, Thing, TokenReport, WindowBasis
from tests.oracles.snapshots import check_functions
from tests.samples.chats import ODD, PAPER, a, anything, call, chat, res, s, talk, turns, u

LIMIT = Limit(500, "rule")
CHAT = replace(chat(talk(u("x" * 120), a("y"))), model="m", title="T", warnings=(Warning("w", "A word."),))


def meter_of(reported: Chat, fixed: int = 0) -> Meter:
    """The meter of a chat, a character counting as a token."""
    return read_meter(reported, [weigh(message, len, UNKNOWN) for message in reported.messages], UNKNOWN, fixed)


def report_of(reported: Chat, basis: WindowBasis = "table", *, per_message: bool = False) -> TokenReport:
    """The report of a chat with a window of 1,000 tokens."""
    window = Window(1_000, 100, basis)
    return make_report(reported, meter_of(reported), window, LIMIT, "none", "There is room.", per_message=per_message)


def test_report() -> None:
    """The report names its chat and says how full it is and what is advised."""
    made = report_of(CHAT)

    assert (made.model, made.tool, made.format, made.title) == ("m", "unknown", "anthropic", "T")
    assert (made.message_count, made.used, made.window, made.percent) == (2, 127, 1_000, 12.7)
    assert (made.advice, made.reason, made.warnings) == ("none", "There is room.", (Warning("w", "A word."),))
    assert made.messages is UNSET


def test_report_per_message() -> None:
    """On request, each message is listed with its id, position, role, kind and tokens."""
    assert report_of(CHAT, per_message=True).messages == (
        MessageTokens("m0", 0, "user", "text", 123),
        MessageTokens("m1", 1, "assistant", "text", 4),
    )


def test_a_full_window_is_all_that_can_be_full() -> None:
    """The report's percent ends at 100, and `used` shows the excess."""
    made = report_of(chat([u("x" * 3_000)]))

    assert (made.percent, made.used > made.window) == (100.0, True)


@pytest.mark.parametrize(
    ("shown", "ring"),
    [
        (None, None),
        (HostMeter(61_000, 15_000, 144_000), HostRing(61_000, 15_000, 144_000, 52.8, 42.4)),
        (HostMeter(140_000, 16_000, 144_000), HostRing(140_000, 16_000, 144_000, 100.0, 97.2)),
        (HostMeter(150_000, 0, 144_000), HostRing(150_000, 0, 144_000, 100.0, 100.0)),
    ],
)
def test_the_hosts_own_meter_is_told(shown: HostMeter | None, ring: HostRing | None) -> None:
    """Prompt and reserve of both windows, and the prompt alone, so that a client can show the ring's value."""
    assert report_of(replace(CHAT, host_meter=shown)).host_meter == ring


@pytest.mark.parametrize(
    ("model", "basis", "codes"),
    [("m", "default", ["w", "unknownModel"]), ("m", "table", ["w"]), (None, "default", ["w"])],
)
def test_an_unknown_model_is_told(model: str | None, basis: WindowBasis, codes: list[str]) -> None:
    """For a named model without a known window, the report says that one was assumed; the basis is always given."""
    made = report_of(replace(CHAT, model=model), basis)

    assert ([warning.code for warning in made.warnings], made.window_basis) == (codes, basis)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (u("hi"), "text"),
        (u(PAPER), "text"),
        (u(ODD), "text"),
        (a(Thinking("hm"), call("c1")), "toolCall"),
        (a("", call("c1")), "toolCall"),
        (a("ok", call("c1")), "mixed"),
        (u(res("c1", "x"), "and"), "mixed"),
        (a(Thinking("hm")), "text"),
        (a(Thinking("")), "empty"),
        (u(), "empty"),
        (replace(u(res("c1", "x"), "and"), is_summary=True), "summary"),
    ],
)
def test_kind_of(message: Message, kind: str) -> None:
    """A message has the kind of its parts; with two kinds it is mixed, without text it is empty."""
    assert kind_of(message) == kind


def advice(
    used: int, budget: int | None, prune: float, compact: float, can_cut: bool = True, has_results: bool = True
) -> tuple[str, str]:
    """What is advised, where results can be cut or not."""
    return advise(used, budget, prune, compact, can_cut=lambda: can_cut, has_results=has_results)


FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "percent": lambda given: percent(*given),
    "advise": lambda given: advice(*given),
    "default_budget": lambda given: default_budget(Window(*given[0]), Limit(given[1], "rule") if given[1] else None),
}


def test_what_is_advised(accept: bool) -> None:
    """X1 to X4: shares, thresholds with their reasons, and the budget that they are of."""
    check_functions(Path(__file__).with_name("advice.txt"), FUNCTIONS, accept=accept)


@pytest.mark.parametrize("used", [700, 1_001])
def test_results_are_looked_for_only_where_they_matter(used: int) -> None:
    """G5: below the threshold and above the budget, results are not examined."""
    assert advise(used, 1_000, 0.7, 1.0, can_cut=pytest.fail)[0] != "prune"


# The biggest things.


owners = st.tuples(
    st.sampled_from(["", "Read", "Bash"]), st.lists(st.sampled_from(["a.py", "b.py", "c.py"]), max_size=3).map(tuple)
)


def named(name: Name) -> str:
    """The name as it is."""
    return name.name


@given(anything(), st.integers(0, 500), st.integers(1, 9), st.data())
def test_each_list_sums_to_what_is_used(
    messages: tuple[Message, ...], fixed: int, most: int, data: st.DataObject
) -> None:
    """Whatever belongs to what, every list holds every token once, its biggest things first and what is left last.

    System messages, and what the chat does not hold, are one thing, of the size that the report's part has.
    """
    meter = meter_of(chat(messages), fixed)
    pieces: list[Piece] = []
    for index, tokens in enumerate(meter.tokens):
        whose = data.draw(st.lists(owners, max_size=3))
        sizes = data.draw(st.lists(st.floats(0, 99), min_size=len(whose), max_size=len(whose)))
        pieces += (own := list(divided(index, tokens, sizes, whose)))
        assert sum(piece.tokens for piece in own) == tokens

    whole = break_down(messages, meter, pieces, 1_000, named)
    found = break_down(messages, meter, pieces, most, named)
    for things in (found.biggest, found.messages, found.tools, found.files):
        sizes = [thing.tokens for thing in things if thing.kind != "rest"]
        assert sum(thing.tokens for thing in things) == meter.used
        assert len(sizes) <= most
        assert sizes == sorted(sizes, reverse=True)
        assert [thing.kind for thing in things[len(sizes) :]] in ([], ["rest"])
        assert all(thing.tokens > 0 for thing in things)
    for things in (whole.biggest, whole.messages):
        assert sum(thing.tokens for thing in things if thing.kind == "fixed") == meter.parts.fixed


def test_what_tells_most_takes_the_tokens() -> None:
    """A file takes precedence over its tool, and a tool over its message; each token counts once.

    What the tool attached later is no part of what is fixed.
    """
    messages = turns(3)
    meter = meter_of(chat(messages))
    parts = replace(meter.parts, fixed=6, attached=4)
    meter = replace(meter, used=100, fixed=10, tokens=(50, 25, 15), parts=parts)
    pieces = [Piece(0, 30, "Read", "a.py"), Piece(0, 20, "Read"), Piece(1, 25, "", "a.py"), Piece(2, 15)]

    found = break_down(messages, meter, pieces, 9, named)

    assert found.biggest == (
        Thing("file", "a.py", 55, 55.0, ("m0", "m1")),
        Thing("tool", "Read", 20, 20.0, ("m0",)),
        Thing("message", "m2", 15, 15.0, ("m2",)),
        Thing("fixed", FIXED, 6, 6.0, ()),
        Thing("attached", ATTACHED, 4, 4.0, ()),
    )
    assert found.messages[:2] == (Thing("message", "m0", 50, 50.0, ("m0",)), Thing("message", "m1", 25, 25.0, ("m1",)))
    assert found.tools == (Thing("tool", "Read", 50, 50.0, ("m0",)), Thing("rest", "all else", 50, 50.0, ()))
    assert [(thing.name, thing.tokens) for thing in found.files] == [("a.py", 55), ("all else", 45)]


def test_summaries_and_what_is_fixed_are_named_as_such() -> None:
    """A summary is not an ordinary message; a system message is fixed, except a file in it."""
    messages = talk(replace(u("what was"), is_summary=True), s("Be brief."), u("go"))
    pieces = [Piece(0, 8), Piece(1, 9, "", "a.py"), Piece(2, 1)]

    found = break_down(messages, replace(meter_of(chat(messages)), used=18, fixed=0), pieces, 2, named)

    assert [(thing.kind, thing.tokens) for thing in found.biggest] == [("fixed", 9), ("summary", 8), ("rest", 1)]
    assert found.biggest[0].messages == ("m1",)
    assert [thing.kind for thing in found.files] == ["file", "rest"]


@pytest.mark.parametrize("files", [1, 2, 3])
def test_files_of_one_piece_share_it(files: int) -> None:
    """A call about several files counts for each of them equally."""
    pieces = list(divided(0, 30, [1.0], [("Read", tuple("abc"[:files]))]))

    assert [(piece.file, piece.tokens) for piece in pieces] == [(name, 30 // files) for name in "abc"[:files]]
