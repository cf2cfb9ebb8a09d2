"""Chats of VS Code as its newer versions keep them: a log of operations that only ever grows, until it is rewritten."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from compact_chat.chat import Chat, JsonObject, Warning
from compact_chat.errors import ChatUnreadable
from compact_chat.read.lenient import fields
from compact_chat.read.members import opened
from compact_chat.read.source import Source
from compact_chat.read.vscode_oplog import decoded, replay, taken
from compact_chat.read.vscode_session import session_chat

_NAME = "vscode-log"
_START = re.compile(r'\s*+\{\s*+"kind"\s*+:\s*+0\s*+,\s*+"v"\s*+:\s*+\{')
_EARLY = 4096
_MEMBERS = ('"sessionId"', '"creationDate"', '"responderUsername"', '"requests"')


def sniff(source: Source) -> bool:
    """Whether the source begins with the whole state of a chat."""
    early = source.opening[:_EARLY]
    return _START.match(early) is not None and any(member in early for member in _MEMBERS)


def read(source: Source) -> Chat:
    """Replay the log as far as it goes, and say where it stopped."""
    state, stopped = replay(source.byte_lines(), source.values_of)
    if state is None:
        raise ChatUnreadable(
            "The first line of this log is damaged, and the others only change it.", format=_NAME, line=1
        )
    requests = _requests(state)
    chat = session_chat({**fields(decoded(state)), "requests": requests}, _NAME)
    return chat if stopped is None else replace(chat, warnings=(_stopped(stopped), *chat.warnings))


def _requests(state: JsonObject) -> Iterator[object] | None:
    """Take the requests out of a state, to be decoded one after the other."""
    requests = opened(state.pop("requests", None))
    return taken(requests) if isinstance(requests, list) else None


def _stopped(line: int) -> Warning:
    return Warning(
        "replayStopped", f"Line {line} of the log cannot be replayed; it and all behind it were left out.", line
    )
