"""Any message at all, in any order: each request gets its one answer, and the server lives on.

`--hypothesis-profile=search` draws ten times as many examples, and others each time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from compact_chat.operations import operation
from compact_chat.operations.table import without_nulls
from tests.oracles.wire_promises import check_answer, leads_somewhere
from tests.servers.wire_client import WireClient, framed
from tests.servers.wire_kept import SERVE_HERE, USUAL
from tests.strategies.wire_fuzz import Call, Damage, calls, damaged_calls
from tests.strategies.wire_lived import CHANGED, NOTHING, Lived, one_call
from tests.strategies.wire_mutations import LONGEST, RECORDED, Replay, longest_wait, promised, recorded, replays
from tests.strategies.wire_steps import Step, one_sequence, sequences

GOOD_ID = "the good one behind them"
GOOD = framed(json.dumps({"jsonrpc": "2.0", "id": GOOD_ID, "method": NOTHING[0], "params": NOTHING[1]}).encode())
patient = settings(suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def lived() -> Iterator[Lived]:
    """One server for all examples."""
    one = Lived()
    yield one
    one.close()


@patient
@given(damaged_calls())
def test_any_call_has_one_right_answer(lived: Lived, case: tuple[Call, Damage, Call]) -> None:
    """A call of any operation, or one damaged at one place, is answered once in both ways, and told by that place."""
    lived.use(one_call, case)


@patient
@given(sequences())
def test_any_sequence_has_all_its_answers(lived: Lived, steps: list[Step]) -> None:
    """Requests, duplicate ids, cancels, settings, notifications and nonsense in a row: each request has its answer."""
    lived.use(one_sequence, steps)


@patient
@given(replays())
def test_any_bytes_owe_what_they_hold(lived: Lived, replay: Replay) -> None:
    """Recorded traffic with mutations, in any pieces, is answered as the framing reads it, and so is what follows."""
    lived.use(one_replay, replay)


def one_replay(lived: Lived, replay: Replay) -> None:
    """Send mutated bytes, what ends any body so that a header may begin, and a good request."""
    if longest_wait(replay.data) > LONGEST:
        return
    ending = b"\n" * (longest_wait(replay.data) + 2) + GOOD
    promise = promised(replay.data + ending)
    if promise is None:  # nobody could tell which answer is the last
        return
    for piece in replay.pieces():
        lived.client.raw(piece)
    lived.client.raw(ending)
    came = lived.inbox_after(promise.total())
    assert Counter(json.dumps(one["id"]) for one in came if "method" not in one) == promise
    assert {one["method"] for one in came if "method" in one} <= {"$/progress"}, came
    lived.client.notify(CHANGED, USUAL)


@pytest.mark.parametrize("cuts", [(), tuple(range(2000))], ids=["at once", "bytewise"])
@pytest.mark.parametrize("place", range(len(RECORDED)), ids=[path.stem for path in RECORDED])
def test_a_session_as_it_was_recorded(place: int, cuts: tuple[int, ...]) -> None:
    """Each request of a recorded session is answered once, in any pieces, and its end gives code 0."""
    bodies = recorded(only_work=False)[place]
    client = WireClient(SERVE_HERE)
    for piece in Replay(b"".join(map(framed, bodies)), cuts).pieces():
        client.raw(piece)
    client.stdin.close()
    code = client.end()
    client.close()

    assert (code, client.stray, client.log) == (0, [], [])
    answers = [one for one in client.inbox if "method" not in one]
    assert Counter(str(one["id"]) for one in answers) == Counter(
        str(one["id"]) for one in map(json.loads, bodies) if "method" in one and "id" in one
    )
    assert [kind for kind in map(check_answer, answers) if kind not in ("result", "cancelled", "methodNotFound")] == []


@patient
@given(calls())
def test_calls_fit_their_types(call: Call) -> None:
    """What the fuzzer takes for a call that fits its types does so."""
    msgspec.convert(without_nulls(call.params), operation(call.name).params)


def test_bytes_promise_what_the_framing_says() -> None:
    """Lines that are no header are passed over; a body that is shorter than its header said takes from what follows."""
    asked = framed(b'{"jsonrpc": "2.0", "id": 1, "method": "a"}')
    told = framed(b'{"jsonrpc": "2.0", "method": "b"}')

    assert promised(asked + b"noise\r\n" + told + asked) == Counter({"1": 2})
    assert promised(b"content-length: 9\r\n\r\n{}" + asked + asked) == Counter({"null": 1, "1": 1})
    assert promised(asked[:-1] + asked) == Counter({"null": 1})
    assert promised(asked[:-1]) == Counter()
    assert promised(b"Content-Length: +5\r\n\r\n" + asked) is None


def test_a_path_leads_somewhere_or_nowhere() -> None:
    """A path is good where it leads to a value or to a member that is missing."""
    params = {"chat": {"messages": [{"role": 5}]}, "sections": {"a.b": 1}}

    good = ("", ".chat.messages[0].role", ".chat.messages[0].content", ".sections.a.b", ".summary")
    bad = (".chat.messages[1].role", ".chat.messages[0].role.x", ".chat.none.x", "[0]", ".chat.messages.x", "chat")
    assert [path for path in good if not leads_somewhere(params, path)] == []
    assert [path for path in bad if leads_somewhere(params, path)] == []
