"""Chats of VS Code as its older versions keep them: one JSON object, of version 1 (which says none) to 3."""

from __future__ import annotations

from compact_chat.chat import Chat
from compact_chat.read.source import Source
from compact_chat.read.vscode_session import chat_of, kind_of

_NAME = "vscode"


def sniff(source: Source) -> bool:
    """Whether the source is a session with an identity of its own."""
    return kind_of(source) == _NAME


def read(source: Source) -> Chat:
    """Read the session."""
    return chat_of(source, _NAME)
