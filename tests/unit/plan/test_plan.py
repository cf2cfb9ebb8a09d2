"""The plan of a compaction: what a summary replaces, what stays, and the reason given for each message."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Text, Thinking, Usage, Warning, result_text
from compact_chat.errors import InvalidParams, MessageNotFound
from compact_chat.plan import MessageIndex, Plan, digest, find_exchanges, front_length, open_end, plan_id, visible
from compact_chat.plan.plan import split_point
from compact_chat.wire import Options, PruneOptions, Scope, Strategy
from tests.samples.chats import (
    ODD,
    PAPER,
    PICTURE,
    a,
    anything,
    call,
    chat,
    conversations,
    planned,
    res,
    s,
    talk,
    turns,
    u,
)

LONG = "z" * 9000
LOOKS = talk(u("q"), a(call("1")), u(res("1", LONG)), a("x"), u("y"), a(call("2")), u(res("2", LONG)), a("z"))
CUT = PruneOptions(preserve_tail=0)
OLD = replace(u("old"), is_summary=True)
WRAPPED = u("[Previous conversation summary]\nold\n[End of summary]")
FATES = {"f": "keep", "h": "keep", "s": "summarize", "t": "keep", "p": "pin", "d": "drop"}
EXCHANGE = talk(u("q"), a(call("1"), call("2")), u(res("1", "r")), u(res("2", "r")), a("x"), u("y"))


def texts(messages: Sequence[Message]) -> list[str]:
    """What the messages say."""
    return [message.text for message in messages]


def fates(made: Plan) -> list[str]:
    """The fates of all messages in order."""
    return [fate.fate for fate in made.fates]


# Of each message: s summarized, t kept behind the summary, h before it, f at the front, p pinned, d dropped.
LATE = [u("q"), a(call("1")), u("b"), a("c"), u("d"), a("e"), u(res("1", "r")), a("f")]
OPEN = [u("q"), a("x"), u("y"), a(call("1"))]


@pytest.mark.parametrize(
    ("messages", "options", "direction", "split", "layout"),
    [
        pytest.param(turns(10), Options(), "upTo", 6, "sssssstttt", id="S2 Z2 a tail stays"),
        pytest.param(turns(3), Options(min_keep=0), "all", 3, "sss", id="S1 Z2 nothing stays"),
        pytest.param(EXCHANGE, Options(min_keep=3), "upTo", 1, "sttttt", id="S3 parallel results"),
        pytest.param(LATE, Options(min_keep=3), "upTo", 1, "sttttttt", id="S3 a late result"),
        pytest.param([a(call("1")), u(res("1", "r")), a("x")], Options(min_keep=2), "upTo", 2, "sst", id="S4 forward"),
        pytest.param([u("q"), u(res("gone", "r")), a("y")], Options(min_keep=1), "upTo", 2, "sst", id="S5 orphan"),
        pytest.param(OPEN, Options(min_keep=0), "upTo", 3, "ssst", id="S6 open call"),
        pytest.param([*OPEN, u("no"), a("ok")], Options(min_keep=1), "upTo", 5, "ssssst", id="S6 a call given up"),
        pytest.param([s("a"), s("b"), *turns(9)], Options(), "upTo", 7, "ffssssstttt", id="S8 the front"),
        pytest.param(turns(10), Options(min_keep=2, keep_recent_tokens=39), "upTo", 7, "sssssssttt", id="S1 whole"),
        pytest.param(turns(10), Options(min_keep=2, keep_recent_tokens=40), "upTo", 6, "sssssstttt", id="S1 exactly"),
        pytest.param(turns(10), Options(keep_recent_tokens=40, min_keep=5), "upTo", 5, "sssssttttt", id="S1 more"),
        pytest.param(turns(3), Options(min_keep=0, keep_recent_tokens=9), "all", 3, "sss", id="S1 not even one fits"),
        pytest.param(turns(6), Options(scope=Scope("from", "m2")), "from", 2, "hhssss", id="Z1 from"),
        pytest.param(turns(6), Options(scope=Scope("upTo", "m3")), "upTo", 4, "sssstt", id="Z1 up to"),
        pytest.param(turns(2), Options(scope=Scope("from", "m0")), "all", 0, "ss", id="Z2 from the start"),
        pytest.param(EXCHANGE, Options(scope=Scope("from", "m2")), "from", 1, "hsssss", id="Z1 from, widened"),
        pytest.param(EXCHANGE, Options(scope=Scope("upTo", "m1")), "upTo", 4, "sssstt", id="Z1 up to, widened"),
        pytest.param([s("a"), *turns(3)], Options(scope=Scope("from", "m0")), "all", 1, "fsss", id="S8 from"),
        pytest.param([s("a"), *turns(3)], Options(scope=Scope("upTo", "m1")), "upTo", 2, "fstt", id="S8 up to"),
        pytest.param(OPEN, Options(scope=Scope("from", "m1")), "from", 1, "hsst", id="S6 from"),
        pytest.param(OPEN, Options(scope=Scope("upTo", "m3")), "upTo", 3, "ssst", id="S6 up to"),
        pytest.param(turns(8), Options(pin=("m1", "m6")), "upTo", 4, "spssttpt", id="Z3 pin"),
        pytest.param(turns(4), Options(min_keep=0, pin=("m1",)), "all", 4, "spss", id="Z2 only a pin stays"),
        pytest.param(turns(8), Options(drop=("m0", "m7")), "upTo", 3, "dssttttd", id="Z3 drop"),
        pytest.param(
            turns(6), Options(scope=Scope("from", "m2"), pin=("m4",)), "from", 2, "hhssps", id="Z3 pin beats scope"
        ),
    ],
)
def test_a_summary_replaces_its_stretch(
    messages: Sequence[Message], options: Options, direction: str, split: int, layout: str
) -> None:
    """S1 to S8, Z1 to Z3: the new chat is made of the messages themselves, and no exchange is parted."""
    messages = talk(*messages)
    made = planned(messages, options)

    def of(letters: str) -> tuple[Message, ...]:
        return tuple(message for message, letter in zip(messages, layout, strict=True) if letter in letters)

    assert (made.action, made.direction, made.split) == ("compact", direction, split)
    assert (made.front, made.head, made.summarized) == (of("f"), of("h"), of("s"))
    assert sorted(made.tail, key=messages.index) == list(of("pt"))
    assert [fate.fate for fate in made.fates] == [FATES[letter] for letter in layout]


@given(conversations() | anything(), st.integers(0, 5), st.integers(0, 60))
def test_every_split_is_clean(messages: tuple[Message, ...], min_keep: int, room: int) -> None:
    """S3, S6: a split cuts no exchange, leaves no waiting call behind, and keeps the requested messages if possible.

    S4: stepping back never gives up a chat that can be cut anywhere.
    """
    cut, reason = split_point(messages, min_keep, room, [9] * len(messages))
    front, exchanges = front_length(messages), find_exchanges(messages)
    kept = max(min_keep, min(room // 9, len(messages) - front))
    allowed = [place for place, clean in enumerate(exchanges.clean) if clean and place <= exchanges.waiting]

    assert cut == 0 or (cut > front and cut in allowed)
    if reason == "wanted":
        assert cut == max(place for place in allowed if place <= len(messages) - kept)
    if reason == "kept_fewer":
        assert cut == min(place for place in allowed if place > len(messages) - kept)
    if reason == "no_boundary":
        assert not any(front < place < len(messages) for place in allowed)


def test_pins_and_drops_take_their_exchange_along() -> None:
    """Z3: the whole exchange of a pinned or dropped message shares its fate, and the reason says which was named."""
    messages = talk(*EXCHANGE, a(call("3")), u(res("3", "r")))
    made = planned(messages, Options(min_keep=0, pin=("m2",), drop=("m6",)))

    assert fates(made) == ["summarize", "pin", "pin", "pin", "summarize", "summarize", "drop", "drop"]
    assert ["exchange" in fate.reason for fate in made.fates[1:4]] == [True, False, True]
    assert made.fates[2].reason == "You pinned this message."
    assert made.reason == "A summary replaces 3 of 8 messages; 3 stay as they are, 2 dropped."
    assert made.drops == {6, 7}


@pytest.mark.parametrize(
    ("pin", "drop"),
    [
        pytest.param(("m0",), ("m4", "m0"), id="one id"),
        pytest.param(("m1",), ("m4", "m3"), id="two parts of one exchange"),
    ],
)
def test_no_message_is_both_pinned_and_dropped(pin: tuple[str, ...], drop: tuple[str, ...]) -> None:
    """Z3: a pin and a drop in one exchange are refused, with the path of the drop."""
    with pytest.raises(InvalidParams) as caught:
        planned(EXCHANGE, Options(pin=pin, drop=drop))

    assert caught.value.data["problems"][0]["path"] == "$.options.drop[1]"


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (Options(pin=("m0", "m9")), "$.options.pin[1]"),
        (Options(drop=("m9",)), "$.options.drop[0]"),
        (Options(scope=Scope("from", "m9")), "$.options.scope.message"),
        (Options(scope=Scope("upTo", "m9")), "$.options.scope.message"),
    ],
    ids=["pin", "drop", "from", "up to"],
)
def test_a_message_that_is_not_there_is_named(options: Options, path: str) -> None:
    """Z1: an unknown id is an error with its path, and without the id, which is the caller's own."""
    with pytest.raises(MessageNotFound) as caught:
        planned(EXCHANGE, options)

    assert caught.value.payload() == {"kind": "messageNotFound", "path": path}
    assert "m9" not in caught.value.sentence


