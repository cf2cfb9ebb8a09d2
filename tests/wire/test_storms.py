"""Many at once: cancels at any moment, clients that stop reading, large answers in parallel, a thousand requests."""

from __future__ import annotations

import contextlib
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.editor import Editor
from tests.servers.processes import (
    children,
    needs_proc,
    open_files,
    resident,
    seconds_until_quiet,
    thread_states,
)
from tests.servers.wire_client import WireClient
from tests.strategies.storms import CANCELLED, PATIENCE, SECONDS, DeafClient, asked, formats, leave_unread, way

pytestmark = needs_proc

SMALL = ("compactChat/continuation", {"summary": "Summary:\nok"})
KINDS = (("countTokens", "uri"), ("preview", "text"), ("prompt", "messages"), ("summarize", "uri"))
LARGE = 2_000_000  # characters, about half a million tokens
UNREAD, PLANS = 64, 64  # MiB that are documented for answers that nobody reads, and for remembered plans
SLACK = 32  # MiB that an allocator may hold back


def test_cancels_at_random_moments_leave_no_work_running(own: WireClient, tmp_path: Path) -> None:
    """Each is answered once, threads rest afterwards, and memory and files come back."""
    number, draw = own.process.pid, random.Random(7)
    for seed, (name, shape) in enumerate(KINDS):  # everything is loaded then
        own.answer(own.start(*way(name, asked(shape, tmp_path, LARGE, seed))), seconds=SECONDS)
    memory, files = resident(number), open_files(number)

    for seed, (name, shape) in enumerate(KINDS * 2, 100):
        params = {**asked(shape, tmp_path, LARGE, seed), "workDoneToken": seed}
        request = own.start(*way(name, params, command=seed % 2 == 1))
        time.sleep(draw.random() / 2)
        if draw.random() < 0.5:
            own.notify("$/cancelRequest", {"id": request})
        else:
            own.notify("window/workDoneProgress/cancel", {"token": seed})
        answer = own.answer(request, seconds=SECONDS)
        assert "result" in answer or (answer["error"]["code"], answer["error"]["data"]) == CANCELLED
        seconds_until_quiet(number, SECONDS)
        assert len(own.answers(request)) == 1
        assert [one["kind"] for one in own.progress(seed)][-1:] in ([], ["end"])

    assert set(thread_states(number)) == {"S"}
    assert own.call(*SMALL)["message"]
    assert resident(number) < memory + PLANS + SLACK
    assert open_files(number) == files


def test_what_is_cancelled_in_the_queue_never_runs(own: WireClient, tmp_path: Path) -> None:
    """Behind two large operations twenty more wait; what is cancelled there reports nothing."""
    chat = asked("uri", tmp_path, LARGE, 1)
    tokens = [f"queued{n}" for n in range(20)]
    own.answer(own.start(*way("summarize", chat)), seconds=SECONDS)

    heavy = [own.start(*way("summarize", {**chat, "options": {"minKeep": n}})) for n in (5, 6)]
    queued = [own.start(*way("summarize", {**chat, "workDoneToken": token})) for token in tokens]
    for one in queued:
        own.notify("$/cancelRequest", {"id": one})
    answers = [own.answer(one)["error"] for one in queued]
    assert ["result" in own.answer(one, seconds=SECONDS) for one in heavy] == [True, True]
    seconds_until_quiet(own.process.pid)

    assert [error for error in answers if (error["code"], error["data"]) != CANCELLED] == []
    assert [token for token in tokens if any(reported["kind"] == "report" for reported in own.progress(token))] == []


@pytest.fixture
def deaf() -> Iterator[DeafClient]:
    """The real server of a client that can stop reading."""
    client = DeafClient()
    client.initialize()
    yield client
    with contextlib.suppress(BrokenPipeError):
        client.close()


