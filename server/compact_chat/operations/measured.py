"""Measure a chat: its model's family and window, the tokens of each message, and what the thresholds say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import UNSET, Struct, UnsetType, structs

from compact_chat.chat import Chat, Message
from compact_chat.measure import (
    Family,
    Learned,
    Meter,
    Weight,
    Window,
    advise,
    default_budget,
    family_of,
    json_text,
    make_report,
    read_meter,
    weigh,
    window_of,
)
from compact_chat.operations.desk import Desk
from compact_chat.operations.work import Work
from compact_chat.plan import can_prune
from compact_chat.wire import Advice, Breakdown, Options, TokenReport, WindowBasis

# What earlier chats taught of a family's tokens, where the user has switched that on.


def prior_of(family: Family, desk: Desk) -> Learned | None:
    """Give what chats taught before this client came: while it is here, one chat always gives the same numbers."""
    if not desk.settings.remember_ratio:
        return None
    if family.name not in desk.priors:
        from compact_chat.disk import read_ratios

        sums = read_ratios().get(family.name)
        desk.priors.setdefault(family.name, Learned(*sums) if sums else None)
    return desk.priors[family.name]


def remember(family: Family, learned: Learned, desk: Desk) -> None:
    """Keep what a chat taught, if it taught anything."""
    if not desk.settings.remember_ratio or learned == Learned():
        return
    from compact_chat.disk import write_ratio

    write_ratio(family.name, (learned.expected, learned.grown))


# Measure a chat: its model's family and window, the tokens of each message, and what the thresholds say.


class Measured(Struct, frozen=True):
    """A chat with its size."""

    chat: Chat
    family: Family
    window: int
    window_basis: WindowBasis
    budget: int
    weights: tuple[Weight, ...]
    meter: Meter
    advice: Advice
    reason: str


def measure(chat: Chat, options: Options, desk: Desk, work: Work) -> Measured:
    """Count each message, and set the sum beside the window and the budget."""
    family = family_for(chat, options)
    weights = weigh_all(chat.messages, family, desk, work)
    fixed = fixed_tokens(chat, family, desk)
    meter = read_meter(chat, weights, family, fixed, prior=prior_of(family, desk))
    remember(family, meter.learned, desk)
    return judged(chat, family, weights, meter, options, desk, lambda: can_prune(chat.messages, options.prune))


def judged(
    chat: Chat,
    family: Family,
    weights: tuple[Weight, ...],
    meter: Meter,
    options: Options,
    desk: Desk,
    can_cut: Callable[[], bool],
) -> Measured:
    """Set what was measured beside the window and the budget."""
    window = window_for(chat, options, desk)
    budget = default_budget(window, chat.tool) if options.budget is None else options.budget
    advice, reason = advise(meter.used, budget, options.prune_at, options.compact_at, can_cut)
    chat = structs.replace(chat, model=options.model or chat.model)
    return Measured(chat, family, window.input, window.basis, budget, weights, meter, advice, reason)


def reported(found: Measured, *, per_message: bool = False, breakdown: Breakdown | UnsetType = UNSET) -> TokenReport:
    """Report what was measured."""
    return make_report(
        found.chat,
        found.meter,
        found.window,
        found.advice,
        found.reason,
        per_message,
        window_basis=found.window_basis,
        breakdown=breakdown,
    )


def weigh_all(messages: Sequence[Message], family: Family, desk: Desk, work: Work) -> tuple[Weight, ...]:
    """Count each message, with a step before each."""
    count = counting(family, desk)
    return tuple(weigh(message, count, family) for message in work.each(messages, "Counting tokens"))


def counting(family: Family, desk: Desk) -> Callable[[str], int]:
    """Give what counts the family's tokens, and stops with the work."""
    return desk.counter(family.encoding).count


def family_for(chat: Chat, options: Options) -> Family:
    """Give the family of a chat's model."""
    return family_of(options.model or chat.model, chat.tool)


def window_for(chat: Chat, options: Options, desk: Desk) -> Window:
    """Give the window of a chat; what it recorded belongs to the model that it recorded."""
    model = options.model or chat.model
    recorded = chat.window if model == (chat.window_model or chat.model) else None
    own = chat if model == chat.model else structs.replace(chat, messages=(), tool="")
    usages = (message.usage for message in own.messages)
    proven = max((usage.prompt_tokens for usage in usages if usage and usage.model in ("", model)), default=0)
    overrides = desk.settings.windows
    return window_of(model, overrides, told=options.window, recorded=recorded, proven=proven, tool=own.tool)


def fixed_tokens(chat: Chat, family: Family, desk: Desk) -> int:
    """Count the system prompt and the tools that came with the chat."""
    count = counting(family, desk)
    tools = json_text(chat.tools) if chat.tools else ""
    return count(chat.system) + count(tools)


def sizes(found: Measured, desk: Desk) -> Callable[[Message], int]:
    """Give what tells a message's tokens: those of the chat as they were measured, new ones on the same scale."""
    share = scale(found)
    known = {id(message): tokens for message, tokens in zip(found.chat.messages, found.meter.tokens, strict=True)}
    count = counting(found.family, desk)

    def size(message: Message) -> int:
        measured = known.get(id(message))
        return round(weigh(message, count, found.family).total * share) if measured is None else measured

    return size


def scale(found: Measured) -> float:
    """Tell how many of the model's tokens one counted token stands for in this chat."""
    counted = sum(weight.total for weight in found.weights)
    return sum(found.meter.tokens) / counted if counted else 1.0
