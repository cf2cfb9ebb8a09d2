"""Measure a chat: its model's family and window, the tokens of each message, and what the thresholds say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from compact_chat.chat import Chat, Message
from compact_chat.measure.families import Family, family_of
from compact_chat.measure.json_text import json_text
from compact_chat.measure.meter import Meter, read_meter
from compact_chat.measure.thresholds import advise, default_budget
from compact_chat.measure.weights import Weight, weigh
from compact_chat.measure.windows import Window, window_of
from compact_chat.operations.desk import Desk
from compact_chat.operations.work import Work
from compact_chat.options import Options
from compact_chat.results import Advice


class Measured(Struct, frozen=True):
    """A chat with its size."""

    chat: Chat
    family: Family
    window: int
    budget: int
    weights: tuple[Weight, ...]
    meter: Meter
    advice: Advice
    reason: str


def measure(chat: Chat, options: Options, desk: Desk, work: Work) -> Measured:
    """Count each message, and set the sum beside the window and the budget."""
    model = options.model or chat.model
    family, window = family_of(model, chat.tool), _window(model, options, desk)
    weights = weigh_all(chat.messages, family, desk, work)
    meter = read_meter(chat, weights, family, _fixed(chat, family, desk, work))
    budget = default_budget(window, chat.tool) if options.budget is None else options.budget
    advice, reason = advise(meter.used, budget, options.prune_at, options.compact_at)
    chat = msgspec.structs.replace(chat, model=model)
    return Measured(chat, family, window.input, budget, weights, meter, advice, reason)


def weigh_all(messages: Sequence[Message], family: Family, desk: Desk, work: Work) -> tuple[Weight, ...]:
    """Count each message, with a step before each."""
    count = counting(family, desk, work)
    return tuple(weigh(message, count, family) for message in work.each(messages, "Counting tokens"))


def counting(family: Family, desk: Desk, work: Work) -> Callable[[str], int]:
    """Give what counts the family's tokens, and stops with the work."""
    return partial(desk.counter(family.encoding).count, check=work.check)


def _window(model: str | None, options: Options, desk: Desk) -> Window:
    found = window_of(model, desk.settings.windows)
    return found if options.window is None else Window(input=options.window, output=min(found.output, options.window))


def _fixed(chat: Chat, family: Family, desk: Desk, work: Work) -> int:
    """Count the system prompt and the tools that came with the chat."""
    count = counting(family, desk, work)
    tools = json_text(chat.tools) if chat.tools else ""
    return count(chat.system) + count(tools)


def sizes(found: Measured, desk: Desk, work: Work) -> Callable[[Message], int]:
    """Give what tells a message's tokens: those of the chat as they were measured, new ones on the same scale."""
    share = scale(found)
    known = {id(message): tokens for message, tokens in zip(found.chat.messages, found.meter.tokens, strict=True)}
    count = counting(found.family, desk, work)

    def size(message: Message) -> int:
        measured = known.get(id(message))
        return round(weigh(message, count, found.family).total * share) if measured is None else measured

    return size


def scale(found: Measured) -> float:
    """Tell how many of the model's tokens one counted token stands for in this chat."""
    counted = sum(weight.total for weight in found.weights)
    return sum(found.meter.tokens) / counted if counted else 1.0
