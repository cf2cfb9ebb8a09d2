"""What a message weighs, by the kind of its parts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from compact_chat.chat import Document, Image, Message, Part, Thinking, Unknown
from compact_chat.measure import Counter, Weight, weigh
from compact_chat.measure.families import UNKNOWN
from compact_chat.measure.weights import PAGE, SEALED_SUMMARY
from tests.samples.chats import a, anything, call, res, u

BARE = replace(UNKNOWN, per_message=0, per_call=0, per_result=0)
DRESSED = replace(UNKNOWN, per_message=1, per_call=10, per_result=100, per_results=1_000)
PICTURE = Image(data="aGk=")


def weight_of(message: Message) -> Weight:
    """The weight of a message by characters, without overheads."""
    return weigh(message, len, BARE)


@pytest.mark.parametrize(
    ("message", "weight"),
    [
        (u("four", "five5"), Weight(text=9)),
        (a(Thinking("hm")), Weight(thinking=2)),
        (a(Thinking("")), Weight()),
        (a("", call("c1")), Weight(tool_calls=len("look{}"))),
        (a(call("c1", q="é")), Weight(tool_calls=len('look{"q":"é"}'))),
        (u(res("c1", "abc", "de")), Weight(tool_results=5)),
        (u(res("c1", "abc", PICTURE), "go"), Weight(text=2, tool_results=3, images=765)),
        (u(PICTURE, PICTURE), Weight(images=1_530)),
        (u(), Weight()),
    ],
)
def test_weigh(message: Message, weight: Weight) -> None:
    """Each part goes to its kind: pictures in results to images, texts in results to results."""
    assert weight_of(message) == weight


@pytest.mark.parametrize(
    ("message", "weight"),
    [
        (u("four"), Weight(text=5)),
        (u(""), Weight()),
        (a(Thinking("")), Weight()),
        (a("ok", call("c1"), call("c2")), Weight(text=2, tool_calls=2 * (10 + 6) + 1)),
        (u(res("c1", "")), Weight(tool_results=1_100)),
        (u("hi", PICTURE), Weight(text=2, images=766)),
    ],
)
def test_overheads(message: Message, weight: Weight) -> None:
    """Calls, results and messages cost something of their own; nothing costs nothing."""
    assert weigh(message, len, DRESSED) == weight


@pytest.mark.parametrize(
    ("part", "weight"),
    [
        (Document("a.txt", {"source": {"type": "text", "data": "x" * 50}}), Weight(text=56)),
        (Document("a.pdf", {"source": {"type": "base64", "data": "x" * 9_000}}), Weight(images=PAGE)),
        (Document("a.pdf", {}), Weight(images=PAGE)),
        (Unknown("odd", {"type": "odd", "n": [1]}), Weight(text=len('{"type":"odd","n":[1]}'))),
        (Unknown("audio", {"data": "QUJD" * 10_000}), Weight(text=len('{"data":""}'))),
    ],
)
def test_attachments(part: Part, weight: Weight) -> None:
    """V6: text documents and unknown blocks count as text, encoded data never does."""
    assert weight_of(u(part)) == weight


@given(anything())
def test_any_message_has_a_weight(messages: tuple[Message, ...]) -> None:
    """No part of any role is an obstacle, and the kinds add up to the total."""
    for message in messages:
        weight = weigh(message, Counter().count, UNKNOWN)
        assert weight.total == weight.words + weight.images
        assert weight.total >= 0


def test_arguments_that_are_not_json() -> None:
    """Claude gets each argument as it is, with something around it."""
    family = replace(BARE, per_argument=10)

    assert weigh(a(call("c1", old="a\nb", n=[1])), len, family) == Weight(tool_calls=len("look") + 2 * 10 + 3 + 3)


def test_thoughts() -> None:
    """A thought that is shown weighs what it says, by the family's measure; one that is not, what is usual."""
    family = replace(BARE, thinking=1.5, hidden_thought=130)

    assert weigh(a(Thinking("four")), len, family) == Weight(thinking=6)
    assert weigh(a(Thinking(""), Thinking("")), len, family) == Weight(thinking=260)


def test_a_sealed_summary() -> None:
    """A summary that came encrypted weighs what such summaries weigh; nothing else that is unknown does."""
    sealed = u(Unknown("compaction", {"type": "compaction", "encrypted_content": "x" * 9_000}))

    assert weight_of(replace(sealed, is_summary=True)) == Weight(text=SEALED_SUMMARY)
    assert weight_of(sealed).text < 100


def test_deep_arguments() -> None:
    """Arguments nested beyond measure are counted all the same."""
    deep: Any = {}
    for _ in range(5_000):
        deep = {"a": deep}

    assert weight_of(a(call("c1", deep=deep))).tool_calls > 5_000
