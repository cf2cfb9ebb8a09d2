"""Chats that a person exported from VS Code: the requests of a session, without its id and its model's limits."""

from __future__ import annotations

from compact_chat.chat import Chat
from compact_chat.read.source import Source
from compact_chat.read.vscode_session import chat_of, kind_of

_NAME = "vscode-export"


def sniff(source: Source) -> bool:
    """Whether the source is a list of requests and who answers them."""
    return kind_of(source) == _NAME


def read(source: Source) -> Chat:
    """Read the export."""
    return chat_of(source, _NAME)
