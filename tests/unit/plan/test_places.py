"""Messages are found by their ids, or by enough of an id."""

from __future__ import annotations

import time

import pytest

from compact_chat.chat import Message
from compact_chat.errors import MessageNotFound
from compact_chat.plan import Places

PLACES = Places([Message(name, "user", ()) for name in ("m1", "m10", "m2", "x\ud800y", "")])


@pytest.mark.parametrize(("wanted", "place"), [("m1", 0), ("m10", 1), ("m2", 2), ("x", 3), ("x\ud800", 3), ("", 4)])
def test_an_id_is_found(wanted: str, place: int) -> None:
    """Z1: a whole id wins, even where others begin with it; else a beginning that no other shares will do."""
    assert PLACES.of(wanted, "$.ids[0]") == place


@pytest.mark.parametrize(
    ("wanted", "told"), [("m", "begins several ids"), ("y", "is no message's id"), ("m11", "is no")]
)
def test_what_names_no_message_is_told(wanted: str, told: str) -> None:
    """Where it was named, and whether it names none or several."""
    with pytest.raises(MessageNotFound) as problem:
        PLACES.of(wanted, "$.ids[0]")
    assert problem.value.sentence.startswith(f"$.ids[0] {told}")
    assert problem.value.data["path"] == "$.ids[0]"


def test_many_beginnings_of_many_ids_cost_little() -> None:
    """To look for one does not go through all."""
    places = Places([Message(f"{n:06}-of-many", "user", ()) for n in range(50_000)])
    began = time.perf_counter()

    assert [places.of(f"{n:06}", "$") for n in range(50_000)] == list(range(50_000))
    assert time.perf_counter() - began < 5
