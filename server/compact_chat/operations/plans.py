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

from compact_chat.chat import Chat
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
    """What a plan was made of: the file, which is read again since it may have changed, or the chat; its options."""

    file: ChatRef | None
    chat: Chat | None
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
        self._plans: OrderedDict[str, tuple[ChatRef | None, tuple[Piece, ...]]] = OrderedDict()
        self._pieces: dict[Key, Piece] = {}
        self._lock = Lock()  # plans are made in many threads; what takes long is done outside it

    def remember(self, plan_id: str, plan: Remembered) -> None:
        """Keep a plan, all of it or nothing, and let the oldest go."""
        pieces = tuple(map(self._piece, _things(plan)))
        with self._lock:
            self._forget(plan_id)
            self._plans[plan_id] = plan.file, tuple(map(self._held, pieces))
            self.size += getsizeof(pieces)
            while len(self._plans) > MOST or (self.size > self._room and len(self._plans) > 1):
                self._forget(next(iter(self._plans)))

    def recall(self, plan_id: str) -> Remembered | None:
        """Give a plan that was shown here, if it is not forgotten."""
        if (known := self._plans.get(plan_id)) is None:
            return None
        file, pieces = known
        options, bare, *messages = (piece.thing for piece in pieces)
        return Remembered(file, bare and structs.replace(bare, messages=tuple(messages)), options)

    def _piece(self, thing: Any) -> Piece:
        key = _key(thing)
        return self._pieces.get(key) or Piece(key, thing, OF_A_PIECE + _size(thing))

    def _held(self, piece: Piece) -> Piece:
        piece = self._pieces.setdefault(piece.key, piece)
        self.size += 0 if piece.uses else piece.size
        piece.uses += 1
        return piece

    def _forget(self, plan_id: str) -> None:
        _, pieces = self._plans.pop(plan_id, (None, ()))
        self.size -= getsizeof(pieces) if pieces else 0
        for piece in pieces:
            piece.uses -= 1
            if not piece.uses:
                del self._pieces[piece.key]
                self.size -= piece.size


def _things(plan: Remembered) -> Iterator[Any]:
    """Take a plan apart: its options, its chat but for the messages, and each message."""
    yield plan.options
    yield plan.chat and structs.replace(plan.chat, messages=())
    yield from plan.chat.messages if plan.chat else ()


def _key(thing: Any) -> Key:
    """Give what only things of the same content share; JSON alone tells some of a message's parts not apart."""
    names = [type(one).__name__ for one in (thing, *getattr(thing, "parts", ()))]
    try:
        return hashlib.blake2b(_encoder.encode([names, thing]), digest_size=16).digest()
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
