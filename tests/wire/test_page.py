"""`compact-chat open` on the wire: the files of its page, its WebSocket, whom it refuses, and when it ends."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import shlex
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from compact_chat.serve.tcp import MAX_FIRST
from tests.page.served import BAKERY, PATIENCE, Served, served
from tests.servers.processes import within

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One process for the tests that only knock at its door."""
    with served(BAKERY, tmp_path_factory.mktemp("home")) as one:
        yield one


class Socket:
    """A WebSocket, by hand."""

    def __init__(self, one: Served, **headers: str) -> None:
        self.passed: list[Any] = []  # what came before an answer
        self.link = socket.create_connection(("127.0.0.1", one.port), PATIENCE)
        self.stream = self.link.makefile("rb")
        host = f"127.0.0.1:{one.port}"
        wanted = {
            "Host": host,
            "Origin": f"http://{host}",
            "Upgrade": "websocket",
            "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Version": "13",
        } | {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{name}: {value}" for name, value in wanted.items() if value]
        self.link.sendall("\r\n".join(["GET /socket HTTP/1.1", *lines, "", ""]).encode())
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline().strip():
            pass

    def send(self, body: bytes, kind: int = TEXT, *, is_last: bool = True, is_masked: bool = True) -> None:
        """Send one frame."""
        size, bit = len(body), 0x80 if is_masked else 0
        head = bytes([(0x80 if is_last else 0) | kind])
        if size < 126:
            head += bytes([bit | size])
        else:
            head += struct.pack("!BH", bit | 126, size) if size < 2**16 else struct.pack("!BQ", bit | 127, size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(body))
        self.link.sendall(head + (mask + masked if is_masked else body))

    def receive(self) -> tuple[int, bytes]:
        """Receive one frame; an empty one of kind 0 at the end of the stream."""
        head = self.stream.read(2)
        if len(head) < 2:
            return 0, b""
        size = head[1]
        if size > 125:
            size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
        return head[0] & 15, self.stream.read(size)

    def call(self, number: int, method: str, params: object) -> Any:
        """Send a request, and return its answer."""
        self.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode())
        while True:
            kind, body = self.receive()
            assert kind == TEXT
            if (message := json.loads(body)).get("id") == number:
                return message
            self.passed.append(message)

    def initialize(self, token: str | None) -> Any:
        """Shake hands."""
        options = {"compactChat": {"token": token}}
        return self.call(1, "initialize", {"processId": None, "capabilities": {}, "initializationOptions": options})

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self.link.shutdown(socket.SHUT_RDWR)
        self.stream.close()
        self.link.close()


def token_of(one: Served) -> str:
    """The token in the fragment of a page's address."""
    return token_in(one.address)


def token_in(address: str) -> str:
    """The token in the fragment of an address."""
    return parse_qs(urlsplit(address).fragment)["token"][0]


def ask(one: Served, path: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    """Send one HTTP request, and return its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", one.port, timeout=PATIENCE)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    return connection.getresponse()


@pytest.mark.parametrize("path", ["/", "/page.js", "/page.css"])
def test_the_files_of_the_page_are_never_stored_and_load_nothing_from_elsewhere(shared: Served, path: str) -> None:
    """No cache, no frame, no inline script or style, nothing remote; neither the token nor the chat is in them."""
    answer = ask(shared, path)
    body = answer.read().decode()

    assert answer.status == 200
    assert answer.getheader("cache-control") == "no-store"
    assert answer.getheader("x-content-type-options") == "nosniff"
    assert answer.getheader("referrer-policy") == "no-referrer"
    policy = dict(part.strip().split(" ", 1) for part in (answer.getheader("content-security-policy") or "").split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert token_of(shared) not in body
    assert "bakery" not in body.lower()


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("/", "GET", {"Host": "example.com"}, 421),
        ("/", "GET", {"Host": "127.0.0.1"}, 421),
        ("/", "POST", {}, 405),
        ("/page.js", "OPTIONS", {}, 405),
        ("/../cli/command.py", "GET", {}, 404),
        ("/index.html", "GET", {}, 404),
        ("/page.js?x", "GET", {}, 404),
        ("//", "GET", {}, 404),
        ("/socket", "GET", {}, 403),
    ],
)
def test_everything_else_is_refused(
    shared: Served, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    """Another name for this machine, another method, another path."""
    answer = ask(shared, path, method, **headers)

    assert (answer.status, answer.read()) == (status, b"")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 2**15 + b"\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    ],
)
def test_what_is_no_request_is_closed(shared: Served, data: bytes) -> None:
    """With no more than a status."""
    with socket.create_connection(("127.0.0.1", shared.port), PATIENCE) as link:
        with contextlib.suppress(OSError):
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            assert b"<html" not in link.makefile("rb").read()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://example.com"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "example.com"}, 421),
        ({"Sec_WebSocket_Version": "8"}, 426),
        ({"Sec_WebSocket_Key": "short"}, 426),
        ({"Upgrade": ""}, 426),
    ],
)
def test_a_socket_of_another_page_is_refused(shared: Served, headers: dict[str, str], status: int) -> None:
    """Its origin must be the page's own address."""
    one = Socket(shared, **headers)

    assert one.status == status
    one.close()


@pytest.mark.parametrize("token", [None, "", "wrong"])
def test_a_socket_without_the_token_is_refused(shared: Served, token: str | None) -> None:
    """One answer, then the end."""
    one = Socket(shared)

    assert one.initialize(token)["error"]["data"]["kind"] == "tokenRefused"
    assert one.receive()[0] in (0, CLOSE)
    one.close()


def test_messages_pass_whole_in_parts_and_between_pings(shared: Served) -> None:
    """A long request in three frames with a ping in between has its answer, which is long too."""
    one = Socket(shared)
    assert "result" in one.initialize(token_of(shared))

    chat = {"uri": BAKERY.as_uri()}
    body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "compactChat/transcript", "params": {"chat": chat}})
    data = (body + " " * 70_000).encode()
    one.send(data[:10], is_last=False)
    one.send(b"still there?", PING)
    one.send(data[10:66_000], 0, is_last=False)
    one.send(data[66_000:], 0)
    assert one.receive() == (PONG, b"still there?")
    kind, answer = one.receive()
    assert kind == TEXT
    assert len(json.loads(answer)["result"]["messages"]) == 56
    one.send(struct.pack("!H", 1000), CLOSE)
    assert one.receive()[0] == CLOSE
    one.close()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x81\x02hi", 1002),  # not masked
        (b"\xc1\x80\x00\x00\x00\x00", 1002),  # of an extension
        (b"\x80\x80\x00\x00\x00\x00", 1002),  # a part of nothing
        (b"\x82\x80\x00\x00\x00\x00", 1002),  # binary
        (b"\x09\x80\x00\x00\x00\x00", 1002),  # a ping in parts
        (b"\x01\x80\x00\x00\x00\x00", 1002),  # a part with nothing in it, before others
        (b"\x81\xff" + b"\x7f" * 8 + b"\x00\x00\x00\x00", 1009),  # too long
    ],
)
def test_a_frame_against_the_rules_ends_the_connection(shared: Served, frame: bytes, code: int) -> None:
    """With the code that says why."""
    one = Socket(shared)
    one.initialize(token_of(shared))

    one.link.sendall(frame)

    assert one.receive() == (CLOSE, struct.pack("!H", code))
    one.close()


