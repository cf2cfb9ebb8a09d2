"""The members of a JSON object, decoded one by one: a long list in it need never be held decoded as a whole."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator

import msgspec
from msgspec import Raw

from compact_chat.read.json_text import decode, parse

_PIECE = 2**11
_OBJECT = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[Raw])


def members_of(data: bytes) -> dict[str, Raw]:
    """The members of an object; none where it is no sound one."""
    try:
        _check_utf8(data)
        return _OBJECT.decode(data)
    except (ValueError, RecursionError):
        return {}


def is_list(member: Raw | None) -> bool:
    """Whether a member is a list."""
    return member is not None and bytes(memoryview(member)[:1]) == b"["


def items_of(member: Raw) -> Iterator[object]:
    """The items of a list, decoded one after the other."""
    return map(value_of, _LIST.decode(member))


def opened(held: object) -> object:
    """An object or a list with its members still to be decoded; any other value decoded."""
    if not isinstance(held, Raw):
        return held
    try:
        match bytes(memoryview(held)[:1]):
            case b"{":
                return _OBJECT.decode(held)
            case b"[":
                return _LIST.decode(held)
    except (ValueError, RecursionError):
        pass  # what cannot be decoded by one level may be as a whole
    return value_of(held)


def value_of(member: Raw) -> object:
    """A member decoded, without what is nested too deeply for that; None where a number in it is too long."""
    try:
        return decode(bytes(member))
    except RecursionError:
        return _without_depths(bytes(member))
    except ValueError:
        return None


def _without_depths(data: bytes) -> object:
    try:
        return parse(data)
    except ValueError:
        return None


def _check_utf8(data: bytes) -> None:
    """Raise a ValueError for what is not UTF-8, which what skips values does not see; most pieces are plain ASCII."""
    decoder = getincrementaldecoder("utf-8")()
    for start in range(0, 0 if data.isascii() else len(data), _PIECE):
        piece = data[start : start + _PIECE]
        if not piece.isascii() or decoder.getstate()[0]:
            decoder.decode(piece)
    decoder.decode(b"", final=True)
