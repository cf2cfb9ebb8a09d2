"""Where the part that a summary replaces ends (rules S1 to S8)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message, Text, Thinking
from compact_chat.facts.requests import summary_parts
from compact_chat.plan.exchanges import Exchanges, find_exchanges

Reason = Literal["wanted", "stepped_back", "kept_fewer", "too_short", "no_boundary"]


class Split(Struct, frozen=True):
    """How many messages stand before the kept tail, the system messages at the front counted; 0: nothing to do."""

    index: int
    reason: Reason


def split_point(messages: Sequence[Message], min_keep: int, keep_recent_tokens: int, tokens: Sequence[int]) -> Split:
    """Where to cut, so that at least the newest messages stay and no tool exchange is parted."""
    front = front_length(messages)
    kept = max(min_keep, _fitting(tokens, keep_recent_tokens))
    if len(messages) - front <= kept:
        return Split(0, "too_short")
    cut, reason = _clean_cut(find_exchanges(messages), front, len(messages) - kept)
    return Split(0, "no_boundary") if cut == front else Split(cut, reason)


def front_length(messages: Sequence[Message]) -> int:
    """How many system messages open the chat; they stand apart (rule S8)."""
    return next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))


def holds_news(messages: Sequence[Message]) -> bool:
    """Whether anything here is to be seen and is no earlier summary (rule S7)."""
    return any(map(_is_news, messages))


def _is_news(message: Message) -> bool:
    summaries = summary_parts(message)
    words = [part for part in message.parts if isinstance(part, Text | Thinking)]
    spoken = any(part.text.strip() for part in words if isinstance(part, Thinking) or part not in summaries)
    return spoken or len(words) < len(message.parts)


def _fitting(tokens: Sequence[int], room: int) -> int:
    """How many of the newest messages fit into the room."""
    sizes = accumulate(reversed(tokens))
    return sum(size <= room for size in sizes) if room else 0


def _clean_cut(exchanges: Exchanges, front: int, wanted: int) -> tuple[int, Reason]:
    """The clean cut at or before the wanted one, else the first behind it that keeps a message, else the front."""
    allowed = [clean and cut <= exchanges.waiting for cut, clean in enumerate(exchanges.clean)]
    back = next((cut for cut in range(wanted, front, -1) if allowed[cut]), front)
    if back > front:
        return back, "wanted" if back == wanted else "stepped_back"
    return next((cut for cut in range(wanted + 1, len(allowed) - 1) if allowed[cut]), front), "kept_fewer"
