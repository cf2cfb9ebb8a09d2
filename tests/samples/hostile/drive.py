"""Send rows to a server, one after another, and tell what was not as it must be."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.samples.hostile.rows import CODES, SECRET, Row, Want, body
from tests.servers.wire_client import Message, WireClient, framed

LIMIT = 1.0  # seconds until the last answer to a row is there, without those in which others had the processors
PATIENCE = 5.0  # seconds until an answer counts as lost
QUOTED = ("chatNotFound", "chatUnreadable", "fileExists")  # name what the caller named
LONGEST_SENTENCE = 400
RESULT, ERROR = {"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}  # the members of an answer


def faults(client: WireClient, rows: Iterable[Row]) -> Iterator[str]:
    """Send rows and tell each fault, with the name of its row; where the server is lost, so are the rows behind."""
    for row in rows:
        try:
            seconds, answers = exchange(client, row)
        except (AssertionError, OSError):
            yield f"{row.name}: the server answers nothing any more"
            return
        yield from (f"{row.name}: {fault}" for fault in compare(row.wants, answers))
        if seconds > LIMIT:
            yield f"{row.name}: the answer took {seconds:.1f} s"


def exchange(client: WireClient, row: Row) -> tuple[float, list[Message]]:
    """Send a row and a no-op behind it; give the seconds to the last answer of the row, and all that was answered."""
    before, began = waits(client.process.pid), time.perf_counter()
    client.raw(row.data)
    client.arrived(len(row.wants), PATIENCE)
    ended = max([began, *(client.answered.get(want.under, began) for want in row.wants)])
    after = waits(client.process.pid)
    noop = f"behind {row.name}"
    client.raw(framed(body(noop, "compactChat/nothing")))
    client.answer(noop, seconds=PATIENCE)
    waited = max((seconds - before.get(thread, 0) for thread, seconds in after.items()), default=0.0)
    return ended - began - waited, [one for one in client.take_answers() if one["id"] != noop]


def waits(process: int) -> dict[str, float]:
    """Give the seconds that each thread of a process has had work but no processor; empty where nothing tells."""
    found: dict[str, float] = {}
    for thread in Path(f"/proc/{process}/task").glob("*"):
        with contextlib.suppress(OSError):  # a thread may have ended, and not every kernel tells
            found[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e9
    return found


def compare(wants: Iterable[Want], answers: list[Message]) -> Iterator[str]:
    """Tell what is wrong with answers; each want takes one of them, and none may be left."""
    left = list(answers)
    for want in wants:
        under = [one for one in left if _same(one["id"], want.under)]
        found = next((one for one in under if _kind(one) == want.kind), under[0] if under else None)
        if found is None:
            yield f"no answer under {_short(want.under)}"
        else:
            left.remove(found)
            yield from _faults_of(want, found)
    yield from (f"one answer too many: {_short(one)}" for one in left)


def _same(one: Any, other: Any) -> bool:
    """Whether two ids are the same, of the same type."""
    return json.dumps(one) == json.dumps(other)


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
    """Its code and kind, its paths, and that it is one short sentence without anything of the input."""
    if (error["code"], error["data"]["kind"]) != (CODES[want.kind], want.kind):
        yield f"wanted {want.kind}, got {_short(error)}"
        return
    paths = tuple(sorted(problem["path"] for problem in error["data"].get("problems", ())))
    if want.paths and paths != tuple(sorted(want.paths)):
        yield f"wanted problems at {want.paths}, got {_short(paths)}"
    sentence, text = error["message"], json.dumps(error)
    if not 0 < len(sentence) <= LONGEST_SENTENCE or "\n" in sentence:
        yield f"no sentence: {_short(sentence)}"
    if any(word in text for word in ("Traceback", "site-packages", ".py", "compact_chat")):
        yield f"tells of its inside: {_short(text)}"
    if SECRET in text and want.kind not in QUOTED:
        yield f"quotes the input: {_short(text)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return ascii(text if len(text) < 300 else f"{text[:200]}...{text[-80:]}")