@pytest.mark.parametrize("kind", ["from", "upTo"])
def test_a_scope_needs_its_message(kind: str) -> None:
    """G4: a scope that begins or ends at a message has to name it."""
    with pytest.raises(InvalidParams, match=r"\$\.options\.scope\.message"):
        planned(EXCHANGE, Options(scope=Scope(kind)))  # type: ignore[arg-type]  # pytest passes a str


@pytest.mark.parametrize(("wanted", "place"), [("m1", 0), ("m10", 1), ("x", 3), ("x\ud800", 3), ("", 4)])
def test_an_id_is_found(wanted: str, place: int) -> None:
    """Z1: a whole id wins, even if others begin with it; else a unique prefix suffices."""
    assert PLACES.of(wanted, "$.ids[0]") == place


PLACES = MessageIndex([Message(name, "user", ()) for name in ("m1", "m10", "m2", "x\ud800y", "")])


@pytest.mark.parametrize(("wanted", "problem"), [("m", "begins several"), ("y", "is no"), ("m11", "is no")])
def test_what_names_no_message_is_refused(wanted: str, problem: str) -> None:
    """The error says where it was named, and whether it matches none or several."""
    with pytest.raises(MessageNotFound) as caught:
        PLACES.of(wanted, "$.ids[0]")

    assert caught.value.sentence.startswith(f"$.ids[0] {problem}")
    assert caught.value.data["path"] == "$.ids[0]"


