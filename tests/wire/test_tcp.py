"""Several clients over TCP at once: none of them sees, stops or slows another."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.servers.processes import needs_proc, open_files, resident, seconds_until_quiet, thread_states, within
from tests.servers.tcp_server import PATIENCE, TcpClient, TcpServer, request

CLIENTS = 16
UNREAD = 200  # MiB: 64 are documented for answers that nobody reads; more are made of what was begun before


@pytest.fixture(scope="module")
def shared() -> Iterator[TcpServer]:
    """One server with the fake operations, for tests that leave no client in it."""
    with TcpServer() as server:
        yield server


@pytest.fixture
def server() -> Iterator[TcpServer]:
    """A server with the fake operations for one test."""
    with TcpServer() as server:
        yield server


@pytest.fixture
def pair(shared: TcpServer) -> Iterator[tuple[TcpClient, TcpClient]]:
    """Two clients of the shared server."""
    with shared.client({"capabilities": {"of": 0}}) as one, shared.client({"capabilities": {"of": 1}}) as other:
        yield one, other


def settings(mark: Any) -> dict[str, Any]:
    """Give the params that push settings."""
    return {"settings": {"compactChat": {"mark": mark}}}


def test_each_client_has_settings_and_a_greeting_of_its_own(pair: tuple[TcpClient, TcpClient]) -> None:
    """What one client tells of itself and of its settings is not the other's."""
    for number, client in enumerate(pair):
        client.notify("workspace/didChangeConfiguration", settings(number))
    for number, client in enumerate(pair):
        reported = client.call("compactChat/state")
        assert reported["section"] == {"mark": number}
        assert reported["greeting"]["capabilities"] == {"of": number}


def test_ids_are_each_clients_own(pair: tuple[TcpClient, TcpClient]) -> None:
    """Clients that use one id and one token cancel only their own request, and hear only of it."""
    for client in pair:
        asked = {"jsonrpc": "2.0", "id": "same", "method": "compactChat/wait", "params": {"workDoneToken": "same"}}
        client.send(asked)
        client.until(lambda one: one.get("method") == "$/progress")
    for number, client in enumerate(pair):
        client.notify("$/cancelRequest", {"id": "same"})
        assert client.answer("same")["error"]["code"] == -32800
        assert [len(one.answers("same")) for one in pair] == [1, number]
        assert client.call("compactChat/echo", {"a": number}) == {"a": number}


@pytest.mark.parametrize("way", ["shutdown", "exit", "gone", "reset"])
def test_one_client_leaves_and_the_others_stay(server: TcpServer, way: str) -> None:
    """However a client leaves, its connection closes, its work stops, and the others are served as before."""
    worker, other = server.client(), server.client()
    worker.start("compactChat/wait", {"workDoneToken": "w"})  # for a minute, in a thread
    worker.until(lambda one: one.get("method") == "$/progress")
    leave(worker, way)
    if way == "shutdown":
        assert worker.error("compactChat/echo")["code"] == -32600
    else:
        assert worker.ended()
    assert other.call("compactChat/stopped") == {"stopped": True}
    assert other.call("compactChat/echo", {"a": 1}) == {"a": 1}
    assert server.client().call("compactChat/echo", {"a": 2}) == {"a": 2}


def leave(client: TcpClient, way: str) -> None:
    """Leave in one of the ways in which clients leave."""
    if way == "shutdown":
        assert client.call("shutdown") is None
    if way == "exit":
        client.notify("exit", None)
    if way == "gone":
        client.raw(b"Content-Length: 100\r\n\r\n{")
        client.link.shutdown(socket.SHUT_RDWR)
    if way == "reset":  # as the kernel does for a process that is killed with unread input
        client.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.link.shutdown(socket.SHUT_RD)
        client.ended()
        for stream in (client.stdin, client.stdout, client.link):
            stream.close()


def test_a_dead_process_closes_its_own_connection_only(server: TcpServer) -> None:
    """Where the process of a client's `processId` ends, that client's connection closes, and no other."""
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as editor:
        other, orphan = server.client(), server.client(processId=editor.pid)
        editor.kill()
        assert orphan.ended()
    assert other.call("compactChat/echo", {"a": 1}) == {"a": 1}
    assert server.process.poll() is None


@needs_proc
def test_clients_that_left_leave_nothing_behind(server: TcpServer) -> None:
    """Threads and descriptors of clients that came and went, with work or without, are given back."""
    stays, number = server.client(), server.process.pid
    stays.call("compactChat/large", {"characters": 10**5})  # has the server start what it keeps
    before = held(number)
    for _ in range(3):
        for client in [server.client() for _ in range(CLIENTS - 1)]:
            client.call("compactChat/large", {"characters": 10**5})
            client.close()
        within(PATIENCE, lambda: held(number) <= before)
    assert stays.call("compactChat/echo", {"a": 1}) == {"a": 1}


def held(number: int) -> tuple[int, int]:
    """Count what a process holds: descriptors and threads."""
    return len(open_files(number)), len(thread_states(number))


def test_sixteen_clients_and_no_more(server: TcpServer) -> None:
    """Sixteen clients are served at once; one more is turned away, and let in when one has left."""
    clients = [server.client() for _ in range(CLIENTS)]
    for number, client in enumerate(clients):
        assert client.call("compactChat/echo", {"a": number}) == {"a": number}
    refused = server.answers_to(server.hello())
    assert [one["error"]["data"]["kind"] for one in refused] in ([], ["tooLarge"])
    assert server.token not in str(refused)
    clients[5].close()
    within(PATIENCE, lambda: "result" in first_answer(server))
    assert clients[6].call("compactChat/echo", {"a": 1}) == {"a": 1}


def first_answer(server: TcpServer) -> dict[str, Any]:
    """Knock once, and give what is answered, if anything."""
    with server.unauthenticated() as client:
        client.raw(server.hello())
        client.arrived(1, PATIENCE)
        return client.inbox[0] if client.inbox else {}


@needs_proc
def test_a_client_that_stops_reading_holds_up_nobody(server: TcpServer) -> None:
    """Next to a client that asks much and reads nothing, others are served; most of its 400 MB are not even made."""
    other, times, characters = server.client(), 200, 10**6  # of two bytes each
    before = resident(server.process.pid)
    with server.link() as deaf:
        deaf.sendall(server.hello())
        asked = b"".join(request("compactChat/large", {"characters": characters}, n) for n in range(times))
        deaf.sendall(asked)
        assert other.call("compactChat/echo", {"a": 1}) == {"a": 1}
        seconds_until_quiet(server.process.pid)
        assert resident(server.process.pid) - before < UNREAD
        assert count_frames(deaf, times + 1) == times + 1


def count_frames(link: socket.socket, wanted: int) -> int:
    """Read until so many frames have come whole, and give their number."""
    link.settimeout(60)
    found = 0
    with link.makefile("rb") as stream:
        while found < wanted and (line := stream.readline()):
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1]) + 2
                found += len(stream.read(length)) == length
    return found


def test_a_client_that_floods_holds_up_nobody(server: TcpServer) -> None:
    """Next to a client that sends requests without a pause, others are served, and the flood is answered."""
    other, times = server.client(), 5_000
    flood = b"".join(request("compactChat/echo", {}, number) for number in range(times))
    with server.link() as link, ThreadPoolExecutor() as pool:
        link.sendall(server.hello())
        answered = pool.submit(count_frames, link, times + 1)
        pool.submit(link.sendall, flood)
        assert other.call("compactChat/echo", {"a": 1}) == {"a": 1}
        assert answered.result() == times + 1
