"""What a chat is read from: bytes, packed or not, a text, or a caller's document."""

from __future__ import annotations

import json
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from compact_chat.chat import JsonObject
from compact_chat.errors import TooLarge, checkpoints
from compact_chat.read import InMemory, Source, claude_code, codex, read_chat
from compact_chat.read.loose import MAX_RECORDS
from tests.bench.long_chats import claude
from tests.bench.long_chats import codex as long_codex

zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
ODD = (
    b'\xef\xbb\xbf{"a":1}\n\n{"a":2}{"a":3}\r\n{"a":"\xff"}\nnoise\n {"a":4} \r\n[5]\n\0\0\n42\n'
    b'{"a":"\xe2\x80\xa8"}\n{"a":6}{"a'
)
LINES = b"".join(b'{"n":%d}\n' % number for number in range(1000))


class Line(Struct):
    """A record of these files."""

    a: Any = None


def codes(source: Source) -> list[str]:
    """What is wrong with a source."""
    return [warning.code for warning in source.warnings]


def test_sound_records_are_kept() -> None:
    """Glued ones, and those with broken bytes too, without copies for the screen; damage has its line."""
    source = Source.of_bytes(ODD)
    assert [record["a"] for record in source.records] == [1, 2, 3, "\ufffd", 4, "\u2028", 6]
    assert all(record.keys() == {"a"} for record in source.records)
    assert source.damaged_lines == (5, 7, 8, 9, 11)
    assert [(warning.code, warning.line) for warning in source.damage] == [("damagedLine", n) for n in (5, 7, 8, 9, 11)]
    assert [(warning.code, warning.line) for warning in source.warnings] == [("brokenBytes", 4)]


@pytest.mark.parametrize("data", [ODD, b'{"a":1}'])
def test_records_are_found_again_by_their_spots(data: bytes) -> None:
    """A scan keeps what is made of a record, except None; each spot leads to its record."""
    source = Source.of_bytes(data)
    kept = source.scan(Line, lambda line: None if line.a == 3 else line.a)
    spots = [spot for spot, _ in kept]

    assert [value for _, value in kept] == [value for value in (record["a"] for record in source.records) if value != 3]
    assert [record and record["a"] for record in source.values_at(spots)] == [value for _, value in kept]


def test_records_that_are_gone_are_none() -> None:
    """Where the bytes end earlier now, or are no JSON any more, there is no record."""
    spots = [spot for spot, _ in Source.of_bytes(ODD).scan(Line, lambda line: line)]
    for data, kept in ((ODD[:16], [{"a": 1}, *[None] * 6]), (b" \n!" * len(ODD), [None] * 7)):
        assert list(Source.of_bytes(data).values_at(spots)) == kept


def test_what_is_nested_too_deeply_is_cut() -> None:
    """A record is kept without its depths."""
    line = b'{"a":' * 3000 + b"1" + b"}" * 3001
    source = Source.of_bytes(line + b"\n" + line)
    first, _ = source.records
    for _ in range(99):
        first = first["a"]
    assert first == {"a": "[nested too deeply]"}


def test_halves_of_pairs_in_a_text_are_no_damage() -> None:
    """What came as a text may hold what no UTF-8 can; a mark of the byte order is no part of it."""
    source = Source.of_text('\ufeff{"a":"\ud800"}\n{"a":1}')
    assert [record["a"] for record in source.records] == ["\ud800", 1]
    assert (source.damaged_lines, codes(source), source.text[:2]) == ((), [], '{"')


def test_records_without_number_are_refused() -> None:
    """Even next to nothing of each record is too much at some number."""
    with pytest.raises(TooLarge, match="records"):
        Source.of_bytes(b" {}\n" * (MAX_RECORDS + 100)).scan(Line, lambda _: 1)


def test_the_work_can_be_stopped() -> None:
    """There is a checkpoint every few lines."""

    class Stopped(Exception):
        pass

    asked = []

    def check() -> None:
        asked.append(1)
        if len(asked) > 3:
            raise Stopped

    for work in (lambda source: source.records, lambda source: list(source.values())):
        asked.clear()
        with pytest.raises(Stopped), checkpoints(check):
            work(Source.of_bytes(b"{}\n" * 1000))
        assert len(asked) == 4


