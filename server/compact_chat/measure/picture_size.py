"""Width and height of a picture, read off its first bytes."""

from __future__ import annotations

import base64
import struct

from compact_chat.chat import Image

Size = tuple[int, int]

_HEAD = 65_536  # characters of base64 in which a picture tells its size, or we give up
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def picture_size(image: Image) -> Size | None:
    """Read the size of a PNG, GIF, WebP or JPEG; None where it does not tell."""
    encoded = image.data or image.url.partition(";base64,")[2]
    try:
        size = _size_in(base64.b64decode(encoded[:_HEAD]))
    except (ValueError, struct.error, IndexError):
        return None
    return size if size is not None and min(size) > 0 else None


def _size_in(head: bytes) -> Size | None:
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return _pair(">II", head, 16)
    if head.startswith((b"GIF87a", b"GIF89a")):
        return _pair("<HH", head, 6)
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp(head)
    return _jpeg(head) if head.startswith(b"\xff\xd8") else None


def _webp(head: bytes) -> Size | None:
    match head[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(head[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = _pair("<HH", head, 26)
            return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg(head: bytes) -> Size | None:
    """Go from segment to segment until one holds a frame."""
    at = 2
    while head[at] == 0xFF:
        if head[at + 1] in _JPEG_FRAMES:
            height, width = _pair(">HH", head, at + 5)
            return width, height
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None


def _pair(form: str, head: bytes, at: int) -> Size:
    first, second = struct.unpack_from(form, head, at)
    return int(first), int(second)
