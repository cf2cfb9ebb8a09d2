"""Bytes sent to a server, and which answers the framing promises for them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple, NoReturn

from tests.oracles.wire_promises import check_answer
from tests.servers.wire_client import Message, WireClient, framed
from tests.servers.wire_kept import SERVE_HERE, USUAL
from tests.strategies.wire_lived import CHANGED, NOTHING, Lived
from tests.strategies.wire_mutations import Replay

GOOD_ID = "the good one behind them"
GOOD = json.dumps({"jsonrpc": "2.0", "id": GOOD_ID, "method": NOTHING[0], "params": NOTHING[1]}).encode()
LONGEST = 2**20  # a length beyond it cannot be made up for within a test
_ANY_NAME = re.compile(rb"content-length", re.IGNORECASE)
_ANY_LENGTH = re.compile(rb"content-length[^\d\n]*(\d{1,99})", re.IGNORECASE)
_ENDLESS = (float("inf"), float("-inf"))  # what a number becomes that is too large
_SURE_LENGTH = re.compile(rb"(?<![\w-])content-length: ?(\d{1,9})\r?\n\Z", re.IGNORECASE)


class Promise(NamedTuple):
    """What bytes promise: the answers by their ids up to an `exit` and in all, and how the session ends."""

    answers: Counter[str]
    most: Counter[str]
    sure: bool  # each line is a header or is none, to every reader
    exits: bool
    rests: frozenset[str]  # the ids under which an answer says that the session was shut down before


def longest_wait(data: bytes) -> int:
    """The bytes that a reader may still wait for after these, at most."""
    return max((int(number) for number in _ANY_LENGTH.findall(data)), default=0)


def ending_of(data: bytes) -> bytes:
    """What ends a line, then headers, then any body, so that a header may begin; and a good request behind it."""
    return b"\n" * (longest_wait(data) + 2) + framed(GOOD)


def promised(data: bytes) -> Promise:
    """Read bytes as the documents say: each body that is found in them owes what its message does."""
    bodies = list(_bodies(data))
    messages = [_decoded(body) for body in bodies if body is not None]
    ends = next((place for place, one in enumerate(messages) if _is(one, "exit") and "id" not in one), None)
    owing = [owed(message) for message in messages]
    return Promise(
        answers=Counter(chain.from_iterable(owing[:ends])),
        most=Counter(chain.from_iterable(owing)),
        sure=None not in bodies,
        exits=ends is not None,
        rests=frozenset(name for one in messages[:ends] if _is(one, "shutdown") for name in owed(one)),
    )


def _bodies(data: bytes) -> Iterator[bytes | None]:
    """The bodies; None where a line is a header to one reader and none to another, so that nothing is sure."""
    place, length = 0, -1
    while (end := data.find(b"\n", place)) >= 0:
        line, place = data[place : end + 1], end + 1
        if found := _SURE_LENGTH.search(line):
            if length >= 0:
                yield None
            length = int(found[1])
        elif _ANY_NAME.search(line):
            yield None
        elif length >= 0 and not line.strip():
            body, place, length = data[place : place + length], place + length, -1
            if place <= len(data):
                yield body


def owed(message: Any) -> list[str]:
    """The id, as JSON, of the answer that a message is owed; none for notifications and for answers."""
    if not isinstance(message, dict):
        return ["null"]
    if "method" not in message and ("result" in message or "error" in message):
        return []
    if message.get("jsonrpc") == "2.0" and isinstance(message.get("method"), str) and "id" not in message:
        return []
    under = message.get("id")
    is_id = isinstance(under, str | int | float) and not isinstance(under, bool) and under not in _ENDLESS
    return [json.dumps(under) if is_id else "null"]


def _is(message: Any, method: str) -> bool:
    return isinstance(message, dict) and message.get("method") == method and message.get("jsonrpc") == "2.0"


def _decoded(body: bytes) -> Any:
    """The message; None where it is no JSON."""
    try:
        return json.loads(body.decode(), parse_constant=_no_json)
    except (ValueError, RecursionError):
        return None


def _no_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def one_replay(lived: Lived, replay: Replay) -> None:
    """Send mutated bytes of a session's work to a server that lives on: it answers what they owe, and nothing else."""
    if longest_wait(replay.data) > LONGEST:
        return
    ending = ending_of(replay.data)
    promise = promised(replay.data + ending)
    if not promise.sure:  # nobody could tell which answer is the last
        return
    send(lived.client, replay, ending)
    came = lived.inbox_after(promise.answers.total())
    assert ids(came) == promise.answers
    assert {one["method"] for one in came if "method" in one} <= {"$/progress"}, came
    lived.client.notify(CHANGED, USUAL)
    lived.outcomes["replayed"] += 1
    lived.messages += promise.answers.total()


def one_session(replay: Replay) -> None:
    """Send a whole session, mutated, to a server of its own: it ends by `exit` or with its input, and not before."""
    client = WireClient(SERVE_HERE)
    try:
        _play(client, replay)
    finally:
        client.close()
    assert (client.stray, client.log) == ([], []), (client.stray, client.log)
    for one in client.inbox:
        assert "method" in one or check_answer(one)


def _play(client: WireClient, replay: Replay) -> None:
    """Send it, wait for what it owes, and look at how the server ends and what was answered until then."""
    endless = longest_wait(replay.data) > LONGEST
    ending = b"" if endless else ending_of(replay.data)
    promise = promised(replay.data + ending)
    sure = promise.sure and not endless
    lives = not endless and not (promise.exits if sure else b"exit" in replay.data)
    with suppress(OSError):  # it may be gone already
        send(client, replay, ending)
    if lives:
        settle(client, promise.answers.total() if sure else 1)
    with suppress(OSError):
        client.stdin.close()
    code, came = client.end(), ids(client.inbox)
    rested = not promise.rests.isdisjoint(ids([one for one in client.inbox if one.get("result", "") is None]))
    assert code in ((0,) if lives else (0, 1) if not sure else (0,) if rested else (1,)), client.inbox
    assert not lives or came[json.dumps(GOOD_ID)] == 1, client.inbox
    if sure:
        assert came <= promise.most, client.inbox
        assert came >= promise.answers or code == 1, client.inbox


def send(client: WireClient, replay: Replay, ending: bytes) -> None:
    """Send the pieces one after another, and what ends them."""
    for piece in replay.pieces():
        client.raw(piece)
    client.raw(ending)


def ids(messages: list[Message]) -> Counter[str]:
    """The ids of the answers among messages, as JSON."""
    return Counter(json.dumps(one["id"]) for one in messages if "method" not in one)


def settle(client: WireClient, wanted: int) -> None:
    """Answer what the server asks, until so many answers have come, that of the good request among them."""
    replied = 0

    def news() -> bool:
        return client._over or len(questions(client)) > replied or is_done()

    def is_done() -> bool:
        answers = [one["id"] for one in client.inbox if "method" not in one]
        return len(answers) >= wanted and GOOD_ID in answers

    while not is_done():
        with client._news:
            assert client._news.wait_for(news, 20), client.inbox
        assert not client._over, client.inbox
        for question in questions(client)[replied:]:
            client.send({"jsonrpc": "2.0", "id": question["id"], "result": None})
            replied += 1


def questions(client: WireClient) -> list[Message]:
    """What the server has asked so far."""
    return [one for one in list(client.inbox) if "method" in one and "id" in one]
