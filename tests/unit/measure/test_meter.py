"""The meter: anchored on what the provider reported, estimated where it reported nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Thinking, Usage
from compact_chat.measure import Family, Learned, Meter, Weight, read_meter, weigh
from compact_chat.measure.families import UNKNOWN
from compact_chat.tools import tool_named
from compact_chat.wire import Parts
from tests.samples.chats import PICTURE, a, anything, call, chat, res, s, talk, u

CLAUDE_CODE = tool_named("claude-code").hidden

FAMILY = replace(UNKNOWN, spread=0.1, per_message=0, per_call=0, per_result=0)


def meter_of(messages: Sequence[Message], fixed: int = 0, tool: str = "unknown", family: Family = FAMILY) -> Meter:
    """The meter of a chat whose tokens are its characters."""
    weights = [weigh(message, len, family) for message in messages]
    return read_meter(replace(chat(messages), tool=tool), weights, family, fixed)


def used(message: Message, prompt: int, output: int, model: str = "m") -> Message:
    """The message, given by a call of this size."""
    return replace(message, usage=Usage(prompt, output, model))


def test_measured() -> None:
    """The newest call with nothing after it is the provider's own figure: prompt and output."""
    meter = meter_of([u("x" * 100), used(a("y" * 50), 5_000, 60)])

    assert (meter.used, meter.basis) == (5_060, "measured")
    assert (meter.low, meter.high) == (5_058, 5_062)
    assert meter.tokens == (100, 50)
    assert meter.fixed == 5_060 - 150


def test_anchored() -> None:
    """What came after the newest call is counted on top, and is what the bounds are wide for."""
    meter = meter_of([u("x" * 100), used(a("y" * 50), 5_000, 60), u("z" * 1_000)])

    assert (meter.used, meter.basis) == (6_060, "anchored")
    assert meter.low < 5_850 < meter.used < 6_270 < meter.high


def test_the_newest_call_counts() -> None:
    """Older calls are no anchor."""
    meter = meter_of([used(a("x"), 9_000, 10), u("go"), used(a("y"), 4_000, 10)])

    assert (meter.used, meter.basis) == (4_010, "measured")


def test_a_placeholder_for_the_output_is_not_believed() -> None:
    """A recorded output far below what was written is the stream's first figure; the text is counted instead."""
    meter = meter_of([u("go"), used(a("y" * 400), 5_000, 1)])

    assert (meter.used, meter.basis) == (5_400, "anchored")
    assert meter_of([u("go"), used(a("y" * 400), 5_000, 300)]).used == 5_300


def test_hidden_thoughts_are_in_the_output() -> None:
    """An output far above what was written holds thoughts that the file does not, and is believed."""
    assert meter_of([u("go"), used(a("y", Thinking("")), 5_000, 900)]).used == 5_900


def test_estimated() -> None:
    """Without any call the count decides, with the family's ratio and spread."""
    meter = meter_of([u("x" * 600), a("y" * 400)], fixed=100, family=replace(FAMILY, ratio=1.5))

    assert (meter.used, meter.basis) == (1_150, "estimated")
    assert (meter.fixed, meter.tokens) == (150, (600, 400))
    assert (meter.low, meter.high) == (1_035, 1_265)


def test_estimated_with_what_the_tool_hides() -> None:
    """A tool whose system prompt is not in the file gets its usual size, and bounds wide enough for it."""
    meter = meter_of([u("x" * 1_000)], tool="claude-code")

    assert meter.used == CLAUDE_CODE.tokens + 1_000 * (1 + CLAUDE_CODE.share)
    assert meter.high > CLAUDE_CODE.high
    assert meter.low < CLAUDE_CODE.low + 1_000
    assert meter.parts == Parts(meter.fixed, 0, 1_000, 0, 0, 0, 0, 0)


def test_a_known_system_prompt_beats_the_usual_one() -> None:
    """Where system prompt and tools came with the chat, nothing is guessed."""
    told = replace(chat([u("x" * 1_000)]), tool="claude-code", system="s" * 500)

    assert read_meter(told, [Weight(text=1_000)], FAMILY, 500).used == 1_500


