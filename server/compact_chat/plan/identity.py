"""The id of a plan: the same chat with the same options has the same one on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import msgspec

from compact_chat.chat import Chat, Message
from compact_chat.options import Options, canonical

_encoder = msgspec.json.Encoder(order="deterministic")


def digest(chat: Chat) -> str:
    """A hash over what a model would get to see of a chat."""
    messages = [_content(message) for message in chat.messages]
    return _hash([messages, chat.system, chat.tools, chat.model])


def plan_id(chat_digest: str, options: Options, rules: Sequence[str] = ()) -> str:
    """The first 32 hexadecimal digits of a hash over the chat's digest, the options and the project's instructions."""
    return _hash([chat_digest, canonical(options), *([rules] if rules else [])])[:32]


def _content(message: Message) -> list[Any]:
    """A message without what only we know of it; the names tell parts with equal fields apart."""
    return [message.id, message.role, [[type(part).__name__, part] for part in message.parts]]


def _hash(facts: list[Any]) -> str:
    return hashlib.sha256(_encoded(facts)).hexdigest()


def _encoded(facts: list[Any]) -> bytes:
    try:
        return _encoder.encode(facts)
    except UnicodeEncodeError:  # JSON text has to escape lone surrogates, which only the slower way does.
        return json.dumps(msgspec.to_builtins(facts), sort_keys=True).encode()
