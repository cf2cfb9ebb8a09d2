"""The meter: anchored on what the provider reported, estimated otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Thinking, Usage
from compact_chat.measure import Family, Gauge, Learned, Meter, Weight, hidden_by, read_meter, weigh
from compact_chat.measure.families import CLAUDE, CLAUDE_FORGETFUL, GEMINI, GPT, UNKNOWN
from compact_chat.measure.gauge import (
    PICTURE_DOUBT,
    REMEMBERED_TOKENS,
    ROUNDING,
    SUREST,
    Size,
    anchor_of,
)
from compact_chat.tools import Hidden, tool_named
from compact_chat.wire import Parts
from tests.samples.chats import PICTURE, a, anything, call, chat, res, s, talk, u

CLAUDE_CODE, CODEX = tool_named("claude-code"), tool_named("codex")
BARE = replace(UNKNOWN, per_message=0, per_call=0, per_result=0)
EXACT = replace(BARE, spread=0.1)
FORGETFUL = replace(BARE, forgets=True)
NOTHING = Hidden()
FAMILIES = (BARE, FORGETFUL, CLAUDE, CLAUDE_FORGETFUL, GPT)


def gauge_of(messages: Sequence[Message], family: Family = BARE, hidden: Hidden = NOTHING) -> Gauge:
    """A gauge fed with these messages, counted by characters."""
    gauge = Gauge(family, hidden)
    for message in messages:
        gauge.add(message, weigh(message, len, family))
    return gauge


def meter_of(messages: Sequence[Message], family: Family = BARE, fixed: int = 0, tool: str = "unknown") -> Meter:
    """The meter of a chat whose tokens are its characters."""
    weights = [weigh(message, len, family) for message in messages]
    return read_meter(replace(chat(messages), tool=tool), weights, family, fixed)


def used(message: Message, prompt: int, output: int, model: str = "m", reasoning: int = 0) -> Message:
    """A message with the usage of the call that produced it."""
    return replace(message, usage=Usage(prompt, output, model, reasoning_tokens=reasoning))


SUMMARY = replace(u("so far"), is_summary=True, by_host=True)
ANSWER = used(a("y" * 100), 5_000, 100)
RECORDED = talk(u("x" * 100), used(a("y" * 50), 5_000, 60))


# What a recorded call tells of its reply.

REPLY = Weight(text=100, tool_calls=60, thinking=40)


@pytest.mark.parametrize(
    ("usage", "weight", "family", "reply", "thoughts"),
    [
        (Usage(5_000, 25, "m"), REPLY, BARE, Size(200), Size(40)),  # the stream's first figure
        (Usage(5_000, 129, "m"), REPLY, BARE, Size(200), Size(40)),
        (Usage(5_000, 130, "m"), REPLY, BARE, Size(known=130), Size()),
        (Usage(5_000, 900, "m"), REPLY, BARE, Size(known=900), Size(known=740)),  # hidden thoughts
        (Usage(5_000, 400, "m"), Weight(text=90), BARE, Size(known=400), Size()),  # nothing thought
        (Usage(5_000, 0, "m", whole=True), REPLY, BARE, Size(), Size()),
        (Usage(5_000, 400, "gpt-5.5", reasoning_tokens=300), Weight(text=90), GPT, Size(known=400), Size(known=300)),
        (Usage(5_000, 12, "gpt-5.5"), Weight(text=10, thinking=130), GPT, Size(known=12), Size(known=2)),  # a guess
        (Usage(1_000, 300, "gemini", reasoning_tokens=250), Weight(text=50), GEMINI, Size(known=50), Size()),  # sheds
    ],
)
def test_the_reply_of_a_call(usage: Usage, weight: Weight, family: Family, reply: Size, thoughts: Size) -> None:
    """A reported output is believed if plausible; beyond the count, it holds what was not shown."""
    anchor = anchor_of(usage, weight, Size(7), family, 1.0)

    assert (anchor.before, anchor.reply, anchor.thoughts) == (Size(7), reply, thoughts)


# What a chat teaches, from call to call.

CERTAINTY = 4_000


def taught(*steps: tuple[float, float], is_within: bool = True) -> Learned:
    """Return what these steps teach, from pairs of counted and observed growth."""
    learned = Learned()
    for expected, grown in steps:
        learned = learned.after(expected, grown, is_within)
    return learned


@pytest.mark.parametrize(
    ("steps", "ratio"),
    [
        ([], 1.0),
        ([(1_000, 1_500)], 5_500 / 5_000),
        ([(1_000, 1_500), (1_000, 1_000)], (1_350 + 1_000 + 4_000) / (900 + 1_000 + 4_000)),
        ([(1_000, 700)], 4_700 / 5_000),
    ],
)
def test_the_latest_steps_count_most(steps: list[tuple[float, float]], ratio: float) -> None:
    """A step is weighed against the family's prior, and reduces the weight of earlier ones by a tenth."""
    assert taught(*steps).ratio(CERTAINTY) == pytest.approx(ratio)


