"""A chat's file is read piece by piece, whatever happens to it meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from compact_chat.chat import Chat
from compact_chat.disk import files, open_file
from compact_chat.errors import ChatNotFound, ChatUnreadable, TooLarge
from compact_chat.operations import ChatRef
from compact_chat.operations.chats import chat_of
from compact_chat.read import Blob, Range, Source, read_chat
from compact_chat.read.blob import MARK, numbered_lines
from tests.samples.odd_files import uri_of

# A tool that writes the lines of a session, each in two halves; two hundred whenever it is told to.
WRITER = """
import json, sys
number, parent = 0, "u0"
with open(sys.argv[1], "ab", buffering=0) as file:
    for _ in sys.stdin:
        for number in range(number + 1, number + 200):
            message = {"role": "user", "content": "x" * (number % 700)}
            record = {"parentUuid": parent, "type": "user", "uuid": f"u{number}", "sessionId": "s", "message": message}
            line = json.dumps(record).encode() + b"\\n"
            file.write(line[: number % len(line)])
            file.write(line[number % len(line) :])
            parent = f"u{number}"
        print(flush=True)
"""


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is one of those that are not held."""
    monkeypatch.setattr(files, "SMALL", 0)


def session(number: int) -> bytes:
    """A session of Claude Code of so many messages."""
    records = (
        {"parentUuid": f"u{n - 1}" if n else None, "type": "user", "uuid": f"u{n}", "sessionId": "s"}
        | {"message": {"role": "user", "content": f"é {n}"}}
        for n in range(number)
    )
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


@pytest.mark.parametrize("small", [0, 2**20])
def test_the_blocks_and_pieces_are_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """All of a file, and any place of it, as often as one likes."""
    monkeypatch.setattr(files, "SMALL", small)
    monkeypatch.setattr(files, "BLOCK", 1000)
    data = session(40)
    (tmp_path / "chat.jsonl").write_bytes(data)
    with open_file((tmp_path / "chat.jsonl").as_uri()) as held:
        assert held.whole().removeprefix(MARK) == held.whole().removeprefix(MARK) == data
        assert list(held.ranges([(5, 10), (5, 10), (900, 300)])) == [data[5:15], data[5:15], data[900:1200]]
        assert list(held.ranges([(len(data) - 3, 9), (len(data), 9)])) == [data[-3:], b""]
        lines = list(numbered_lines(held))
    assert b"\n".join(line for _, _, line in lines) == data
    assert all(data[start:].startswith(line) for _, start, line in lines)
    assert [number for number, _, _ in lines] == list(range(1, 42))


@pytest.mark.parametrize(("name", "kind"), [("absent", ChatNotFound), ("a-terabyte", TooLarge)])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str, kind: type[Exception]) -> None:
    """Opening refuses what reading would."""
    with pytest.raises(kind), open_file(uri_of(name, tmp_path)):
        pass


def test_a_disk_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: None) -> None:  # noqa: ARG001 -- a fixture
    """A file that cannot be read any further is an error with its URI."""
    (tmp_path / "chat.jsonl").write_bytes(session(2))
    uri = (tmp_path / "chat.jsonl").as_uri()

    def fail(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", fail)
    with pytest.raises(ChatUnreadable) as caught, open_file(uri) as held:
        held.whole()
    assert caught.value.data["uri"] == uri


class Meddled:
    """Bytes of a file to which something happens after it was gone through, and before its live lines are decoded."""

    def __init__(self, held: Blob, meddle: Callable[[], object]) -> None:
        self._held, self._meddle = held, meddle

    def whole(self) -> bytes:
        """All of them at once."""
        return self._held.whole()

    def blocks(self) -> Iterator[bytes]:
        """All of them."""
        return self._held.blocks()

    def ranges(self, places: Iterable[Range]) -> Iterator[bytes]:
        """What lies there."""
        self._meddle()
        return self._held.ranges(places)


def read_meddled(path: Path, meddle: Callable[[], object]) -> Chat:
    """Read a session to which something happens between the first look and the second."""
    with open_file(path.as_uri()) as held:
        return read_chat(Source.of_blob(Meddled(held, meddle)))


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda path, data: os.truncate(path, len(data) // 2), 10),
        (lambda path, data: path.write_bytes(b" " * len(data)), 0),
        (lambda path, data: path.write_bytes(data[: data.index(b"u1")] + session(99)), 0),
    ],
    ids=["cut off", "blanked", "written anew"],
)
def test_a_file_that_is_changed_while_it_is_read(
    tmp_path: Path, change: Callable[[Path, bytes], object], left: int
) -> None:
    """What is still there is read, and the rest is said to be gone."""
    path, data = tmp_path / "chat.jsonl", session(20)
    path.write_bytes(data)

    chat = read_meddled(path, lambda: change(path, data))

    assert abs(len(chat.messages) - left) <= 2
    assert [warning.code for warning in chat.warnings] == ["changedWhileRead"]


@pytest.mark.usefixtures("large")
def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    """What was there when we looked is the chat, and nobody is warned of what came later."""
    path, data = tmp_path / "chat.jsonl", session(20)
    path.write_bytes(data)

    chat = read_meddled(path, lambda: path.write_bytes(session(30)))

    assert (len(chat.messages), chat.warnings) == (20, ())


def read_beside(writer: subprocess.Popen[bytes], path: Path) -> Iterator[Chat]:
    """Let the tool write on, and read a few times meanwhile."""
    assert writer.stdin
    assert writer.stdout
    writer.stdin.write(b"\n")
    writer.stdin.flush()
    yield from (chat_of(ChatRef(uri=path.as_uri())) for _ in range(3))
    writer.stdout.readline()


@pytest.mark.parametrize("small", [0, 2**20])
def test_a_tool_writes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """While a session is written it is read again and again: it only grows, and at most its last line is damaged."""
    monkeypatch.setattr(files, "SMALL", small)
    path = tmp_path / "chat.jsonl"
    path.write_bytes(session(1))
    command = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        chats = [chat for _ in range(6) for chat in read_beside(writer, path)]

    assert all(len(before.messages) <= len(behind.messages) for before, behind in pairwise(chats))
    assert all(chat.messages == chats[-1].messages[: len(chat.messages)] for chat in chats)
    lines = [[warning.line for warning in chat.warnings] for chat in chats]
    assert all(told in ([], [len(chat.messages) + 1]) for told, chat in zip(lines, chats, strict=True))
