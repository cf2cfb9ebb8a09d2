"""What the newest compaction of a chat's own tool replaced, and by what."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from msgspec import Struct

from compact_chat.chat import Chat, Message
from compact_chat.errors import NothingToCompact
from compact_chat.read.source import Source

# The module of each format whose chats still hold what was replaced.
_FINDERS = {
    "claude-code": "claude_replaced",
    "codex": "codex_replaced",
    "vscode": "vscode_replaced",
    "vscode-log": "vscode_replaced",
    "vscode-export": "vscode_replaced",
}


class Replaced(Struct, frozen=True):
    """The messages that went to the model before a compaction, and those that did right after it."""

    before: tuple[Message, ...]
    after: tuple[Message, ...]

    @property
    def summary(self) -> str:
        """What stands for the messages before."""
        return next((message.text.strip() for message in self.after if message.is_summary), "")


Finder = Callable[[Source, str], Replaced | None]


def newest_replaced(source: Source, chat: Chat) -> Replaced:
    """Find it in the source that a chat was read from; raises NothingToCompact where there is nothing to be found."""
    found = _finder(chat.format)(source, chat.format) if chat.format in _FINDERS else None
    if found is None or not found.summary or not found.before:
        raise NothingToCompact(_reason(chat, found), recorded=found is not None)
    return found


def _finder(name: str) -> Finder:
    finder: Finder = import_module(f"compact_chat.read.{_FINDERS[name]}").newest
    return finder


def _reason(chat: Chat, found: Replaced | None) -> str:
    if any(warning.code == "encryptedSummary" for warning in chat.warnings):
        return "The summary of this chat is encrypted, so it cannot be checked; give a summary of your own."
    if any(message.is_summary for message in chat.messages):
        return "What the summary of this chat replaced is not in it; give a summary and the chat that it was made of."
    if found is not None and found.before:
        return "The newest compaction of this chat left no summary that can be read; give a summary of your own."
    return "No compaction is recorded in this chat; give a summary to check it against the chat."
