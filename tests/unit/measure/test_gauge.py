"""The gauge: what each message does to the reading."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Thinking, Usage
from compact_chat.measure import Family, Gauge, Learned, Weight, meter_of, read_meter, weigh
from compact_chat.measure.families import CLAUDE, CLAUDE_FORGETFUL, GPT, UNKNOWN
from compact_chat.measure.gauge import Reading
from compact_chat.tools import Hidden, tool_named
from tests.samples.chats import PICTURE, a, anything, call, chat, res, u

CLAUDE_CODE = tool_named("claude-code").hidden
CODEX = tool_named("codex").hidden

BARE = replace(UNKNOWN, per_message=0, per_call=0, per_result=0)
FORGETFUL = replace(BARE, forgets=True)
NOTHING = Hidden()
FAMILIES = (BARE, FORGETFUL, CLAUDE, CLAUDE_FORGETFUL, GPT)


def gauge_of(messages: Sequence[Message], family: Family = BARE, hidden: Hidden = NOTHING) -> Gauge:
    """A gauge that has taken in these messages, by characters."""
    gauge = Gauge(family, hidden)
    for message in messages:
        gauge.add(message, weigh(message, len, family))
    return gauge


def reading_of(messages: Sequence[Message], family: Family = BARE) -> Reading:
    """What it reads then."""
    return gauge_of(messages, family).reading()


def used(message: Message, prompt: int, output: int, model: str = "m", reasoning: int = 0) -> Message:
    """The message, given by a call of this size."""
    return replace(message, usage=Usage(prompt, output, model, reasoning_tokens=reasoning))


SUMMARY = replace(u("so far"), is_summary=True, by_host=True)
ANSWER = used(a("y" * 100), 5_000, 100)


def test_it_grows_with_each_message() -> None:
    """Counted until a call tells, then reckoned from there."""
    gauge = gauge_of([u("x" * 40)])
    before = gauge.reading()
    gauge.add(ANSWER, Weight(text=100))
    at_call = gauge.reading()
    gauge.add(u("z" * 60), Weight(text=60))

    assert (before.used, before.basis) == (40, "estimated")
    assert (at_call.used, at_call.basis) == (5_100, "measured")
    assert (gauge.reading().used, gauge.reading().basis) == (5_160, "anchored")


def test_without_two_calls_nothing_is_learned() -> None:
    """With one call there is nothing to learn from."""
    assert gauge_of([u("go"), ANSWER, u("go")]).learned == Learned()


def test_the_reply_of_a_placeholder_is_learned_from() -> None:
    """Between two calls, what is known is left out, and what was counted is compared with the rest."""
    known = gauge_of([ANSWER, u("z" * 500), used(a("y"), 5_000 + 100 + 700, 1)]).learned
    counted = gauge_of([used(a("y" * 100), 5_000, 1), u("z" * 500), used(a("y"), 5_720, 1)]).learned

    assert (known.expected, known.grown) == (500, 700)
    assert (counted.expected, counted.grown) == (600, 720)


def test_pictures_are_left_out_of_what_is_learned() -> None:
    """What pictures take is reckoned in the model's own tokens, and teaches nothing about words."""
    learned = gauge_of([ANSWER, u("z" * 500, PICTURE), used(a("y"), 5_100 + 600 + 765, 1)]).learned

    assert (learned.expected, learned.grown) == (500, 600)


@pytest.mark.parametrize("end", [[used(a("y"), 5_700, 1, model="n")], [SUMMARY, used(a("y"), 5_700, 1)]])
def test_another_model_or_a_summary_is_another_start(end: list[Message]) -> None:
    """What the calls before taught is forgotten, and the prior holds again; the newest call anchors."""
    gauge = Gauge(BARE, NOTHING, prior=Learned(expected=100, grown=120))
    for message in [ANSWER, u("z" * 500), used(a("y"), 5_800, 1), u("z" * 500), *end]:
        gauge.add(message, weigh(message, len, BARE))

    assert gauge.learned == Learned(100, 120)
    assert gauge.reading().used == 5_701


def test_a_summary_does_not_move_the_anchor() -> None:
    """Until a call is made after it, the call before it is the best that is known."""
    assert reading_of([ANSWER, SUMMARY]).used == 5_106


@pytest.mark.parametrize("prompt", [0, -5])
def test_a_call_that_says_nothing(prompt: int) -> None:
    """A call with no prompt was recorded by mistake."""
    assert reading_of([ANSWER, u("go"), used(a("ok"), prompt, 9)]).used == 5_104