@pytest.mark.parametrize(
    ("messages", "options", "reason"),
    [
        pytest.param(turns(4), Options(), "too short", id="S1"),
        pytest.param(talk(s("a"), s("b"), *turns(3)), Options(), "too short", id="S8 does not count"),
        pytest.param(turns(3), Options(keep_recent_tokens=1000), "too short", id="S1 all fits"),
        pytest.param(talk(a(call("1")), u("b"), u(res("1", "r"))), Options(min_keep=1), "cut nowhere", id="S4"),
        pytest.param((s("rules"), OLD, *turns(4)), Options(), "nothing but an earlier summary", id="S7 S8"),
        pytest.param((WRAPPED, *turns(4)), Options(), "summarize holds nothing but an earlier summary.", id="S7 in it"),
        pytest.param(talk(a(call("1")), u("y")), Options(scope=Scope("upTo", "m1")), "still waits", id="S6 up to"),
        pytest.param(turns(5), Options(pin=("m0",)), "pinned or dropped apart, holds nothing to", id="Z3 all pinned"),
        pytest.param(talk(OLD, *turns(5)), Options(pin=("m1",)), "apart, holds nothing but an", id="Z3 S7 a pin"),
        pytest.param(
            talk(WRAPPED, *turns(5)), Options(pin=("m0",), drop=("m1",)), "nothing to read", id="Z3 S7 pinned"
        ),
        pytest.param(talk(s("rules"), u("x")), Options(drop=("m1",)), "is dropped", id="Z3 S8 all dropped"),
        pytest.param(talk(u(" "), a(""), *turns(4)), Options(), "nothing to read", id="P25 nothing to be seen"),
        pytest.param(talk(s("rules"), *turns(4)), Options(scope=Scope("upTo", "m0")), "they stay", id="Z1 S8"),
        pytest.param(talk(u("q"), a(call("1"))), Options(scope=Scope("from", "m1")), "still waits", id="Z1 S6"),
        pytest.param(turns(3), Options(strategy="keep"), "Every message", id="K2 nothing left out"),
        pytest.param(turns(9), Options(strategy="prune"), "No tool result", id="X4 nothing to cut"),
        pytest.param(LOOKS[:4], Options(strategy="prune"), "before the newest messages can be cut", id="X4 new ones"),
        pytest.param(LOOKS[:6], Options(strategy="prune", prune=CUT, pin=("m2",)), "pinned apart.", id="X4 Z3"),
        pytest.param(turns(3), Options(strategy="keep", pin=("m1",)), "by a rule or a pin.", id="K2 Z3 a pin"),
    ],
)
def test_a_plan_says_why_there_is_nothing_to_do(messages: Sequence[Message], options: Options, reason: str) -> None:
    """S1, S4, S7: then the chat stays as it is, whatever the thresholds say."""
    made = planned(messages, options, budget=1)

    assert made.action == "none"
    assert reason in made.reason
    assert set(fates(made)) <= {"keep"}
    assert made.messages == tuple(messages)


