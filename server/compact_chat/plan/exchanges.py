"""Tool exchanges: which messages belong together, and where a chat can be cut between them (rules K8, S1 to S8)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate

from msgspec import Struct

from compact_chat.chat import Links, Message, ToolResult, find_links


class Exchanges(Struct, frozen=True):
    """The exchanges of a chat, by message index."""

    links: Links
    group: tuple[int, ...]  # of each message: the first message of its exchange
    clean: tuple[bool, ...]  # of each possible cut, the one behind the last message included (rule S3)
    waiting: int  # the first message with a call that may still get its result, else the length (rule S6)

    def whole(self, indexes: Collection[int]) -> frozenset[int]:
        """Add every message that shares an exchange with one of these."""
        groups = {self.group[index] for index in indexes}
        return frozenset(index for index, group in enumerate(self.group) if group in groups)

    def clean_before(self, cut: int) -> int:
        """Return the last clean cut at or before this one."""
        return next(place for place in range(cut, -1, -1) if self.clean[place])


def find_exchanges(messages: Sequence[Message], links: Links | None = None) -> Exchanges:
    """Find the exchanges of a chat in one pass; `links` are those of its messages, if known."""
    links = links or find_links(messages)
    parent = list(range(len(messages)))  # a union-find forest: linked messages end up under the first of them
    parted = [0] * (len(messages) + 1)  # by position: the change in how many pairs a cut there would separate

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
    """Count the system messages that open the chat; they are not part of the conversation (rule S8)."""
    return next((index for index, message in enumerate(messages) if message.role != "system"), len(messages))
