"""Where the part that a summary replaces ends (rules S1 to S8)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Links, Message, Text, Thinking, ToolResult, find_links
from compact_chat.facts import summary_parts

# Tool exchanges: which messages belong together, and where a chat can be cut between them (rules K8, S3, S6).


class Exchanges(Struct, frozen=True):
    """What of a chat belongs together, by the indexes of its messages."""

    links: Links
    group: tuple[int, ...]  # of each message: the first message of its exchange
    clean: tuple[bool, ...]  # of each place to cut, the one behind the last message included (rule S3)
    waiting: int  # the first message with a call that may still get its result, else the length (rule S6)

    def whole(self, indexes: Collection[int]) -> frozenset[int]:
        """These messages and all that share an exchange with one of them."""
        groups = {self.group[index] for index in indexes}
        return frozenset(index for index, group in enumerate(self.group) if group in groups)


def find_exchanges(messages: Sequence[Message], links: Links | None = None) -> Exchanges:
    """The exchanges of a chat, found in one pass; `links` are those of its messages, where they are known."""
    links = links or find_links(messages)
    pairs = [(call[0], result[0]) for result, call in (links.answers | links.repeats).items()]
    turn = last_turn(messages)
    return Exchanges(
        links=links,
        group=_groups(len(messages), pairs),
        clean=_clean_cuts(len(messages), pairs),
        waiting=min((index for index, _ in links.unanswered if index >= turn), default=len(messages)),
    )


def last_turn(messages: Sequence[Message]) -> int:
    """Where the last run of assistant messages begins, else the length."""
    begin = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "assistant":
            begin = index
        elif begin < len(messages):
            break
    return begin


def open_end(messages: Sequence[Message]) -> int:
    """Where the last run of assistant messages begins if only results follow it, else the length (rules K8, V7)."""
    begin = last_turn(messages)
    behind = (message for message in messages[begin:] if message.role != "assistant")
    return begin if all(_only_results(message) for message in behind) else len(messages)


def _only_results(message: Message) -> bool:
    return message.role == "user" and all(isinstance(part, ToolResult) for part in message.parts)


def _groups(length: int, pairs: Collection[tuple[int, int]]) -> tuple[int, ...]:
    """Of each message the first one that it is linked to, also by way of others."""
    parent = list(range(length))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for pair in pairs:
        first, second = sorted(map(root, pair))
        parent[second] = first
    return tuple(root(index) for index in range(length))


def _clean_cuts(length: int, pairs: Collection[tuple[int, int]]) -> tuple[bool, ...]:
    """Of each cut whether no result behind it answers a call before it."""
    change = [0] * (length + 1)
    for call, result in pairs:
        change[call + 1] += 1
        change[result + 1] -= 1
    return tuple(parted == 0 for parted in accumulate(change))


# Where the part that a summary replaces ends (rules S1 to S8).


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
