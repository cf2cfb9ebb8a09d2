"""Keeping messages by rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Text, Thinking
from compact_chat.plan import find_exchanges
from compact_chat.wire import Options, PruneOptions
from tests.samples.chats import a, anything, call, conversations, planned, res, s, turns, u

NOTHING = Options(
    strategy="keep", keep_recent=0, keep_keywords=(), keep_tool_results=False, keep_system=False, keep_first_user=False
)
LOOK = [u("q"), a(call("1")), u(res("1", "r")), a("x")]
PARALLEL = [a(call("1"), call("2")), u(res("1", "r")), a("x"), u(res("2", "r"))]
HOST = replace(u("<system-reminder>read the notes</system-reminder>"), by_host=True)
choices = st.builds(
    Options,
    strategy=st.just("keep"),
    keep_recent=st.integers(0, 4),
    keep_keywords=st.just(("fix",)),
    keep_tool_results=st.booleans(),
    keep_system=st.booleans(),
    keep_first_user=st.booleans(),
    prune=st.just(PruneOptions(20, 5, 5, 0)),
)


def only(**options: object) -> Options:
    """Options with every rule off but these."""
    fields = {name: getattr(NOTHING, name) for name in NOTHING.__struct_fields__}
    return Options(**(fields | options))


def found(*keywords: str) -> Options:
    """Options that keep messages with these keywords and no others."""
    return only(keep_keywords=keywords)


def kept(messages: Sequence[Message], options: Options) -> tuple[int, ...]:
    """Return the indexes of the kept messages."""
    fates = planned(messages, replace(options, strategy="keep")).fates
    return tuple(fate.index for fate in fates if fate.becomes is not None)


@pytest.mark.parametrize(
    ("messages", "options", "indexes"),
    [
        pytest.param([u("ok"), a("Remove it?"), u("ok")], Options(keep_recent=3), (0, 1, 2), id="K1 equal texts"),
        pytest.param(turns(12), only(keep_recent=2), (10, 11), id="K3 recent"),
        pytest.param(turns(2), only(keep_recent=10**30), (0, 1), id="K3 all"),
        pytest.param([s("rules")], Options(keep_system=False, keep_recent=5), (), id="K4 not even recent"),
        pytest.param([s("fix"), u("x")], only(keep_system=False, keep_keywords=("fix",)), (), id="K4 nor with a word"),
        pytest.param([s("rules"), u("x"), s("more")], only(keep_system=True), (0, 2), id="K4 every one"),
        pytest.param([u("prefix"), u("fix it")], Options(keep_recent=0, keep_first_user=False), (1,), id="K5 words"),
        pytest.param([u("TO FIX"), u("é fixé"), u("(ÉTÉ)")], found("fix", "été"), (0, 2), id="K5 in any case"),
        pytest.param([u("a #b"), u("a#b"), u("[^-] x")], found("#b", "[^-]", "-"), (0, 2), id="K5 marks"),
        pytest.param([u("FIX!"), a("_fix_"), a("fix2"), a("éfix")], found("fix"), (0,), id="K5 borders"),
        pytest.param([u("go\n\t live"), u("golive")], found("go live"), (0,), id="K5 several words"),
        pytest.param([u("猫 C++ 犬")], found("c++"), (0,), id="K5 signs"),
        pytest.param(
            [a(call("1", q="fix"), Thinking("fix")), u(res("1", "fix"))], found("fix"), (), id="K5 texts only"
        ),
        pytest.param(LOOK, only(keep_tool_results=True), (1, 2), id="K6 results"),
        pytest.param([u(res("1", "r")), u(" "), u("q")], only(keep_first_user=True), (2,), id="K7 with text"),
        pytest.param([HOST, u("q"), u("x")], only(keep_first_user=True), (1,), id="K7 a person's"),
        pytest.param([a("x"), HOST, HOST], only(keep_first_user=True), (1,), id="K7 no person's"),
        pytest.param(LOOK, only(keep_recent=2), (1, 2, 3), id="K8 whole exchange"),
        pytest.param(PARALLEL, only(keep_recent=1), (0, 1, 3), id="K8 parallel results"),
        pytest.param([u("q"), u(res("gone", "r"))], only(keep_recent=2), (0,), id="K8 result without a call"),
        pytest.param([a(call("1")), u("no"), a("x")], only(keep_recent=3), (1, 2), id="K8 dead call"),
        pytest.param([u("q"), a(call("1"))], only(keep_recent=1), (1,), id="K8 open call at the end"),
    ],
)
def test_messages_are_kept_by_rule(messages: list[Message], options: Options, indexes: tuple[int, ...]) -> None:
    """K1 to K8: a message stays if a rule selects it or its exchange, whatever it says."""
    assert kept(messages, options) == indexes


@given(conversations() | anything(), choices)
def test_kept_messages_are_the_chosen_ones(messages: tuple[Message, ...], options: Options) -> None:
    """K1, K9, K10: besides the notice nothing is added, and all words of the kept messages stay, in order."""
    made = planned(messages, options)
    indexes = kept(messages, options)
    said = [part for message in made.messages for part in message.parts if isinstance(part, Text)]
    notice = Text(f"[{len(messages) - len(indexes)} messages omitted]")

    if len(indexes) < len(messages):
        said.remove(notice)
    assert said == [part for index in indexes for part in messages[index].parts if isinstance(part, Text)]
    assert made.action == "none" or not find_exchanges(made.messages).links.orphans
