"""Keeping messages by rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Message, Text, Thinking
from compact_chat.plan import find_exchanges
from compact_chat.text import counted
from compact_chat.wire import Options, PruneOptions
from tests.samples.chats import a, anything, call, conversations, planned, res, u

NOTHING = Options(
    strategy="keep", keep_recent=0, keep_keywords=(), keep_tool_results=False, keep_system=False, keep_first_user=False
)
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
        pytest.param([u("go\n\t live"), u("golive")], found("go live"), (0,), id="K5 several words"),
        pytest.param(
            [a(call("1", q="fix"), Thinking("fix")), u(res("1", "fix"))], found("fix"), (), id="K5 texts only"
        ),
        pytest.param([u(res("1", "r")), u(" "), u("q")], only(keep_first_user=True), (2,), id="K7 with text"),
    ],
)
def test_messages_are_kept_by_rule(messages: list[Message], options: Options, indexes: tuple[int, ...]) -> None:
    """K5 and K7: what `plans.txt` cannot hold; it has the other rules."""
    assert kept(messages, options) == indexes


@given(conversations() | anything(), choices)
def test_kept_messages_are_the_chosen_ones(messages: tuple[Message, ...], options: Options) -> None:
    """K1, K9, K10: besides the notice nothing is added, and all words of the kept messages stay, in order."""
    made = planned(messages, options)
    indexes = kept(messages, options)
    said = [part for message in made.messages for part in message.parts if isinstance(part, Text)]
    notice = Text(f"[{counted(len(messages) - len(indexes), 'message')} omitted]")

    if len(indexes) < len(messages):
        said.remove(notice)
    assert said == [part for index in indexes for part in messages[index].parts if isinstance(part, Text)]
    assert made.action == "none" or not find_exchanges(made.messages).links.orphans
