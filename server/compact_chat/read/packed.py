"""Files that a tool has packed with Zstandard, as Codex does with old sessions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from compact_chat.chat import Warning
from compact_chat.errors import TooLarge
from compact_chat.read.held import Held, InMemory, Place

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdDecompressor, ZstdError
else:
    from backports.zstd import ZstdDecompressor, ZstdError

MAX_BYTES = 256 * 2**20  # unpacked: as many as a file may have that is not packed
PACKED = b"\x28\xb5\x2f\xfd"  # how such files begin
_PIECE = 2**16  # packed, given at a time
_ROOM = 2**20  # unpacked, taken at a time: a few bytes may stand for gigabytes
_DAMAGED = Warning("damagedArchive", "The packed file is damaged or cut off; what could be unpacked of it was read.")


class Unpacking:
    """The bytes that a packed file holds, unpacked anew each time that they are gone through."""

    def __init__(self, packed: Held) -> None:
        self._packed = packed
        self.faults: tuple[Warning, ...] = ()

    def whole(self) -> bytes:
        """All that can be unpacked, at once."""
        return b"".join(self.blocks())

    def blocks(self) -> Iterator[bytes]:
        """All that can be unpacked."""
        room = MAX_BYTES
        try:
            for piece in _unpacked(self._packed):
                room -= len(piece)
                if room < 0:
                    raise TooLarge("The file is larger than 256 MiB once it is unpacked; give the part that matters.")
                if piece:
                    yield piece
        except (EOFError, ZstdError):
            self.faults = (_DAMAGED,)

    def pieces(self, places: Iterable[Place]) -> Iterator[bytes]:
        """What lies at the places, in one go through the file."""
        blocks, held, begin = self.blocks(), b"", 0
        for start, length in places:
            while begin + len(held) < start + length and (block := next(blocks, b"")):
                held, begin = _from(start, begin, held) + block, max(begin, min(start, begin + len(held)))
            yield held[start - begin : start - begin + length]


def _from(start: int, begin: int, held: bytes) -> bytes:
    return held[max(start - begin, 0) :]


def _unpacked(packed: Held) -> Iterator[bytes]:
    """Unpack one frame after the other; one that is cut off raises EOFError."""
    pieces = (block[at : at + _PIECE] for block in packed.blocks() for at in range(0, len(block), _PIECE))
    rest = next(pieces, b"")
    while rest:
        frame = ZstdDecompressor()
        while not frame.eof:
            if frame.needs_input and not rest:
                raise EOFError
            given, rest = (rest, b"") if frame.needs_input else (b"", rest)
            yield frame.decompress(given, _ROOM)
            rest = rest or next(pieces, b"")
        rest = frame.unused_data + rest


def beginning(packed: bytes, size: int) -> bytes:
    """The first bytes that a packed file holds, of which the beginning is given."""
    pieces: list[bytes] = []
    try:
        for piece in _unpacked(InMemory(packed)):
            pieces.append(piece)
            size -= len(piece)
            if size <= 0:
                break
    except (EOFError, ZstdError):
        pass  # the end was not given
    return b"".join(pieces)[: size or None]