@pytest.mark.parametrize(
    "message",
    [
        a(call("1")),
        replace(u("summary", "new words"), is_summary=True),
        replace(u("new", *WRAPPED.parts), is_summary=True),
    ],
    ids=["a call", "words behind a summary", "words before one"],
)
def test_news_is_summarized(message: Message) -> None:
    """S7: a call, and words that share a message with an earlier summary, are news."""
    assert planned(talk(message, u("q"), a("x")), Options(min_keep=2)).action == "compact"


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


def test_keep_leaves_messages_out() -> None:
    """K, Z3: what no rule and no pin keeps is dropped, and a drop beats every rule."""
    made = planned(turns(6), Options(strategy="keep", keep_recent=1, pin=("m3",), drop=("m0",)))

    assert (made.action, fates(made)) == ("keep", ["drop", "drop", "drop", "pin", "drop", "keep"])
    assert texts(made.messages) == ["[4 messages omitted]", "a3", "a5"]
    assert made.reason == "Kept by rule or pin: 2 of 6 messages."
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
        pytest.param(292, 0.7, "prune", id="just below"),
        pytest.param(290, 0.7, "compact", id="not below"),
        pytest.param(203, 1.0, "compact", id="on the threshold"),
        pytest.param(0, 0.7, "compact", id="no known limit"),
    ],
)
def test_auto_cuts_where_that_is_enough(budget: int, prune_at: float, action: str) -> None:
    """Z5: only truncation if the rest is below the prune threshold, else a summary of the unpruned chat."""
    options = Options(strategy="auto", prune=CUT, prune_at=prune_at, drop=("m3",))
    tokens = [1, 1, 900, 500, 1, 0, 900, 0]  # Of a cut message 100 are left, of the dropped one nothing.
    made = planned(LOOKS, options, tokens, budget, cut=100)

    assert made.action == action
    if action == "compact":
        assert made.summarized == LOOKS[:3]


def test_auto_cuts_where_no_summary_is_possible() -> None:
    """Z5: a chat that cannot be summarized is at least cut."""
    made = planned(LOOKS[:3], Options(strategy="auto", prune=CUT), [10, 10, 900], 10)

    assert made.action == "prune"


strategies: st.SearchStrategy[Strategy] = st.sampled_from(["summary", "auto", "keep", "prune"])


@given(conversations() | anything(), strategies, st.integers(0, 3), st.data())
def test_every_message_has_one_fate(
    messages: tuple[Message, ...], strategy: Strategy, small: int, data: st.DataObject
) -> None:
    """Z3: each message is kept, pinned, cut, summarized or dropped, and the pieces hold exactly those that stay."""
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
        assert list(made.messages if made.action == "none" else map(visible, made.messages)) == stay
    if made.action != "none":
        assert all(made.fates[index].fate == "pin" for index, m in enumerate(messages) if m.id in pins)


def test_reasons_tell_why_results_are_not_cut() -> None:
    """X4: for long results that stay whole, the reason is that they are too new, not that there is nothing to cut."""
    made = planned(LOOKS, Options(strategy="prune"))

    assert (made.fates[2].fate, made.fates[6].fate) == ("prune", "keep")
    assert made.fates[6].reason == "It is one of the newest messages, which are not cut."
    assert made.fates[7].reason == "There is nothing to cut in it."


