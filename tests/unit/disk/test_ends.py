"""Of a file only the two ends are read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from compact_chat.disk import files as ends
from compact_chat.disk.files import ends_of, line_end


@pytest.mark.parametrize(
    ("first", "last", "both"),
    [
        (3, 2, (b"012", b"89")),
        (8, 4, (b"01234567", b"89")),
        (10, 4, (b"0123456789", b"")),
        (99, 99, (b"0123456789", b"")),
        (3, 0, (b"012", b"")),
    ],
)
def test_the_ends_never_overlap(tmp_path: Path, first: int, last: int, both: tuple[bytes, bytes]) -> None:
    """The end is what lies behind the beginning; a file that is read whole has none."""
    path = tmp_path / "chat"
    path.write_bytes(b"0123456789")

    assert ends_of(str(path), first, last) == both


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """What has taken a chat's name meanwhile and is no file is refused at once."""
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError):  # noqa: PT011 -- any will do
        ends_of(str(tmp_path / "pipe"), 10, 10)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """Nor is it read."""
    with pytest.raises(OSError):  # noqa: PT011 -- any will do
        ends_of(str(tmp_path), 10, 10)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no devices in folders")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_not_read(device: str) -> None:
    """It could go on for ever, and to read some sets them going."""
    with pytest.raises(OSError):  # noqa: PT011 -- any will do
        ends_of(device, 10, 10)


@pytest.mark.parametrize(
    ("start", "last", "most", "end"),
    [
        (0, 3, 99, b"456"),
        (2, 99, 99, b"23456"),
        (0, 3, 7, b""),
        (0, 3, 8, b"456"),
        (8, 99, 99, b""),
    ],
)
@pytest.mark.parametrize("chunk", [1, 3, 99])
def test_the_end_of_a_line_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, start: int, last: int, most: int, end: bytes
) -> None:
    """Of a line no more is held than is asked for; one that never ends, or not soon enough, has no end."""
    path = tmp_path / "chat"
    path.write_bytes(b"0123456\n89")
    monkeypatch.setattr(ends, "_CHUNK", chunk)

    assert line_end(str(path), start, last, most) == end
