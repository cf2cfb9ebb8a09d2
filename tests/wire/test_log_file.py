"""The log file: it tells what happened on the wire by names, lengths and hashes, and never a word of what was said."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.servers.tcp_server import FAKE_SERVE, ROOT, TcpServer, one_sentence, request, serve
from tests.servers.wire_client import WireClient

CANARY = "Zephyrine"
UNFIT = {
    f'{{"{CANARY}': None,
    f'"{CANARY}\xff"': None,
    f'{{"id":"{CANARY}","{CANARY}":1}}': CANARY,
    f'{{"id":"{CANARY}","params":{"[" * 999}"{CANARY}"{"]" * 999}}}': CANARY,
}
MAX_LOG = 5 * 2**20
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the log is to be."""
    folder = tmp_path / "folder of logs"
    folder.mkdir()
    return folder / "server.log"


@contextmanager
def logged(log: Path) -> Iterator[WireClient]:
    """Give a client of a server that keeps a log, shut down in order at the end."""
    client = WireClient((*FAKE_SERVE, "--log-file", str(log)))
    try:
        client.initialize()
        yield client
        client.call("shutdown")
        client.notify("exit", None)
        assert client.end() == 0
    finally:
        client.close()
    assert client.stray == []


def body_of(number: object, text: str = "x", method: str = "compactChat/echo") -> bytes:
    """Give the body of a request."""
    return request(method, {"text": text}, number).partition(b"\r\n\r\n")[2]


def fields(line: str) -> dict[str, str]:
    """Read what is named in a line."""
    return dict(re.findall(r"(\w+)=(\S+)", line))


def lines(log: Path, *words: str) -> list[str]:
    """Give the lines that have all of these words."""
    return [line for line in log.read_text("utf-8").split("\n") if line and set(words) <= set(line.split())]


def is_recent(line: str) -> bool:
    """Say whether a line begins with the time of now, in UTC."""
    return abs(datetime.now(UTC) - datetime.fromisoformat(line.split(maxsplit=1)[0])) < timedelta(minutes=5)


def test_each_message_is_one_line(log: Path) -> None:
    """A request, its answer and a notification are a line each: time, client, direction, method, id, bytes, hash."""
    asked = body_of(77)
    with logged(log) as client:
        client.reply_to(asked, 77)
        client.notify("workspace/didChangeConfiguration", {"settings": {}})
    came, went = lines(log, "id=77")
    assert {"<-", "request", "compactChat/echo"} <= set(came.split())
    assert {"->", "answer", "compactChat/echo", "result"} <= set(went.split())
    assert fields(came)["client"] == fields(went)["client"] == "1"
    assert fields(came)["bytes"] == str(len(asked))
    assert fields(came)["blake2"] == hashlib.blake2b(asked, digest_size=6).hexdigest()
    assert float(fields(went)["seconds"]) >= 0
    assert len(lines(log, "<-", "notification", "workspace/didChangeConfiguration")) == 1
    assert len(lines(log, "<-", "notification", "exit")) == 1
    assert all(is_recent(line) for line in lines(log))


def test_names_that_are_not_ours_are_hashed(log: Path) -> None:
    """An unknown method and an id that is text appear by length and hash, the same each time."""
    with logged(log) as client:
        for method in (CANARY, "$/" + CANARY, "é\ud800\n" + CANARY):
            client.reply_to(body_of(CANARY + "1", method=method), CANARY + "1")
            client.notify(method, {})
    for length in (9, 11, 15):
        unknown = re.findall(rf"unknown:{length}:[0-9a-f]{{12}}", log.read_text("utf-8"))
        assert (len(unknown), len(set(unknown))) == (3, 1)
    assert len(set(re.findall(r"id=10:[0-9a-f]{12}", log.read_text("utf-8")))) == 1


def provoke(client: WireClient) -> None:
    """Have everything come and go that a message can hold, each with the canary in it."""
    reported = {CANARY: [CANARY], "workDoneToken": CANARY, "partialResultToken": CANARY, "times": 3}
    for name in ("echo", "fail", "refuse", "stumble", "unwritable", "tell", "state", CANARY):
        client.send({"jsonrpc": "2.0", "id": f"{CANARY}-{name}", "method": f"compactChat/{name}", "params": reported})
        client.answer(f"{CANARY}-{name}")
    client.error("workspace/executeCommand", {"command": f"compactChat.{CANARY}", "arguments": [reported]})
    for section in ({CANARY: CANARY}, "fail"):
        client.notify("workspace/didChangeConfiguration", {"settings": {"compactChat": section}})
    client.notify("$/cancelRequest", {"id": CANARY})
    client.notify(f"{CANARY}\r\nforged {CANARY}", reported)
    client.error("initialize", {"rootUri": CANARY})
    client.raw(f"{CANARY}: {CANARY}\r\nContent-Type: {CANARY}\r\n".encode())
    for text, under in UNFIT.items():
        client.reply_to(text.encode("latin-1"), under)
    client.send({"jsonrpc": "2.0", "id": CANARY, "error": {"code": 1, "message": CANARY}})
    client.call("compactChat/echo", {})