def test_reasons_tell_why_messages_go_by_rule() -> None:
    """K4, K8: system messages and loose ends go whatever other rules say, and the reason says so."""
    messages = talk(s("fix"), u("fix"), u(res("gone", "fix")), a("x"))
    made = planned(messages, Options(strategy="keep", keep_system=False, keep_recent=0))

    assert [fate.reason for fate in made.fates if fate.fate == "drop"] == [
        "System messages are left out.",
        "It holds only calls without results, or results without calls.",
        "No rule keeps it.",
    ]


@pytest.mark.parametrize("strategy", ["summary", "prune", "keep"])
def test_fates_tell_what_is_left_of_messages_that_stay(strategy: Strategy) -> None:
    """V1, V3: thinking and blank texts go from kept messages, so that the sizes of a preview hold."""
    last = a(Thinking("hm"), "done", " ")
    messages = talk(u("q"), a(call("1")), u(res("1", LONG)), *[u("x")] * 4, a("y"), last)
    made = planned(messages, Options(strategy=strategy, min_keep=2, keep_recent=2))

    assert made.fates[-1].becomes is not None
    assert made.fates[-1].becomes.parts == (Text("done"),)
    assert messages[-1] in (*made.tail, *made.messages)


def test_reasons_tell_where_a_message_is() -> None:
    """Z1: in the part that the summary replaces, before it, or behind it."""
    scoped = planned(talk(s("a"), *turns(3)), Options(scope=Scope("from", "m3"))).fates
    behind = planned(turns(2), Options(scope=Scope("upTo", "m0"))).fates[-1]

    assert [fate.reason.removesuffix(" the part that the summary replaces.") for fate in (*scoped, behind)] == [
        "It is a system message before",
        "It stands before",
        "It stands before",
        "It stands in",
        "It stands behind",
    ]


def test_an_earlier_summary_that_stays_is_told_of() -> None:
    """J6: the reason for its fate says what becomes of it."""
    messages = talk(WRAPPED, *turns(5))
    made = planned(messages, Options(scope=Scope("from", "m3")))

    assert made.head[0] is messages[0]
    assert made.reason.endswith("; 3 stay as they are. An earlier summary among them becomes a part of the new one.")
    assert (made.fates[0].fate, made.fates[0].reason) == (
        "keep",
        "It holds an earlier summary, which becomes a part of the new one as it is.",
    )


# Tool exchanges: who answers whom, and what belongs together.


@pytest.mark.parametrize(
    ("messages", "groups"),
    [
        pytest.param([u("q"), a(call("1")), u(res("1", "r")), a("done")], (0, 1, 1, 3), id="one call"),
        pytest.param([a(call("1"), call("2")), u(res("2", "r")), u(res("1", "r"))], (0, 0, 0), id="spread results"),
        pytest.param([a(call("1")), u("wait"), a("ok"), u(res("1", "r"))], (0, 1, 2, 0), id="late result"),
        pytest.param(
            [a(call("1")), u(res("1", "r")), a(call("1")), u(res("1", "r"))], (0, 0, 2, 2), id="id used again"
        ),
        pytest.param(
            [a(call("1")), a(call("2"), res("1", "r")), u(res("2", "r"))], (0, 0, 0), id="linked by way of another"
        ),
        pytest.param([u(res("1", "r")), a(call("1"))], (0, 1), id="result before its call"),
    ],
)
def test_exchanges_are_found_by_call_id(messages: list[Message], groups: tuple[int, ...]) -> None:
    """K8, S3: a call and all results for its ids are one exchange, however far apart they stand."""
    assert find_exchanges(messages).group == groups


@pytest.mark.parametrize(
    ("messages", "waiting", "end"),
    [
        pytest.param([u("q"), a(call("1"))], 1, 1, id="last message"),
        pytest.param([u("q"), a(call("1"), call("2")), u(res("1", "r"))], 1, 1, id="one of two results"),
        pytest.param([u("q"), a(call("1")), a(call("2")), u(res("2", "r"))], 1, 1, id="turn of two messages"),
        pytest.param([u("q"), a(call("1")), u("hello?")], 1, 3, id="words behind it"),
        pytest.param([u("q"), a(call("1")), s("note")], 1, 3, id="a system message behind it"),
        pytest.param([u("q"), a(call("1")), s()], 1, 3, id="an empty one"),
        pytest.param([u("q"), a(call("1")), u("never mind"), a("ok")], 4, 3, id="given up"),
        pytest.param([u("q")], 1, 1, id="no assistant"),
    ],
)
def test_only_calls_of_the_last_turn_wait(messages: list[Message], waiting: int, end: int) -> None:
    """S6, V7: a call waits until a later turn begins; its end is open while only results follow."""
    assert find_exchanges(messages).waiting == waiting
    assert open_end(messages) == end