def test_a_prompt_far_below_what_was_said_is_not_believed() -> None:
    """A stream's first figure moves no anchor, and is none where there was none; what a host drops is believed."""
    talk = [ANSWER, u("z" * 500), used(a("ok"), 3, 1)]

    assert (reading_of(talk).used, reading_of(talk).basis) == (5_602, "anchored")
    assert reading_of([u("z" * 500), used(a("ok"), 20, 1)]).basis == "estimated"
    assert reading_of([ANSWER, u("z" * 500), used(a("ok"), 400, 2)]).used == 402


def test_thoughts_prove_no_prompt_wrong() -> None:
    """Some hosts never send thoughts again, so that a prompt may be small beside them."""
    assert reading_of([a(Thinking("t" * 900), "y" * 100), used(a("ok"), 120, 2)]).used == 122


@pytest.mark.parametrize("whole", [False, True])
def test_another_models_call_is_scaled(whole: bool) -> None:
    """What one model took in tells roughly what another will, never measured, and teaches nothing."""
    calls = [replace(a("y" * 100), usage=Usage(6_000 + n, 100, "claude-opus-4-5", whole=whole)) for n in (0, 300)]
    reading, own = (reading_of(calls, family) for family in (GPT, CLAUDE))

    assert reading.used < own.used
    assert reading.used == pytest.approx(own.used / CLAUDE.ratio, rel=0.01)
    assert reading.basis == "estimated"
    assert reading.low < reading.used * (1 - CLAUDE.spread)
    assert gauge_of(calls, GPT).learned == Learned()


def test_a_tools_own_count_of_the_whole() -> None:
    """It holds the message that it stands on, is an anchor with wide bounds, and teaches nothing."""
    whole = replace(u("z" * 500), usage=Usage(40_000, 0, "m", whole=True))
    reading = reading_of([ANSWER, whole])

    assert (reading.used, reading.basis) == (40_000, "anchored")
    assert reading.high - reading.used == reading.used - reading.low == 40_000 * 0.12 + 2
    assert gauge_of([ANSWER, whole, u("z" * 500), used(a("y"), 40_600, 1)]).learned == Learned()


def test_a_rewound_chat_is_anchored_at_what_is_left() -> None:
    """A chat read anew after a rewind begins at the newest call that is still live."""
    assert reading_of([ANSWER, u("go")]) == reading_of([ANSWER, u("go"), used(a("y"), 9_000, 1)][:2])


def test_reported_thoughts_leave_with_the_turn() -> None:
    """Codex: what was thought in a turn is in the prompts of that turn, and no more once the user speaks again."""
    turn = [used(a(call("c")), 5_000, 400, reasoning=300), u(res("c", "")), used(a("ok"), 5_400, 250, reasoning=200)]

    assert reading_of(turn, FORGETFUL).used == 5_650
    assert reading_of([*turn, u("go")], FORGETFUL).used == 5_650 - 500 + 2
    assert reading_of([*turn, u("go")], BARE).used == 5_652


def test_shown_thoughts_leave_with_the_turn() -> None:
    """Claude up to Sonnet 4.5: the same, by what is shown of them; they are then no part and no message's any more."""
    turn = [u("go"), used(a(Thinking("t" * 300), "y" * 100), 5_000, 1), u("on")]
    told = chat(turn)
    meter = read_meter(told, [weigh(message, len, FORGETFUL) for message in turn], FORGETFUL, 0)

    assert (meter.used, meter.parts.thinking, meter.tokens) == (5_102, 0, (2, 100, 2))


def test_thoughts_without_any_call() -> None:
    """What was thought in earlier turns is not counted either."""
    turn = [u("go"), a(Thinking("t" * 300), "y" * 100)]

    assert reading_of(turn, FORGETFUL).used == 402
    assert reading_of([*turn, u("on")], FORGETFUL).used == 104


@pytest.mark.parametrize("message", [u(res("c", "out")), replace(u("note"), by_host=True), a("more")])
def test_what_begins_no_turn(message: Message) -> None:
    """Results, notes of the host and further replies leave the thoughts where they are."""
    turn = [u("go"), a(Thinking("t" * 300), "y"), message]

    assert reading_of(turn, FORGETFUL).parts["thinking"] == 300