def test_the_ratio_of_the_chat_is_applied_to_the_tail() -> None:
    """A chat that was seen to grow by more than we count lets the tail weigh more."""
    calls = [used(a("y" * 2_000), 10_000 + 3_000 * step, 1) for step in range(40)]

    assert meter_of([*calls, u("z" * 1_000)]).used == pytest.approx(127_000 + 3_000 + 1_500, abs=300)


def test_what_earlier_chats_taught() -> None:
    """A ratio that was remembered holds from the first message on, and no more than it is worth."""
    prior = Learned(expected=1e9, grown=1.6e9)
    told = chat([u("x" * 1_000)])

    assert read_meter(told, [Weight(text=1_000)], FAMILY, 0, prior=prior).used == 1_300


def test_pictures_are_not_scaled() -> None:
    """Tokens of pictures are the model's own, whatever the ratio."""
    told = chat([u(PICTURE)])

    assert read_meter(told, [Weight(images=765)], FAMILY, 0, prior=Learned(9e9, 12e9)).parts.images == 765


def test_parts_by_role_and_kind() -> None:
    """Texts belong to their role, system messages to what is fixed, a summary to itself, with all it holds."""
    messages = talk(
        s("s" * 7),
        replace(u("k" * 11, res("c0", "r" * 2)), is_summary=True),
        u("u" * 13, PICTURE),
        a("a" * 17, Thinking("t" * 19), call("c1")),
        u(res("c1", "r" * 29), "u"),
    )

    assert meter_of(messages, fixed=5).parts == Parts(
        fixed=12, summary=13, user=14, assistant=17, tool_calls=6, tool_results=29, thinking=19, images=765
    )


def test_messages_that_were_dropped_do_not_eat_what_is_fixed() -> None:
    """Where the host has dropped results, the messages weigh less; what it adds itself is as large as at first."""
    messages = [u("x" * 100), used(a("y"), 30_100, 1), u("z" * 50_000), used(a("y"), 60_000, 1), u("go"), a("ok")]
    shrunk = meter_of([*messages, used(a("y"), 45_000, 1)])

    assert shrunk.fixed == 45_001 // 2
    assert meter_of(messages).fixed == 30_000


def test_nothing_at_all() -> None:
    """An empty chat is empty."""
    meter = meter_of([])

    assert (meter.used, meter.low, meter.high, meter.tokens, meter.basis) == (0, 0, 0, (), "estimated")


def test_a_call_without_words() -> None:
    """Where nothing of the chat can be counted, all of it is fixed."""
    meter = meter_of([used(a(Thinking("")), 800, 0)])

    assert (meter.used, meter.fixed, meter.tokens) == (800, 800, (0,))


usages = st.none() | st.builds(Usage, st.integers(0, 300_000), st.integers(0, 9_000), st.sampled_from(["m", "n"]))


@given(anything(), st.lists(usages, min_size=10, max_size=10), st.integers(0, 5_000), st.sampled_from(["codex", ""]))
def test_the_sums_are_whole(messages: tuple[Message, ...], calls: list[Usage | None], fixed: int, tool: str) -> None:
    """Parts and messages add up to what is used, nothing is negative, and the bounds hold it."""
    with_calls = [replace(message, usage=usage) for message, usage in zip(messages, calls, strict=False)]
    weights = [weigh(message, len, UNKNOWN) for message in with_calls]
    meter = read_meter(replace(chat(with_calls), tool=tool), weights, UNKNOWN, fixed)
    parts = msgspec.structs.astuple(meter.parts)

    assert meter.fixed + sum(meter.tokens) == meter.used == sum(parts)
    assert min(meter.fixed, *meter.tokens, *parts) >= 0
    assert 0 <= meter.low <= meter.used <= meter.high


def test_a_long_chat_is_read_at_once() -> None:
    """G5: the meter is linear in the number of messages."""
    messages = [used(a("y"), 1_000 + 3 * step, 1) if step % 2 else u("go") for step in range(40_000)]
    weights = [Weight(text=2)] * len(messages)
    meter = read_meter(Chat("anthropic", "unknown", tuple(messages)), weights, FAMILY, 0)

    assert meter.fixed + sum(meter.tokens) == meter.used