@given(anything())
def test_clean_cuts_part_no_exchange(messages: tuple[Message, ...]) -> None:
    """S3: a cut is clean exactly if no exchange has messages on both sides, or none that a link spans."""
    exchanges = find_exchanges(messages)
    links = (exchanges.links.answers | exchanges.links.repeats).items()

    for cut, clean in enumerate(exchanges.clean):
        assert clean == (not any(asked[0] < cut <= result[0] for result, asked in links))


# The id of a plan.


CHAT = chat(talk(u("q", PICTURE, PAPER), a(call("1", b=1, a=[2.5, None])), u(res("1", "r")), a(ODD)))
FIRST, SECOND, *REST = CHAT.messages


def test_the_id_is_the_same_on_every_machine() -> None:
    """Contract: an id is 32 hexadecimal digits that depend only on the chat and the options."""
    messages = [["m0", "user", [["Text", {"text": "q\u2028é"}]]]]
    content = hashed([messages, "rules", [{"a": 1, "b": 2}], None])
    same = Chat("anthropic", "unknown", talk(u("q\u2028é")), system="rules", tools=({"b": 2, "a": 1},))

    assert plan_id(digest(same), Options()) == hashed([content, msgspec.to_builtins(Options())])[:32]


def hashed(facts: object) -> str:
    """Hash facts as compact JSON with sorted keys."""
    text = json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    "other",
    [
        replace(CHAT, title="A title", workspace="/home", warnings=(Warning("cut", "The file is cut."),)),
        replace(CHAT, format="claude-code", tool="claude-code"),
        replace(CHAT, messages=tuple(replace(message, raw=None) for message in CHAT.messages)),
        replace(CHAT, messages=tuple(replace(message, usage=Usage(9, 9, "m")) for message in CHAT.messages)),
        chat([FIRST, replace(SECOND, parts=(call("1", a=[2.5, None], b=1),)), *REST]),
    ],
    ids=["title, place, warnings", "format", "raw", "usage", "order of keys"],
)
def test_what_no_model_sees_is_no_part_of_it(other: Chat) -> None:
    """Contract: the same messages have the same id, wherever they are stored and whatever they cost."""
    assert plan_id(digest(other), Options()) == plan_id(digest(CHAT), Options())


@pytest.mark.parametrize(
    "other",
    [
        replace(CHAT, system="rules"),
        replace(CHAT, tools=({"name": "look"},)),
        replace(CHAT, model="m"),
        replace(CHAT, messages=CHAT.messages[:-1]),
        chat([replace(FIRST, id="other"), SECOND, *REST]),
        chat([replace(FIRST, role="assistant"), SECOND, *REST]),
        chat([replace(FIRST, parts=(Thinking("q"), PICTURE, PAPER)), SECOND, *REST]),
    ],
    ids=["system", "tools", "model", "message", "id", "role", "kind of part"],
)
def test_what_a_model_sees_changes_it(other: Chat) -> None:
    """The contract: another chat has another id."""
    assert plan_id(digest(other), Options()) != plan_id(digest(CHAT), Options())


def test_options_and_instructions_change_it() -> None:
    """The contract: other options, or other instructions of the project, make another plan."""
    options = (Options(), Options(min_keep=5), Options(scope=Scope("from", "m1")))

    assert len({*(plan_id("digest", one) for one in options), plan_id("digest", Options(), ["keep prices"])}) == 4


def test_any_text_can_be_in_a_chat() -> None:
    """G2: lone surrogates are no obstacle, and no two of them are the same chat."""
    texts = ["\ud800", "\udfff", "?", "\\ud800", "\x00\u2028"]

    assert len({plan_id(digest(chat([u(text)])), Options()) for text in texts}) == len(texts)
    assert plan_id(digest(chat([u("\ud800")])), Options()) == plan_id(
        digest(chat([u(json.loads('"\\ud800"'))])), Options()
    )
