"""What a message weighs, by the kind of its parts."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Document, Image, Message, Thinking, Unknown
from compact_chat.measure import Counter, Family, Weight, weigh
from compact_chat.measure.families import CLAUDE, CLAUDE_NEW, GPT, GPT_TILES, UNKNOWN, Pictures, Rates
from compact_chat.measure.weights import PAGE, SEALED_SUMMARY, picture_tokens, shares
from tests.samples.chats import a, anything, call, res, u

BARE = replace(UNKNOWN, per_message=0, per_call=0, per_result=0)
DRESSED = replace(UNKNOWN, per_message=1, per_call=10, per_result=100, per_results=1_000)
PICTURE = Image(data="aGk=")
RATES = Rates(token=1.5, mark=0.25, arrow=-2.0)


CLAUDES = replace(BARE, per_argument=10, thinking=1.5, hidden_thought=130)
SEALED = u(Unknown("compaction", {"type": "compaction", "encrypted_content": "x" * 9_000}))


@pytest.mark.parametrize(
    ("message", "family", "weight"),
    [
        (u("four", "five5"), BARE, Weight(text=9)),
        (a(Thinking("hm")), BARE, Weight(thinking=2)),
        (a("", call("c1")), BARE, Weight(tool_calls=len("look{}"))),
        (a(call("c1", q="é")), BARE, Weight(tool_calls=len('look{"q":"é"}'))),
        (u(res("c1", "abc", PICTURE, "de"), "go"), BARE, Weight(text=2, tool_results=5, images=765)),
        (u(PICTURE, PICTURE), BARE, Weight(images=1_530)),
        (u(), BARE, Weight()),
        (u(Document("a.txt", {"source": {"type": "text", "data": "x" * 50}})), BARE, Weight(text=56)),
        (u(Document("a.pdf", {"source": {"type": "base64", "data": "x" * 9_000}})), BARE, Weight(images=PAGE)),
        (u(Unknown("odd", {"type": "odd", "n": [1]})), BARE, Weight(text=len('{"type":"odd","n":[1]}'))),
        (u(Unknown("audio", {"data": "QUJD" * 10_000})), BARE, Weight(text=len('{"data":""}'))),
        (u(Unknown("audio", {"data": "Q" * 1_000})), BARE, Weight(text=len('{"data":""}') + 1_000)),
        (replace(SEALED, is_summary=True), BARE, Weight(text=SEALED_SUMMARY)),
        (replace(u("abc", *SEALED.parts), is_summary=True), BARE, Weight(text=47)),
        (SEALED, BARE, Weight(text=len('{"type":"compaction","encrypted_content":""}'))),
        (u("four"), DRESSED, Weight(text=5)),
        (u(""), DRESSED, Weight()),
        (a("ok", call("c1"), call("c2")), DRESSED, Weight(text=2, tool_calls=2 * (10 + 6) + 1)),
        (u(res("c1", "")), DRESSED, Weight(tool_results=1_100)),
        (u("hi", PICTURE), DRESSED, Weight(text=2, images=766)),
        (a(call("c1", old="a\nb", n=[1])), CLAUDES, Weight(tool_calls=len("look") + 2 * 10 + 3 + 3)),
        (a(Thinking("four")), CLAUDES, Weight(thinking=6)),
        (a(Thinking(""), Thinking("")), CLAUDES, Weight(thinking=260)),
    ],
)
def test_weigh(message: Message, family: Family, weight: Weight) -> None:
    """Each part goes to its kind, with what the family puts around calls, results and messages.

    V6: text documents and unknown blocks count as text, encoded data never does.
    """
    assert weigh(message, len, family) == weight


@given(anything())
def test_any_message_has_a_weight(messages: tuple[Message, ...]) -> None:
    """No part of any role is an obstacle, and the kinds add up to the total."""
    for message in messages:
        weight = weigh(message, Counter().count, UNKNOWN)
        assert weight.total == weight.words + weight.images
        assert weight.total >= 0


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("plain words", 15.0),
        ('{"a": [1]}', 15.0 + 7 * 0.25),
        ("  1→a\n  2→b", 15.0 - 4.0),
        ("“quoted” – über", 15.0),
        ("→" * 100, 0.0),
        ("\ud83d!!!!", 16.0),
    ],
)
def test_marks_and_arrows(text: str, likely: float) -> None:
    """Marks of ASCII weigh more than the encoding thinks, the arrows of a shown file less, but not below 0."""
    family = replace(BARE, rates=RATES, thinking=100.0)

    assert weigh(a(Thinking(text)), lambda _: 10, family).thinking == pytest.approx(100 * likely)


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
    "webp of three bytes": (webp(b"VP8X", bytes(4) + b"\x02\x01\x01\x01\x02\x01"), (0x10103, 0x10202)),
    "webp lossless": (webp(b"VP8L", b"\x2f" + (799 | 599 << 14).to_bytes(4, "little")), (800, 600)),
    "webp lossy": (webp(b"VP8 ", bytes(6) + struct.pack("<HH", 801, 599)), (801, 599)),
    "jpeg": (JPEG, (640, 480)),
}


PIXELS = Pictures(-1, edge=10**9, cap=10**12, side=1)  # as many tokens as pixels


@pytest.mark.parametrize(("head", "size"), SIZED.values(), ids=SIZED)
def test_picture_size(head: bytes, size: tuple[int, int]) -> None:
    """PNG, GIF, WebP and JPEG tell their size, as data or as a data URL."""
    assert picture_tokens(image(head), PIXELS) == size[0] * size[1]
    assert picture_tokens(Image(url=f"data:image/any;base64,{image(head).data}"), PIXELS) == size[0] * size[1]


@pytest.mark.parametrize(
    "head", [b"", b"\x89PNG\r\n\x1a\n", png(0, 5), b"\xff\xd8\xff", b"\xff\xd8\xff\xd9", b"BM", b"RIFFxxxxWEBPVP9 "]
)
def test_a_picture_that_does_not_tell(head: bytes) -> None:
    """A cut, empty or unknown picture has no size."""
    assert picture_tokens(Image(data=base64.b64encode(head).decode()), PIXELS) == -1


@given(st.binary(max_size=300), st.sampled_from([head for head, _ in SIZED.values()]), st.integers(0, 40))
def test_any_bytes(tail: bytes, head: bytes, cut: int) -> None:
    """Any bytes give a number of tokens."""
    assert picture_tokens(image(head[:cut] + tail), CLAUDE.pictures) > 0


@pytest.mark.parametrize(
    ("size", "old", "new", "tiles"),
    [
        ((200, 200), 64, 64, 255),
        ((1_000, 1_000), 1_296, 1_296, 765),
        ((1_920, 1_080), 1_560, 2_691, 1_105),
        ((1, 1), 1, 1, 255),
    ],
)
def test_picture_tokens(size: tuple[int, int], old: int, new: int, tiles: int) -> None:
    """Claude counts patches under a cap, OpenAI tiles; the published examples come out."""
    picture = image(png(*size))

    assert picture_tokens(picture, CLAUDE.pictures) == old
    assert picture_tokens(picture, CLAUDE_NEW.pictures) == pytest.approx(new, rel=0.01)
    assert picture_tokens(picture, GPT_TILES.pictures) == tiles


@pytest.mark.parametrize(
    ("size", "tokens"), [((1_440, 1_024), 1_728), ((32, 32), 1), ((33, 32), 2), ((2_048, 2_048), 2_995)]
)
def test_newer_gpt_counts_patches(size: tuple[int, int], tokens: int) -> None:
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


SIZES = st.lists(st.floats(0, 1e7), max_size=30)


@given(st.integers(0, 10**7), SIZES)
def test_shares_add_up(total: int, sizes: list[float]) -> None:
    """The shares sum to the total, unless there is nothing to share among."""
    divided = shares(total, sizes)

    assert len(divided) == len(sizes)
    assert sum(divided) == (total if any(round(size * 1_000) for size in sizes) else 0)
    assert min(divided, default=0) >= 0


@given(st.integers(0, 10**6), st.lists(st.integers(1, 10**6), min_size=1, max_size=30))
def test_shares_are_proportional(total: int, sizes: list[int]) -> None:
    """No share is further than one from its exact size."""
    whole = sum(sizes)

    assert all(abs(share - total * size / whole) < 1 for share, size in zip(shares(total, sizes), sizes, strict=True))


def test_the_largest_remainders_are_rounded_up() -> None:
    """What rounding down leaves goes where it is missed most, to the first of equals."""
    assert shares(10, [1, 1, 1]) == (4, 3, 3)
    assert shares(10, [2.6, 2.6, 4.8]) == (3, 2, 5)
