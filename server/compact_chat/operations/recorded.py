"""What a chat still holds of the messages that its own tool's newest compaction replaced."""

from __future__ import annotations

from compact_chat.chat import Chat
from compact_chat.errors import NothingToCompact
from compact_chat.operations.originals import opened
from compact_chat.operations.params import ChatRef
from compact_chat.read import Replaced, newest_replaced


def replaced_in(chat: Chat, ref: ChatRef) -> Replaced:
    """Find it where the chat was read from; raises NothingToCompact where nothing is recorded."""
    if ref.messages is not None:
        raise NothingToCompact("No compaction is recorded in messages; give a summary to check it against them.")
    with opened(ref) as source:
        return newest_replaced(source, chat)
