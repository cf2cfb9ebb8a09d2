"""The id of a plan: the same chat with the same options has the same one on every machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import msgspec

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
    """Hash JSON text."""
    try:
        text = _encoder.encode(facts)
    except UnicodeEncodeError:  # half a surrogate pair, which JSON text can only escape
        text = json.dumps(msgspec.to_builtins(facts), sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()
