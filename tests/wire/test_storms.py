"""What is left of a server after much work: nothing runs on, and memory and files come back."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from tests.bench.chats import messages, session
from tests.servers.processes import (
    needs_proc,
    open_files,
    resident,
    seconds_until_quiet,
    thread_states,
)
from tests.servers.wire_client import WireClient

pytestmark = needs_proc

SMALL = ("compactChat/continuation", {"summary": "Summary:\nok"})
KINDS = (("countTokens", "uri"), ("preview", "text"), ("prompt", "messages"), ("summarize", "uri"))
LARGE = 2_000_000  # characters, about half a million tokens
CANCELLED = (-32800, {"kind": "cancelled"})
SECONDS = 60.0  # for any large answer
PLANS = 64  # MiB that are documented for remembered plans
SLACK = 32  # MiB that an allocator may hold back


def asked(shape: str, folder: Path, seed: int) -> dict[str, Any]:
    """Return a large chat, none of whose messages any server has counted if the seed is new."""
    if shape == "messages":
        return {"chat": {"messages": messages(LARGE, LARGE // 1300, seed)}}
    if shape == "text":
        return {"chat": {"text": session(LARGE, seed)}}
    (path := folder / f"{seed}.jsonl").write_text(session(LARGE, seed), encoding="utf-8")
    return {"chat": {"uri": path.as_uri()}}


def test_cancels_at_random_moments_leave_no_work_running(own: WireClient, tmp_path: Path) -> None:
    """Each is answered once, threads rest afterwards, and memory and files come back."""
    number, draw = own.process.pid, random.Random(7)
    for seed, (name, shape) in enumerate(KINDS):  # everything is loaded then
        own.answer(own.start(f"compactChat/{name}", asked(shape, tmp_path, seed)), seconds=SECONDS)
    memory, files = resident(number), open_files(number)

    for seed, (name, shape) in enumerate(KINDS * 2, 100):
        params = {**asked(shape, tmp_path, seed), "workDoneToken": seed}
        command = "workspace/executeCommand", {"command": f"compactChat.{name}", "arguments": [params]}
        request = own.start(*(command if seed % 2 else (f"compactChat/{name}", params)))
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
