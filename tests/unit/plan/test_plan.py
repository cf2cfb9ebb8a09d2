"""The plan of a compaction."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Thinking, result_text
from compact_chat.plan import Plan, seen
from compact_chat.wire import Options, PruneOptions, Scope, Strategy
from tests.samples.chats import a, anything, call, conversations, planned, res, s, talk, turns, u

LONG = "z" * 9000
LOOKS = talk(u("q"), a(call("1")), u(res("1", LONG)), a("x"), u("y"), a(call("2")), u(res("2", LONG)), a("z"))
CUT = PruneOptions(preserve_tail=0)
OLD = replace(u("old"), is_summary=True)


def texts(messages: Sequence[Message]) -> list[str]:
    """What the messages say."""
    return [message.text for message in messages]


def fates(made: Plan) -> list[str]:
    """The fates of all messages in order."""
    return [fate.fate for fate in made.fates]


@pytest.mark.parametrize(
    ("messages", "options", "direction", "split", "head", "summarized", "tail"),
    [
        pytest.param(turns(10), Options(), "upTo", 6, [], [0, 1, 2, 3, 4, 5], [6, 7, 8, 9], id="Z2 a tail stays"),
        pytest.param(turns(3), Options(min_keep=0), "all", 3, [], [0, 1, 2], [], id="Z2 nothing stays"),
        pytest.param(turns(6), Options(scope=Scope("from", "m2")), "from", 2, [0, 1], [2, 3, 4, 5], [], id="Z1 from"),
        pytest.param(turns(6), Options(scope=Scope("upTo", "m3")), "upTo", 4, [], [0, 1, 2, 3], [4, 5], id="Z1 up to"),
        pytest.param(turns(2), Options(scope=Scope("from", "m0")), "all", 0, [], [0, 1], [], id="Z2 from the start"),
        pytest.param(turns(2), Options(scope=Scope("upTo", "m1")), "all", 2, [], [0, 1], [], id="Z2 up to the end"),
        pytest.param(turns(8), Options(pin=("m1", "m6")), "upTo", 4, [], [0, 2, 3], [1, 4, 5, 6, 7], id="Z3 pin"),
        pytest.param(
            turns(4), Options(min_keep=0, pin=("m1",)), "all", 4, [], [0, 2, 3], [1], id="Z2 only a pin stays"
        ),
        pytest.param(turns(8), Options(drop=("m0", "m7")), "upTo", 3, [], [1, 2], [3, 4, 5, 6], id="Z3 drop"),
        pytest.param(
            turns(6),
            Options(scope=Scope("from", "m2"), pin=("m4",)),
            "from",
            2,
            [0, 1],
            [2, 3, 5],
            [4],
            id="Z3 pin beats scope",
        ),
    ],
)
def test_a_summary_replaces_its_stretch(
    messages: tuple[Message, ...],
    options: Options,
    direction: str,
    split: int,
    head: list[int],
    summarized: list[int],
    tail: list[int],
) -> None:
    """Z1 to Z3: the pieces of the new chat are the messages themselves, the pinned ones behind the summary."""
    made = planned(messages, options)

    assert (made.action, made.direction, made.split) == ("compact", direction, split)
    for piece, indexes in ((made.head, head), (made.summarized, summarized), (made.tail, tail)):
        assert piece == tuple(messages[index] for index in indexes)


def test_system_messages_at_the_front_stand_apart() -> None:
    """S8, J1: they are no part of the head, and the split counts them."""
    messages = talk(s("rules"), *turns(6))
    made = planned(messages, Options())

    assert (texts(made.front), made.split, len(made.summarized)) == (["rules"], 3, 2)


def test_a_pin_takes_its_exchange_behind_the_summary() -> None:
    """Z3, K8: a pinned result stays with its call, and both say why."""
    made = planned(LOOKS, Options(min_keep=1, pin=("m2",)))

    assert fates(made) == ["summarize", "pin", "pin", *["summarize"] * 4, "keep"]
    assert made.tail == (LOOKS[1], LOOKS[2], LOOKS[7])
    assert "exchange" in made.fates[1].reason
    assert "exchange" not in made.fates[2].reason


@pytest.mark.parametrize(
    ("messages", "options", "reason"),
    [
        pytest.param(turns(3), Options(), "too short", id="S1"),
        pytest.param(talk(a(call("1")), u("b"), u(res("1", "r"))), Options(min_keep=1), "cut nowhere", id="S4"),
        pytest.param((OLD, *turns(4)), Options(), "nothing but an earlier summary", id="S7"),
        pytest.param((s("rules"), OLD, *turns(4)), Options(), "nothing but an earlier summary", id="S7 S8"),
        pytest.param((), Options(), "too short", id="no messages"),
        pytest.param(turns(5), Options(pin=("m0",)), "pinned or dropped apart, holds nothing to", id="Z3 all pinned"),
        pytest.param(talk(OLD, *turns(5)), Options(pin=("m1",)), "apart, holds nothing but an", id="Z3 S7 a pin"),
        pytest.param(turns(2), Options(drop=("m0", "m1")), "could be summarised is dropped", id="Z3 all dropped"),
        pytest.param(talk(s("rules"), u("x")), Options(drop=("m1",)), "is dropped", id="Z3 S8 all dropped"),
        pytest.param(talk(u(" "), a(""), *turns(4)), Options(), "nothing to read", id="P25 nothing to be seen"),
        pytest.param([u(" ")], Options(min_keep=0), "nothing to read", id="P25 blank chat"),
        pytest.param(talk(s("rules"), *turns(4)), Options(scope=Scope("upTo", "m0")), "they stay", id="Z1 S8"),
        pytest.param(talk(u("q"), a(call("1"))), Options(scope=Scope("from", "m1")), "still waits", id="Z1 S6"),
        pytest.param(turns(3), Options(strategy="keep"), "Every message", id="K2 nothing left out"),
        pytest.param(turns(9), Options(strategy="prune"), "No tool result", id="X4 nothing to cut"),
        pytest.param(LOOKS[:4], Options(strategy="prune"), "before the newest messages can be cut", id="X4 new ones"),
        pytest.param(LOOKS[:6], Options(strategy="prune", prune=CUT, pin=("m2",)), "pinned apart.", id="X4 Z3"),
        pytest.param(turns(3), Options(strategy="keep", pin=("m1",)), "by a rule or a pin", id="K2 Z3 a pin"),
        pytest.param(turns(3), Options(strategy="auto"), "too short", id="Z5 neither"),
    ],
)
def test_a_plan_says_why_there_is_nothing_to_do(messages: Sequence[Message], options: Options, reason: str) -> None:
    """S1, S4, S7: then the chat stays as it is, whatever the thresholds say."""
    made = planned(messages, options, budget=1)

    assert made.action == "none"
    assert reason in made.reason
    assert set(fates(made)) <= {"keep"}
    assert made.messages == tuple(messages)


def test_the_reason_owns_up_to_a_shorter_tail() -> None:
    """S4: a person is told when fewer messages stay than wanted, and only then."""
    messages = talk(a(call("1")), u(res("1", "r")), a("x"), u("y"))

    assert "Fewer" in planned(messages, Options(min_keep=3)).reason
    assert planned(messages, Options(min_keep=2)).reason == "A summary replaces 2 of 4 messages; 2 stay as they are."
    assert planned(turns(3), Options(min_keep=1)).reason == "A summary replaces 2 of 3 messages; 1 stays as it is."


def test_auto_counts_what_goes_without_being_cut() -> None:
    """Z5, V1: thinking is not sent on either, and may be what brings a chat below the threshold."""
    messages = talk(u("q"), a(Thinking("hm" * 99), call("1")), u(res("1", LONG)), a("x"))
    options = Options(strategy="auto", prune=CUT)

    assert planned(messages, options, [1, 900, 900, 1], budget=300, cut=10).action == "prune"


def test_prune_can_drop_without_a_cut() -> None:
    """Z3: a dropped message goes also where no result is long enough to be cut."""
    made = planned(turns(3), Options(strategy="prune", drop=("m1",)))

    assert (made.action, texts(made.messages)) == ("prune", ["u0", "u2"])
    assert made.reason == "Dropped: 1 message."


def test_thresholds_only_advise() -> None:
    """The contract: a chat far below its budget is compacted when somebody asks for it."""
    assert planned(turns(10), Options(), budget=10**9).action == "compact"


def test_keep_leaves_messages_out() -> None:
    """K, Z3: what no rule and no pin keeps is dropped, and a drop beats every rule."""
    made = planned(turns(6), Options(strategy="keep", keep_recent=1, pin=("m3",), drop=("m0",)))

    assert (made.action, fates(made)) == ("keep", ["drop", "drop", "drop", "pin", "drop", "keep"])
    assert texts(made.messages) == ["[4 messages omitted]", "a3", "a5"]
    assert made.dropped == 4


def test_keep_cuts_old_results_but_pinned_ones() -> None:
    """K9, Z3: results outside the newest messages are pruned, unless they are pinned."""
    made = planned(LOOKS, Options(strategy="keep", keep_recent=1, pin=("m6",)))

    assert fates(made) == ["keep", "keep", "prune", "drop", "drop", "pin", "pin", "keep"]
    assert (made.pruned, made.blocks, made.chars_removed) == (1, 1, 8271)
    assert [len(result_text(result)) for message in made.messages for result in message.results] == [729, 9000]


def test_prune_cuts_results_and_nothing_else() -> None:
    """X, Z3: pins stay whole, drops go, and all others keep their place."""
    made = planned(LOOKS, Options(strategy="prune", prune=CUT, pin=("m6",), drop=("m4",)))

    assert (made.action, fates(made)) == ("prune", ["keep", "keep", "prune", "keep", "drop", "pin", "pin", "keep"])
    assert [message.id for message in made.messages] == ["m0", "m1", "m2", "m3", "m5", "m6", "m7"]
    assert made.messages[5] is LOOKS[6]
    assert made.reason == "Cut from 1 tool result: 8271 characters. Dropped: 1 message."


@pytest.mark.parametrize(
    ("budget", "prune_at", "action"),
    [
        pytest.param(1000, 0.7, "prune", id="below the threshold"),
        pytest.param(292, 0.7, "prune", id="just below"),
        pytest.param(290, 0.7, "compact", id="not below"),
        pytest.param(203, 1.0, "compact", id="on the threshold"),
        pytest.param(2900, 0.07, "compact", id="on the threshold, whatever its binary number"),
        pytest.param(0, 0.7, "compact", id="no known limit"),
    ],
)
def test_auto_cuts_where_that_is_enough(budget: int, prune_at: float, action: str) -> None:
    """Z5: cutting alone if what it leaves is below the prune threshold, else a summary of the unpruned chat."""
    options = Options(strategy="auto", prune=CUT, prune_at=prune_at, drop=("m3",))
    tokens = [1, 1, 900, 500, 1, 0, 900, 0]  # Of a cut message 100 are left, of the dropped one nothing.
    made = planned(LOOKS, options, tokens, budget, cut=100)

    assert made.action == action
    if action == "compact":
        assert made.summarized == LOOKS[:3]


def test_auto_does_not_take_a_drop_for_a_cut() -> None:
    """Z5: where there is nothing to cut, a summary it is, whatever was dropped."""
    assert planned(turns(10), Options(strategy="auto", drop=("m0",)), budget=10**6).action == "compact"


def test_auto_cuts_where_no_summary_is_possible() -> None:
    """Z5: a chat that cannot be summarised is at least cut."""
    made = planned(LOOKS[:3], Options(strategy="auto", prune=CUT), [10, 10, 900], 10)

    assert made.action == "prune"


strategies: st.SearchStrategy[Strategy] = st.sampled_from(["summary", "auto", "keep", "prune"])


@given(conversations() | anything(), strategies, st.integers(0, 3), st.data())
def test_every_message_has_one_fate(
    messages: tuple[Message, ...], strategy: Strategy, small: int, data: st.DataObject
) -> None:
    """Z3: each message is kept, pinned, cut, summarised or dropped, and the pieces hold exactly those that stay."""
    pins = data.draw(st.lists(st.sampled_from(messages).map(lambda m: m.id), max_size=1)) if messages else []
    options = Options(
        strategy=strategy, min_keep=small, keep_recent=small, pin=tuple(pins), prune=PruneOptions(9, 2, 2, small)
    )
    before = repr(messages)
    made = planned(messages, options, budget=small * 50)
    stay = [fate.becomes for fate in made.fates if fate.becomes is not None]

    assert [fate.index for fate in made.fates] == list(range(len(messages)))
    assert all((fate.becomes is None) == (fate.fate in ("summarize", "drop")) for fate in made.fates)
    assert repr(messages) == before
    if made.action == "compact":
        assert sorted(m.id for m in (*made.front, *made.head, *made.tail)) == sorted(m.id for m in stay)
        assert [m.id for m in made.summarized] == [f"m{f.index}" for f in made.fates if f.fate == "summarize"]
    elif made.action != "keep":
        assert list(made.messages if made.action == "none" else map(seen, made.messages)) == stay
    if made.action != "none":
        assert all(made.fates[index].fate == "pin" for index, m in enumerate(messages) if m.id in pins)
