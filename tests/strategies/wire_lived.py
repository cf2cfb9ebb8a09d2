"""A server that survives thousands of examples: single calls, and sequences of everything in any order."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import strategies as st

from compact_chat.chat import JsonObject
from compact_chat.wire import Settings
from tests.oracles.wire_promises import check_answer, check_progress, check_result, same_but_for_chance
from tests.servers.wire_client import Message, WireClient, framed
from tests.servers.wire_kept import BEGIN, RUN, STATE, USUAL, tidy
from tests.strategies.wire_chats import anything_in_json, impostors, long_chat, refs
from tests.strategies.wire_fuzz import Call, asked_in, calls, members

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


CANCEL, CANCEL_WORK = "$/cancelRequest", "window/workDoneProgress/cancel"
# Bodies that are no request, and the kind of error that each gets, with the id null.
BROKEN = (
    (b"", "parseError"),
    (b"{", "parseError"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": NaN}', "parseError"),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', "parseError"),
    (b"[]", "invalidRequest"),
    (b'[{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}]', "invalidRequest"),
    (b'{"jsonrpc": "2.0", "id": [], "method": "shutdown"}', "invalidRequest"),
    (b"null", "invalidRequest"),
)
# Requests that are refused at once.
REFUSED: tuple[tuple[str, Any, str], ...] = (
    ("initialize", {}, "invalidRequest"),
    ("compactChat/nonsense", {}, "methodNotFound"),
    ("textDocument/hover", None, "methodNotFound"),
    ("compactChat/preview", [1], "invalidParams"),
    ("workspace/executeCommand", {"command": "compactChat.nonsense"}, "invalidParams"),
    ("workspace/executeCommand", {"command": "compactChat.preview", "arguments": [{}, {}]}, "invalidParams"),
)
TOLD = (CHANGED, "$/setTrace", "$/nonsense", "textDocument/didOpen", "initialized", CANCEL, CANCEL_WORK, "shutdown")


class Ask(NamedTuple):
    """A request or a command; `again` reuses the id of an earlier one."""

    call: Call
    command: bool
    again: bool
    tokens: bool


class Refused(NamedTuple):
    """A refused request, and the kind of its error."""

    method: str
    params: Any
    kind: str


class Cancel(NamedTuple):
    """Cancel one of the requests so far, by its id or by its progress; beyond the last, one that never existed."""

    place: int
    by_progress: bool


class Tell(NamedTuple):
    """A notification, or an unexpected answer."""

    message: JsonObject


class Raw(NamedTuple):
    """A body that is no request."""

    body: bytes
    kind: str


Step = Ask | Refused | Cancel | Tell | Raw
long_chats = st.builds(long_chat, st.integers(50, 400))


def _asks() -> st.SearchStrategy[Ask]:
    return st.builds(
        Ask, calls(refs() | long_chats), st.booleans(), st.integers(0, 5).map(lambda n: n == 5), st.booleans()
    )


def _told(method: str, params: Any) -> Tell:
    return Tell({"jsonrpc": "2.0", "method": method, "params": params})


@st.composite
def _settings(draw: st.DrawFn) -> Tell:
    """Valid settings, some with a value that fits no type, and invalid ones."""
    section = draw(members(Settings) | anything_in_json)
    if section and isinstance(section, dict) and draw(st.booleans()):
        name = draw(st.sampled_from(sorted(section)))
        value = draw(anything_in_json)
        if not (name == "archive" and isinstance(value, str)):  # any folder at all would be written to
            section[name] = value
    return _told(CHANGED, {"settings": {"compactChat": section}})


def _answers_unasked() -> st.SearchStrategy[Tell]:
    names = st.sampled_from(["compact-chat-1", "compact-chat-2", 1, None])
    return st.builds(lambda name, value: Tell({"jsonrpc": "2.0", "id": name, "result": value}), names, anything_in_json)


def sequences() -> st.SearchStrategy[list[Step]]:
    """A sequence of steps, at least one of them a request."""
    step: st.SearchStrategy[Step] = st.one_of(
        _asks(),
        _asks(),
        st.builds(Cancel, st.integers(0, 9), st.booleans()),
        st.builds(_told, st.sampled_from(TOLD), anything_in_json | impostors),
        _settings(),
        _answers_unasked(),
        st.sampled_from(BROKEN).map(lambda one: Raw(*one)),
        st.sampled_from(REFUSED).map(lambda one: Refused(*one)),
    )
    return st.builds(lambda first, rest: [first, *rest], _asks(), st.lists(step, max_size=9))


class Sent(NamedTuple):
    """A running request."""

    id: Any
    call: Call | None
    params: Any
    kind: str | None  # the expected outcome: `result`, or the kind of an error
    token: str | None


class Player:
    """Plays steps to a server, and tracks the answers that are due."""

    def __init__(self, client: WireClient) -> None:
        self.client = client
        self.sent: list[Sent] = []
        self.cancelled: set[Any] = set()
        self.configured = False

    def play(self, step: Step) -> None:
        """Send one step."""
        match step:
            case Ask():
                self._ask(step)
            case Refused(method, params, kind):
                self.send(method, params, None, kind, None)
            case Cancel(place, by_progress):
                self._cancel(place, by_progress)
            case Tell(message):
                self.configured |= message.get("method") == CHANGED
                self.client.send(message)
            case Raw(body, kind):
                self.sent.append(Sent(None, None, None, kind, None))
                self.client.raw(framed(body))

    def _ask(self, step: Ask) -> None:
        method, params = asked_in(step.call, step.command)
        token = f"work-{len(self.sent)}" if step.tokens else None
        if token:
            params = {**params, "workDoneToken": token, "partialResultToken": f"part of {token}"}
        known = [one.id for one in self.sent if one.id is not None]
        self.send(method, params, step.call, None, token, known[0] if step.again and known else None)

    def send(
        self, method: str, params: Any, call: Call | None, kind: str | None, token: str | None, under: Any = None
    ) -> None:
        """Send a request, with a fresh id unless given."""
        place = len(self.sent)
        under = under or (place + 1000 if place % 2 else f"request {place}")
        self.sent.append(Sent(under, call, params, kind, token))
        self.client.send({"jsonrpc": "2.0", "id": under, "method": method, "params": params})

    def _cancel(self, place: int, by_progress: bool) -> None:
        one = self.sent[place] if place < len(self.sent) else Sent("never", None, None, None, "never")
        if by_progress and one.token:
            self.cancelled.update(other.id for other in self.sent if other.token == one.token)
            self.client.notify(CANCEL_WORK, {"token": one.token})
        else:
            self.cancelled.add(one.id)
            self.client.notify(CANCEL, {"id": one.id})

    def check(self, came: list[Message]) -> None:
        """Check everything received: each answer once, progress that ends before it, nothing unexpected."""
        answers = defaultdict(list)
        for one in came:
            if "method" not in one:
                answers[json.dumps(one["id"])].append(one)
        wanted = Counter(json.dumps(one.id) for one in self.sent)
        assert {name: len(found) for name, found in answers.items()} == wanted
        for name, found in answers.items():
            self._check_answers([one for one in self.sent if json.dumps(one.id) == name], found)
        self._check_exports(came)
        self._check_progress(came)

    def _check_answers(self, mine: list[Sent], found: list[Message]) -> None:
        kinds = [check_answer(one) for one in found]
        assert "cancelled" not in kinds or mine[0].id in self.cancelled, found
        if all(one.kind for one in mine):
            assert Counter(kinds) == Counter(one.kind for one in mine), (mine, found)
        if len(mine) == 1 and mine[0].call:
            check_answer(found[0], None if self.configured else mine[0].params)
            if kinds == ["result"]:
                check_result(mine[0].call, found[0]["result"])

    def _check_exports(self, came: list[Message]) -> None:
        """Check that each successful export has its own file; an export without a name is never refused for it."""
        asked = {one.id: one.call for one in self.sent if one.call and one.call.name == "export"}
        made = [one["result"]["uri"] for one in came if "bytes" in (one.get("result") or ())]
        assert len(set(made)) == len(made), made
        for one in came:
            if "error" in one and one["error"]["data"]["kind"] == "fileExists" and one["id"] in asked:
                assert asked[one["id"]].params.get("uri") is not None, one

    def _check_progress(self, came: list[Message]) -> None:
        reported = defaultdict(list)
        last: dict[Any, int] = {}
        for place, one in enumerate(came):
            if "method" in one:
                assert one["method"] == "$/progress", one
                reported[one["params"]["token"]].append(one["params"]["value"])
                last[one["params"]["token"]] = place
        mine = {one.token: one.id for one in self.sent if one.token}
        for token, values in reported.items():
            name = token.removeprefix("part of ")
            assert name in mine, f"unexpected progress: {token}"
            assert max(p for p, one in enumerate(came) if one.get("id") == mine[name]) > last[token]
            if name == token:
                check_progress(values)
            else:
                assert all(set(one) == {"kind", "text"} and one["kind"] == "text" for one in values), values


def one_sequence(lived: Lived, steps: list[Step]) -> None:
    """Play a sequence of steps without waiting in between, and check everything that comes back."""
    player = Player(lived.client)
    for step in steps:
        player.play(step)
    player.check(lived.inbox_after(len(player.sent)))
    lived.client.notify(CHANGED, USUAL)