@pytest.mark.parametrize("step", [(0, 0), (0, 500), (-5, 5), (1_000, -500), (1_000, 0), (1_000, 600), (1_000, 1_700)])
def test_implausible_steps_teach_no_ratio(step: tuple[float, float]) -> None:
    """If a prompt shrank, or grew by far less or more than was counted, the host did something else."""
    assert taught(step).ratio(CERTAINTY) == 1.0
    assert taught((1_000, 1_500), step).ratio(CERTAINTY) == taught((1_000, 1_500)).ratio(CERTAINTY)


def test_the_doubt_follows_what_was_held() -> None:
    """Bounds that hold shrink a little, those that do not grow much; in equilibrium, nine of ten hold."""
    assert SUREST <= taught((1_000, 1_000)).doubt < 1.0 < taught((1_000, 1_000), is_within=False).doubt

    learned = Learned()
    for number in range(2_000):
        learned = learned.after(0, 0, number % 11 > 0)
    assert learned.doubt == pytest.approx(1.0, abs=0.5)


def test_what_is_remembered() -> None:
    """A new chat starts with the same ratio, at the weight of a few calls."""
    learned = taught(*[(9_000, 12_000)] * 50)
    remembered = learned.remembered()

    assert remembered.expected == REMEMBERED_TOKENS < learned.expected
    assert remembered.grown / remembered.expected == pytest.approx(learned.grown / learned.expected)
    assert remembered.remembered() == remembered
    assert Learned(50, 60).remembered() == Learned(50, 60)


# The gauge: what each message does to it.


GO = u("z" * 500)
WHOLE = replace(u("z" * 500), usage=Usage(40_000, 0, "m", whole=True))


@pytest.mark.parametrize(
    ("messages", "family", "learned"),
    [
        ([u("go"), ANSWER, u("go")], BARE, (0, 0)),
        ([ANSWER, GO, used(a("y"), 5_000 + 100 + 700, 1)], BARE, (500, 700)),
        ([used(a("y" * 100), 5_000, 1), GO, used(a("y"), 5_720, 1)], BARE, (600, 720)),  # the reply of a placeholder
        ([ANSWER, u("z" * 500, PICTURE), used(a("y"), 5_100 + 600 + 765, 1)], BARE, (500, 600)),
        ([used(a("y" * 100), 5_000, 400, reasoning=300), GO, used(a("y"), 5_700, 1)], FORGETFUL, (500, 600)),
        ([ANSWER, WHOLE, GO, used(a("y"), 40_600, 1)], BARE, (0, 0)),
    ],
)
def test_what_two_calls_teach(messages: list[Message], family: Family, learned: tuple[int, int]) -> None:
    """Known sizes are excluded, and the counted rest is compared: no pictures, no dropped reasoning."""
    found = gauge_of(messages, family).learned

    assert (found.expected, found.grown) == learned


@pytest.mark.parametrize("end", [[used(a("y"), 5_700, 1, model="n")], [SUMMARY, used(a("y"), 5_700, 1)]])
def test_another_model_or_a_summary_is_another_start(end: list[Message]) -> None:
    """Earlier lessons are discarded, and the prior applies again; the newest call anchors."""
    gauge = Gauge(BARE, NOTHING, prior=Learned(expected=100, grown=120))
    for message in [ANSWER, u("z" * 500), used(a("y"), 5_800, 1), u("z" * 500), *end]:
        gauge.add(message, weigh(message, len, BARE))

    assert gauge.learned == Learned(100, 120)
    assert gauge.meter().used == 5_701


