"""The id of a plan: the same chat with the same options has the same one on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from compact_chat.chat import Chat
from compact_chat.wire import Options

_encoder = msgspec.json.Encoder(order="deterministic")


def digest(chat: Chat) -> str:
    """Hash what a model would see of a chat; type names distinguish parts with equal fields."""
    messages = [
        [message.id, message.role, [[type(part).__name__, part] for part in message.sent]] for message in chat.messages
    ]
    return _hash([messages, chat.system, chat.tools, chat.model])


def plan_id(chat_digest: str, options: Options, rules: Sequence[str] = ()) -> str:
    """Hash the chat's digest, the options and the project's instructions; return the first 32 hexadecimal digits."""
    return _hash([chat_digest, msgspec.to_builtins(options), *([rules] if rules else [])])[:32]


def _hash(facts: list[Any]) -> str:
    """Hash JSON text; what the encoder refuses is written piece by piece, which gives the same text."""
    try:
        text = _encoder.encode(facts)
    except (UnicodeEncodeError, RecursionError):  # lone surrogates, or nested deeper than this machine's stack
        text = b"".join(_pieces(facts))
    return hashlib.sha256(text).hexdigest()


def _pieces(facts: list[Any]) -> Iterator[bytes]:
    """Yield the text of JSON of any depth without recursion; finished pieces wait as bytes."""
    waiting: list[Any] = [facts]
    while waiting:
        match waiting.pop():
            case bytes(piece):
                yield piece
            case list(items) | tuple(items):
                waiting += reversed((b"[", *_parted([item] for item in items), b"]"))
            case dict(members):
                waiting += reversed((b"{", *_parted([_leaf(k), b":", members[k]] for k in sorted(members)), b"}"))
            case Struct() as part:
                fields = msgspec.structs.asdict(part).items()
                waiting += reversed((b"{", *_parted([_leaf(name), b":", value] for name, value in fields), b"}"))
            case leaf:
                yield _leaf(leaf)


def _parted(rows: Iterable[Sequence[Any]]) -> Iterator[Any]:
    for place, row in enumerate(rows):
        yield from ((b",", *row) if place else row)


def _leaf(value: object) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:  # a half of a surrogate pair, which JSON text can only escape
        return json.dumps(value).encode()