def test_a_client_that_stops_reading_does_not_fill_the_memory(deaf: DeafClient, tmp_path: Path) -> None:
    """Beyond the limit of unread answers no message is taken and no large operation begun; then all are answered."""
    large = way("prompt", asked("uri", tmp_path, 400_000, 1))
    grown, wrong = leave_unread(deaf, [large] * 140 + formats(900))

    assert wrong == []
    assert grown < UNREAD + SLACK


def test_large_answers_at_once_never_mix(own: WireClient) -> None:
    """Large results at once, by request and command, with progress and text: each is its own, told in order."""
    chats = [{"chat": {"messages": marked(f"only{n}")}, "include": ["messages", "prompt", "raw"]} for n in range(16)]
    tokens = [{"workDoneToken": n, "partialResultToken": f"p{n}"} for n in range(16)]
    numbers = [own.start(*way("summarize", chats[n] | tokens[n], command=n % 2 == 1)) for n in range(16)]
    results = [own.answer(number, seconds=SECONDS)["result"] for number in numbers]

    alone = [own.call(*way("summarize", chat)) for chat in chats]
    assert [n for n in range(16) if steady(results[n]) != steady(alone[n])] == []
    for n in range(16):
        text = "".join(one["text"] for one in own.progress(f"p{n}"))
        assert set(re.findall(r"only\d+", text)) == {f"only{n}"}
        assert [one["kind"] for one in own.progress(n)].count("end") == 1


def marked(word: str) -> list[dict[str, Any]]:
    """Make a chat with a word in each of its messages."""
    return [{"role": ("user", "assistant")[n % 2], "content": f"{word} {n} is counted. " * 60} for n in range(60)]


def steady(result: dict[str, Any]) -> dict[str, Any]:
    """Leave out what differs from run to run."""
    return {name: value for name, value in result.items() if name not in ("compactionId", "attempts")}


def test_a_thousand_requests_are_under_way_and_no_more(own: WireClient, tmp_path: Path) -> None:
    """Behind two large operations nearly a thousand wait and are served; those beyond are refused at once."""
    large, small = asked("uri", tmp_path, LARGE, 1), asked("uri", tmp_path, 3000, 2)
    for name in ("countTokens", "preview"):
        own.call(f"compactChat/{name}", small)  # what has to be loaded would let others pass

    numbers = [own.start(*way("preview", {**large, "options": {"minKeep": n}})) for n in (5, 6)]
    numbers += [own.start(*way("countTokens", small)) for _ in range(1048)]
    answers = [own.answer(number, seconds=PATIENCE) for number in numbers]

    assert ["result" in answer for answer in answers] == [True] * 1000 + [False] * 50
    assert {answer["error"]["data"]["kind"] for answer in answers[1000:]} == {"tooLarge"}
    assert max(own.answered[number] for number in numbers[1000:]) < own.answered[numbers[999]]
    assert own.call(*SMALL)["message"]


TURNS, SIZE = 180, 60_000  # of the chat after two hours
FIRST, LAST = 600, 1800  # seconds after which all that is ever loaded has been, and at the end
GROWTH = 5.0  # MiB, with all that is remembered of a chat so small


def test_half_an_hour_leaves_the_server_as_it_was(tmp_path: Path) -> None:
    """An editor's traffic in one go: memory does not grow, no file, process or work is left, only frames were sent."""
    client = WireClient()
    number, editor = client.process.pid, Editor(client, tmp_path / "chat.jsonl", TURNS, SIZE)
    states = []
    for second in editor.live(LAST):
        if second in (FIRST, LAST):
            seconds_until_quiet(number)
            states.append((resident(number), open_files(number)))

    (memory, files), (memory_now, files_now) = states
    assert memory_now - memory < GROWTH
    assert files_now == files
    assert children(number) == []
    assert set(thread_states(number)) == {"S"}
    assert (client.stray, client.log) == ([], [])
    assert client.call("shutdown") is None
    client.notify("exit", None)
    assert client.end() == 0
    client.close()
