"""Sessions that are followed say at each step what they say when they are read whole."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compact_chat.chat import Chat, Message
from compact_chat.errors import CompactChatError
from compact_chat.read import Source, Tail, follow_chat, read_chat
from tests.samples.growing import ClaudeSession, CodexSession

MOST_STEPS = 25
SESSIONS: dict[str, type[ClaudeSession | CodexSession]] = {"claude-code": ClaudeSession, "codex": CodexSession}


class Follower:
    """A chat that is read on where that is possible, and counts how often it was read anew."""

    def __init__(self) -> None:
        self.settled: list[Message] = []
        self.anew = 0
        self._tail: Tail | None = None
        self._chat: Chat | None = None

    def take(self, before: bytes, lines: bytes) -> Chat:
        """Read what has come."""
        growth = self._tail.grow(lines) if self._tail is not None else None
        if growth is None or self._chat is None:
            return self._read(before + lines)
        self.settled += growth.settled
        messages = (*self.settled, *growth.open)
        known = {name: getattr(growth, name) for name in ("model", "title", "window", "compactions", "version")}
        return replace(self._chat, messages=messages, **known)

    def _read(self, data: bytes) -> Chat:
        self.anew += 1
        self._chat, self._tail = follow_chat(Source.of_bytes(data))
        opened = len(self._tail.open()) if self._tail else 0
        self.settled = list(self._chat.messages[: len(self._chat.messages) - opened])
        return self._chat


def follow(lines: Sequence[bytes], draw: Random) -> Follower:
    """Let a file grow by some lines at a time, and compare each step."""
    follower, data = Follower(), b""
    ends = sorted(draw.sample(range(1, len(lines) + 1), min(len(lines), MOST_STEPS)))
    for start, end in zip([0, *ends], ends, strict=False):
        more = b"".join(lines[start:end])
        try:
            whole = read_chat(Source.of_bytes(data + more))
        except CompactChatError as problem:
            with pytest.raises(type(problem)):
                follower.take(data, more)
        else:
            followed = follower.take(data, more)
            assert replace(followed, workspace=None) == replace(whole, workspace=None)  # no report tells it
        data += more
    return follower


@pytest.mark.parametrize("tool", SESSIONS)
@given(seed=st.integers(0, 2**32), oddity=st.sampled_from([0, 0.05, 0.2, 0.6]))
def test_any_session_is_followed(tool: str, seed: int, oddity: float) -> None:
    """Branches, rewinds, compactions, repeated and dangling lines: a followed chat is the chat at every step."""
    follow(SESSIONS[tool](Random(seed), oddity).lines(50), Random(seed))


@pytest.mark.parametrize("tool", SESSIONS)
def test_a_sound_session_is_read_once(tool: str) -> None:
    """Where nothing odd comes, all but the first lines are read on."""
    draw = Random(7)
    lines = SESSIONS[tool](draw, 0).lines(300)
    follower, data = Follower(), b"".join(lines[:100])
    follower.take(b"", data)
    for line in lines[100:]:
        follower.take(data, line)
        data += line
    assert follower.anew < 30
    assert len(follower.settled) > 20


@pytest.mark.parametrize("text", ['[{"role": "user", "content": "hello"}]', "## User\n\nhello\n\n## Assistant\n\nhi\n"])
def test_other_chats_have_no_tail(text: str) -> None:
    """A document or a copied chat is read anew."""
    chat, tail = follow_chat(Source.of_text(text))
    assert chat == read_chat(Source.of_text(text))
    assert tail is None


@pytest.mark.parametrize("tool", SESSIONS)
@pytest.mark.parametrize("lines", [b"{broken\n", b'{"a": "\xff"}\n'])
def test_damage_is_left_to_the_whole_file(tool: str, lines: bytes) -> None:
    """A line that is damaged is told with its number, which a tail does not know."""
    data = b"".join(SESSIONS[tool](Random(4), 0).lines(60))
    _, tail = follow_chat(Source.of_bytes(data))
    assert tail is not None
    assert tail.grow(lines) is None
