"""Files that a tool has packed with Zstandard, as Codex does with old sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from compact_chat.chat import Warning
from compact_chat.errors import TooLarge

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

MAX_BYTES = 256 * 2**20  # unpacked: as many as a file may have that is not packed
_PIECE = 2**16  # packed, given at a time
_ROOM = 2**20  # unpacked, taken at a time: a few bytes may stand for gigabytes
_DAMAGED = Warning("damagedArchive", "The packed file is damaged or cut off; what could be unpacked of it was read.")


def unpacked(data: bytes) -> tuple[bytes, tuple[Warning, ...]]:
    """What a packed file holds, as far as it is whole."""
    pieces: list[bytes] = []
    room = MAX_BYTES
    try:
        for piece in _pieces(data):
            pieces.append(piece)
            room -= len(piece)
            if room < 0:
                raise TooLarge("The file is larger than 256 MiB once it is unpacked; give the part that matters.")
    except (EOFError, ZstdError):
        return b"".join(pieces), (_DAMAGED,)
    return b"".join(pieces), ()


def _pieces(data: bytes) -> Iterator[bytes]:
    """Unpack one frame after the other; one that is cut off raises EOFError."""
    place = 0
    while place < len(data):
        frame = ZstdDecompressor()
        while not frame.eof:
            piece = data[place : place + _PIECE] if frame.needs_input else b""
            if frame.needs_input and not piece:
                raise EOFError
            place += len(piece)
            yield frame.decompress(piece, _ROOM)
        place -= len(frame.unused_data)
