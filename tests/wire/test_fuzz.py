"""Any call of any operation gets its one answer, and the server lives on.

`--hypothesis-profile=search` draws 500 examples of each, and others each time.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from compact_chat.chat import JsonObject
from tests.oracles.wire_promises import check_answer, check_result, leads_somewhere, same_but_for_chance
from tests.servers.wire_client import Message, WireClient, framed
from tests.servers.wire_kept import BEGIN, RUN, SERVE_HERE, STATE, USUAL, tidy
from tests.strategies.wire_fuzz import Call, asked_in, calls

NOTHING: tuple[str, JsonObject] = ("compactChat/format", {"text": "<summary>nothing</summary>"})
METER = "compactChat/meter"
CHANGED = "workspace/didChangeConfiguration"
# A file shows at once what was written to it, unlike a pipe with a reader thread.
LOGGED = f"{BEGIN}\nos.dup2(os.open(sys.argv.pop(1), os.O_WRONLY | os.O_APPEND), 2)\n{RUN}"


class Lived:
    """One initialized server, replaced only after an example found a fault with it."""

    def __init__(self) -> None:
        self._client: WireClient | None = None
        self._folder = tempfile.TemporaryDirectory()
        self._log = Path(self._folder.name) / "stderr"
        self.messages = 0

    @property
    def client(self) -> WireClient:
        """The server's client."""
        if self._client is None:
            self._log.write_bytes(b"")
            self._client = WireClient((sys.executable, "-c", LOGGED, str(STATE), str(self._log), "serve"))
            self._client.initialize()
            self._client.notify(CHANGED, USUAL)
            self._client.take_answers()
        return self._client

    def inbox_after(self, wanted: int) -> list[Message]:
        """Wait for so many answers and for that of a no-op behind them; return and clear all that was received."""
        client = self.client
        assert client.arrived(wanted, 20), f"{wanted} answers were wanted: {str(client.inbox)[:2000]}"
        self.messages += 1
        noop = f"no-op {self.messages}"
        client.send({"jsonrpc": "2.0", "id": noop, "method": NOTHING[0], "params": NOTHING[1]})
        assert "result" in client.answer(noop)
        with client._news:
            came, client.inbox[:] = list(client.inbox), []
        client.answered.clear()
        came = [one for one in came if one.get("id") != noop or "method" in one]
        for one in came:
            if "method" not in one:
                check_answer(one)
        assert client.stray == []
        logged = self._log.read_text()
        assert logged == "", logged
        self._end_watches([one["result"]["watchId"] for one in came if "watchId" in one.get("result", ())])
        return [one for one in came if one.get("method") != METER]

    def _end_watches(self, names: list[str]) -> None:
        """End the watches that an example began, which would run during all others; settings may affect meters."""
        for name in names:
            assert self.client.call("compactChat/unwatch", {"watchId": name}) == {}
        self.client.take_answers()

    def use(self, story: Callable[..., None], *given: Any) -> None:
        """Use the server; if that finds a fault, the next example gets a new one."""
        try:
            story(self, *given)
        except BaseException:
            self.end()
            raise
        finally:
            tidy()

    def end(self) -> None:
        """End the server."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def close(self) -> None:
        """Close the server permanently."""
        self.end()
        self._folder.cleanup()


def one_call(lived: Lived, call: Call) -> None:
    """Send a request and a command: one answer each, identical, and correct."""
    ways = [asked_in(call, command) for command in (False, True)]
    answers = _answers_in_turn(lived, call, ways) if call.name == "export" else _answers_at_once(lived, ways)
    for answer, (_, params) in zip(answers, ways, strict=True):
        check_answer(answer, params)
    first, second = map(comparable, answers)
    assert first == second, f"request and command differ: {call} {str(first)[:3000]} ||| {str(second)[:3000]}"
    if "result" in first and call.name != "export":
        check_result(call, answers[0]["result"])
    if "result" in first and call.name == "summarize":
        _check_undo(lived, call, answers[0]["result"])


def _answers_at_once(lived: Lived, ways: list[tuple[str, JsonObject]]) -> list[Message]:
    numbers = [lived.client.start(*way) for way in ways]
    came = [one for one in lived.inbox_after(len(numbers)) if "method" not in one]
    assert sorted(one["id"] for one in came) == numbers, came
    return sorted(came, key=lambda one: int(one["id"]))


def _answers_in_turn(lived: Lived, call: Call, ways: list[tuple[str, JsonObject]]) -> list[Message]:
    """Return the answers, provided each finds the path for its file as the first did."""
    answers: list[Message] = []
    for way in ways:
        answers += _answers_at_once(lived, [way])
        if "result" in answers[-1]:
            check_result(call, answers[-1]["result"])
        tidy()
    return answers


def _check_undo(lived: Lived, call: Call, made: JsonObject) -> None:
    """Check that the history lists the newest compactions, and that they can be restored if they are archived."""
    if made["archive"] is None:
        assert "notArchived" in [warning["code"] for warning in made["warnings"]]
        return
    past = lived.client.call("compactChat/history", {"limit": 9})["compactions"]
    reported = {name: made[name] for name in ("compactionId", "provider", "model", "before", "after")}
    assert reported in [{name: one[name] for name in reported} for one in past]
    wanted = {"compactionId": made["compactionId"]}
    restored = lived.client.call("compactChat/restore", wanted)
    check_result(Call("restore", wanted), restored)
    assert restored["archive"] == made["archive"]
    chat = call.params["chat"]
    assert restored["uri"] == chat.get("uri")
    if chat.get("messages") is not None:
        assert json.dumps(restored["messages"]) == json.dumps(chat["messages"])
    lived.client.take_answers()


def comparable(answer: Message) -> JsonObject:
    """Return what two answers to one request have in common."""
    return {"result": same_but_for_chance(answer["result"])} if "result" in answer else {"error": answer["error"]}


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
