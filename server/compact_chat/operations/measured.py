"""Measure a chat: its model's family and window, the tokens of each message, and what the thresholds advise."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

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
from compact_chat.plan import can_prune
from compact_chat.wire import Advice, Breakdown, Options, TokenReport

if TYPE_CHECKING:
    from compact_chat.operations.client_state import ClientState
    from compact_chat.operations.job import Job

Count = Callable[[str], int]


class Measured(Struct, frozen=True, dict=True):
    """A chat with its size, beside its window and budget."""

    chat: Chat
    family: Family
    count: Count
    window: Window
    budget: int
    weights: tuple[Weight, ...]
    meter: Meter
    advice: Advice
    reason: str

    @cached_property
    def scale(self) -> float:
        """How many of the model's tokens one counted token stands for in this chat."""
        counted = sum(weight.total for weight in self.weights)
        return sum(self.meter.tokens) / counted if counted else 1.0

    def size(self, message: Message) -> int:
        """Return a message's tokens: as measured if the chat holds it, else counted on the same scale."""
        known = self._sizes.get(id(message))
        return round(weigh(message, self.count, self.family).total * self.scale) if known is None else known

    def report(self, *, per_message: bool = False, breakdown: Breakdown | UnsetType = UNSET) -> TokenReport:
        """Make the report of `countTokens`."""
        return make_report(
            self.chat,
            self.meter,
            self.window.input,
            self.advice,
            self.reason,
            per_message,
            window_basis=self.window.basis,
            breakdown=breakdown,
        )

    @cached_property
    def _sizes(self) -> dict[int, int]:
        return {id(one): tokens for one, tokens in zip(self.chat.messages, self.meter.tokens, strict=True)}


def measure(chat: Chat, options: Options, job: Job) -> Measured:
    """Count each message, and compare the sum with the window and the budget."""
    client, family = job.client, family_for(chat, options)
    count = counter_of(family, client)
    weights = tuple(weigh(message, count, family) for message in job.each(chat.messages, "Counting tokens"))
    meter = read_meter(chat, weights, family, fixed_tokens(chat, count), prior=prior_of(family, client))
    remember(family, meter.learned, client)
    return judged(
        chat, family, weights, meter, options, client, can_cut=lambda: can_prune(chat.messages, options.prune)
    )


def judged(
    chat: Chat,
    family: Family,
    weights: tuple[Weight, ...],
    meter: Meter,
    options: Options,
    client: ClientState,
    *,
    can_cut: Callable[[], bool],
) -> Measured:
    """Compare what was measured with the window and the budget."""
    window = window_for(chat, options, client)
    budget = default_budget(window, chat.tool) if options.budget is None else options.budget
    advice, reason = advise(meter.used, budget, options.prune_at, options.compact_at, can_cut)
    chat = structs.replace(chat, model=options.model or chat.model)
    return Measured(chat, family, counter_of(family, client), window, budget, weights, meter, advice, reason)


def counter_of(family: Family, client: ClientState) -> Count:
    """Return what counts the family's tokens."""
    return client.counter(family.encoding).count


def family_for(chat: Chat, options: Options) -> Family:
    """Return the family of a chat's model."""
    return family_of(options.model or chat.model, chat.tool)


def window_for(chat: Chat, options: Options, client: ClientState) -> Window:
    """Return the window of a chat; one that the chat recorded counts only for the model that it recorded."""
    model = options.model or chat.model
    recorded = chat.window if model == (chat.window_model or chat.model) else None
    own = chat if model == chat.model else structs.replace(chat, messages=(), tool="")
    usages = (message.usage for message in own.messages)
    proven = max((usage.prompt_tokens for usage in usages if usage and usage.model in ("", model)), default=0)
    overrides = client.settings.windows
    return window_of(model, overrides, told=options.window, recorded=recorded, proven=proven, tool=own.tool)


def fixed_tokens(chat: Chat, count: Count) -> int:
    """Count the system prompt and the tools that came with the chat."""
    return count(chat.system) + count(json_text(chat.tools) if chat.tools else "")


def prior_of(family: Family, client: ClientState) -> Learned | None:
    """Return what chats taught of a family's tokens, if the user wants that remembered.

    Read once for each client, so that one chat always gives the same numbers.
    """
    if not client.settings.remember_ratio:
        return None
    if family.name not in client.priors:
        from compact_chat.disk import read_ratios

        sums = read_ratios().get(family.name)
        client.priors.setdefault(family.name, Learned(*sums) if sums else None)
    return client.priors[family.name]


def remember(family: Family, learned: Learned, client: ClientState) -> None:
    """Write down what a chat taught, if it taught anything and the user wants that remembered."""
    if not client.settings.remember_ratio or learned == Learned():
        return
    from compact_chat.disk import write_ratio

    write_ratio(family.name, (learned.expected, learned.grown))
