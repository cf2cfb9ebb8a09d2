"""All hostile inputs in order, sent to a server one by one, and reports of unexpected behavior."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tests.samples.hostile.chats import limits, messages, places, texts
from tests.samples.hostile.params import archived, many_wrong, options, plans, replies
from tests.samples.hostile.requests import cancels, envelopes, methods, scalars, settings
from tests.samples.hostile.rows import CODES, SECRET, Row, Want, body
from tests.servers.wire_client import Message, WireClient, framed

PATIENCE = 60.0  # seconds until an answer counts as missing
LONGEST_SENTENCE = 400
RESULT, ERROR = {"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}  # the members of an answer
INSIDE = ("Traceback", "site-packages", ".py", "compact_chat")


FAMILIES: tuple[Callable[[], Iterator[Row]], ...] = (
    *(envelopes, scalars, methods, cancels, settings),
    *(many_wrong, messages, options, replies, plans, places, archived, limits),
)
SOME = 12  # the tests take every twelfth of the rows of megabytes, `bench_hostile.py` all


def table(whole: bool = False) -> Iterator[Row]:
    """All rows but for some of the large ones; made as they are taken."""
    for family in FAMILIES:
        yield from family()
    yield from texts(1 if whole else SOME)


def faults(client: WireClient, rows: Iterable[Row]) -> Iterator[str]:
    """Send each row with a no-op behind it; yield each fault, and stop once the server no longer answers."""
    for number, row in enumerate(rows):
        name = f"{number} {_short(row.data.decode('latin-1'))}"
        noop = f"behind {number}"
        try:
            client.raw(row.data)
            client.arrived(len(row.wants), PATIENCE)
            client.raw(framed(body(noop, "compactChat/nothing")))
            client.answer(noop, seconds=PATIENCE)
        except (AssertionError, OSError):
            yield f"{name}: the server answers nothing any more"
            return
        notices = [one["params"] for one in client.asked("$/progress")]
        yield from (
            f"{name}: {fault}"
            for reported in notices
            for fault in leaks(reported["value"])
            if "text" not in reported["value"]
        )
        answers = [one for one in client.take_answers() if one["id"] != noop]
        yield from (f"{name}: {fault}" for fault in compare(row.wants, answers))


def compare(wants: Iterable[Want], answers: list[Message]) -> Iterator[str]:
    """Match each expectation with one answer, and report what is wrong, missing or left over."""
    left = list(answers)
    for want in wants:
        under = [one for one in left if json.dumps(one["id"]) == json.dumps(want.under)]  # 1 differs from 1.0
        found = next((one for one in under if _kind(one) == want.kind), under[0] if under else None)
        if found is None:
            yield f"no answer under {_short(want.under)}"
        else:
            left.remove(found)
            yield from _faults_of(want, found)
    yield from (f"one answer too many: {_short(one)}" for one in left)


def _kind(answer: Message) -> str:
    return str(answer["error"]["data"]["kind"]) if set(answer) == ERROR else ""


def _faults_of(want: Want, answer: Message) -> Iterator[str]:
    if set(answer) not in (RESULT, ERROR):
        yield f"no answer of JSON-RPC: {_short(answer)}"
    elif want.kind and "error" in answer:
        yield from _faults_of_error(want, answer["error"])
    elif want.kind or "error" in answer:
        yield f"wanted {want.kind or 'a result'}, got {_short(answer)}"
    elif not want.holds(answer["result"]):
        yield f"not what was wanted: {_short(answer['result'])}"


def _faults_of_error(want: Want, error: Any) -> Iterator[str]:
    """Check code, kind and paths, and that the sentence is short and quotes nothing of the input but its URI."""
    if (error["code"], error["data"]["kind"]) != (CODES[want.kind], want.kind):
        yield f"wanted {want.kind}, got {_short(error)}"
        return
    paths = tuple(sorted(problem["path"] for problem in error["data"].get("problems", ())))
    if want.paths and paths != tuple(sorted(want.paths)):
        yield f"wanted problems at {want.paths}, got {_short(paths)}"
    sentence = error["message"]
    if not 0 < len(sentence) <= LONGEST_SENTENCE or "\n" in sentence:
        yield f"no sentence: {_short(sentence)}"
    yield from leaks({**error, "data": {name: value for name, value in error["data"].items() if name != "uri"}})


def leaks(value: Any) -> list[str]:
    """Find what no error, notice or log may contain."""
    text = value if isinstance(value, str) else json.dumps(value)
    return [f"{word} in {_short(text)}" for word in (SECRET, *INSIDE) if word in text]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return ascii(text if len(text) < 300 else f"{text[:200]}...{text[-80:]}")
