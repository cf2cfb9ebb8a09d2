"""How many tokens the chat's model makes of one of ours, learned from the calls that the chat records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from compact_chat.chat import Message, Usage
from compact_chat.measure.families import Family
from compact_chat.measure.weights import Weight

PRIOR_TOKENS = 4_000  # as many tokens as the family's ratio counts for
DECAY = 0.9
LOWEST, HIGHEST = 0.8, 2.4

Call = tuple[int, Usage]  # the index of the message that a call gave, and the call's size


def comparable_calls(messages: Sequence[Message]) -> list[Call]:
    """The newest calls, oldest first, back to a summary or another model: what was before has another measure."""
    calls: list[Call] = []
    for index in reversed(range(len(messages))):
        usage = messages[index].usage
        if usage is not None and usage.prompt_tokens > 0:
            if calls and usage.model != calls[-1][1].model:
                break
            calls.append((index, usage))
        if messages[index].is_summary and calls:
            break
    return calls[::-1]


def learned_ratio(calls: Sequence[Call], weights: Sequence[Weight], family: Family) -> float:
    """The family's ratio, drawn towards what the prompts of this chat grew by from call to call."""
    counted = grown = 0.0
    for words, growth in _growth(calls, weights):
        counted = counted * DECAY + words
        grown = grown * DECAY + growth
    ratio = (grown + PRIOR_TOKENS * family.ratio) / (counted + PRIOR_TOKENS)
    return min(HIGHEST, max(LOWEST, ratio))


def _growth(calls: Sequence[Call], weights: Sequence[Weight]) -> Iterator[tuple[int, int]]:
    """What was counted between two calls, and what the prompt grew by, where the one can be the reason of the other."""
    for (start, before), (end, after) in pairwise(calls):
        words = sum(weight.words for weight in weights[start:end])
        growth = after.prompt_tokens - before.prompt_tokens - sum(weight.images for weight in weights[start:end])
        if 0 < words * LOWEST <= growth <= words * HIGHEST:  # else the host took something out, or put something in
            yield words, growth
