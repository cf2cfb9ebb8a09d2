"""Tool exchanges: which messages belong together, and where a chat can be cut between them (rules K8, S1 to S8)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Links, Message, Text, Thinking, ToolResult, find_links
from compact_chat.facts import summary_parts


class Exchanges(Struct, frozen=True):
    """What of a chat belongs together, by the indexes of its messages."""

    links: Links
    group: tuple[int, ...]  # of each message: the first message of its exchange
    clean: tuple[bool, ...]  # of each place to cut, the one behind the last message included (rule S3)
    waiting: int  # the first message with a call that may still get its result, else the length (rule S6)

    def whole(self, indexes: Collection[int]) -> frozenset[int]:
        """Add to these messages all that share an exchange with one of them."""
        groups = {self.group[index] for index in indexes}
        return frozenset(index for index, group in enumerate(self.group) if group in groups)

    def clean_before(self, cut: int) -> int:
        """Return the last clean cut at or before this one."""
        return next(place for place in range(cut, -1, -1) if self.clean[place])


def find_exchanges(messages: Sequence[Message], links: Links | None = None) -> Exchanges:
    """Find the exchanges of a chat in one pass; `links` are those of its messages, if they are known."""
    links = links or find_links(messages)
    parent = list(range(len(messages)))  # a union-find forest: linked messages end up under the first of them
    parted = [0] * (len(messages) + 1)  # by how many pairs more than before a cut here would part

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for result, call in (links.answers | links.repeats).items():
        first, second = sorted((root(call[0]), root(result[0])))
        parent[second] = first
        parted[call[0] + 1] += 1
        parted[result[0] + 1] -= 1
    turn = last_turn(messages)
    return Exchanges(
        links=links,
        group=tuple(map(root, range(len(messages)))),
        clean=tuple(pairs == 0 for pairs in accumulate(parted)),
        waiting=min((index for index, _ in links.unanswered if index >= turn), default=len(messages)),
    )


def last_turn(messages: Sequence[Message]) -> int:
    """Return where the last run of assistant messages begins, else the length."""
    begin = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "assistant":
            begin = index
        elif begin < len(messages):
            break
    return begin


def open_end(messages: Sequence[Message]) -> int:
    """Return where the last run of assistant messages begins if only results follow, else the length (rules K8, V7)."""
    begin = last_turn(messages)
    for message in messages[begin:]:
        only_results = message.role == "user" and all(isinstance(part, ToolResult) for part in message.parts)
        if message.role != "assistant" and not only_results:
            return len(messages)
    return begin


def front_length(messages: Sequence[Message]) -> int:
    """Count the system messages that open the chat; they are no part of the conversation (rule S8)."""
    return next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))


def holds_news(messages: Sequence[Message]) -> bool:
    """Tell whether anything here can be read and is no earlier summary (rule S7)."""
    for message in messages:
        summaries = summary_parts(message)
        words = [part for part in message.parts if isinstance(part, Text | Thinking)]
        if len(words) < len(message.parts):
            return True
        if any(part.text.strip() for part in words if isinstance(part, Thinking) or part not in summaries):
            return True
    return False


Reason = Literal["wanted", "stepped_back", "kept_fewer", "too_short", "no_boundary"]


class Split(Struct, frozen=True):
    """How many messages come before the kept tail, the system messages at the front counted; 0 for nothing to do."""

    index: int
    reason: Reason


def split_point(messages: Sequence[Message], min_keep: int, keep_recent_tokens: int, tokens: Sequence[int]) -> Split:
    """Decide where to cut, so that at least the newest messages stay and no tool exchange is parted."""
    front = front_length(messages)
    fitting = sum(size <= keep_recent_tokens for size in accumulate(reversed(tokens))) if keep_recent_tokens else 0
    wanted = len(messages) - max(min_keep, fitting)
    if wanted <= front:
        return Split(0, "too_short")
    exchanges = find_exchanges(messages)
    allowed = [clean and cut <= exchanges.waiting for cut, clean in enumerate(exchanges.clean)]
    back = next((cut for cut in range(wanted, front, -1) if allowed[cut]), front)
    if back > front:
        return Split(back, "wanted" if back == wanted else "stepped_back")
    later = next((cut for cut in range(wanted + 1, len(allowed) - 1) if allowed[cut]), front)  # keeps a message
    return Split(0, "no_boundary") if later == front else Split(later, "kept_fewer")