def test_before_the_token_a_message_may_be_as_long_as_over_tcp(shared: Served) -> None:
    """What is longer is refused by its header, whole or as the second part."""
    whole, parts = Socket(shared), Socket(shared)

    whole.link.sendall(struct.pack("!BBQ", 0x81, 0xFF, MAX_FIRST + 1))
    parts.send(b" ", is_last=False)
    parts.link.sendall(struct.pack("!BBQ", 0x80, 0xFF, MAX_FIRST))

    for one in (whole, parts):
        assert one.receive() == (CLOSE, struct.pack("!H", 1009))
        one.close()


def test_the_address_of_the_browser_is_good_for_one_connection(tmp_path: Path) -> None:
    """It hears the lasting token, which is that of the address on standard error."""
    given = tmp_path / "given"
    script = "import os, sys; os.symlink(sys.argv[2], sys.argv[1])"  # at once, and whole
    browser = shlex.join([sys.executable, "-c", script, str(given), "%s"])
    with served(BAKERY, tmp_path, {"BROWSER": browser}) as one:
        within(PATIENCE, given.is_symlink)
        launch = token_in(str(given.readlink()))
        pages = [Socket(one) for _ in range(3)]

        assert "result" in pages[0].initialize(launch)
        assert {"method": "page/token", "params": {"token": token_of(one)}}.items() <= pages[0].passed[0].items()
        assert pages[1].initialize(launch)["error"]["data"]["kind"] == "tokenRefused"
        assert "result" in pages[2].initialize(token_of(one))
        for page in pages:
            page.close()


def test_the_process_ends_if_no_page_comes(tmp_path: Path) -> None:
    """Nobody would ever close it."""
    code = f"from compact_chat.serve import page; page.START = 0.01; page.serve_page({BAKERY.as_uri()!r}, print)"
    command = (sys.executable, "-c", code)

    done = subprocess.run(
        command, capture_output=True, env=os.environ | {"HOME": str(tmp_path)}, timeout=PATIENCE, check=False
    )

    assert done.returncode == 0


def test_the_process_waits_for_a_page_that_is_reloaded_and_ends_without_one(tmp_path: Path) -> None:
    """A second connection within the grace time keeps it; after the last one it ends."""
    with served(BAKERY, tmp_path) as one:
        first = Socket(one)
        first.initialize(token_of(one))
        first.close()
        second = Socket(one)
        assert "result" in second.initialize(token_of(one))
        second.close()
        within(PATIENCE, lambda: not one.is_running)
        assert one.process.returncode == 0


def test_a_chat_that_is_not_there_is_told_before_anything_is_served(tmp_path: Path) -> None:
    """Exit code 1, and no address."""
    command = (sys.executable, "-m", "compact_chat", "open", "--no-browser", str(tmp_path / "none.jsonl"))

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert "none.jsonl" in done.stderr