def test_thoughts_that_left_are_not_learned_from() -> None:
    """A prompt that shrank by what was forgotten teaches the ratio of the rest."""
    turn = [used(a("y" * 100), 5_000, 400, reasoning=300), u("z" * 500), used(a("y"), 5_000 + 100 + 600, 1)]

    assert gauge_of(turn, FORGETFUL).learned.grown == 600


def test_what_a_host_adds_unsaid_is_in_the_upper_bound() -> None:
    """Claude Code's reminders come on top of what is counted."""
    plain, reminding = gauge_of([ANSWER, u("go")]).reading(), gauge_of([ANSWER, u("go")], hidden=CLAUDE_CODE).reading()

    assert reminding.high - plain.high == CLAUDE_CODE.note
    assert reminding.low == plain.low


def test_bounds_that_do_not_hold_get_wider() -> None:
    """A chat whose calls are mostly further off than was said is doubted more."""
    steady, wild = [ANSWER], [ANSWER]
    for step in range(1, 30):
        steady += [u("z" * 100), used(a("y" * 100), 5_000 + 200 * step, 100)]
        wild += [u("z" * 100), used(a("y" * 100), 5_000 + 500 * step, 100)]
    spans = [reading_of([*messages, u("z" * 500)]) for messages in (steady, wild)]
    widths = [span.high - span.low for span in spans]

    assert widths[1] > 2 * widths[0]


usages = st.none() | st.builds(
    Usage, st.integers(0, 99_000), st.integers(0, 900), st.sampled_from(["m", "n"]), st.booleans(), st.integers(0, 90)
)
hosts = st.sampled_from([NOTHING, CLAUDE_CODE, CODEX])
flags = st.tuples(usages, st.booleans(), st.booleans())


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Messages of any kind, some with a call's size, some written by the host, some summaries."""
    return [
        replace(message, usage=usage, by_host=by_host, is_summary=is_summary)
        for message in draw(anything())
        for usage, by_host, is_summary in [draw(flags)]
    ]


@given(talks(), st.sampled_from(FAMILIES), hosts)
def test_any_chat(messages: list[Message], family: Family, hidden: Hidden) -> None:
    """Whatever a chat holds, parts and messages add up to what is used, within bounds, and nothing is negative."""
    for end in range(len(messages) + 1):
        reading = gauge_of(messages[:end], family, hidden).reading()
        meter = meter_of(reading)

        assert reading.low <= reading.used <= reading.high
        assert 0 <= reading.fixed <= reading.used
        assert min(reading.parts.values()) >= 0
        assert meter.low <= meter.used <= meter.high
        assert sum(getattr(meter.parts, name) for name in meter.parts.__struct_fields__) == meter.used


@given(talks(), st.sampled_from(FAMILIES), st.lists(st.integers(0, 10)))
def test_reading_changes_nothing(messages: list[Message], family: Family, pauses: list[int]) -> None:
    """However often it is read on the way, the gauge ends at the same, and at what the meter of the chat says."""
    gauge = Gauge(family, NOTHING)
    for index, message in enumerate(messages):
        for _ in range(pauses.count(index)):
            gauge.reading()
        gauge.add(message, weigh(message, len, family))
    weights = [weigh(message, len, family) for message in messages]
    meter = read_meter(chat(messages), weights, family, 0)
    folded = meter_of(gauge.reading())

    assert gauge.reading() == gauge_of(messages, family).reading()
    assert (folded.used, folded.low, folded.high, folded.parts) == (meter.used, meter.low, meter.high, meter.parts)
    assert meter.learned == gauge.learned
    assert meter.fixed + sum(meter.tokens) == meter.used


def test_a_long_chat_costs_no_more_per_message() -> None:
    """Appending to ten thousand messages and reading costs what it costs after a hundred."""
    talk = [message for step in range(5_000) for message in (u("go"), used(a("ok"), 1_000 + step, 1))]
    short, long = gauge_of(talk[:100]), gauge_of(talk)

    assert _seconds(long) < 4 * _seconds(short)


def _seconds(gauge: Gauge) -> float:
    """The least time that some appended messages and readings took."""
    message, weight = used(a("ok"), 9_000, 1), Weight(text=2)
    taken = []
    gc.disable()
    for _ in range(20):
        start = time.process_time()
        for _ in range(20):
            gauge.add(message, weight)
            gauge.reading()
        taken.append(time.process_time() - start)
    gc.enable()
    return min(taken)