def test_documents() -> None:
    """A file of one line is a record too; indented JSON is no damaged lines; a caller's document is not copied."""
    one, many = Source.of_text('\n\n{"a":1}\n'), Source.of_text(json.dumps([{"role": "user"}], indent=1))
    assert (one.document, one.records) == ({"a": 1}, ({"a": 1},))
    assert (many.document, many.records, many.damaged_lines) == ([{"role": "user"}], (), ())
    given: JsonObject = {"messages": [{"role": "user", "content": "hi"}]}
    source = Source.of_document(given)
    assert source.document is given
    assert (source.strict, source.records, source.text) == (True, (), "")


# Files that Zstandard has packed.


@pytest.mark.parametrize(
    "packed",
    [
        zstd.compress(LINES),
        zstd.compress(LINES[:5000]) + b"\x50\x2a\x4d\x18\x02\0\0\0ab" + zstd.compress(LINES[5000:]),
    ],
    ids=["one frame", "several, one for others to use"],
)
def test_a_packed_file_is_read_like_any_other(packed: bytes) -> None:
    """Its text is that of the file before it was packed, whatever its name; its records are found by their spots."""
    source = Source.of_bytes(packed)
    assert (source.text, codes(source)) == (LINES.decode(), [])
    spots = [spot for spot, _ in source.scan(Line, lambda line: line)][::300]
    assert list(source.values_at(spots)) == [{"n": number} for number in (0, 300, 600, 900)]


def test_broken_bytes_in_a_packed_file_are_noted() -> None:
    """Bytes that are not UTF-8 are found behind the packing too."""
    source = Source.of_bytes(zstd.compress(b'{"a":"\xff"}'))
    assert (source.records, codes(source)) == (({"a": "\ufffd"},), ["brokenBytes"])


def test_what_can_be_unpacked_is_read() -> None:
    """A file that is cut off, damaged or followed by noise is read as far as it goes, with a warning."""
    noise = bytes(range(256)) * 4096
    long = zstd.compress(
        b"".join(b'{"n":%d,"x":"%s"}\n' % (n, noise[n : n + 60].hex().encode()) for n in range(50_000))
    )
    cut = Source.of_bytes(long[: len(long) * 9 // 10])
    assert cut.records[0]["n"] == 0
    assert codes(cut) == ["damagedArchive"]
    for data, text in ((zstd.compress(LINES) + b"noise", LINES.decode()), (b"\x28\xb5\x2f\xfd" + b"\xff" * 99, "")):
        behind = Source.of_bytes(data)
        assert (behind.text, codes(behind)) == (text, ["damagedArchive"])


def test_a_bomb_is_refused() -> None:
    """A small file that unpacks to more than 256 MiB is too large, in one frame or many; so are many empty ones."""
    one = zstd.compress(bytes(2**20) * 257)
    assert len(one) < 2**16
    for bomb in (one, zstd.compress(bytes(2**20)) * 257, zstd.compress(b"") * 30_000 + one[:99]):
        with pytest.raises(TooLarge):
            read_chat(Source.of_bytes(bomb))


READERS = {"claude-code": claude_code.read, "codex": codex.read}


class InBits(InMemory):
    """Bytes that come in blocks of a few."""

    def blocks(self) -> Iterator[bytes]:
        """All of them."""
        return (self.data[start : start + 700] for start in range(0, len(self.data), 700))


@pytest.mark.parametrize(("tool", "write"), [("claude-code", claude), ("codex", long_codex)])
def test_what_is_dead_is_not_held(tmp_path: Path, tool: str, write: Callable[..., Path]) -> None:
    """Of what stands before a compaction next to nothing stays, be it one megabyte or five."""
    peaks = []
    for size in (1_000_000, 5_000_000):
        data = write(tmp_path / "chat.jsonl", size, live=100_000 / size).read_bytes()
        tracemalloc.start()
        chat = READERS[tool](Source.of_blob(InBits(data)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert 1 < len(chat.messages) < 100

    assert peaks[1] - peaks[0] < 1_000_000
