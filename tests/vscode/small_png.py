"""Makes a photographed window a small PNG: 256 colours at most, of which those seen most stay just as they are."""

from __future__ import annotations

import base64
import struct
import zlib
from collections import Counter

from playwright.sync_api import Page

MOST = 256
PIXELS = """async png => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let text = "";
    for (const value of data) text += String.fromCharCode(value);
    return { width: image.width, height: image.height, pixels: btoa(text) };
}"""

Colour = tuple[int, int, int]


def shrunk(blank: Page, png: bytes) -> bytes:
    """The same picture; an empty page of the browser unpacks it."""
    told = blank.evaluate(PIXELS, base64.b64encode(png).decode())
    raw = base64.b64decode(told["pixels"])
    colours = list(zip(raw[0::4], raw[1::4], raw[2::4], strict=True))
    return _packed(told["width"], told["height"], _likened(colours))


def _likened(colours: list[Colour]) -> list[Colour]:
    """Each colour as the most frequent one of its neighbourhood, which is as small as can be."""
    counted = Counter(colours)
    for step in range(1, MOST):
        heads: dict[Colour, Colour] = {}
        for colour, _ in counted.most_common():
            heads.setdefault(_cell(colour, step), colour)
        if len(heads) <= MOST:
            break
    return [heads[_cell(colour, step)] for colour in colours]


def _cell(colour: Colour, step: int) -> Colour:
    red, green, blue = colour
    return red // step, green // step, blue // step


def _packed(width: int, height: int, colours: list[Colour]) -> bytes:
    palette = sorted(set(colours))
    place = {colour: bytes([number]) for number, colour in enumerate(palette)}
    rows = (b"".join(place[one] for one in colours[row * width : (row + 1) * width]) for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    content = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    named = ((b"IHDR", header), (b"PLTE", bytes(sum(palette, ()))), (b"IDAT", content), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in named)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
