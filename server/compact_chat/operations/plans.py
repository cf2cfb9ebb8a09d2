"""The plans that a client was shown, with what they were made of, in bounded room."""

from __future__ import annotations

import gc
import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from sys import getsizeof
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct, structs

from compact_chat.operations.params import ChatRef
from compact_chat.options import Options

MOST = 100
# Bytes of chats that came in requests: half a dozen that fill a context of a million tokens, each once for all of its
# versions. One that is larger is remembered all the same, but alone.
ROOM = 64 * 2**20
OF_A_PIECE = 300  # bytes that it takes to know a piece again

Key = bytes | int
_encoder = msgspec.json.Encoder()


class Remembered(Struct, frozen=True):
    """What a plan was made of: where its chat is, which is read again since it may have changed, and its options."""

    ref: ChatRef
    options: Options


class Piece(Struct):
    """A part of a plan, kept once for all plans that hold the same, and its size in bytes."""

    key: Key
    thing: Any
    size: int
    uses: int = 0


class Plans:
    """The last plans of one client; those of a chat that grows share the messages that they have in common."""

    def __init__(self, room: int = ROOM) -> None:
        self.size = 0  # bytes of all that is remembered
        self._room = room
        self._plans: OrderedDict[str, tuple[Piece, ...]] = OrderedDict()
        self._pieces: dict[Key, Piece] = {}
        self._lock = Lock()  # plans are made in many threads; what takes long is done outside it

    def remember(self, plan_id: str, plan: Remembered) -> None:
        """Keep a plan, all of it or nothing, and let the oldest go."""
        pieces = tuple(map(self._piece, _things(plan)))
        with self._lock:
            self._forget(plan_id)
            self._plans[plan_id] = tuple(map(self._held, pieces))
            self.size += getsizeof(pieces)
            while len(self._plans) > MOST or (self.size > self._room and len(self._plans) > 1):
                self._forget(next(iter(self._plans)))

    def recall(self, plan_id: str) -> Remembered | None:
        """Give a plan that was shown here, if it is not forgotten."""
        if (known := self._plans.get(plan_id)) is None:
            return None
        options, bare, *messages = (piece.thing for piece in known)
        return Remembered(bare if bare.messages is None else structs.replace(bare, messages=messages), options)

    def _piece(self, thing: Any) -> Piece:
        key = _key(thing)
        return self._pieces.get(key) or Piece(key, thing, OF_A_PIECE + _size(thing))

    def _held(self, piece: Piece) -> Piece:
        piece = self._pieces.setdefault(piece.key, piece)
        self.size += 0 if piece.uses else piece.size
        piece.uses += 1
        return piece

    def _forget(self, plan_id: str) -> None:
        pieces = self._plans.pop(plan_id, ())
        self.size -= getsizeof(pieces) if pieces else 0
        for piece in pieces:
            piece.uses -= 1
            if not piece.uses:
                del self._pieces[piece.key]
                self.size -= piece.size


def _things(plan: Remembered) -> Iterator[Any]:
    """Take a plan apart: its options, its chat but for the messages, and each message."""
    yield plan.options
    yield plan.ref if plan.ref.messages is None else structs.replace(plan.ref, messages=[])
    yield from plan.ref.messages or ()


def _key(thing: Any) -> Key:
    """Give what only things of the same content share."""
    try:
        return hashlib.blake2b(_encoder.encode([type(thing).__name__, thing]), digest_size=16).digest()
    except (UnicodeEncodeError, RecursionError):  # lone surrogates, or nested too deeply: not worth sharing
        return id(thing)


def _size(thing: Any) -> int:
    """Give the bytes of memory that a thing and all that it holds take."""
    seen: dict[int, object] = {}
    layer: list[object] = [thing]
    while layer:
        fresh = {id(one): one for one in layer if id(one) not in seen}
        seen |= fresh
        layer = [one for one in gc.get_referents(*fresh.values()) if not isinstance(one, type)]
    return sum(getsizeof(one) for one in seen.values())
