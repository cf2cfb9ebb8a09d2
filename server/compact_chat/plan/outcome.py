"""What a plan says: the fate of each message, and the pieces that the new chat is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from compact_chat.chat import Message
from compact_chat.results import Action, FateName

Direction = Literal["all", "from", "upTo"]


class Fate(Struct, frozen=True):
    """What becomes of one message, and why; `becomes` is what an API gets to see of it in the new chat, if it stays."""

    index: int
    fate: FateName
    reason: str
    becomes: Message | None = None


class Plan(Struct, frozen=True):
    """What a compaction would do."""

    action: Action
    reason: str
    fates: tuple[Fate, ...]
    split: int = 0  # where the summarised part meets the verbatim one, counted over all messages (rules S8, Z1)
    direction: Direction = "all"  # of the prompt (rule Z2)
    front: tuple[Message, ...] = ()  # system messages that open the chat
    head: tuple[Message, ...] = ()  # stays verbatim before the summary
    summarized: tuple[Message, ...] = ()  # what the summary replaces
    tail: tuple[Message, ...] = ()  # stays verbatim behind the summary, the pinned messages first
    messages: tuple[Message, ...] = ()  # the new chat where no summary is needed, its validity not yet seen to
    blocks: int = 0  # tool results that were cut
    chars_removed: int = 0

    @property
    def dropped(self) -> int:
        """How many messages are left out."""
        return sum(fate.fate == "drop" for fate in self.fates)

    @property
    def pruned(self) -> int:
        """How many messages lose a part of their tool results."""
        return sum(fate.fate == "prune" for fate in self.fates)


def plan_nothing(messages: Sequence[Message], reason: str) -> Plan:
    """A plan that leaves the chat as it is."""
    fates = tuple(Fate(index, "keep", reason, message) for index, message in enumerate(messages))
    return Plan(action="none", reason=reason, fates=fates, messages=tuple(messages))
