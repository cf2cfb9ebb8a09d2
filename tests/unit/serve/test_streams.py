"""The two streams of a client: frames in their order, and what happens where it reads no more."""

from __future__ import annotations

import asyncio
import io
import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, cast

import pytest

from compact_chat.serve import client as module
from compact_chat.serve.client import Client
from compact_chat.serve.log import Journal
from compact_chat.serve.rpc import frame, read_body, read_message
from compact_chat.serve.server import ChatServer, has_hung_up


async def written(client: Client, stream: BinaryIO) -> None:
    """Write what waits for a client, and what comes while that goes on."""
    with ThreadPoolExecutor(1) as threads:
        await client.write_to(stream, threads)


def test_frames_are_written_whole_and_in_order() -> None:
    """Large and small frames come out of the pipe as they went in, without waiting for the reader."""

    async def story() -> None:
        reading, writing = os.pipe()
        texts = ["ab"[n % 2] * (n % 3 * 100_000 + 1) for n in range(20)]
        client = Client(Journal(1))
        task = asyncio.create_task(written(client, os.fdopen(writing, "wb", buffering=0)))
        for text in texts:
            client.notify("m", {"text": text})
        client.finish()
        with os.fdopen(reading, "rb") as source:
            found = [await asyncio.to_thread(read_body, source) for _ in texts]
            assert await asyncio.to_thread(source.read) == b""
        await task
        messages = [read_message(one) for one in found if one is not None]
        assert messages == [("m", {"text": text}) for text in texts]

    asyncio.run(story())


def test_a_closed_pipe_ends_the_writing() -> None:
    """Where the other side has closed, the writing ends, and what is sent later is dropped."""

    async def story() -> None:
        reading, writing = os.pipe()
        os.close(reading)
        client = Client(Journal(1))
        client.notify("m", {})
        await written(client, os.fdopen(writing, "wb", buffering=0))
        client.notify("m", {"text": "x" * 2**20})
        assert not client.is_behind
        assert client.room.is_set()

    asyncio.run(story())


def test_room_ends_where_too_much_is_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound there is no room, until the client has taken some."""
    monkeypatch.setattr(module, "UNREAD", 100_000)

    async def story() -> None:
        client = Client(Journal(1))
        client.notify("m", {"text": "x" * 90_000})
        assert client.room.is_set()
        client.notify("m", {"text": "x" * 90_000})
        assert not client.room.is_set()
        task = asyncio.create_task(written(client, cast("BinaryIO", io.BytesIO())))
        await client.room.wait()
        client.finish()
        await task
        assert not client.is_behind

    asyncio.run(story())


class Breaking(io.RawIOBase):
    """A stream that is reset while it is read."""

    def readinto(self, _: Any) -> int:
        """Fail."""
        raise ConnectionResetError

    def readable(self) -> bool:
        """Say that it can be tried."""
        return True


@pytest.mark.parametrize("data", [b"", frame(b'{"jsonrpc":"2.0","id":1,"method":"m"}') * 3, frame(b"[]")[:-1], None])
def test_each_message_is_served_and_then_the_end(data: bytes | None) -> None:
    """Messages are answered in their order, then the session ends, also where the stream breaks."""
    outgoing = io.BytesIO()
    outgoing.close = lambda: None  # type: ignore[method-assign]  # what was written is looked at afterwards
    incoming = io.BufferedReader(Breaking()) if data is None else io.BytesIO(data)

    async def story() -> int:
        left: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        server = ChatServer(cast("BinaryIO", outgoing), left.set_result, lambda _: None)
        server.read(cast("BinaryIO", incoming))
        code = await left
        await server.close()
        await server.writing
        return code

    assert asyncio.run(story()) == 0
    outgoing.seek(0)
    answers = [json.loads(one.partition(b"\r\n\r\n")[2]) for one in outgoing.read().split(b"Content-Length")[1:]]
    assert [one["error"]["code"] for one in answers] == [-32002] * (data or b"").count(b"}")


def test_a_client_that_hung_up_is_known_from_its_stream() -> None:
    """A pipe whose other end is closed has hung up, though there is more to read; an open one has not."""
    incoming, other = os.pipe()
    os.write(other, b"more")
    with open(incoming, "rb", buffering=0) as stream:  # noqa: PTH123 -- a pipe has no path
        assert not has_hung_up(stream)
        os.close(other)
        assert has_hung_up(stream)
