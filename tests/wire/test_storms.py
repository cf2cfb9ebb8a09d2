"""Many at once: cancels at any moment, clients that stop reading, large answers side by side, a thousand requests."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.processes import (
    Watched,
    cpu_seconds,
    needs_proc,
    open_files,
    resident,
    seconds_until_quiet,
    thread_states,
)
from tests.servers.wire_client import WireClient
from tests.strategies.storms import (
    CANCELLED,
    KINDS,
    SECONDS,
    DeafClient,
    Storm,
    asked,
    formats,
    is_right,
    leave_unread,
    messages,
    prompts,
    way,
)

pytestmark = needs_proc

SMALL = ("compactChat/continuation", {"summary": "Summary:\nok"})
UNREAD, PLANS = 64, 64  # MiB that are documented for answers that nobody reads, and for remembered plans
SLACK = 32  # MiB that an allocator may hold back


def test_cancels_at_random_moments_leave_no_work_running(own: WireClient, tmp_path: Path) -> None:
    """Each is answered once, threads stop long before their work is done, and memory and files come back."""
    storm, draw = Storm(own, tmp_path), random.Random(7)
    kinds = [KINDS[n] for n in (0, 4, 8, 9, 12, 13)]
    for kind in kinds:
        storm.measure(kind)
    memory, files = resident(storm.number), open_files(storm.number)

    runs = [storm.cancel(kind, draw.random()) for kind in kinds]

    assert [run.answer for run in runs if not is_right(run.answer)] == []
    assert sum(run.cpu for run in runs) < sum(run.left for run in runs) / 4
    assert set(thread_states(storm.number)) == {"S"}
    assert own.call(*SMALL)["message"]
    assert resident(storm.number) < memory + PLANS + SLACK
    assert open_files(storm.number) == files


def test_what_is_cancelled_in_the_queue_never_runs(own: WireClient, tmp_path: Path) -> None:
    """Behind two large operations twenty more wait; cancelled there they cost nothing, then or later."""
    number, chat = own.process.pid, asked(("summarize", "uri"), "queue", tmp_path, 2000)
    tokens = [f"queued{n}" for n in range(20)]
    own.call("compactChat/summarize", chat)
    before = cpu_seconds(number)
    own.call("compactChat/summarize", chat)
    cost = cpu_seconds(number) - before

    heavy = [own.start("compactChat/summarize", {**chat, "options": {"minKeep": n}}) for n in (5, 6)]
    queued = [own.start("compactChat/summarize", {**chat, "workDoneToken": token}) for token in tokens]
    for one in queued:
        own.notify("$/cancelRequest", {"id": one})
    answers = [own.answer(one)["error"] for one in queued]
    assert ["result" in own.answer(one, seconds=SECONDS) for one in heavy] == [True, True]
    seconds_until_quiet(number)

    assert [error for error in answers if (error["code"], error["data"]) != CANCELLED] == []
    assert [token for token in tokens if any(told["kind"] == "report" for told in own.progress(token))] == []
    assert cpu_seconds(number) - before < 6 * cost  # the first, the two large ones, and what threads cost each other


@pytest.fixture
def deaf() -> Iterator[DeafClient]:
    """The real server of a client that can stop reading."""
    client = DeafClient()
    client.initialize()
    yield client
    with contextlib.suppress(BrokenPipeError):
        client.close()


def test_a_client_that_stops_reading_does_not_fill_the_memory(deaf: DeafClient) -> None:
    """Over the limit of unread answers the server takes no more; once they are read, each request has its answer."""
    grown, wrong = leave_unread(deaf, formats(1500))

    assert wrong == []
    assert grown < UNREAD + SLACK


def test_what_waits_its_turn_waits_for_the_reader_too(deaf: DeafClient, tmp_path: Path) -> None:
    """Large operations that were taken before the limit was reached do not begin beyond it."""
    grown, wrong = leave_unread(deaf, prompts(140, tmp_path) + formats(900))

    assert wrong == []
    assert grown < UNREAD + SLACK


def test_a_client_that_stops_reading_can_still_end_the_server(deaf: DeafClient) -> None:
    """SIGTERM ends a server that waits for its client to read and reads nothing itself."""
    watched = Watched(deaf.process.pid)
    deaf.flood(formats(1500))
    deaf.settle()

    deaf.process.terminate()

    assert watched.seconds_until_gone(SECONDS) < 4
    assert deaf.process.wait() == 0
    watched.kill()


def test_large_answers_side_by_side_never_mix(own: WireClient) -> None:
    """Fifty large results at once, by request and command, with progress and text: each is its own, told in order."""
    chats = [
        {"chat": {"messages": messages(f"only{n}", 60)}, "include": ["messages", "prompt", "raw"]} for n in range(50)
    ]
    tokens = [{"workDoneToken": n, "partialResultToken": f"p{n}"} for n in range(50)]
    numbers = [own.start(*way("summarize", chats[n] | tokens[n], command=n % 2 == 1)) for n in range(50)]
    results = [own.answer(number, seconds=SECONDS)["result"] for number in numbers]

    alone = [own.call(*way("summarize", chat, command=False)) for chat in chats]
    assert [n for n in range(50) if steady(results[n]) != steady(alone[n])] == []
    for n in range(50):
        text = "".join(one["text"] for one in own.progress(f"p{n}"))
        assert set(re.findall(r"only\d+", text)) == {f"only{n}"}
        assert [one["kind"] for one in own.progress(n)].count("end") == 1


def steady(result: dict[str, Any]) -> dict[str, Any]:
    """Leave away what differs from run to run."""
    return {name: value for name, value in result.items() if name not in ("compactionId", "attempts")}


def test_a_thousand_requests_are_under_way_and_no_more(own: WireClient, tmp_path: Path) -> None:
    """Behind two large operations nearly a thousand wait and are served; those beyond are refused at once."""
    large, small = (asked(("countTokens", "uri"), mark, tmp_path, n) for mark, n in (("large", 5000), ("small", 2)))
    for name in ("countTokens", "preview"):
        own.call(f"compactChat/{name}", small)  # what has to be loaded would let others pass

    numbers = [own.start("compactChat/preview", {**large, "options": {"minKeep": n}}) for n in (5, 6)]
    numbers += [own.start("compactChat/countTokens", small) for _ in range(1098)]
    answers = [own.answer(number, seconds=SECONDS) for number in numbers]

    assert ["result" in answer for answer in answers] == [True] * 1000 + [False] * 100
    assert {answer["error"]["data"]["kind"] for answer in answers[1000:]} == {"tooLarge"}
    assert max(own.answered[number] for number in numbers[1000:]) < own.answered[numbers[999]]
    assert own.call(*SMALL)["message"]
