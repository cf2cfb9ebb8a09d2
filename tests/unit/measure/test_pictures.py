"""Pictures are priced by their size, which their first bytes tell."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compact_chat.chat import Image
from compact_chat.measure.families import CLAUDE, CLAUDE_NEW, GPT, GPT_TILES
from compact_chat.measure.weights import Size, picture_size, picture_tokens


def image(head: bytes) -> Image:
    """A picture of these first bytes."""
    return Image("image/any", base64.b64encode(head + bytes(30)).decode())


def png(width: int, height: int) -> bytes:
    """The head of a PNG."""
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)


def webp(kind: bytes, body: bytes) -> bytes:
    """The head of a WebP."""
    return b"RIFF" + bytes(4) + b"WEBP" + kind + bytes(4) + body


JPEG = b"\xff\xd8\xff\xe0\x00\x06abcd\xff\xc4\x00\x03a\xff\xc2\x00\x11\x08" + struct.pack(">HH", 480, 640)
SIZED = {
    "png": (png(1_000, 2_000), (1_000, 2_000)),
    "gif": (b"GIF89a" + struct.pack("<HH", 320, 200), (320, 200)),
    "webp extended": (webp(b"VP8X", bytes(4) + (799).to_bytes(3, "little") + (599).to_bytes(3, "little")), (800, 600)),
    "webp lossless": (webp(b"VP8L", b"\x2f" + (799 | 599 << 14).to_bytes(4, "little")), (800, 600)),
    "webp lossy": (webp(b"VP8 ", bytes(6) + struct.pack("<HH", 800, 600)), (800, 600)),
    "jpeg": (JPEG, (640, 480)),
}


@pytest.mark.parametrize(("head", "size"), SIZED.values(), ids=SIZED)
def test_picture_size(head: bytes, size: Size) -> None:
    """PNG, GIF, WebP and JPEG tell their size, as data or as a data URL."""
    assert picture_size(image(head)) == size
    assert picture_size(Image(url=f"data:image/any;base64,{image(head).data}")) == size


@pytest.mark.parametrize(
    "head", [b"", b"\x89PNG\r\n\x1a\n", png(0, 5), b"\xff\xd8\xff", b"\xff\xd8\xff\xd9", b"BM", b"RIFFxxxxWEBPVP9 "]
)
def test_a_picture_that_does_not_tell(head: bytes) -> None:
    """A cut, empty or unknown picture has no size."""
    assert picture_size(Image(data=base64.b64encode(head).decode())) is None


@pytest.mark.parametrize("data", ["aGk", "\ud83d", "äöü", "!", "A" * 200_001])
def test_damaged_base64(data: str) -> None:
    """Text that is no base64 is no picture with a size."""
    assert picture_size(Image(data=data)) is None


@given(st.binary(max_size=300), st.sampled_from([head for head, _ in SIZED.values()]), st.integers(0, 40))
def test_any_bytes(tail: bytes, head: bytes, cut: int) -> None:
    """Any bytes give a size above nothing, or none."""
    size = picture_size(image(head[:cut] + tail))

    assert size is None or min(size) > 0


@pytest.mark.parametrize(
    ("size", "old", "new", "tiles"),
    [
        ((200, 200), 64, 64, 255),
        ((1_000, 1_000), 1_296, 1_296, 765),
        ((1_920, 1_080), 1_560, 2_691, 1_105),
        ((3_840, 2_160), 1_560, 4_784, 1_105),
        ((1, 1), 1, 1, 255),
    ],
)
def test_picture_tokens(size: Size, old: int, new: int, tiles: int) -> None:
    """Claude counts patches under a cap, OpenAI tiles; the published examples come out."""
    picture = image(png(*size))

    assert picture_tokens(picture, CLAUDE.pictures) == old
    assert picture_tokens(picture, CLAUDE_NEW.pictures) == pytest.approx(new, rel=0.01)
    assert picture_tokens(picture, GPT_TILES.pictures) == tiles


@pytest.mark.parametrize(
    ("size", "tokens"), [((1_440, 1_024), 1_728), ((32, 32), 1), ((33, 32), 2), ((2_048, 2_048), 2_995)]
)
def test_newer_gpt_counts_patches(size: Size, tokens: int) -> None:
    """Since 5.4, OpenAI counts patches of 32 pixels with a fifth on top, up to its cap."""
    assert picture_tokens(image(png(*size)), GPT.pictures) == pytest.approx(tokens, rel=0.01)


def test_unknown_size() -> None:
    """V6: a picture of unknown size weighs what a usual one does, never what its base64 would."""
    assert picture_tokens(Image("image/png", "aGk=" * 100_000), CLAUDE.pictures) == 1_600
    assert picture_tokens(Image(url="https://example.com/a.png"), GPT_TILES.pictures) == 765


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_no_picture_is_over_the_cap(width: int, height: int) -> None:
    """However large, and however narrow, a picture stays under the family's cap."""
    assert 1 <= picture_tokens(image(png(width, height)), CLAUDE.pictures) <= 1_568
