"""What holds for every file that anybody may have: it is read and measured in time, or refused in our own words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from compact_chat.chat import Chat
from compact_chat.errors import CompactChatError
from compact_chat.measure import family_of, read_meter, weigh
from compact_chat.read import Source, read_chat
from compact_chat.tools import CLINE_FILES, CLINE_MORE_FILES
from tests.oracles.sound_chats import faults_of

BESIDE = (*CLINE_FILES[:2], *CLINE_MORE_FILES)
BETWEEN = b"\n\x1e\n"  # the files of one example
ENOUGH = 0.2  # seconds of which nobody asks where they went
TIMES_PARSING = 50
TRIES = 3


class Slow(Exception):
    """A file took far longer than its size explains."""


class Files(NamedTuple):
    """A chat file, and those in its folder by their names."""

    chat: bytes
    beside: Mapping[str, bytes]

    @classmethod
    def of_bytes(cls, data: bytes) -> Files:
        """Take apart what `packed` put together."""
        chat, *others = data.split(BETWEEN)
        return cls(chat, dict(zip(BESIDE, others, strict=False)))

    def packed(self) -> bytes:
        """All files as one, for what knows only one."""
        others = [self.beside.get(name, b"") for name in BESIDE] if self.beside else []
        return BETWEEN.join((self.chat, *others))


def check(files: Files, name: str = "", hint: str | None = None) -> Chat | None:
    """Read the files twice and measure them; None where they are refused, AssertionError where a promise is broken."""
    first, second = _read(files, name, None), _read(files, name, hint)
    for chat in filter(None, (first, second)):
        assert not (faults := faults_of(chat)), f"{chat.format}: {', '.join(faults)}"
        _measure(chat)
    if first and second and first.format == second.format:
        assert first == second or repr(first) == repr(second), "a second reading gives another chat"
    return second or first


def check_in_time(files: Files, name: str = "", hint: str | None = None) -> None:
    """The same, and raise Slow where that takes more than its share of time, however often it is tried."""
    took = _seconds(lambda: check(files, name, hint))
    if took > ENOUGH and took > (allowed := ENOUGH + TIMES_PARSING * _seconds(lambda: _parse(files.chat))):
        again = min(_seconds(lambda: check(files, name, hint)) for _ in range(TRIES))
        if again > allowed:
            raise Slow(f"{len(files.chat):,} bytes took {again:.2f} s, where {allowed:.2f} s are allowed")


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


def _seconds(work: Callable[[], object]) -> float:
    begins = time.thread_time()
    work()
    return time.thread_time() - begins


def _parse(data: bytes) -> None:
    """Parse each line, or the whole: what no reader can do without."""
    for text in (data, *data.split(b"\n")):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            continue
