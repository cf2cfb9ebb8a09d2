"""The two streams of a client: frames in their order, and what happens where nobody reads."""

from __future__ import annotations

import io
import os
import threading
from typing import Any, BinaryIO, cast

import pytest

from compact_chat.serve import client as streams
from compact_chat.serve.client import Reader, Writer
from compact_chat.serve.rpc import Notification, frame

MESSAGE = b'{"jsonrpc":"2.0","method":"m"}'


def nothing() -> None:
    """Be told, and do nothing."""


def writer_to(target: Any, ended: Any = nothing, drained: Any = nothing) -> Writer:
    """Write to a stream."""
    return Writer(target, ended, drained)


def test_frames_are_written_whole_and_in_order() -> None:
    """Large and small frames come out of the pipe as they went in, without waiting for the reader."""
    reading, writing = os.pipe()
    sent = [bytes([65 + n]) * (n % 3 * 100_000 + 1) for n in range(20)]
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as target:
        writer = writer_to(target)
        for data in sent:
            writer.write(data)
        assert source.read(sum(map(len, sent))) == b"".join(sent)
        writer.finish()
        writer.join(10)


def test_a_closed_pipe_is_reported() -> None:
    """Where the other side has closed, `ended` is called."""
    reading, writing = os.pipe()
    os.close(reading)
    ended = threading.Event()
    with os.fdopen(writing, "wb", buffering=0) as target:
        writer_to(target, ended.set).write(b"x")
        assert ended.wait(10)


def test_what_waits_is_still_written_at_the_end() -> None:
    """After `finish` comes all that was written before, and then `ended`."""
    reading, writing = os.pipe()
    ended = threading.Event()
    writer = writer_to(os.fdopen(writing, "wb", buffering=0), ended.set)
    for _ in range(100):
        writer.write(b"ab")
    writer.finish()
    assert ended.wait(10)
    with os.fdopen(reading, "rb") as source:
        assert source.read() == b"ab" * 100


def test_too_much_unread_holds_up_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound nothing more is read, until the client has taken some; that is told once."""
    monkeypatch.setattr(streams, "UNREAD", 100_000)
    reading, writing = os.pipe()
    drained, taken, ended = threading.Event(), threading.Event(), threading.Event()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as target:
        writer = writer_to(target, nothing, drained.set)
        for _ in range(3):
            writer.write(b"x" * 90_000)
        assert writer.is_full
        Reader(lambda *_: taken.set(), writer, ended.set).start(io.BytesIO(frame(MESSAGE)))
        assert not taken.wait(0.05)
        assert len(source.read(270_000)) == 270_000
        assert taken.wait(10)
        assert drained.wait(10)
        assert ended.wait(10)
        assert not writer.is_full
        writer.finish()
        writer.join(10)


def test_the_reader_gives_each_message_and_then_the_end() -> None:
    """Messages come in their order beside their bodies; after the last one the end is told."""
    found: list[Any] = []
    ended = threading.Event()
    Reader(lambda *came: found.append(came), writer_to(io.BytesIO()), ended.set).start(
        io.BytesIO(frame(MESSAGE) + frame(b"[]"))
    )
    assert ended.wait(10)
    assert found[0] == (Notification("m", {}), MESSAGE)
    assert found[1][1] == b"[]"


def test_no_more_is_read_than_is_looked_at() -> None:
    """The reader stays a bounded number of messages ahead."""
    taken: list[object] = []
    ended = threading.Event()
    reader = Reader(lambda *_: taken.append(None), writer_to(io.BytesIO()), ended.set)
    reader.start(io.BytesIO(frame(MESSAGE) * 100))
    assert not ended.wait(0.05)
    assert len(taken) == streams.AHEAD
    for _ in range(100):
        reader.go_on()
    assert ended.wait(10)
    assert len(taken) == 100


def test_a_stream_that_breaks_ends_the_reading() -> None:
    """An error of the stream is its end, and nothing else."""
    ended = threading.Event()

    class Breaking(io.RawIOBase):
        def readinto(self, _: Any) -> int:
            raise ConnectionResetError

        def readable(self) -> bool:
            return True

    stream = cast("BinaryIO", io.BufferedReader(Breaking()))
    Reader(lambda *_: None, writer_to(io.BytesIO()), ended.set).start(stream)
    assert ended.wait(10)
    assert stream.closed