@pytest.mark.parametrize(
    ("messages", "used", "basis"),
    [
        pytest.param([ANSWER, SUMMARY], 5_106, "anchored", id="a summary does not move the anchor"),
        pytest.param([ANSWER, u("go"), used(a("ok"), 0, 9)], 5_104, "anchored", id="a call that says nothing"),
        pytest.param([ANSWER, u("z" * 500), used(a("ok"), 3, 1)], 5_602, "anchored", id="a first figure"),
        pytest.param([u("z" * 500), used(a("ok"), 20, 1)], 502, "estimated", id="a first figure alone"),
        pytest.param([ANSWER, u("z" * 500), used(a("ok"), 400, 2)], 402, "measured", id="the host dropped much"),
        pytest.param(
            [a(Thinking("t" * 900), "y" * 100), used(a("ok"), 120, 2)], 122, "measured", id="thoughts not sent again"
        ),
        pytest.param(RECORDED, 5_060, "measured", id="the newest call"),
        pytest.param([*RECORDED, u("z" * 1_000)], 6_060, "anchored", id="and what came after it"),
        pytest.param([used(a("x"), 9_000, 10), u("go"), used(a("y"), 4_000, 10)], 4_010, "measured", id="no older one"),
        pytest.param([u("go"), used(a("y" * 400), 5_000, 1)], 5_400, "anchored", id="a placeholder for the output"),
        pytest.param([u("go"), used(a("y", Thinking("")), 5_000, 900)], 5_900, "measured", id="hidden thoughts"),
        pytest.param([used(a(Thinking("")), 800, 0)], 800, "measured", id="a call without words"),
        pytest.param([], 0, "estimated", id="nothing at all"),
    ],
)
def test_the_newest_believable_call_is_the_anchor(messages: list[Message], used: int, basis: str) -> None:
    """The provider's own figure counts, and what came after it is counted on top."""
    meter = meter_of(messages)

    assert (meter.used, meter.basis) == (used, basis)
    assert meter.fixed + sum(meter.tokens) == used


@pytest.mark.parametrize("whole", [False, True])
def test_another_models_call_is_scaled(whole: bool) -> None:
    """Another model's size is a rough guide for this one, never measured, and teaches nothing."""
    calls = [replace(a("y" * 100), usage=Usage(6_000 + n, 100, "claude-opus-4-5", whole=whole)) for n in (0, 300)]
    meter, own = (meter_of(calls, family) for family in (GPT, CLAUDE))

    assert meter.used < own.used
    assert meter.used == pytest.approx(own.used / CLAUDE.ratio, rel=0.01)
    assert meter.basis == "estimated"
    assert meter.low < meter.used * (1 - CLAUDE.spread)
    assert gauge_of(calls, GPT).learned == Learned()


def test_a_tools_own_count_of_the_whole() -> None:
    """It includes the message that it is recorded with, and is an anchor with wide bounds."""
    meter = meter_of([ANSWER, WHOLE])

    assert (meter.used, meter.basis) == (40_000, "anchored")
    assert meter.high - meter.used == meter.used - meter.low == 40_000 * 0.12 + 2


def test_the_bounds_of_what_was_counted() -> None:
    """A recorded size is exact except for rounding; the error grows slower than the count, and pictures add to it."""
    family = replace(BARE, below=2.0, above=1.0, certainty=10**12)

    def off(*messages: Message) -> tuple[int, int]:
        meter = meter_of([*RECORDED, *messages], family)
        return meter.used - meter.low, meter.high - meter.used

    assert off() == (ROUNDING, ROUNDING)
    assert off(u(PICTURE)) == (ROUNDING + 192, ROUNDING + 192)  # rounded outwards
    assert 765 * PICTURE_DOUBT == 191.25
    below, above = off(u("z" * 1_000))
    assert below == pytest.approx(2 * above, abs=3)
    assert 4 * below < off(u("z" * 10_000))[0] < 6 * below


def test_estimated() -> None:
    """Without any call, the count applies, with the family's ratio and spread."""
    meter = meter_of([u("x" * 600), a("y" * 400)], replace(EXACT, ratio=1.5), fixed=100)

    assert (meter.used, meter.basis) == (1_150, "estimated")
    assert (meter.fixed, meter.tokens) == (150, (600, 400))
    assert (meter.low, meter.high) == (1_035, 1_265)


def test_estimated_with_what_the_tool_hides() -> None:
    """A tool whose system prompt is not in the file gets its usual size, with wide enough bounds."""
    meter, hidden = meter_of([u("x" * 1_000)], EXACT, tool="claude-code"), CLAUDE_CODE.hidden

    assert meter.used == hidden.tokens + 1_000 * (1 + hidden.share)
    assert meter.high == hidden.high + 1_000 * (1 + hidden.share) + 100
    assert meter.low == hidden.low + 1_000 * (1 + hidden.share) - 100
    assert meter.parts == Parts(hidden.tokens, 0, 1_030, 0, 0, 0, 0, 0)  # its share comes with the messages


def test_what_earlier_chats_taught() -> None:
    """A remembered ratio applies from the first message on, but not to pictures."""
    prior = Learned(expected=1e9, grown=1.6e9)
    meter = read_meter(chat([u("x" * 1_000, PICTURE)]), [Weight(text=1_000, images=765)], BARE, 0, prior=prior)

    assert (meter.parts.user, meter.parts.images) == (1_300, 765)


