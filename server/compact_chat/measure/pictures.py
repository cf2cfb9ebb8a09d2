"""What a picture takes, estimated by the family's rule."""

from __future__ import annotations

from math import ceil, sqrt

from compact_chat.chat import Image
from compact_chat.measure.families import Pictures
from compact_chat.measure.picture_size import Size, picture_size

_TILE, _FITS, _SHORT_SIDE = 512, 2_048, 768


def picture_tokens(image: Image, pictures: Pictures) -> int:
    """Estimate the tokens of a picture; where its size is not known, those of a usual one."""
    size = picture_size(image)
    if size is None:
        return pictures.unknown
    return _patches(size, pictures) if pictures.cap else _tiles(size, pictures)


def _patches(size: Size, pictures: Pictures) -> int:
    """Count patches, with the picture shrunk to the edge and then step by step below the cap."""
    scale = min(1.0, pictures.edge / max(size))
    while (patches := _cells(size, scale, pictures.side)) > pictures.cap:
        scale *= min(0.999, sqrt(pictures.cap / patches))
    return round(patches * pictures.share)


def _tiles(size: Size, pictures: Pictures) -> int:
    """Count tiles, with the picture shrunk into a square and then by its short side."""
    scale = min(1.0, _FITS / max(size))
    scale = min(scale, _SHORT_SIDE / min(size))
    return pictures.base + pictures.tile * _cells(size, scale, _TILE)


def _cells(size: Size, scale: float, side: int) -> int:
    width, height = (ceil(max(1, int(length * scale)) / side) for length in size)
    return width * height
