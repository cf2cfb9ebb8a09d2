"""Files that Zstandard has packed."""

from __future__ import annotations

import json
import sys

import pytest

from compact_chat.errors import TooLarge
from compact_chat.read import Source, codex, read_chat

zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
LINES = b"".join(b'{"n":%d}\n' % number for number in range(1000))
SKIPPED = b"\x50\x2a\x4d\x18\x02\0\0\0ab"  # a frame for others to use


def codes(source: Source) -> list[str]:
    """What is told of a source."""
    return [warning.code for warning in source.warnings]


def test_a_packed_file_is_read_like_any_other() -> None:
    """Its text is that of the file before it was packed, in however many frames."""
    for packed in (
        zstd.compress(LINES),
        zstd.compress(LINES[:5000]) + zstd.compress(LINES[5000:]),
        zstd.compress(LINES[:5000]) + SKIPPED + zstd.compress(LINES[5000:]),
    ):
        source = Source.of_bytes(packed, "rollout.jsonl.zst")
        assert (source.text, codes(source)) == (LINES.decode(), [])


def test_a_packed_session_is_known_by_its_contents() -> None:
    """A cold session of Codex is one, whatever its name."""
    meta = {"type": "session_meta", "payload": {"id": "s"}}
    assert codex.sniff(Source.of_bytes(zstd.compress(json.dumps(meta).encode())))


def test_broken_bytes_in_a_packed_file_are_told() -> None:
    """Bytes that are not UTF-8 are found behind the packing too."""
    source = Source.of_bytes(zstd.compress(b'{"a":"\xff"}'))
    assert (source.records, codes(source)) == (({"a": "\ufffd"},), ["brokenBytes"])


def test_what_can_be_unpacked_is_read() -> None:
    """A file that is cut off, damaged or followed by noise is read as far as it goes, and that is told."""
    noise = bytes(range(256)) * 4096
    long = zstd.compress(
        b"".join(b'{"n":%d,"x":"%s"}\n' % (n, noise[n : n + 60].hex().encode()) for n in range(50_000))
    )
    cut = Source.of_bytes(long[: len(long) * 9 // 10])
    assert cut.records[0]["n"] == 0
    assert codes(cut) == ["damagedArchive"]
    behind = Source.of_bytes(zstd.compress(LINES) + b"noise")
    assert (behind.text, codes(behind)) == (LINES.decode(), ["damagedArchive"])


@pytest.mark.parametrize("data", [b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd" + b"\xff" * 99, b"\x28\xb5\x2f\xfd\0"])
def test_an_archive_of_nothing_is_empty(data: bytes) -> None:
    """Where nothing can be unpacked there is no text, and no failure."""
    source = Source.of_bytes(data)
    assert (source.text, codes(source)) == ("", ["damagedArchive"])


def test_a_bomb_is_refused() -> None:
    """A small file that stands for more than 256 MiB is too large, in one frame or in many."""
    one = zstd.compress(bytes(2**20) * 257)
    assert len(one) < 2**16
    many = zstd.compress(bytes(2**20)) * 257
    for bomb in (one, many):
        with pytest.raises(TooLarge):
            read_chat(Source.of_bytes(bomb))