def test_thoughts_leave_with_the_turn() -> None:
    """A turn's reasoning is in the prompts of that turn, and dropped at the next user message."""
    turn = [used(a(call("c")), 5_000, 400, reasoning=300), u(res("c", "")), used(a("ok"), 5_400, 250, reasoning=200)]

    assert meter_of(turn, FORGETFUL).used == 5_650
    assert meter_of([*turn, u("go")], FORGETFUL).used == 5_650 - 500 + 2
    more = [*turn, a(Thinking("t" * 100), "y" * 10)]
    assert [meter_of(one, FORGETFUL).used for one in (more, [*more, u("go")])] == [5_760, 5_650 - 500 + 10 + 2]
    assert meter_of([*turn, u("go")], BARE).used == 5_652


def test_shown_thoughts_leave_with_the_turn() -> None:
    """Claude up to Sonnet 4.5: the same for visible reasoning, which then belongs to no part and no message."""
    meter = meter_of([u("go"), used(a(Thinking("t" * 300), "y" * 100), 5_000, 1), u("on")], FORGETFUL)

    assert (meter.used, meter.parts.thinking, meter.tokens) == (5_102, 0, (2, 100, 2))
    turn = [u("go"), a(Thinking("t" * 300), "y" * 100)]
    assert [meter_of(messages, FORGETFUL).used for messages in (turn, [*turn, u("on")])] == [402, 104]


@pytest.mark.parametrize("message", [u(res("c", "out")), replace(u("note"), by_host=True), a("more")])
def test_what_begins_no_turn(message: Message) -> None:
    """Results, host notes and further replies keep the reasoning."""
    assert meter_of([u("go"), a(Thinking("t" * 300), "y"), message], FORGETFUL).parts.thinking == 300


def test_what_a_host_adds_unsaid_is_in_the_upper_bound() -> None:
    """Claude Code's reminders come on top of the count."""
    plain, reminding = (gauge_of([ANSWER, u("go")], hidden=one).meter() for one in (NOTHING, CLAUDE_CODE.hidden))

    assert (reminding.high - plain.high, reminding.low) == (CLAUDE_CODE.hidden.note, plain.low)


def test_parts_by_role_and_kind() -> None:
    """Texts belong to their role, system messages to what is fixed, a summary to itself, with all it holds."""
    messages = talk(
        s("s" * 7),
        replace(u("k" * 11, res("c0", "r" * 2)), is_summary=True),
        u("u" * 13, PICTURE),
        a("a" * 17, Thinking("t" * 19), call("c1")),
        u(res("c1", "r" * 29), "u"),
    )

    assert meter_of(messages, EXACT, fixed=5).parts == Parts(
        fixed=12, summary=13, user=14, assistant=17, tool_calls=6, tool_results=29, thinking=19, images=765
    )


def test_messages_that_were_dropped_do_not_eat_what_is_fixed() -> None:
    """If the host dropped results, the messages weigh less; what it adds itself stays the same."""
    messages = [u("x" * 100), used(a("y"), 30_100, 1), u("z" * 50_000), used(a("y"), 60_000, 1), u("go"), a("ok")]

    assert meter_of([*messages, used(a("y"), 45_000, 1)]).fixed == 45_001 // 2
    assert meter_of(messages).fixed == 30_000


usages = st.none() | st.builds(
    Usage, st.integers(0, 99_000), st.integers(0, 900), st.sampled_from(["m", "n"]), st.booleans(), st.integers(0, 90)
)
flags = st.tuples(usages, st.booleans(), st.booleans())


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Messages of any kind, some with a call's size, some written by the host, some summaries."""
    return [
        replace(message, usage=usage, by_host=by_host, is_summary=is_summary)
        for message in draw(anything())
        for usage, by_host, is_summary in [draw(flags)]
    ]


@given(talks(), st.sampled_from(FAMILIES), st.sampled_from(["", "claude-code", "codex"]), st.integers(0, 500))
def test_any_chat(messages: list[Message], family: Family, tool: str, fixed: int) -> None:
    """Parts and messages add up to what is used, within bounds, and nothing is negative, whatever the chat.

    However often it is read on the way, the gauge ends at what the meter of the chat says.
    """
    meter = meter_of(messages, family, fixed, tool)
    gauge = Gauge(family, hidden_by(replace(chat(messages), tool=tool)), fixed)
    for message in messages:
        gauge.add(message, weigh(message, len, family))
        found = gauge.meter()
        parts = msgspec.structs.astuple(found.parts)

        assert 0 <= found.low <= found.used <= found.high
        assert 0 <= found.fixed <= found.used == sum(parts)
        assert min(parts) >= 0
    assert replace(meter, tokens=()) == gauge.meter()
    assert meter.fixed + sum(meter.tokens) == meter.used
    assert min((meter.fixed, *meter.tokens)) >= 0
