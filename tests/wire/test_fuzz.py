"""Any message at all, in any order and in any state: each request gets its one answer, and the server lives on.

Each run tries other examples; one that fails is printed, with the line that plays it again. `tests/bench/bench_fuzz.py`
does the same for longer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from compact_chat.operations import operation
from compact_chat.operations.table import without_nulls
from tests.oracles.wire_promises import leads_somewhere
from tests.oracles.wire_replay import one_replay, one_session, promised
from tests.servers.wire_client import framed
from tests.strategies.wire_fuzz import Call, calls, damaged_calls
from tests.strategies.wire_lived import Lived, one_call, rounds, smaller_within
from tests.strategies.wire_machine import Session
from tests.strategies.wire_mutations import RECORDED, Replay, recorded, replays
from tests.strategies.wire_steps import one_sequence, sequences

T = TypeVar("T")
SECONDS, ROUNDS = 1.5, 20  # for each of the five kinds of examples; a round that has begun is finished
SHRINKING = 30.0  # seconds more where one fails
many = settings(max_examples=25, print_blob=True, suppress_health_check=list(HealthCheck))
few = settings(many, max_examples=3, stateful_step_count=25)


def fuzz(how: settings, examples: st.SearchStrategy[T], story: Callable[[T], None]) -> None:
    """Tell the story with round after round of examples, until there were enough or the time is over."""
    bounded = smaller_within(SHRINKING, story)

    @how
    @given(examples)
    def example(one: T) -> None:
        bounded(one)

    for _ in rounds(SECONDS, ROUNDS):
        example()


@pytest.fixture(scope="module")
def lived() -> Iterator[Lived]:
    """One server for all examples that leave it as it was."""
    one = Lived()
    yield one
    one.close()


def test_any_call_has_one_right_answer(lived: Lived) -> None:
    """A call of any operation, or one damaged at one place, is answered once in both ways, and told by that place."""
    fuzz(many, damaged_calls(), partial(lived.use, one_call))


def test_any_sequence_has_all_its_answers(lived: Lived) -> None:
    """Requests, duplicate ids, cancels, settings, notifications and nonsense in a row: each request has its answer."""
    fuzz(many, sequences(), partial(lived.use, one_sequence))


def test_any_bytes_owe_what_they_hold(lived: Lived) -> None:
    """Recorded traffic with mutations, in any pieces, is answered as the framing reads it, and so is what follows."""
    fuzz(many, replays(only_work=True), partial(lived.use, one_replay))


def test_any_session_ends_as_it_should() -> None:
    """A recorded session with mutations ends by `exit` or with its input alone, and answers what it owes until then."""
    fuzz(few, replays(only_work=False), one_session)


def test_any_order_is_a_session() -> None:
    """Handshakes, requests, cancels, settings and answers in any order come out as a simple model of a session says."""
    for _ in rounds(SECONDS, ROUNDS):
        run_state_machine_as_test(Session, settings=few)


@pytest.mark.parametrize("place", range(len(RECORDED)), ids=[path.stem for path in RECORDED])
def test_a_session_as_it_was_recorded(place: int) -> None:
    """Without mutations each request of a recorded session is answered, and `exit` behind `shutdown` gives code 0."""
    data = b"".join(map(framed, recorded(only_work=False)[place]))
    one_session(Replay(data, ()))
    one_session(Replay(data, tuple(range(2000))))


@settings(suppress_health_check=list(HealthCheck))
@given(calls())
def test_calls_fit_their_types(call: Call) -> None:
    """What the fuzzer takes for a call that fits its types does so."""
    msgspec.convert(without_nulls(call.params), operation(call.name).params)


def test_bytes_promise_what_the_framing_says() -> None:
    """Lines that are no header are passed over; a body that is shorter than its header said takes from what follows."""
    asked = framed(b'{"jsonrpc": "2.0", "id": 1, "method": "a"}')
    told = framed(b'{"jsonrpc": "2.0", "method": "b"}')

    assert promised(asked + b"noise\r\n" + told + asked).answers == Counter({"1": 2})
    assert promised(b"content-length: 9\r\n\r\n{}" + asked + asked).answers == Counter({"null": 1, "1": 1})
    assert promised(asked[:-1] + asked).answers == Counter({"null": 1})
    assert promised(asked[:-1]) == promised(b"")
    assert not promised(b"Content-Length: +5\r\n\r\n" + asked).sure
    assert promised(asked + framed(b'{"jsonrpc": "2.0", "method": "exit"}') + asked).answers == Counter({"1": 1})


def test_a_path_leads_somewhere_or_nowhere() -> None:
    """A path is good where it leads to a value or to a member that is missing."""
    params = {"chat": {"messages": [{"role": 5}]}, "sections": {"a.b": 1}}

    good = ("", ".chat.messages[0].role", ".chat.messages[0].content", ".sections.a.b", ".summary")
    bad = (".chat.messages[1].role", ".chat.messages[0].role.x", ".chat.none.x", "[0]", ".chat.messages.x", "chat")
    assert [path for path in good if not leads_somewhere(params, path)] == []
    assert [path for path in bad if leads_somewhere(params, path)] == []
