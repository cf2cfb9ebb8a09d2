"""Files that are no chats, through the server as it is shipped: each is refused once, in time, and with its kind."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from compact_chat.read.document import MAX_MESSAGES, MAX_VALUES
from tests.samples.odd_files import FOREIGN_URIS, INVALID, ODD_FILES, uri_of
from tests.servers.wire_client import WireClient

CODES = {"chatNotFound": -32040, "chatUnreadable": -32041, "tooLarge": -32047, "invalidParams": -32602}
OPERATIONS = ("countTokens", "preview", "summarize", "prompt", "check")
IN_TIME = 10  # seconds; one second, or three for 256 MiB that have to be read, on a machine with nothing else to do
TURNS = [{"role": ("user", "assistant")[n % 2], "content": f"Shelf {n} holds {n * 7} trays. " * 30} for n in range(12)]


def refusal(client: WireClient, uri: str, name: str = "countTokens") -> Any:
    """The error that an operation ends in, which must come within time and once."""
    number = client.start(f"compactChat/{name}", {"chat": {"uri": uri}})
    error = client.answer(number, seconds=IN_TIME)["error"]
    assert len(client.answers(number)) == 1
    assert error["code"] == CODES[error["data"]["kind"]]
    return error


@pytest.fixture(autouse=True)
def still_right(real: WireClient) -> Any:
    """After each test the server counts a small chat as ever."""
    yield
    assert real.call("compactChat/countTokens", {"chat": {"messages": TURNS}})["messageCount"] == len(TURNS)


@pytest.mark.parametrize("name", ODD_FILES)
def test_what_is_no_chat_is_refused(real: WireClient, tmp_path: Path, name: str) -> None:
    """Pipes, devices, folders, loops, lying and endless files: one answer of the right kind, with the caller's URI."""
    uri = uri_of(name, tmp_path)
    error = refusal(real, uri, OPERATIONS[len(name) % len(OPERATIONS)])

    assert error["data"]["kind"] == ODD_FILES[name][0]
    assert error["data"]["uri"] == uri
    assert uri not in error["message"]


@pytest.mark.parametrize("name", FOREIGN_URIS)
def test_other_uris_are_wrong_params(real: WireClient, name: str) -> None:
    """What names no file of this machine is refused with the place where it stands, and never opened."""
    error = refusal(real, FOREIGN_URIS[name], OPERATIONS[len(name) % len(OPERATIONS)])

    assert error["data"] == {
        "kind": INVALID,
        "problems": [{"path": "$.chat.uri", "message": "expected a file: URI on this machine"}],
    }


def test_many_at_once_wait_for_nothing(real: WireClient, tmp_path: Path) -> None:
    """Several of each sort at once do not get into each other's way, and not into that of a sound chat."""
    uris = [uri_of(name, tmp_path) for name in ("absent", "folder", "pipe", "a-terabyte", "empty")] * 9
    numbers = [real.start("compactChat/preview", {"chat": {"uri": uri}}) for uri in uris]
    sound = real.start("compactChat/countTokens", {"chat": {"messages": TURNS}})

    assert real.answer(sound, seconds=IN_TIME)["result"]["messageCount"] == len(TURNS)
    assert all("error" in real.answer(number, seconds=IN_TIME) for number in numbers)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_pipe_with_a_writer_is_no_chat_either(real: WireClient, tmp_path: Path) -> None:
    """What somebody writes into a pipe stays there: the server does not become its reader."""
    os.mkfifo(tmp_path / "pipe")
    both_ends = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        os.write(both_ends, b"hello")
        assert refusal(real, (tmp_path / "pipe").as_uri())["data"]["kind"] == "chatNotFound"
        assert os.read(both_ends, 10) == b"hello"
    finally:
        os.close(both_ends)


def lines(chat: Path, number: int) -> None:
    """Write a chat of a message on each line."""
    chat.write_text("".join(json.dumps(TURNS[n % 2]) + "\n" for n in range(number)))


def test_a_chat_that_grows_all_the_while_is_read_once(real: WireClient, tmp_path: Path) -> None:
    """A file that is written to without a pause is read as it was when it was opened."""
    chat, enough = tmp_path / "chat.jsonl", threading.Event()
    lines(chat, 20)

    def write() -> None:
        with chat.open("ab", buffering=0) as file:
            while not enough.is_set() and file.tell() < 50 * 2**20:
                file.write(b'{"role": "user", "content": "' + b"more " * 5000 + b'"}\n')

    writer = threading.Thread(target=write)
    writer.start()
    try:
        number = real.start("compactChat/countTokens", {"chat": {"uri": chat.as_uri()}})
        assert real.answer(number, seconds=IN_TIME)["result"]["messageCount"] >= 20
    finally:
        enough.set()
        writer.join()


def test_a_chat_that_was_replaced_makes_its_plan_outdated(real: WireClient, tmp_path: Path) -> None:
    """Between preview and summarize a file may be replaced by another, or by what is none."""
    chat = tmp_path / "chat.jsonl"
    lines(chat, 20)
    plan = real.call("compactChat/preview", {"chat": {"uri": chat.as_uri()}})["planId"]

    lines(chat, 22)
    changed = real.error("compactChat/summarize", {"planId": plan})
    chat.unlink()
    chat.mkdir()
    gone = real.error("compactChat/summarize", {"planId": plan})

    assert changed["data"] == {"kind": "planOutdated", "reason": "chatChanged"}
    assert gone["data"] == {"kind": "chatNotFound", "uri": chat.as_uri()}


@pytest.mark.parametrize("way", ["messages", "text", "file", "continuation"])
def test_too_many_messages_are_too_large(real: WireClient, tmp_path: Path, way: str) -> None:
    """However a chat comes, one message beyond the limit is answered with `tooLarge` and what to do."""
    many = [{"role": "user", "content": ""}] * (MAX_MESSAGES + 1)
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps(many))
    given: dict[str, tuple[str, Any]] = {
        "messages": ("countTokens", {"chat": {"messages": many}}),
        "text": ("preview", {"chat": {"text": json.dumps(many)}}),
        "file": ("summarize", {"chat": {"uri": chat.as_uri()}}),
        "continuation": ("continuation", {"summary": "Summary:\nNine shelves.", "messages": many}),
    }
    name, params = given[way]
    error = real.error(f"compactChat/{name}", params)

    assert (error["code"], error["data"]["kind"]) == (-32047, "tooLarge")
    assert error["message"] == "The chat has more than 100,000 messages; give the part of it that matters."
    assert error["data"]["uri"] == (chat.as_uri() if way == "file" else None)


def test_a_file_of_brackets_is_refused_in_time(real: WireClient, tmp_path: Path) -> None:
    """A file of tiny values, which would take a hundred times as much memory, is refused undecoded."""
    chat = tmp_path / "chat.json"
    chat.write_bytes(b"{}\n" * MAX_VALUES)

    assert refusal(real, chat.as_uri())["data"] == {"kind": "tooLarge", "uri": chat.as_uri()}
