"""What holds for every file that anybody may have: it is read and measured, or refused in our own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from compact_chat.chat import Chat
from compact_chat.errors import CompactChatError
from compact_chat.measure import family_of, read_meter, weigh
from compact_chat.read import Source, read_chat
from tests.oracles.sound_chats import faults_of


class Files(NamedTuple):
    """A chat file, and those in its folder by their names."""

    chat: bytes
    beside: Mapping[str, bytes]


def check(files: Files, name: str = "", hint: str | None = None) -> Chat | None:
    """Read the files twice and measure them; None where they are refused, AssertionError where a promise is broken."""
    first, second = _read(files, name, None), _read(files, name, hint)
    for chat in filter(None, (first, second)):
        assert not (faults := faults_of(chat)), f"{chat.format}: {', '.join(faults)}"
        _measure(chat)
    if first and second and first.format == second.format:
        assert first == second or repr(first) == repr(second), "a second reading gives another chat"
    return second or first


def _read(files: Files, name: str, hint: str | None) -> Chat | None:
    try:
        return read_chat(Source.of_bytes(files.chat, name, files.beside), hint)
    except CompactChatError:
        return None


def _measure(chat: Chat) -> None:
    family = family_of(chat.model, chat.tool)
    weights = [weigh(message, _cheap, family) for message in chat.messages]
    meter = read_meter(chat, weights, family, _cheap(chat.system))
    assert meter.fixed + sum(meter.tokens) == meter.used, "the parts of the meter do not add up"
    assert 0 <= meter.low <= meter.used <= meter.high, "the meter's bounds do not hold its figure"


def _cheap(text: str) -> int:
    return len(text) // 4
