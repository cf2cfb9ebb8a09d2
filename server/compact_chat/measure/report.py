"""The report of a measured chat, as the contract has it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from msgspec import UNSET, UnsetType

from compact_chat.chat import Chat, HostMeter, Message, Part, Text, Thinking, ToolCall, ToolResult, Warning
from compact_chat.errors import InvalidParams
from compact_chat.measure.gauge import Meter
from compact_chat.measure.windows import Window
from compact_chat.tools import tool_named
from compact_chat.wire import Advice, Breakdown, HostRing, Kind, MessageTokens, TokenReport, WindowBasis

# When a chat is full enough to be cut or compacted (rules X1 to X3); the answers only advise.


REPLY_RESERVE = 20_000


def should_compact(tokens: int, budget: int | None) -> bool:
    """Tell whether a chat is over its budget (rules X1, X3)."""
    limit = 0 if budget is None else _count("budget", budget)
    return _count("tokens", tokens) > limit > 0


def should_prune(tokens: int, budget: int | None, pct: float | Fraction = 70) -> bool:
    """Tell whether a chat is over that percentage of its budget, and not over the budget (rules X2, X3)."""
    limit = 0 if budget is None else _count("budget", budget)
    return limit * _percentage(pct) < _count("tokens", tokens) * 100 <= limit * 100


def default_budget(window: Window, tool: str = "") -> int:
    """Tokens at which a chat counts as full: where its tool compacts by itself, else what leaves room for a reply."""
    row = tool_named(tool)
    if row.compacts_at is not None:
        return window.input * row.compacts_at // 100
    reserve = min(REPLY_RESERVE, window.output) + row.compacts_before
    return window.input - min(reserve, window.input // 2)  # a small window is not all reserve


def advise(
    used: int, budget: int | None, prune_at: float, compact_at: float, can_cut: Callable[[], bool] = lambda: True
) -> tuple[Advice, str]:
    """What the thresholds say, fractions of the budget, and a sentence that says why.

    `can_cut` tells whether there are results to cut; it is asked only where cutting them would be advised.
    """
    if not budget:
        return "none", "No limit is known for this chat, so nothing is advised."
    prune, compact = _exact(prune_at), _exact(compact_at)
    if used > budget * compact:
        return "compact", f"A summary is advised: {used:,} tokens are more than {_share(compact, budget)}."
    if should_prune(used, budget, prune * 100):
        return _cutting(used, budget, prune, compact, can_cut())
    lowest = min(prune, compact)
    return "none", f"There is room for {int(budget * lowest) - used:,} more tokens, up to {_share(lowest, budget)}."


def _cutting(used: int, budget: int, prune: Fraction, compact: Fraction, can_cut: bool) -> tuple[Advice, str]:
    """Whether to cut, for a chat that is over the threshold for that; where there is nothing to cut, to wait."""
    over = f"{used:,} tokens are more than {_share(prune, budget)}"
    if can_cut:
        return "prune", f"Cutting old tool results is advised: {over}."
    room = f"There is room for {int(budget * compact) - used:,} more tokens, up to {_share(compact, budget)}."
    return "none", f"No old tool result can be cut, though {over}. {room}"


def _share(fraction: Fraction, budget: int) -> str:
    if fraction == 1:
        return f"the budget of {budget:,}"
    return f"{int(budget * fraction):,}, {float(fraction):.0%} of the budget of {budget:,}"


def _exact(fraction: float) -> Fraction:
    """The fraction as it is written: 0.7 is seven tenths, not the nearest binary number."""
    return Fraction(str(fraction))


def _count(name: str, value: int) -> int:
    if not _is_number(value, int) or value < 0:
        raise InvalidParams.at(f"$.{name}", "must be a whole number, not negative")
    return value


def _percentage(value: float | Fraction) -> Fraction:
    if not _is_number(value, int, float, Fraction) or not 0 <= value <= 100:  # NaN is not either
        raise InvalidParams.at("$.pct", "must be a number from 0 to 100")
    return value if isinstance(value, Fraction) else _exact(value)


def _is_number(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


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
        warnings=chat.warnings + _of_window(chat.model, window, window_basis),
        host_meter=_ring(chat.host_meter),
        messages=_message_tokens(chat, meter) if per_message else UNSET,
        breakdown=breakdown,
    )


def percent(used: int, window: int) -> float:
    """How much of the window is used, with one decimal; 0 of no window."""
    return round(100 * used / window, 1) if window else 0.0


def _of_window(model: str | None, window: int, basis: WindowBasis) -> tuple[Warning, ...]:
    """Say that a model with a name is not in the table, so that its window is assumed."""
    if model is None or basis != "default":
        return ()
    told = f"This model is not known here; its window is taken to be {window:,} tokens. The setting `windows` can tell."
    return (Warning("unknownModel", told),)


def _ring(shown: HostMeter | None) -> HostRing | None:
    """The host's meter as a share of both its windows; it never shows more than all of them."""
    if shown is None:
        return None
    with_reserve = min(100.0, percent(shown.used + shown.reserved, shown.total))
    used = min(100.0, percent(shown.used, shown.total))
    return HostRing(shown.used, shown.reserved, shown.total, with_reserve, used)


def kind_of(message: Message) -> Kind:
    """What a message is made of; thoughts beside other parts make it no mixture."""
    if message.is_summary:
        return "summary"
    kinds = {_kind_of_part(part) for part in message.sent if _says_something(part)}
    if len(kinds) > 1:
        return "mixed"
    if kinds:
        return kinds.pop()
    return "text" if any(isinstance(part, Thinking) and part.text for part in message.parts) else "empty"


def _kind_of_part(part: Part) -> Kind:
    match part:
        case ToolCall():
            return "toolCall"
        case ToolResult():
            return "toolResult"
    return "text"


def _says_something(part: Part) -> bool:
    match part:
        case Thinking() | Text(""):
            return False
    return True


def _message_tokens(chat: Chat, meter: Meter) -> tuple[MessageTokens, ...]:
    return tuple(
        MessageTokens(message.id, index, message.role, kind_of(message), tokens)
        for index, (message, tokens) in enumerate(zip(chat.messages, meter.tokens, strict=True))
    )
