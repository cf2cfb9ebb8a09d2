"""The plan of a compaction: what a summary replaces, what stays, and the reason given for each message."""

from __future__ import annotations

import hashlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, Thinking, Usage, Warning
from compact_chat.plan import MessageIndex, digest, find_exchanges, front_length, open_end, plan_id, visible
from compact_chat.plan.plan import split_point
from compact_chat.wire import Options, PruneOptions, Scope, Strategy
from tests.samples.chats import (
    DEFAULTS,
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


@pytest.mark.parametrize(
    ("tokens", "budget", "split", "is_fewer"),
    [
        pytest.param([9, 9, 9, 9, 9, 9, 9, 9], 36, 4, False, id="what stays fits"),
        pytest.param([9, 9, 9, 9, 9, 9, 9, 9], 0, 4, False, id="no budget is known"),
        pytest.param([9, 9, 9, 9, 9, 99, 9, 9], 36, 6, True, id="the last turn fits"),
        pytest.param([9, 9, 9, 9, 9, 9, 9, 99], 36, 6, True, id="nothing fits: the last turn stays"),
        pytest.param([9, 9, 9, 9, 9, 9, 99, 9], 36, 6, True, id="the user's last message stays"),
    ],
)
def test_fewer_stay_if_those_alone_are_over_the_budget(
    tokens: list[int], budget: int, split: int, *, is_fewer: bool
) -> None:
    """S9: the split moves on to where a message of the user begins."""
    made = planned(talk(*turns(8)), DEFAULTS, tokens, budget)

    assert (made.split, made.fewer) == (split, is_fewer)


def test_the_budget_parts_no_exchange() -> None:
    """S9: not within an exchange, nor at a message of results alone; without another place the split stays."""
    exchange = [u("b"), a(call("1")), u("c"), u(res("1", "r")), a("d")]
    made = planned(talk(u("q"), a("x"), *exchange), DEFAULTS, [9, 9, 9, 9, 9, 99, 9], 36)

    assert (made.split, made.fewer) == (3, False)
    assert planned(talk(*exchange[:4]), DEFAULTS, [9, 9, 9, 99], 36).action == "none"


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


@pytest.mark.parametrize(("wanted", "place"), [("m1", 0), ("m10", 1), ("x", 3), ("x\ud800", 3), ("", 4)])
def test_an_id_is_found(wanted: str, place: int) -> None:
    """Z1: a whole id wins, even if others begin with it; else a unique prefix suffices."""
    assert PLACES.of(wanted, "$.ids[0]") == place


PLACES = MessageIndex([Message(name, "user", ()) for name in ("m1", "m10", "m2", "x\ud800y", "")])


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