def test_no_word_of_a_message_is_in_it(log: Path) -> None:
    """Of texts, keys, names, settings and errors in messages nothing is in the log, nor on standard error."""
    with logged(log) as client:
        provoke(client)
    heard = log.read_text("utf-8") + "".join(client.log)
    for word in (CANARY, "secret", "Traceback", "forged", str(ROOT), "site-packages"):
        assert word.lower() not in heard.lower()
    assert all(is_recent(line) for line in lines(log))
    came, went = lines(log, "<-", "request"), lines(log, "->", "answer")
    assert len(came) + len(lines(log, "<-", "unfit")) == len(went)


def test_clients_over_tcp_are_told_apart(log: Path) -> None:
    """Each connection has a number of its own in the log; the token is not in it, nor what strangers say."""
    with TcpServer("--log-file", str(log)) as server:
        for text in ("one", "other"):
            client = server.client({"capabilities": {"name": CANARY}})
            client.reply_to(body_of(55, text), 55)
        for data in (server.hello(CANARY), request(CANARY, CANARY, CANARY), f"GET /{CANARY} HTTP/1.1\r\n\r\n".encode()):
            server.answers_to(data)
        server.end()
        assert server.token not in log.read_text("utf-8")
    assert [fields(line)["client"] for line in lines(log, "<-", "id=55")] == ["1", "2"]
    assert CANARY not in log.read_text("utf-8")


@POSIX
@pytest.mark.parametrize("mask", [0, 0o777], ids=oct)
def test_only_its_owner_can_read_it(log: Path, mask: int) -> None:
    """The file is created with 0600, however loose the mask of the process is, and so is the one after a rotation."""
    before = os.umask(mask)
    try:
        with logged(log):
            pass
        assert stat.S_IMODE(log.stat().st_mode) == 0o600 & ~mask
        log.chmod(0o600)
        fill(log, MAX_LOG - 100)
        with logged(log):
            pass
    finally:
        os.umask(before)
    assert {stat.S_IMODE(path.stat().st_mode) for path in log.parent.iterdir()} == {0o600, 0o600 & ~mask}


def fill(log: Path, length: int) -> None:
    """Have a log be of a length, as after a long time."""
    log.write_bytes((b"x" * 99 + b"\n") * (length // 100))
    os.truncate(log, length)


def test_it_goes_on_where_it_ended(log: Path) -> None:
    """Two servers at once append to one file; below 5 MB nothing is rotated."""
    fill(log, 4_900_000)
    with logged(log) as one, logged(log) as other:
        one.reply_to(body_of(42), 42)
        other.reply_to(body_of(43), 43)
    assert [len(lines(log, f"id={number}")) for number in (42, 43)] == [2, 2]
    assert [path.name for path in log.parent.iterdir()] == [log.name]
    assert log.stat().st_size > 4_900_000


def test_one_old_file_is_kept(log: Path) -> None:
    """At 5 MB a new file is begun while the server runs; the one before stays, an older one goes."""
    for number in (61, 62):
        fill(log, MAX_LOG - 2000)
        with logged(log) as client:
            for extra in range(20):
                client.reply_to(body_of(number * 100 + extra), number * 100 + extra)
        old = next(path for path in log.parent.iterdir() if path != log)
        assert len(list(log.parent.iterdir())) == 2
        assert log.stat().st_size < 20_000
        assert MAX_LOG - 1000 < old.stat().st_size <= MAX_LOG
        reported = [fields(line)["id"] for line in (*lines(old, "<-", "request"), *lines(log, "<-", "request"))]
        assert [one for one in reported if len(one) == 4] == [str(number * 100 + extra) for extra in range(20)]


@pytest.mark.parametrize("place", ["absent/server.log", "", "x" * 300, "."])
def test_a_place_that_cannot_be_written_fails(tmp_path: Path, place: str) -> None:
    """Where no log can be kept the server does not start: code 1, one sentence, and nothing for clients."""
    reported = serve("--log-file", str(tmp_path / place), *(["--tcp", "127.0.0.1:0"] if place == "." else []))
    assert reported.returncode == 1
    assert one_sentence(reported), reported


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk to write to")
def test_a_full_disk_disturbs_nobody() -> None:
    """Where the log cannot be written any more, serving goes on in silence, to the end with code 0."""
    with TcpServer("--log-file", "/dev/full") as server:
        client = server.client()
        assert client.call("compactChat/echo", {"a": "x" * 10**5})["a"][0] == "x"
        assert client.error("compactChat/fail", {})["data"] == {"kind": "internal"}
        assert server.end() == 0
        assert server.log == []
