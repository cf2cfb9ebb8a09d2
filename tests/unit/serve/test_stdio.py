"""The writer: frames in their order, and what happens where nobody reads."""

from __future__ import annotations

import io
import os
import threading

from compact_chat.errors import TooLarge
from compact_chat.serve.frames import frame
from compact_chat.serve.stdio import Writer, start_reader


def test_frames_are_written_whole_and_in_order() -> None:
    """Large and small frames come out of the pipe as they went in, without waiting for the reader."""
    reading, writing = os.pipe()
    sent = [bytes([65 + n]) * (n % 3 * 100_000 + 1) for n in range(20)]
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as target:
        writer = Writer(target, lambda: None)
        for data in sent:
            writer.write(data)
        assert source.read(sum(map(len, sent))) == b"".join(sent)
        writer.close()


def test_a_closed_pipe_is_reported() -> None:
    """Where the other side has closed, `broken` is called."""
    reading, writing = os.pipe()
    os.close(reading)
    broken = threading.Event()
    with os.fdopen(writing, "wb", buffering=0) as target:
        writer = Writer(target, broken.set)
        writer.write(b"x")
        assert broken.wait(10)
        writer.close()


def test_the_reader_gives_each_body_and_then_the_end() -> None:
    """Bodies come in their order; after the last one the end is told."""
    found: list[bytes | TooLarge] = []
    ended = threading.Event()
    start_reader(io.BytesIO(frame(b"{}") + frame(b"[]")), found.append, ended.set)
    assert ended.wait(10)
    assert found == [b"{}", b"[]"]
