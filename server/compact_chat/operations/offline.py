"""What the offline writer gets of a plan."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from compact_chat.chat import Message
from compact_chat.facts.files import file_records
from compact_chat.facts.records import record_blocks
from compact_chat.operations.desk import Desk
from compact_chat.operations.draft import Draft
from compact_chat.operations.measured import counting, scale
from compact_chat.operations.requests import immediate_task
from compact_chat.providers.offline import OfflineRequest

MOST_SUMMARY_TOKENS = 8000


def offline_request(made: Draft, desk: Desk) -> OfflineRequest:
    """Put together messages without secrets, and a budget in the model's tokens."""
    count, share = counting(made.measured.family, desk, made.work), scale(made.measured)
    budget, messages = summary_budget(made), made.without_secrets(made.plan.summarized)

    def tokens(text: str) -> int:
        return math.ceil(count(text) * share)

    return OfflineRequest(
        messages=messages,
        direction=made.plan.direction,
        style=made.options.style,
        budget=_without_records(budget, messages, tokens) if made.options.style == "checkpoint" else budget,
        count=tokens,
        immediate_task=immediate_task(made),
        check=made.work.check,
    )


def summary_budget(made: Draft) -> int:
    """Tell how many tokens the finished summary may have."""
    if made.options.summary_budget is not None:
        return made.options.summary_budget
    return min(MOST_SUMMARY_TOKENS, made.measured.meter.used // 10)


def _without_records(budget: int, messages: Sequence[Message], tokens: Callable[[str], int]) -> int:
    """What the records of files leave of a checkpoint's budget; they may take half of it, for they are never cut."""
    records = record_blocks(file_records(messages))
    return max(budget // 2, budget - tokens(records) - 2)
