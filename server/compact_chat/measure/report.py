"""The report of a measured chat, as the contract has it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from msgspec import UNSET, UnsetType

from compact_chat.chat import Chat, Message, Text, Thinking, ToolCall, ToolResult, Warning
from compact_chat.measure.gauge import Meter
from compact_chat.measure.windows import Window
from compact_chat.tools import tool_named
from compact_chat.wire import Advice, Breakdown, HostRing, Kind, MessageTokens, TokenReport, WindowBasis

# When a chat is full enough to be cut or compacted (rules X1 to X3); the answers only advise.


REPLY_RESERVE = 20_000


def default_budget(window: Window, tool: str = "") -> int:
    """Tokens at which a chat counts as full: where its tool compacts by itself, else what leaves room for a reply."""
    row = tool_named(tool)
    share = None if row.compacts_at is None else window.input * row.compacts_at // 100
    if share is not None and not row.compacts_before:
        return share
    reserve = min(REPLY_RESERVE, window.output) + row.compacts_before
    rest = window.input - min(reserve, window.input // 2)  # a small window is not all reserve
    return rest if share is None else min(share, rest)


def advise(
    used: int, budget: int | None, prune_at: float, compact_at: float, can_cut: Callable[[], bool] = lambda: True
) -> tuple[Advice, str]:
    """Advise by the thresholds, which are fractions of the budget, and say why in a sentence (rules X1 to X3).

    `can_cut` tells whether there are results to cut; it is asked only where cutting them would be advised.
    """
    if not budget:
        return "none", "No limit is known for this chat, so nothing is advised."
    # As they are written: 0.7 is seven tenths, not the nearest binary number.
    prune, compact = Fraction(str(prune_at)), Fraction(str(compact_at))

    def share(fraction: Fraction) -> str:
        if fraction == 1:
            return f"the budget of {budget:,}"
        return f"{int(budget * fraction):,}, {float(fraction):.0%} of the budget of {budget:,}"

    def room(fraction: Fraction) -> str:
        return f"There is room for {int(budget * fraction) - used:,} more tokens, up to {share(fraction)}."

    if used > budget * compact:
        return "compact", f"A summary is advised: {used:,} tokens are more than {share(compact)}."
    if budget * prune < used <= budget:
        over = f"{used:,} tokens are more than {share(prune)}"
        if can_cut():
            return "prune", f"Cutting old tool results is advised: {over}."
        return "none", f"No old tool result can be cut, though {over}. {room(compact)}"
    return "none", room(min(prune, compact))


# The report of a measured chat, as the contract has it.


def make_report(
    chat: Chat,
    meter: Meter,
    window: int,
    advice: Advice,
    reason: str,
    per_message: bool,
    *,
    window_basis: WindowBasis,
    breakdown: Breakdown | UnsetType = UNSET,
) -> TokenReport:
    """Put together what is known of a chat, its size and the advice."""
    warnings, shown, ring = chat.warnings, chat.host_meter, None
    if chat.model is not None and window_basis == "default":
        assumed = f"This model is not known here; its window is taken to be {window:,} tokens."
        warnings += (Warning("unknownModel", f"{assumed} The setting `windows` can tell."),)
    if shown is not None:  # as a share of both its windows; it never shows more than all of them
        with_reserve = min(100.0, percent(shown.used + shown.reserved, shown.total))
        used = min(100.0, percent(shown.used, shown.total))
        ring = HostRing(shown.used, shown.reserved, shown.total, with_reserve, used)
    return TokenReport(
        model=chat.model,
        tool=chat.tool,
        format=chat.format,
        title=chat.title,
        message_count=len(chat.messages),
        used=meter.used,
        low=meter.low,
        high=meter.high,
        window=window,
        window_basis=window_basis,
        percent=min(100.0, percent(meter.used, window)),  # a window that was assumed, or set, may be too small
        basis=meter.basis,
        parts=meter.parts,
        advice=advice,
        reason=reason,
        warnings=warnings,
        host_meter=ring,
        messages=tuple(
            MessageTokens(message.id, index, message.role, kind_of(message), tokens)
            for index, (message, tokens) in enumerate(zip(chat.messages, meter.tokens, strict=True))
        )
        if per_message
        else UNSET,
        breakdown=breakdown,
    )


def percent(used: int, window: int) -> float:
    """How much of the window is used, with one decimal; 0 of no window."""
    return round(100 * used / window, 1) if window else 0.0


def kind_of(message: Message) -> Kind:
    """What a message is made of; thoughts beside other parts make it no mixture."""
    if message.is_summary:
        return "summary"
    kinds: set[Kind] = set()
    for part in message.sent:
        match part:
            case Thinking() | Text(""):
                continue
            case ToolCall():
                kinds.add("toolCall")
            case ToolResult():
                kinds.add("toolResult")
            case _:
                kinds.add("text")
    if len(kinds) > 1:
        return "mixed"
    if kinds:
        return kinds.pop()
    return "text" if any(isinstance(part, Thinking) and part.text for part in message.parts) else "empty"
