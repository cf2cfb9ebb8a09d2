"""The facts of a chat, as an operation collects them."""

from __future__ import annotations

from collections.abc import Sequence

from compact_chat.chat import Message
from compact_chat.facts import Fact, find_facts, in_force


def collect(messages: Sequence[Message]) -> tuple[Fact, ...]:
    """Collect the facts in force."""
    return in_force(find_facts(messages))
