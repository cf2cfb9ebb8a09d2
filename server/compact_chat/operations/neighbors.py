"""What the chat's tool adds unseen: as this chat showed it, else as others with the same tool on this machine did."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from compact_chat.chat import Chat
from compact_chat.disk import BEGINNING, WHOLE, Found, Place, ends_of, shown_by_neighbors
from compact_chat.errors import Cancelled, CompactChatError
from compact_chat.measure import NOTHING, Shown
from compact_chat.operations.chats import chat_of
from compact_chat.operations.count import Counting
from compact_chat.operations.table import ChatRef
from compact_chat.read import Source, read_chat
from compact_chat.wire import Options

if TYPE_CHECKING:
    from compact_chat.operations.job import ClientState


def shown_nearby(chat: Chat, uri: str | None, client: ClientState) -> Iterable[Shown]:
    """Tell what other chats with the same tool showed, those of the same folder first; `uri` is the chat's own file."""

    def read(one: Found) -> Shown:
        try:
            chat = _chat_in(one)
            return Counting(chat, Options(), client, None).shown_in(chat)
        except Cancelled:
            raise
        except (CompactChatError, OSError, ValueError):  # ValueError: half a surrogate pair in the name
            return NOTHING

    return shown_by_neighbors(Place(chat.tool, chat.workspace, uri), client.heads, read)


def _chat_in(one: Found) -> Chat:
    if one.bytes <= WHOLE:
        return chat_of(ChatRef(uri=Path(one.path).absolute().as_uri(), format=one.expected))
    return read_chat(Source.of_bytes(ends_of(one.path, BEGINNING, 0)[0]), one.expected)
