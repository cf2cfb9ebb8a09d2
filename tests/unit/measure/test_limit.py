"""Where a chat's tool auto-compacts, and how many turns fit before that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from compact_chat.chat import Chat, Message, OwnCompaction, Text, Usage
from compact_chat.measure import Shown, ToolSettings, Window, folder_marks, limit_of, window_of_chat
from compact_chat.measure.tool import Turns, turns_left
from compact_chat.measure.weights import Weight
from compact_chat.wire import Limit, TurnsLeft
from tests.oracles.snapshots import check_functions

SMALL, LONG = Window(200_000, 64_000), Window(1_000_000, 128_000)
OPUS, SHOP = "claude-opus-4-5", "/home/ada/shop"


def chat_of(tool: str, version: str = "", model: str = OPUS, *compactions: OwnCompaction, form: str = "") -> Chat:
    """A chat of a tool without messages."""
    return Chat(form or tool, tool, (), model=model, version=version, compactions=compactions, workspace=SHOP)


def auto(before: int, call: int = 0, passed: int = 0, version: str = "2.1.30") -> OwnCompaction:
    """A compaction that the tool began by itself."""
    return OwnCompaction(True, before, 0, call, OPUS, version, passed)


def shown(*limits: int) -> Shown:
    """What another chat showed."""
    return Shown(version="2.1.30", model=OPUS, folders=folder_marks("/home/ada/garden"), limits=limits)


def limit(
    tool: str,
    window: tuple[int, int],
    version: str = "",
    model: str = OPUS,
    form: str = "",
    auto_at: int = 0,
    settings: dict[str, Any] | None = None,
) -> Limit | None:
    """The limit of a chat without messages, of which one automatic compaction may be known."""
    chat = chat_of(tool, version, model, *[auto(auto_at)] * bool(auto_at), form=form)
    return limit_of(chat, Window(*window), ToolSettings(**settings or {}))


def test_where_tools_compact(accept: bool) -> None:
    """By the rule of each tool and version, and by what the user has set."""
    source = Path(__file__).with_name("limits.txt")
    check_functions(source, {"limit_of": lambda given: limit(**given)}, accept=accept)


@pytest.mark.parametrize(
    ("found", "limit"),
    [
        ((auto(170_000, 166_000, 164_000),), Limit(167_000, "rule")),
        ((auto(165_000, 160_000, 158_000),), Limit(167_000, "rule")),
        ((auto(150_000, 140_000, 139_000),), Limit(150_000, "recorded")),
        ((auto(198_000, 196_000, 190_000), auto(196_000, 195_000)), Limit(196_000, "recorded")),
        ((auto(150_000, 150_000, 140_000),), Limit(167_000, "rule")),  # how much came after the call is not known
        ((auto(156_000, 155_000, 150_000, "2.1.7"),), Limit(167_000, "rule")),  # by the rule of that version
        ((replace(auto(90_000), automatic=False),), Limit(167_000, "rule")),
        ((replace(auto(90_000), model=""),), Limit(90_000, "recorded")),
        ((replace(auto(90_000), model="claude-sonnet-4-5"),), Limit(167_000, "rule")),
    ],
)
def test_what_is_recorded(found: tuple[OwnCompaction, ...], limit: Limit) -> None:
    """A recorded compaction that contradicts the rule of its version wins: one too early, or one too late."""
    assert limit_of(chat_of("claude-code", "2.1.30", OPUS, *found), SMALL) == limit


def test_other_chats_count_where_this_one_shows_nothing() -> None:
    """Lower limits of other chats win over the rule, but not over what this chat shows."""
    own = auto(168_000, 166_000, 160_000)
    others = replace(shown(201_000, 204_000), model="claude-haiku-4-5", version="2.1.330")

    def limit(other: Shown, *found: OwnCompaction) -> Limit | None:
        return limit_of(chat_of("claude-code", "2.1.30", OPUS, *found), SMALL, others=lambda: [other])

    haiku = limit_of(chat_of("claude-code", "2.1.330", "claude-haiku-4-5"), SMALL, others=lambda: [others])
    assert haiku == Limit(201_000, "recorded")
    assert limit(shown(169_000, 120_000)) == Limit(120_000, "recorded")
    assert limit(shown(169_000)) == Limit(167_000, "rule")
    assert limit(shown(120_000), own) == Limit(167_000, "rule")
    assert limit(replace(shown(120_000), model="claude-opus-4-1")) == Limit(167_000, "rule")
    assert limit(replace(shown(150_000), version="2.1.7")) == Limit(167_000, "rule")
    assert limit(replace(shown(120_000), folders=folder_marks("/home/eve/shop"))) == Limit(167_000, "rule")


def test_what_was_passed_since_counts_no_more() -> None:
    """A limit that a chat has left behind since, in calls that others followed, was that of another setting."""
    low, high = auto(90_000, 80_000), auto(168_000, 166_000, 160_000)

    def limit(passed: int, *found: OwnCompaction) -> Limit | None:
        chat = chat_of("claude-code", "2.1.30", OPUS, *found)
        return limit_of(chat, SMALL, others=lambda: [shown(100_000)], passed=passed)

    assert limit(91_000, low) == Limit(90_000, "recorded")
    assert limit(95_000, low) == Limit(100_000, "recorded")
    assert limit(110_000, low) == limit(0, low, high) == Limit(167_000, "rule")
    assert limit(0, high, low) == Limit(90_000, "recorded")


def test_compactions_prove_windows() -> None:
    """What the tool compacted had fit into the window; calls of another model say nothing of it."""
    model = "claude-opus-4-6"
    past = OwnCompaction(automatic=False, before=310_000, call=300_000, model=model)
    usual = OwnCompaction(automatic=True, before=170_000, call=160_000, model=model)

    def window(*found: OwnCompaction) -> Window:
        return window_of_chat(chat_of("claude-code", "2.1.40", model, *found), model, {}, None)

    assert window(past).input == 1_000_000
    assert (window(usual).input, window(usual).possible) == (200_000, ())
    assert window(replace(usual, automatic=False)).possible == (200_000, 1_000_000)
    assert window(replace(past, model="claude-opus-4-7")).possible == (200_000, 1_000_000)
    assert window(replace(past, call=0, before=205_000)).input == 200_000


def test_calls_and_files_prove_windows() -> None:
    """A call that the model took, and the window that the file tells, each of the model that it was."""

    def window(model: str = OPUS, called: str = OPUS, told: int | None = None, of: str | None = None) -> Window:
        reply = Message("a", "assistant", (Text("ok"),), usage=Usage(300_000, 9, called))
        held = replace(chat_of("cline"), messages=(Message("u", "user", ()), reply), window=told, window_model=of)
        return window_of_chat(held, model, {}, None)

    assert (window().input, window(called="").input, window(called="gpt-5").input) == (LONG.input, LONG.input, 200_000)
    assert window(model="claude-opus-4-1").input == 200_000
    assert window(told=90_000) == Window(90_000, 64_000, "chat")
    assert window(called="gpt-5", told=90_000, of="gpt-5").input == 200_000
    assert window(model="gpt-4", called="gpt-5", told=90_000, of="gpt-4").input == 90_000


def turn(*sizes: int, said: str = "go") -> list[Message]:
    """A person's words, and calls of these sizes."""
    replies = [Message("a", "assistant", (Text("ok"),), usage=Usage(size, 0, OPUS)) for size in sizes]
    return [Message("u", "user", (Text(said),)), *replies]


