"""Any call of any operation gets its one answer, and the server lives on.

`--hypothesis-profile=search` draws 500 examples of each, and others each time.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.oracles.wire_promises import check_answer, leads_somewhere
from tests.servers.wire_client import WireClient, framed
from tests.servers.wire_kept import SERVE_HERE
from tests.strategies.wire_fuzz import Call, calls
from tests.strategies.wire_lived import Lived, one_call

RECORDED = sorted((Path(__file__).parents[1] / "samples" / "recorded").glob("*.jsonl"))
patient = settings(suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def lived() -> Iterator[Lived]:
    """One server for all examples."""
    one = Lived()
    yield one
    one.close()


@patient
@given(calls())
def test_any_call_has_one_right_answer(lived: Lived, call: Call) -> None:
    """A call of any operation is answered once in both ways, alike, and as the contract says."""
    lived.use(one_call, call)


@pytest.mark.parametrize("size", [100_000, 1], ids=["at once", "bytewise"])
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_session_as_it_was_recorded(path: Path, size: int) -> None:
    """Each request of a recorded session is answered once, in pieces of any size, and its end gives code 0."""
    bodies = path.read_bytes().splitlines()
    data = b"".join(map(framed, bodies))
    client = WireClient(SERVE_HERE)
    for place in range(0, len(data), size):
        client.raw(data[place : place + size])
    client.stdin.close()
    code = client.end()
    client.close()

    assert (code, client.stray, client.log) == (0, [], [])
    answers = [one for one in client.inbox if "method" not in one]
    assert Counter(str(one["id"]) for one in answers) == Counter(
        str(one["id"]) for one in map(json.loads, bodies) if "method" in one and "id" in one
    )
    assert [kind for kind in map(check_answer, answers) if kind not in ("result", "cancelled", "methodNotFound")] == []


def test_a_path_leads_somewhere_or_nowhere() -> None:
    """A path is good where it leads to a value or to a member that is missing."""
    params = {"chat": {"messages": [{"role": 5}]}, "sections": {"a.b": 1}}

    good = ("", ".chat.messages[0].role", ".chat.messages[0].content", ".sections.a.b", ".summary")
    bad = (".chat.messages[1].role", ".chat.messages[0].role.x", ".chat.none.x", "[0]", ".chat.messages.x", "chat")
    assert [path for path in good if not leads_somewhere(params, path)] == []
    assert [path for path in bad if leads_somewhere(params, path)] == []