def growth(*messages: Message) -> tuple[int, ...]:
    """How much the turns of a chat grew by, a message weighing ten tokens."""
    turns = Turns()
    for message in messages:
        turns.add(message, Weight(text=10))
    return turns.growth


def test_growth_of_turns() -> None:
    """A turn lasts from its first call to the first of the next, and what the first begins with is none of its own."""
    summary = Message("s", "user", (Text("so far"),), is_summary=True)
    hosts = Message("h", "user", (Text("done"),), by_host=True)

    assert growth() == ()
    assert growth(*turn(30_000, 31_000), *turn(40_000, 45_000, 52_000)) == (10_000, 12_000)
    assert growth(*turn(30_000, 31_000), hosts, *turn(40_000)[1:]) == (10_000,)
    assert growth(*turn(150_000), summary, *turn(20_000, 25_000)[1:]) == (5_000,)
    assert len(growth(*(one for size in range(9) for one in turn(1_000 * size + 1)))) == 5
    assert growth(*(replace(one, usage=None) for one in (*turn(1, 1), *turn(1)))) == (30,)
    assert growth(*turn(30_000), *turn(40_000), *turn(42_000, 45_000)) == (10_000, 2_000)
    assert growth(*turn(30_000), *turn(30_000), *turn(42_000)) == (12_000,)


def test_passed_calls() -> None:
    """The last call since a compaction may be one too many, so only those before it were not enough."""
    summary = Message("s", "user", (Text("so far"),), is_summary=True)

    def passed(*messages: Message) -> int:
        turns = Turns()
        for message in messages:
            turns.add(message, Weight(text=10))
        return turns.passed

    assert passed(*turn(30_000)) == 0
    assert passed(*turn(30_000, 31_000), *turn(29_000)) == 31_000
    assert passed(*turn(30_000, 31_000), summary, *turn(9_000, 9_500)[1:]) == 9_000


def test_turns_left() -> None:
    """As many as fit if all are as long as the longest of the latest, and as long as their mean; fifty can be told."""
    assert turns_left(100_000, 167_000, (20_000, 4_000)) == TurnsLeft(3, 5)
    assert turns_left(170_000, 167_000, (20_000,)) == TurnsLeft(0, 0)
    assert turns_left(170_000, 167_000, ()) is None
    assert turns_left(100_000, 151_000, (1_000, 10)) is None
    assert turns_left(100_000, 150_000, (1_000, 600)) == TurnsLeft(50, 62)
